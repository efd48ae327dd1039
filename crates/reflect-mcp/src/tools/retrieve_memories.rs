//! `retrieve_memories`: the lessons for a task, ready for a prompt.

use reflect_api::{ErrorCode, MemoryAnswer, QueryAnswer, QueryRequest, with_block_entries};
use reflect_core::{
    RetrievalId,
    memory_block::{DEFAULT_MAX_CHARS, format_memory_block},
};
use reflect_service::{Refusal, ServiceResult};
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Asked;

pub(super) const DESCRIPTION: &str = "Finds lessons from earlier, similar tasks. Call it before you start a task, and again when the \
     task turns out to be another one. Keep the ids that it gives for create_memory.";

const MOST: u32 = 20;

const NO_LESSON: &str = "No lesson fits this task yet. Do it as you would, and report how it went with create_memory.";

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct RetrieveMemories {
    /// The task at hand in one or two sentences, as a user would put it; not a whole conversation.
    query: String,
    /// How many lessons at most; 5 without it.
    #[schemars(range(min = 1, max = 20))]
    limit: Option<u32>,
    /// How much it counts whether a lesson has helped before, from 0 (only similarity) to 1 (only that). Without it the project's own
    /// weight, which is 0.5 unless somebody has changed it.
    #[serde(alias = "lambda")]
    #[schemars(range(min = 0.0, max = 1.0))]
    lambda_: Option<f64>,
}

pub(super) async fn call(asked: &Asked, arguments: RetrieveMemories) -> ServiceResult<CallToolResult> {
    let limit = arguments.limit.unwrap_or(5);
    if !(1..=MOST).contains(&limit) {
        let message = format!("`limit` is {limit}, it must be between 1 and {MOST}");
        return Err(Refusal::new(ErrorCode::InvalidRequest, message).with_path("limit"));
    }
    let request = QueryRequest {
        task: Some(arguments.query),
        limit: Some(limit),
        lambda: arguments.lambda_,
        ..QueryRequest::default()
    };
    let queried = asked.service.query(asked.asker(), request, None).await?;
    let memories = match queried.answer {
        QueryAnswer::Memories(memories) => memories,
        QueryAnswer::Distilled(distilled) => distilled.memories,
    };
    let words = match queried.nothing_found {
        Some(why) => format!("{NO_LESSON} (Why: {why}.)"),
        None => words(&memories, queried.retrieval_id),
    };
    Ok(CallToolResult::success(vec![ContentBlock::text(words)]))
}

/// The block that all our clients show, and what to send back about it.
fn words(memories: &[MemoryAnswer], retrieval_id: Option<RetrievalId>) -> String {
    if memories.is_empty() {
        return NO_LESSON.to_owned();
    }
    let ids: Vec<String> = memories.iter().map(|memory| format!("\"{}\"", memory.id)).collect();
    let retrieval = retrieval_id.map(|id| format!(", retrieval_id: \"{id}\"")).unwrap_or_default();
    let block = with_block_entries(memories, |entries| format_memory_block(entries, DEFAULT_MAX_CHARS));
    format!("{block}\n\nWhen the task is over, call create_memory with memory_ids: [{}]{retrieval}", ids.join(", "))
}
