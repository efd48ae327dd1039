//! What a conversation is after: a sentence to search lessons with.
//!
//! A whole conversation is a bad query: its last turns drown in what was said before. A model distils it where there is
//! one; else a rule reads the user's turns, which is where the intent is.

mod rule;

use std::{sync::Arc, time::Duration};

use reflect_core::Message;
use reflect_llm::{ChatModel, ChatRequest, Kind, Shape, extract_json};
use serde_json::{Value, json};

use crate::{
    Redactor, ReflectError, Spent,
    ask::{Asking, CallLimits},
    plain, prompt,
};

pub use rule::distil_by_rule;

const SYSTEM_PROMPT: &str = include_str!("../../prompts/distil.md");

/// The most characters of an intent.
const LIMIT: usize = 500;

/// How a model is asked.
#[derive(Debug, Clone)]
pub struct DistilOptions {
    /// The most tokens that the prompt may have, by our estimate.
    pub input_token_budget: usize,
    /// How long the call may take. Somebody waits for the search, so it is short.
    pub timeout: Option<Duration>,
    /// Takes out what must not leave the machine; nothing is taken out when unset.
    pub redactor: Option<Arc<Redactor>>,
}

impl Default for DistilOptions {
    fn default() -> Self {
        Self { input_token_budget: 4_000, timeout: Some(Duration::from_secs(10)), redactor: None }
    }
}

/// What a conversation is after.
#[derive(Debug, Clone, PartialEq)]
pub struct Intent {
    /// In one sentence, or a few words; empty only if nobody said anything.
    pub text: String,
    /// Whether a model found it; else the rule did.
    pub by_model: bool,
    /// What it took.
    pub spent: Spent,
    /// Why the rule stood in for the model, if it did.
    pub error: Option<String>,
}

/// Distils by a model where one is given, and by the rule where not or where the model fails. It always answers.
pub async fn distil_intent(messages: &[Message], model: Option<&dyn ChatModel>, options: &DistilOptions) -> Intent {
    let by_rule = |spent, error| Intent { text: distil_by_rule(messages), by_model: false, spent, error };
    let Some(model) = model else { return by_rule(Spent::default(), None) };
    let left = options.input_token_budget.saturating_sub(plain::estimated_tokens(SYSTEM_PROMPT));
    let shown = prompt::render_messages(messages, left, options.redactor.as_deref());
    let request = ChatRequest::ask(SYSTEM_PROMPT, shown).json("intent", schema());
    let mut asking = Asking::new(model, request, CallLimits { max_output_tokens: 400, timeout: options.timeout });
    let answer = asking.ask().await;
    let answer = answer.and_then(|reply| read(&asking.own_words(&reply.text, |text| read(text).is_ok())));
    match answer {
        Ok(text) => Intent { text, by_model: true, spent: asking.spent, error: None },
        Err(error) => by_rule(asking.spent, Some(error.to_string())),
    }
}

fn read(reply: &str) -> Result<String, ReflectError> {
    let found = extract_json(reply, &Shape::any().required("intent", Kind::Text));
    let text = found.value.as_ref().and_then(|value| value.get("intent")).and_then(Value::as_str).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        return Err(ReflectError::Unusable("it names no intent".into()));
    }
    Ok(plain::shortened(&text, LIMIT))
}

fn schema() -> Value {
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["intent"],
        "properties": {"intent": {"type": "string"}},
    })
}

#[cfg(test)]
mod tests {
    use reflect_llm::{ChatError, ScriptedModel, ScriptedStep};

    use super::*;

    fn messages() -> Vec<Message> {
        let say = |role: &str, text: &str| Message { role: role.into(), text: text.into(), ..Message::default() };
        vec![
            say("user", "Export the invoices of May as CSV"),
            say("assistant", "Done."),
            say("user", "now with semicolons please"),
        ]
    }

    #[tokio::test]
    async fn a_model_distils_where_there_is_one() {
        let model = ScriptedModel::new([ScriptedStep::text(r#"{"intent": "Export invoices as semicolon CSV"}"#)]);
        let intent = distil_intent(&messages(), Some(&model), &DistilOptions::default()).await;
        assert_eq!(
            (intent.text.as_str(), intent.by_model, intent.spent.calls),
            ("Export invoices as semicolon CSV", true, 1)
        );
        assert!(model.requests()[0].messages[1].text.contains("now with semicolons please"));
    }

    #[tokio::test]
    async fn the_rule_stands_in_for_a_model_that_fails_or_says_nothing() {
        let down = ChatError::Unavailable { status: None, retry_after: None, message: "down".into() };
        for step in [ScriptedStep::error(down), ScriptedStep::text("{}"), ScriptedStep::text("<html></html>")] {
            let model = ScriptedModel::new([step]);
            let intent = distil_intent(&messages(), Some(&model), &DistilOptions::default()).await;
            assert!(!intent.by_model && intent.error.is_some());
            assert_eq!(intent.text, distil_by_rule(&messages()));
        }
        let intent = distil_intent(&messages(), None, &DistilOptions::default()).await;
        assert_eq!((intent.by_model, intent.error, intent.spent), (false, None, Spent::default()));
    }
}
