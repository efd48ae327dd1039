//! `POST /v1/projects/{project_id}/memory/query`: the lessons for a task.

use axum::{
    Json,
    extract::State,
    http::{HeaderMap, HeaderValue},
};
use reflect_api::{
    DistilledAnswer, ExplanationAnswer, MemoryAnswer, QueryAnswer, QueryRequest, QueryRequestSchema, SearchBy,
};
use reflect_engine::{Query, RankedMemory, SwitchProgress};

use crate::{
    App,
    auth::Authenticated,
    body::JsonBody,
    error::ApiResult,
    headers::{PARTIAL_SEARCH, RETRIEVAL_ID},
    openapi::Refusals,
    parameters::ProjectPath,
};

/// Answers the memories that serve a task best, best first. The header `X-Retrieval-Id` names the answer: pass it on as
/// `retrieval_id` when you record the run. With `messages` instead of a `task`, what to search for is distilled from the
/// conversation, and the answer is an object that says so. The header `X-Reflect-Partial-Search` is there only while not all
/// memories can be found: the project is on the way to another embedder, and the one that it has can no longer run.
#[utoipa::path(
    post,
    path = "/v1/projects/{project_id}/memory/query",
    tag = "memories",
    params(ProjectPath),
    request_body = QueryRequestSchema,
    responses(
        (status = 200, body = QueryAnswer, headers(
            ("X-Retrieval-Id" = String, description = "Names this answer"),
            ("X-Reflect-Partial-Search" = String, description = "How many memories were searched, if not all"),
        )),
        Refusals
    )
)]
pub(crate) async fn query_memories(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    ProjectPath(project_id): ProjectPath,
    body: JsonBody<QueryRequest>,
) -> ApiResult<(HeaderMap, Json<QueryAnswer>)> {
    let request = body.value;
    let (search_by, limit) = request.check(&app.limits)?;
    let explain = request.explain.unwrap_or(false);
    let query = |task| Query {
        task,
        limit,
        lambda: request.lambda,
        mmr_lambda: request.mmr_lambda,
        similarity_threshold: request.similarity_threshold,
        metadata_filter: request.metadata_filter.clone(),
        explain,
    };
    let memories = |ranked: Vec<RankedMemory>| ranked.into_iter().map(|ranked| memory(ranked, explain)).collect();
    match search_by {
        SearchBy::Task(task) => {
            let answer = app.engine.query(&caller, &project_id, query(task)).await?;
            Ok((headers(&answer), Json(QueryAnswer::Memories(memories(answer.memories)))))
        }
        SearchBy::Conversation(messages) => {
            let intent = app.engine.distil(&caller, &project_id, &messages).await?;
            let (headers, found) = if intent.text.is_empty() {
                (HeaderMap::new(), Vec::new())
            } else {
                let answer = app.engine.query(&caller, &project_id, query(intent.text.clone())).await?;
                (headers(&answer), memories(answer.memories))
            };
            let answer = DistilledAnswer { intent: intent.text, distilled_by: intent.distilled_by, memories: found };
            Ok((headers, Json(QueryAnswer::Distilled(answer))))
        }
    }
}

fn headers(answer: &reflect_engine::QueryAnswer) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(RETRIEVAL_ID, visible(&answer.retrieval_id.to_string()));
    if let Some(SwitchProgress { done, total }) = answer.partial {
        headers.insert(PARTIAL_SEARCH, visible(&format!("re-embedding {done} of {total}")));
    }
    headers
}

fn visible(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or(HeaderValue::from_static(""))
}

fn memory(ranked: RankedMemory, explain: bool) -> MemoryAnswer {
    let memory = &*ranked.memory;
    let lesson = memory.lesson.clone();
    MemoryAnswer {
        id: memory.id.as_uuid(),
        task: memory.task.clone(),
        reflection: lesson.text(),
        q_value: memory.tally.q_value,
        similarity: ranked.similarity,
        score: ranked.score,
        success: memory.success,
        summary: lesson.summary,
        key_mistake: lesson.key_mistake,
        correct_action: lesson.correct_action,
        guidance: lesson.guidance,
        applicable_tools: lesson.applicable_tools,
        tools_used: lesson.tools_used,
        explain: explain.then(|| explanation(&ranked)),
    }
}

fn explanation(ranked: &RankedMemory) -> ExplanationAnswer {
    let tally = ranked.memory.tally;
    ExplanationAnswer {
        similarity_rank: ranked.explanation.similarity_rank.unwrap_or_default(),
        similarity: ranked.similarity,
        q_value: tally.q_value,
        uses: tally.uses,
        passes: tally.passes,
        fails: tally.fails,
        score: ranked.score,
        mmr_penalty: ranked.explanation.mmr_penalty,
        trace_id: ranked.explanation.trace_id.as_uuid(),
        similarity_threshold: ranked.explanation.similarity_threshold,
    }
}
