//! The reflector that asks a model.
//!
//! It shows the run in parts within a budget, asks for a structured lesson, and takes nothing on trust: texts are cleaned,
//! tools must be the run's own, and a lesson that is empty, a mere answer or a copy of one that was shown is sent back
//! once and then refused; fields that would mislead are mended with what the rules say. Type and result come from the review, never from the model.

mod check;
mod clean;
mod mend;
mod reference;
#[cfg(test)]
pub(crate) mod tests;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use reflect_core::{Lesson, WrittenBy, WrittenLesson};
use reflect_llm::{ChatModel, ChatReply, ChatRequest, Extracted, FinishReason, Kind, Shape, extract_json};
use serde_json::{Map, Value, json};

use crate::{
    Redactor, ReflectError, Reflected, ReviewedRun, RunReflector,
    ask::{Asking, CallLimits, RE_ASK_TOKENS},
    plain,
    prompt::{self, RunView},
};

const SYSTEM_PROMPT: &str = include_str!("../../prompts/lesson.md");

/// The version of the prompt above; counts up when its words change.
const PROMPT_VERSION: &str = "lesson-3";

/// How often an answer that cannot be used is asked for again.
const RE_ASKS: u32 = 1;

/// How the reflector asks.
#[derive(Debug, Clone)]
pub struct LlmReflectorOptions {
    /// The most tokens that one prompt may have, by our estimate, instructions included. Below about 2,000 little of a run is left.
    pub input_token_budget: usize,
    /// The most tokens that the answer may have, hidden reasoning included.
    pub max_output_tokens: u32,
    /// How long one call may take; as long as the model lets it when unset.
    pub timeout: Option<Duration>,
    /// Takes out what must not leave the machine; nothing is taken out when unset.
    pub redactor: Option<Arc<Redactor>>,
}

impl Default for LlmReflectorOptions {
    fn default() -> Self {
        Self {
            input_token_budget: 12_000,
            max_output_tokens: 2_000,
            timeout: Some(Duration::from_secs(60)),
            redactor: None,
        }
    }
}

/// Writes the lessons of runs by asking a model.
pub struct LlmReflector {
    model: Arc<dyn ChatModel>,
    options: LlmReflectorOptions,
}

impl LlmReflector {
    /// Asks this model.
    pub fn new(model: Arc<dyn ChatModel>, options: LlmReflectorOptions) -> Self {
        Self { model, options }
    }

    /// What the model is sent for a run: the instructions and the run. For looking at, and for estimating cost.
    pub fn prompt(&self, run: &ReviewedRun) -> (String, String) {
        let taken = plain::estimated_tokens(SYSTEM_PROMPT) + RE_ASK_TOKENS;
        let left = self.options.input_token_budget.saturating_sub(taken);
        (SYSTEM_PROMPT.to_owned(), prompt::render(&RunView::of(run), left, self.options.redactor.as_deref()))
    }
}

#[async_trait]
impl RunReflector for LlmReflector {
    fn written_by(&self) -> WrittenBy {
        WrittenBy { model: Some(self.model.name().to_owned()), ..WrittenBy::new("llm", PROMPT_VERSION) }
    }

    async fn reflect_run(&self, run: &ReviewedRun) -> Result<Reflected, ReflectError> {
        let (system, user) = self.prompt(run);
        let request = ChatRequest::ask(system, user).json("lesson", schema());
        let LlmReflectorOptions { input_token_budget, max_output_tokens, timeout, .. } = self.options;
        let limits = CallLimits { max_output_tokens, timeout };
        let mut asking = Asking::new(&*self.model, request, limits);
        let mut asked_again = 0;
        loop {
            let ChatReply { text, finish, .. } = asking.ask().await?;
            let own = asking.own_words(&text, |text| extract_json(text, &shape()).value.is_some());
            let found = Extracted { raw: text.clone(), ..extract_json(&own, &shape()) };
            let refusal = match found.value.as_ref().map(|value| read(value, run)) {
                None if finish == FinishReason::Length => "it was cut off before it was complete; be briefer",
                None => "there is no JSON object in it",
                Some((lesson, key_findings)) => match check::refusal(&lesson, run) {
                    None => {
                        let spent = asking.spent;
                        let lesson = mend::mended(lesson, run);
                        let written = WrittenLesson { lesson, written_by: spent.noted_on(self.written_by()) };
                        return Ok(Reflected { written, key_findings, spent, answer: Some(found) });
                    }
                    Some(why) => why,
                },
            };
            if asked_again == RE_ASKS {
                return Err(ReflectError::Unusable(refusal.to_owned()));
            }
            asked_again += 1;
            asking.object(&text, refusal, input_token_budget);
        }
    }
}

fn shape() -> Shape {
    Shape::any()
        .required("summary", Kind::Text)
        .required("guidance", Kind::Text)
        .optional("key_mistake", Kind::Text)
        .optional("correct_action", Kind::Text)
        .optional("applicable_tools", Kind::TextList)
        .optional("key_findings", Kind::TextList)
}

fn schema() -> Value {
    let text = json!({"type": "string"});
    let texts = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["summary", "key_mistake", "correct_action", "guidance", "applicable_tools", "key_findings"],
        "properties": {
            "summary": text, "key_mistake": text, "correct_action": text, "guidance": text,
            "applicable_tools": texts, "key_findings": texts,
        },
    })
}

/// The lesson in the model's object, and what else it found.
fn read(value: &Map<String, Value>, run: &ReviewedRun) -> (Lesson, Vec<String>) {
    let text = |key: &str| clean::text(value.get(key).and_then(Value::as_str).unwrap_or_default());
    let list = |key: &str| value.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let tools_used = prompt::tools_used(&run.messages);
    let applicable_tools = tools_used.iter().filter(|tool| list("applicable_tools").any(|named| named == **tool));
    let lesson = Lesson {
        summary: text("summary"),
        key_mistake: if run.outcome.is_pass() { String::new() } else { text("key_mistake") },
        correct_action: text("correct_action"),
        guidance: text("guidance"),
        applicable_tools: applicable_tools.cloned().collect(),
        tools_used,
        tells: None,
    };
    let findings = list("key_findings").map(clean::text).filter(|finding| !finding.is_empty()).take(3);
    (lesson, findings.collect())
}
