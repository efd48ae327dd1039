//! The tools, one file each.

mod create_memory;
mod retrieve_memories;
mod review_trace;

use std::sync::LazyLock;

use reflect_api::{ErrorCode, ReflectionRequest};
use reflect_core::Outcome;
use reflect_service::{Refusal, ServiceResult};
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, JsonObject, Tool, ToolAnnotations},
};
use schemars::JsonSchema;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;

use crate::Asked;
use create_memory::CreateMemory;
use retrieve_memories::RetrieveMemories;
use review_trace::ReviewTrace;

const RETRIEVE: &str = "retrieve_memories";
const CREATE: &str = "create_memory";
const REVIEW: &str = "review_trace";

/// Every tool, as clients are told about it.
pub(crate) fn all() -> &'static [Tool] {
    static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
        let reads = ToolAnnotations::new().read_only(true).open_world(false);
        let adds = ToolAnnotations::new().read_only(false).destructive(false).open_world(false);
        vec![
            described::<RetrieveMemories>(RETRIEVE, retrieve_memories::DESCRIPTION).annotate(reads),
            described::<CreateMemory>(CREATE, create_memory::DESCRIPTION).annotate(adds.clone()),
            described::<ReviewTrace>(REVIEW, review_trace::DESCRIPTION).annotate(adds.idempotent(true)),
        ]
    });
    &TOOLS
}

fn described<Arguments: JsonSchema + 'static>(name: &'static str, description: &'static str) -> Tool {
    Tool::new(name, description, JsonObject::new()).with_input_schema::<Arguments>()
}

/// Calls a tool. What it refuses is a result that the model reads, so that it can do better; only a name that no tool has is an error.
pub(crate) async fn call(asked: &Asked, name: &str, arguments: JsonObject) -> Result<CallToolResult, ErrorData> {
    let called = match name {
        RETRIEVE => run(arguments, |arguments| retrieve_memories::call(asked, arguments)).await,
        CREATE => run(arguments, |arguments| create_memory::call(asked, arguments)).await,
        REVIEW => run(arguments, |arguments| review_trace::call(asked, arguments)).await,
        _ => {
            let message = format!("there is no tool `{name}`; there are {RETRIEVE}, {CREATE} and {REVIEW}");
            return Err(ErrorData::invalid_params(message, None));
        }
    };
    Ok(called.unwrap_or_else(|refusal| CallToolResult::error(vec![ContentBlock::text(words(&refusal))])))
}

async fn run<Arguments: DeserializeOwned, Called>(
    arguments: JsonObject,
    call: impl FnOnce(Arguments) -> Called,
) -> ServiceResult<CallToolResult>
where
    Called: Future<Output = ServiceResult<CallToolResult>>,
{
    match serde_json::from_value(Value::Object(arguments)) {
        Ok(arguments) => call(arguments).await,
        Err(error) => Err(Refusal::new(ErrorCode::InvalidRequest, format!("the arguments cannot be read: {error}"))),
    }
}

fn words(refusal: &Refusal) -> String {
    let code = refusal.code.as_str();
    match refusal.retry_after_seconds {
        Some(seconds) => format!("{} ({code}; try again in {seconds} s)", refusal.message),
        None => format!("{} ({code})", refusal.message),
    }
}

/// How a run went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum RunResult {
    #[serde(alias = "success")]
    Pass,
    #[serde(alias = "failure")]
    Fail,
}

impl From<RunResult> for Outcome {
    fn from(result: RunResult) -> Self {
        match result {
            RunResult::Pass => Self::Pass,
            RunResult::Fail => Self::Fail,
        }
    }
}

/// A lesson in the agent's own words.
#[derive(Debug, Default, Deserialize, JsonSchema)]
struct AuthoredLesson {
    /// The lesson: what happened, in a sentence.
    summary: Option<String>,
    /// The lesson: what to do the next time such a task comes, so that it helps someone who knows nothing of this run.
    guidance: Option<String>,
    /// The lesson: the one mistake that mattered, if there was one.
    key_mistake: Option<String>,
    /// The lesson: what would have been right instead, or what was.
    correct_action: Option<String>,
    /// The lesson: names of tools that it is about.
    applicable_tools: Option<Vec<String>>,
}

impl AuthoredLesson {
    /// The lesson as the wire has it; `None` if it says nothing.
    fn into_request(self) -> Option<ReflectionRequest> {
        let texts = [&self.summary, &self.guidance, &self.key_mistake, &self.correct_action];
        let says_something = texts.into_iter().flatten().any(|text| !text.trim().is_empty());
        says_something.then_some(ReflectionRequest {
            summary: self.summary,
            guidance: self.guidance,
            key_mistake: self.key_mistake,
            correct_action: self.correct_action,
            applicable_tools: self.applicable_tools,
            tools_used: None,
            written_by: None,
        })
    }
}

/// An id among the arguments.
fn parse_id<Id: std::str::FromStr>(name: &str, text: &str, origin: &str) -> ServiceResult<Id> {
    text.trim().parse().map_err(|_| {
        let message = format!("`{name}` is `{text}`; it must be the id that {origin} gave");
        Refusal::new(ErrorCode::InvalidRequest, message).with_path(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_says_what_it_takes() {
        for tool in all() {
            let schema = tool.schema_as_json_value();
            assert_eq!(schema["type"], "object", "{}", tool.name);
            for (name, argument) in schema["properties"].as_object().unwrap() {
                assert!(argument["description"].is_string(), "{} of {} is not described", name, tool.name);
            }
        }
        let [retrieve, create, review] = all() else { panic!("{:?}", all()) };
        assert_eq!(retrieve.schema_as_json_value()["required"], serde_json::json!(["query"]));
        assert_eq!(create.schema_as_json_value()["required"], serde_json::json!(["task"]));
        assert_eq!(review.schema_as_json_value()["required"], serde_json::json!(["trace_id", "result"]));
    }
}
