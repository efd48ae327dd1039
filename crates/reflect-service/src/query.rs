//! The lessons for a task.

use reflect_api::{DistilledAnswer, ExplanationAnswer, MemoryAnswer, QueryAnswer, QueryRequest};
use reflect_core::RetrievalId;
use reflect_engine::{Approximation, NothingFound, Query, RankedMemory, Retrieved, SwitchProgress};

use crate::{Asker, Service, ServiceResult, answer_texts};

/// The answer to a query, and what is said beside it.
#[derive(Debug, Clone)]
pub struct Queried {
    /// The memories.
    pub answer: QueryAnswer,
    /// The id of this answer in the log of queries; `None` where a conversation had no words to search by.
    pub retrieval_id: Option<RetrievalId>,
    /// The share of tasks that do without memories, if this is one of them.
    pub held_out: Option<f64>,
    /// How much was searched, if it was not everything.
    pub partial: Option<SwitchProgress>,
    /// Why a better memory may be missing, if one may.
    pub approximate: Option<Approximation>,
    /// Why the answer is empty, if it is.
    pub nothing_found: Option<NothingFound>,
}

impl Service {
    /// The memories that serve a task best, or what a conversation comes down to. A request that names itself is answered by the same
    /// chance when it is sent again.
    pub async fn query(
        &self,
        asker: Asker<'_>,
        request: QueryRequest,
        idempotency_key: Option<String>,
    ) -> ServiceResult<Queried> {
        let (search_by, limit) = request.check(&self.limits)?;
        let query = Query {
            search_by,
            limit,
            lambda: request.lambda,
            mmr_lambda: request.mmr_lambda,
            matching: request.matching,
            similarity_threshold: request.similarity_threshold,
            sitting_out: request.sitting_out,
            metadata_filter: request.metadata_filter,
            explain: request.explain.unwrap_or(false),
            idempotency_key,
        };
        let retrieved = self.engine.query(asker, query).await?;
        let Retrieved { held_out, partial, approximate, nothing_found, .. } = retrieved;
        let Retrieved { retrieval_id, intent, similarity_threshold: floor, memories, .. } = retrieved;
        let mut memories: Vec<MemoryAnswer> = memories.into_iter().map(|ranked| memory(ranked, floor)).collect();
        answer_texts::shorten(&mut memories);
        let answer = match intent {
            None => QueryAnswer::Memories(memories),
            Some(intent) => QueryAnswer::Distilled(DistilledAnswer {
                intent: intent.text,
                distilled_by: intent.distilled_by,
                memories,
            }),
        };
        Ok(Queried { answer, retrieval_id, held_out, partial, approximate, nothing_found })
    }
}

fn memory(ranked: RankedMemory, floor: Option<f64>) -> MemoryAnswer {
    let explain = ranked.hit.similarity_rank.map(|rank| explanation(&ranked, rank, floor));
    let RankedMemory { memory, hit } = ranked;
    let (reflection, lesson) = (memory.lesson.text(), memory.lesson);
    MemoryAnswer {
        id: memory.id.as_uuid(),
        task: memory.task,
        reflection,
        q_value: hit.utility,
        similarity: hit.similarity,
        score: hit.score,
        success: memory.success,
        summary: lesson.summary,
        key_mistake: lesson.key_mistake,
        correct_action: lesson.correct_action,
        guidance: lesson.guidance,
        applicable_tools: lesson.applicable_tools,
        tools_used: lesson.tools_used,
        tells: lesson.tells,
        explain,
    }
}

fn explanation(ranked: &RankedMemory, similarity_rank: u32, floor: Option<f64>) -> ExplanationAnswer {
    let RankedMemory { memory, hit } = ranked;
    ExplanationAnswer {
        similarity_rank,
        similarity: hit.similarity,
        q_value: hit.utility,
        uses: memory.tally.uses(),
        passes: memory.tally.passes(),
        fails: memory.tally.fails(),
        score: hit.score,
        mmr_penalty: hit.mmr_penalty,
        trace_id: memory.trace_id.as_uuid(),
        similarity_threshold: floor,
    }
}
