//! The reflector for anything: named values in, a reflection out, by way of a judge.
//!
//! The judge is a closure from prompt to text, or a model. It is asked once, whatever the level; a second look has to be asked for.
//! What the level changes:
//!
//! | level | what is done |
//! |---|---|
//! | shallow | values are cut to 2,000 characters, lists to one entry |
//! | medium, deep | values are cut to 20,000 characters |
//! | meta | past reflections are shown, and the question is what they have in common |

mod answer;
mod ask_judge;
mod reply;
mod sections;
#[cfg(test)]
mod tests;

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use derive_setters::Setters;
use reflect_llm::{ChatModel, Extracted, ParseStatus, extract_json};
use serde_json::{Map, Value, json};

use crate::{
    Analysis, Context, Redactor, ReflectError, ReflectionLevel, ReflectionType, Reflector, ReflectorConfig, Spent,
    metadata_keys,
};
use ask_judge::JudgeCall;

pub use reply::{AtOnce, Awaited, JudgeReply, JudgeText};

const SYSTEM_PROMPT: &str = include_str!("../../prompts/general.md");

/// What happens when the judge fails, after its retries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FailurePolicy {
    /// The reflection fails with the judge's error.
    #[default]
    Fail,
    /// The reflection is answered without the judge: its summary says so, and its metadata holds `degraded` and `error`.
    Degrade,
}

/// Reflects on whatever a context holds by asking a judge.
#[derive(Setters)]
#[setters(prefix = "with_", strip_option)]
pub struct GeneralReflector {
    /// Sets the name that goes into each result.
    #[setters(into)]
    name: String,
    /// Sets what the results are about.
    #[setters(rename = "with_type")]
    reflection_type: ReflectionType,
    /// Sets how deep it goes.
    level: ReflectionLevel,
    #[setters(skip)]
    judge: Option<JudgeCall>,
    #[setters(skip)]
    second_look: bool,
    /// Takes the place of the built-in system prompt; an empty one does not.
    #[setters(into)]
    system_prompt: Option<String>,
    /// Bounds each call of the judge; zero takes the bound away.
    timeout: Option<Duration>,
    /// How often a call that failed is made again. Nothing waits in between: models have a back-off of their own.
    retries: u32,
    /// How often an answer that could not be read is asked for again, with what was wrong.
    re_asks: u32,
    /// What happens when the judge fails all the same.
    #[setters(rename = "on_failure")]
    on_failure: FailurePolicy,
    /// Takes out what must not leave the machine before the judge is asked.
    redactor: Option<Arc<Redactor>>,
}

impl Default for GeneralReflector {
    fn default() -> Self {
        Self {
            name: "general_reflector".into(),
            reflection_type: ReflectionType::Insight,
            level: ReflectionLevel::Deep,
            judge: None,
            second_look: false,
            system_prompt: None,
            timeout: None,
            retries: 0,
            re_asks: 0,
            on_failure: FailurePolicy::Fail,
            redactor: None,
        }
    }
}

impl GeneralReflector {
    /// Named `general_reflector`, of type insight and level deep, and without a judge: its results say that nothing was
    /// reflected on.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks a closure: the prompt in, the reply out. The reply is a text or a `Result` with a text, or a future of either.
    ///
    /// A closure that is not async runs where the reflection does, and no timeout interrupts it: one that takes long belongs into
    /// `tokio::task::spawn_blocking`.
    #[must_use]
    pub fn with_judge<F, Reply, When>(mut self, judge: F) -> Self
    where
        F: Fn(String) -> Reply + Send + Sync + 'static,
        Reply: JudgeReply<When>,
    {
        self.judge = Some(JudgeCall::closure(judge));
        self
    }

    /// Asks a model, with the system prompt as its instructions.
    #[must_use]
    pub fn with_model(mut self, model: Arc<dyn ChatModel>) -> Self {
        self.judge = Some(JudgeCall::Model(model));
        self
    }

    /// Asks twice: the first analysis is shown again, and the question is what lies underneath.
    #[must_use]
    pub fn with_second_look(self) -> Self {
        Self { second_look: true, ..self }
    }

    /// The prompt for a context: the system prompt, a blank line, and the sections.
    pub fn prompt(&self, context: &Context<'_>) -> String {
        format!("{}\n\n{}", self.instructions().trim_end(), self.body(context))
    }

    fn body(&self, context: &Context<'_>) -> String {
        let body = sections::of(context, self.level);
        match &self.redactor {
            Some(redactor) => redactor.redact(&body).into_owned(),
            None => body,
        }
    }

    fn instructions(&self) -> &str {
        self.system_prompt.as_deref().filter(|prompt| !prompt.is_empty()).unwrap_or(SYSTEM_PROMPT)
    }

    async fn ask_and_read(&self, judge: &JudgeCall, body: &str, spent: &mut Spent) -> Result<Extracted, ReflectError> {
        let mut body = body.to_owned();
        let mut asked_again = 0;
        loop {
            let reply = self.ask(judge, &body, spent).await?;
            let found = extract_json(&reply, &answer::shape());
            if found.status != ParseStatus::Fallback || asked_again == self.re_asks {
                return Ok(found);
            }
            asked_again += 1;
            let problem = format!(
                "The last answer could not be read as a JSON object with the keys above ({}). Answer again.",
                json!(found.notes)
            );
            body = format!("{body}\n{}", sections::section("Problem", &problem));
        }
    }

    async fn ask(&self, judge: &JudgeCall, body: &str, spent: &mut Spent) -> Result<String, ReflectError> {
        let timeout = self.timeout.filter(|timeout| !timeout.is_zero());
        let mut failed = 0;
        loop {
            let answer = judge.ask(self.instructions(), body, timeout, answer::max_tokens(self.level)).await;
            let (reply, took) = answer;
            *spent = spent.plus(took);
            match reply {
                Err(_) if failed < self.retries => failed += 1,
                reply => return reply,
            }
        }
    }

    /// The second look.
    async fn look_deeper(
        &self,
        judge: &JudgeCall,
        body: &str,
        analysis: &mut Analysis,
        spent: &mut Spent,
    ) -> Result<(), ReflectError> {
        let first = json!({"summary": analysis.summary, "key_findings": analysis.key_findings, "root_causes": analysis.root_causes});
        let question = "The analysis above stays at what happened. For each root cause, ask why it was possible at all, until the answer is \
                        something that can be changed. Give those as root_causes, and insights and suggestions that follow from them.";
        let body = format!(
            "{body}\n{}\n{}",
            sections::section("First analysis", &first.to_string()),
            sections::section("Question", question)
        );
        let found = self.ask_and_read(judge, &body, spent).await?;
        let deeper = found.value.as_ref().map(answer::read).unwrap_or_default();
        if found.status == ParseStatus::Fallback {
            analysis.metadata.insert(metadata_keys::ERROR.to_owned(), json!("the second answer could not be read"));
        }
        answer::add_new(&mut analysis.root_causes, deeper.root_causes);
        answer::add_new(&mut analysis.key_findings, deeper.key_findings);
        answer::add_new(&mut analysis.insights, deeper.insights);
        answer::add_new(&mut analysis.suggestions, deeper.suggestions);
        for (key, value) in deeper.other {
            analysis.other.entry(key).or_insert(value);
        }
        Ok(())
    }

    fn degraded(&self, error: &ReflectError) -> Analysis {
        let metadata = Map::from_iter([
            (metadata_keys::DEGRADED.to_owned(), Value::Bool(true)),
            (metadata_keys::ERROR.to_owned(), Value::String(error.to_string())),
        ]);
        Analysis { summary: format!("No reflection: {error}"), metadata, ..Analysis::default() }
    }
}

#[async_trait]
impl Reflector for GeneralReflector {
    fn config(&self) -> ReflectorConfig {
        ReflectorConfig { name: self.name.clone(), reflection_type: self.reflection_type, level: self.level }
    }

    async fn analyze(&self, context: &Context<'_>) -> Result<Analysis, ReflectError> {
        let Some(judge) = &self.judge else {
            return Ok(self.degraded(&ReflectError::Permanent("no judge was given".into())));
        };
        let body = self.body(context);
        let mut spent = Spent::default();
        let found = match (self.ask_and_read(judge, &body, &mut spent).await, self.on_failure) {
            (Ok(found), _) => found,
            (Err(error), FailurePolicy::Fail) => return Err(error),
            (Err(error), FailurePolicy::Degrade) => return Ok(self.degraded(&error)),
        };
        let mut analysis = answer::analysis(&found, self.level);
        if self.second_look && found.status != ParseStatus::Fallback {
            match (self.look_deeper(judge, &body, &mut analysis, &mut spent).await, self.on_failure) {
                (Err(error), FailurePolicy::Fail) => return Err(error),
                (Err(error), FailurePolicy::Degrade) => {
                    // What the first look found is worth keeping, and the mark says that it is not all.
                    analysis.metadata.insert(metadata_keys::DEGRADED.to_owned(), Value::Bool(true));
                    analysis.metadata.insert(metadata_keys::ERROR.to_owned(), Value::String(error.to_string()));
                }
                (Ok(()), _) => {}
            }
        }
        if self.level == ReflectionLevel::Meta {
            let size = context.history().map_or(0, crate::ReflectionHistory::total_count);
            analysis.metadata.insert(metadata_keys::HISTORY_SIZE.to_owned(), json!(size));
        }
        analysis.spent = spent;
        Ok(analysis)
    }
}
