//! A model that fills forms by chance and by what it was told.

use std::sync::{
    Mutex, PoisonError,
    atomic::{AtomicU32, Ordering},
};

use async_trait::async_trait;
use reflect_llm::{AnswerFormat, ChatError, ChatModel, ChatReply, ChatRequest};
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

    fn reflect(&self, prompt: &str, dice: &mut Dice) -> String {
        let told = form::facts_in(prompt).pop().filter(|_| dice.toss(WRITES_WELL));
        let fact =
            told.unwrap_or_else(|| form::Fact { field: dice.below(form::FIELDS), value: form::draw_values(dice)[0] });
        json!({
            "summary": "The form was not accepted.",
            "key_mistake": "A field had another value than it must have.",
            "correct_action": fact.to_string(),
            "guidance": "Fill that field as said and the others as you think best.",
            "applicable_tools": [],
            "key_findings": [],
        })
        .to_string()
    }
}

#[async_trait]
impl ChatModel for StochasticModel {
    fn name(&self) -> &str {
        "simulation/stochastic"
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatReply, ChatError> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let prompt = request.messages.last().map(|message| message.text.as_str()).unwrap_or_default();
        let mut dice = self.dice.lock().unwrap_or_else(PoisonError::into_inner);
        let text = match request.answer {
            AnswerFormat::Text => self.fill(prompt, &mut dice),
            AnswerFormat::Json { .. } => self.reflect(prompt, &mut dice),
        };
        Ok(ChatReply::text(text))
    }
}
