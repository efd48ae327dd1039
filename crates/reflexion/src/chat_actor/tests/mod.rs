mod attempts;
mod limits;
mod streaming;
mod tools;

use std::sync::Arc;

use reflect_llm::{ChatReply, ScriptedModel, ScriptedStep, ToolCall, Usage};
use serde_json::Value;

use crate::{Actor, Attempt, AttemptContext, ChatActor};

const USAGE: Usage = Usage { input_tokens: 10, output_tokens: 5, cost_usd: Some(0.25) };

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), arguments }
}

fn calling(tool_calls: Vec<ToolCall>) -> ScriptedStep {
    ScriptedStep::reply(ChatReply { tool_calls, usage: USAGE, ..ChatReply::default() })
}

fn saying(text: &str) -> ScriptedStep {
    ScriptedStep::reply(ChatReply { usage: USAGE, ..ChatReply::text(text) })
}

fn scripted(steps: impl IntoIterator<Item = ScriptedStep>) -> (ChatActor, Arc<ScriptedModel>) {
    let model = Arc::new(ScriptedModel::new(steps));
    (ChatActor::new(model.clone()), model)
}

fn context() -> AttemptContext {
    AttemptContext { trial: 1, prompt: "the prompt".into(), ..AttemptContext::default() }
}

async fn attempt(actor: &ChatActor) -> Attempt {
    actor.attempt("the task", &context()).await.unwrap()
}
