//! A model that fills forms by chance and by what it was told.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use reflect_llm::{AnswerFormat, ChatError, ChatModel, ChatReply, ChatRequest, Role};
use serde_json::json;

use super::{
    dice::Dice,
    form::{self, Values},
};

/// How often the model knows the right value of a field by itself.
const KNOWS: f64 = 0.55;

/// How often it follows a fact in a lesson, and one in the raw feedback on its last attempt: a lesson says what to do, feedback what was
/// wrong.
const FOLLOWS_LESSON: f64 = 0.95;
const FOLLOWS_FEEDBACK: f64 = 0.6;

/// How often a value of the last attempt is kept when it is in view, right or wrong.
const ANCHORS: f64 = 0.6;

/// How often a lesson repeats the fact that it should be about, rather than one that it makes up.
const WRITES_WELL: f64 = 0.9;

/// Plays the actor and the reflector. What it knows of the form is the truth by chance; what it is told stands in its prompt.
pub(super) struct StochasticModel {
    truth: Values,
    dice: Mutex<Dice>,
    calls: AtomicU32,
}

impl StochasticModel {
    pub(super) fn new(truth: Values, seed: u64) -> Self {
        Self { truth, dice: Mutex::new(Dice::new(seed)), calls: AtomicU32::new(0) }
    }

    pub(super) fn calls(&self) -> u32 {
        self.calls.load(Ordering::Relaxed)
    }

    fn fill(&self, prompt: &str, dice: &mut Dice) -> String {
        let (lessons, last) = prompt.split_once("<last_attempt").unwrap_or((prompt, ""));
        let last_answer = last.split("<answer>").nth(1).and_then(|rest| form::read(rest.split('<').next()?));
        let feedback = last.split("<feedback>").nth(1).unwrap_or_default();
        let mut values: Values = std::array::from_fn(|field| {
            let right = self.truth.get(field).copied().unwrap_or('a');
            if dice.toss(KNOWS) { right } else { form::draw_other(dice, right) }
        });
        if let Some(last_answer) = last_answer {
            for (value, before) in values.iter_mut().zip(last_answer) {
                if dice.toss(ANCHORS) {
                    *value = before;
                }
            }
        }
        for (text, follows) in [(feedback, FOLLOWS_FEEDBACK), (lessons, FOLLOWS_LESSON)] {
            for fact in form::facts_in(text) {
                if dice.toss(follows)
                    && let Some(value) = values.get_mut(fact.field)
                {
                    *value = fact.value;
                }
            }
        }
        form::write(&values)
    }

    /// A lesson about the fact that the feedback names. Without one there is nothing to say but to try again.
    fn reflect(&self, prompt: &str, dice: &mut Dice) -> String {
        let told = form::facts_in(prompt).pop().map(|fact| match dice.toss(WRITES_WELL) {
            true => fact,
            false => form::Fact { field: dice.below(form::FIELDS), value: form::draw_value(dice) },
        });
        let lesson = match told {
            Some(fact) => json!({
                "summary": pick(&SUMMARIES, dice.below(SUMMARIES.len())),
                "key_mistake": pick(&MISTAKES, dice.below(MISTAKES.len())),
                "correct_action": fact.to_string(),
                "guidance": "",
                "applicable_tools": [], "key_findings": [],
            }),
            None => json!({
                "summary": pick(&LUCK_NOTES, dice.below(LUCK_NOTES.len())),
                "key_mistake": "", "correct_action": "", "guidance": pick(&LUCK_ADVICE, dice.below(LUCK_ADVICE.len())),
                "applicable_tools": [], "key_findings": [],
            }),
        };
        lesson.to_string()
    }
}

/// What lessons say besides their fact, in ever other words: one that repeats another is sent back, which costs a call.
const SUMMARIES: [&str; 8] = [
    "Two columns had been swapped by accident.",
    "An abbreviation meant something different here.",
    "Nobody had checked against the newest edition.",
    "It looked complete but one box betrayed us.",
    "The clerk read the top line and frowned at once.",
    "Halfway down, a currency was taken for another one.",
    "Whoever receives this was spelled without care.",
    "At the bottom stood a reference that nobody knows.",
];
const MISTAKES: [&str; 8] = [
    "Skipped reading footnotes on page two.",
    "Assumed yesterday's template still applied.",
    "Mixed up sender and addressee again.",
    "Rounded where exactness was demanded.",
    "Guessed instead of looking into last year's ledger.",
    "Copied an old entry although rules had changed since.",
    "Trusted memory where a table would have told.",
    "Confused two similar codes under time pressure.",
];
const LUCK_NOTES: [&str; 6] = [
    "Nothing in it looked wrong, and still it came back.",
    "Another rejection without any reason given.",
    "The office closed before anybody had read it.",
    "Somebody drew lots, and ours lost again.",
    "Printed badly, smudged, or simply unlucky today.",
    "A stamp was missing that no instruction mentions.",
];
const LUCK_ADVICE: [&str; 6] = [
    "Send it once more.",
    "Hope for a friendlier reader.",
    "Wait a little, then hand in the like.",
    "Perhaps mornings are better than evenings.",
    "Ask at another counter if there is one.",
    "Keep calm and carry on trying.",
];

fn pick(notes: &'static [&'static str], at: usize) -> &'static str {
    notes.get(at % notes.len().max(1)).copied().unwrap_or_default()
}

#[async_trait]
impl ChatModel for StochasticModel {
    fn name(&self) -> &str {
        "simulation/stochastic"
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        // Also when it is asked again: what it is about stands in the first question.
        let asked = request.messages.iter().find(|message| message.role == Role::User);
        let prompt = asked.map(|message| message.text.as_str()).unwrap_or_default();
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match request.answer {
            AnswerFormat::Text => self.fill(prompt, &mut dice),
            AnswerFormat::Json { .. } => self.reflect(prompt, &mut dice),
        };
        Ok(ChatReply::text(text))
    }
}
