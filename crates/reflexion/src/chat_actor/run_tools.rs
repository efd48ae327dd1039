//! Running what the model asked for. Whatever goes wrong is told to the model, which may do better in its next turn.

use std::{any::Any, panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use reflect_llm::ToolCall;

use super::tool::{Tool, ToolFailure};
use crate::{
    error::{panic_text, with_causes},
    evaluate::clip::clipped,
};

/// The most characters of a schema in an error: it is in the request already, in full.
const SCHEMA_LIMIT: usize = 2_000;

/// What the model is told about one call, within `limit` characters.
pub(super) async fn run_call(tools: &[Tool], call: &ToolCall, timeout: Duration, limit: usize) -> String {
    let Some(tool) = tools.iter().find(|tool| tool.name == call.name) else {
        return unknown_tool(tools, &call.name);
    };
    let timeout = tool.timeout.unwrap_or(timeout);
    let running = AssertUnwindSafe(async { (tool.run)(call.arguments.clone()).await }).catch_unwind();
    let told = match tokio::time::timeout(timeout, running).await {
        Ok(Ok(Ok(result))) => result,
        Ok(Ok(Err(ToolFailure::Arguments(what)))) => wrong_arguments(tool, &what),
        Ok(Ok(Err(ToolFailure::Failed(error)))) => format!("error: {}", with_causes(&*error)),
        Ok(Err(panic)) => broke_down(tool, &*panic),
        Err(_) => format!("error: `{}` did not answer within {} ms", tool.name, timeout.as_millis()),
    };
    clipped(&told, limit).into_owned()
}

fn unknown_tool(tools: &[Tool], name: &str) -> String {
    let names: Vec<String> = tools.iter().map(|tool| format!("`{}`", tool.name)).collect();
    let there_are = if names.is_empty() { "there are none".to_owned() } else { format!("use {}", names.join(", ")) };
    format!("error: there is no tool `{}`; {there_are}", clipped(name, 100))
}

fn wrong_arguments(tool: &Tool, what: &str) -> String {
    let schema = tool.parameters.to_string();
    let schema = clipped(&schema, SCHEMA_LIMIT);
    format!("error: `{}` was not run: {what}. Send arguments of this JSON schema: {schema}", tool.name)
}

fn broke_down(tool: &Tool, panic: &(dyn Any + Send)) -> String {
    let words = panic_text(panic);
    tracing::warn!(tool = tool.name, panic = words, "a tool panicked; the model is told");
    format!("error: `{}` broke down: {words}", tool.name)
}
