//! A skill in a model's words, standing on the same lessons.

use std::{sync::Arc, time::Duration};

use reflect_core::{Memory, MemoryId, WrittenBy};
use reflect_llm::{ChatModel, ChatRequest, Kind, Shape, extract_json};
use serde_json::{Map, Value, json};

use super::{
    ComposedSkill, SkillRequest, Statement, Statements, compose_skill, finish, select,
    statements::{joined, one_line, still_holding},
};
use crate::{
    Redactor, ReflectError, Spent,
    ask::{Asking, CallLimits},
    plain, prompt,
};

const SYSTEM_PROMPT: &str = include_str!("../../prompts/skill.md");

/// The version of the prompt above; counts up when its words change.
const PROMPT_VERSION: &str = "skill-1";

/// The most characters of a statement, and of the description.
const STATEMENT_LIMIT: usize = 600;
const DESCRIPTION_LIMIT: usize = 300;

/// How the model is asked.
#[derive(Debug, Clone)]
pub struct SkillOptions {
    /// The most tokens that the prompt may have, by our estimate.
    pub input_token_budget: usize,
    /// The most tokens that the answer may have.
    pub max_output_tokens: u32,
    /// How long the call may take; as long as the model lets it when unset.
    pub timeout: Option<Duration>,
    /// Takes out what must not leave the machine; nothing is taken out when unset.
    pub redactor: Option<Arc<Redactor>>,
}

impl Default for SkillOptions {
    fn default() -> Self {
        Self {
            input_token_budget: 12_000,
            max_output_tokens: 3_000,
            timeout: Some(Duration::from_secs(90)),
            redactor: None,
        }
    }
}

/// Lets a model write the statements. Those that cite no lesson that it was shown are dropped; if none is left, or the model
/// fails, the skill is composed by rule and says why.
pub async fn write_skill(request: &SkillRequest<'_>, model: &dyn ChatModel, options: &SkillOptions) -> ComposedSkill {
    let picks = select::pick(request);
    let lessons: Vec<&Memory> = picks.passed.iter().chain(&picks.failed).copied().collect();
    let kept = request.previous.map(|content| still_holding(content, request)).unwrap_or_default();
    let numbered = Numbered::new(lessons, &kept, request);
    let left = options.input_token_budget.saturating_sub(plain::estimated_tokens(SYSTEM_PROMPT));
    let shown = prompt::render_texts(numbered.parts(&kept), left, options.redactor.as_deref());
    let asked = ChatRequest::ask(SYSTEM_PROMPT, shown).json("skill", schema());
    let limits = CallLimits { max_output_tokens: options.max_output_tokens, timeout: options.timeout };
    let mut asking = Asking::new(model, asked, limits);
    let written = asking.ask().await;
    let written =
        written.and_then(|reply| numbered.read(&asking.own_words(&reply.text, |text| numbered.read(text).is_ok())));
    let spent = asking.spent;
    match written {
        Err(error) => ComposedSkill { spent, error: Some(error.to_string()), ..compose_skill(request) },
        Ok((description, statements)) => {
            let statements = joined(kept, statements, request);
            let description = match description.is_empty() {
                true => super::document::description(request, &statements),
                false => description,
            };
            let skill = finish(request, &statements, description, written_by(model, spent));
            ComposedSkill { spent, ..skill }
        }
    }
}

fn written_by(model: &dyn ChatModel, spent: Spent) -> WrittenBy {
    WrittenBy { model: Some(model.name().to_owned()), ..spent.noted_on(WrittenBy::new("llm", PROMPT_VERSION)) }
}

/// Lessons under short numbers, which models copy more faithfully than ids.
struct Numbered<'a> {
    lessons: Vec<&'a Memory>,
}

impl<'a> Numbered<'a> {
    /// The chosen lessons, and those that kept statements stand on.
    fn new(mut lessons: Vec<&'a Memory>, kept: &Statements, request: &SkillRequest<'a>) -> Self {
        for id in kept.what_works.iter().chain(&kept.pitfalls).flat_map(|statement| &statement.memory_ids) {
            if !lessons.iter().any(|memory| memory.id == *id) {
                lessons.extend(request.memories.iter().find(|memory| memory.id == *id));
            }
        }
        Self { lessons }
    }

    fn parts(&self, kept: &Statements) -> Vec<(String, String)> {
        let mut parts = Vec::new();
        for (number, memory) in (1..).zip(&self.lessons) {
            let outcome = if memory.success == Some(true) { "passed" } else { "failed" };
            let (utility, uses) = (memory.tally.utility(), memory.tally.uses());
            let title = format!("M{number}, {outcome} run, utility {utility:.2} after {uses} uses");
            parts.push((title, format!("About: {}\n{}", memory.task.trim(), memory.lesson.text())));
        }
        for (heading, list) in [("what works", &kept.what_works), ("pitfall", &kept.pitfalls)] {
            for statement in list {
                let numbers: Vec<String> = statement.memory_ids.iter().filter_map(|id| self.number(*id)).collect();
                parts.push((
                    format!("previous version, {heading}, cites {}", numbers.join(" ")),
                    statement.text.clone(),
                ));
            }
        }
        parts
    }

    fn number(&self, id: MemoryId) -> Option<String> {
        self.lessons.iter().position(|memory| memory.id == id).map(|index| format!("M{}", index + 1))
    }

    /// The description and the statements that stand on something.
    fn read(&self, reply: &str) -> Result<(String, Statements), ReflectError> {
        let shape = Shape::any()
            .required("what_works", Kind::Any)
            .required("pitfalls", Kind::Any)
            .optional("description", Kind::Text);
        let value = extract_json(reply, &shape).value.unwrap_or_default();
        let statements = Statements {
            what_works: self.list(&value, "what_works", true),
            pitfalls: self.list(&value, "pitfalls", false),
        };
        if statements.is_empty() {
            return Err(ReflectError::Unusable("no statement of it cites a lesson that was shown".into()));
        }
        let description = value.get("description").and_then(Value::as_str).unwrap_or_default();
        Ok((plain::shortened(&one_line(description), DESCRIPTION_LIMIT), statements))
    }

    /// One of the lists. What works is shown by runs that passed, a pitfall by those that failed; other citations do not count.
    fn list(&self, value: &Map<String, Value>, key: &str, passed: bool) -> Vec<Statement> {
        let items = value.get(key).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| self.statement(item, passed)).take(self.lessons.len()).collect()
    }

    fn statement(&self, item: &Value, passed: bool) -> Option<Statement> {
        let text = plain::shortened(&one_line(item.get("text")?.as_str()?), STATEMENT_LIMIT);
        let mut memory_ids = Vec::new();
        for cited in item.get("memories")?.as_array()?.iter().filter_map(Value::as_str) {
            let number: Option<usize> = cited.trim().trim_start_matches(['M', 'm']).parse().ok();
            let memory = number.and_then(|number| self.lessons.get(number.checked_sub(1)?));
            let memory = memory.filter(|memory| memory.success == Some(passed));
            memory_ids.extend(memory.map(|memory| memory.id).filter(|id| !memory_ids.contains(id)));
        }
        (!text.is_empty() && !memory_ids.is_empty()).then_some(Statement { text, memory_ids })
    }
}

fn schema() -> Value {
    let statements = json!({"type": "array", "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["text", "memories"],
        "properties": {"text": {"type": "string"}, "memories": {"type": "array", "items": {"type": "string"}}},
    }});
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["description", "what_works", "pitfalls"],
        "properties": {"description": {"type": "string"}, "what_works": statements, "pitfalls": statements},
    })
}
