//! The lessons for a task.

use reflect_api::{DistilledAnswer, ExplanationAnswer, MemoryAnswer, QueryAnswer, QueryRequest, SearchBy};
use reflect_core::RetrievalId;
use reflect_engine::{Query, RankedMemory, SwitchProgress};

use crate::{Asker, Service, ServiceResult};

/// The answer to a query, and what is said beside it.
#[derive(Debug, Clone)]
pub struct Queried {
    /// The memories.
    pub answer: QueryAnswer,
    /// The id of this answer in the log of queries; `None` where a conversation had no words to search by.
    pub retrieval_id: Option<RetrievalId>,
    /// How much was searched, if it was not everything.
    pub partial: Option<SwitchProgress>,
}

impl Service {
    /// The memories that serve a task best, or what a conversation comes down to.
    pub async fn query(&self, asker: Asker<'_>, request: QueryRequest) -> ServiceResult<Queried> {
        let (search_by, limit) = request.check(&self.limits)?;
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
        match search_by {
            SearchBy::Task(task) => {
                let found = self.search(asker, query(task)).await?;
                Ok(found.answering(QueryAnswer::Memories))
            }
            SearchBy::Conversation(messages) => {
                let intent = self.engine.distil(asker.caller, asker.project_id, &messages).await?;
                let found = match intent.text.as_str() {
                    "" => Found::default(),
                    text => self.search(asker, query(text.to_owned())).await?,
                };
                let (intent, distilled_by) = (intent.text, intent.distilled_by);
                Ok(found
                    .answering(|memories| QueryAnswer::Distilled(DistilledAnswer { intent, distilled_by, memories })))
            }
        }
    }

    async fn search(&self, asker: Asker<'_>, query: Query) -> ServiceResult<Found> {
        let explain = query.explain;
        let answer = self.engine.query(asker.caller, asker.project_id, query).await?;
        Ok(Found {
            memories: answer.memories.into_iter().map(|ranked| memory(ranked, explain)).collect(),
            retrieval_id: Some(answer.retrieval_id),
            partial: answer.partial,
        })
    }
}

/// What a search found. Of an empty intent, nothing.
#[derive(Default)]
struct Found {
    memories: Vec<MemoryAnswer>,
    retrieval_id: Option<RetrievalId>,
    partial: Option<SwitchProgress>,
}

impl Found {
    fn answering(self, answer: impl FnOnce(Vec<MemoryAnswer>) -> QueryAnswer) -> Queried {
        Queried { answer: answer(self.memories), retrieval_id: self.retrieval_id, partial: self.partial }
    }
}

fn memory(ranked: RankedMemory, explain: bool) -> MemoryAnswer {
    let memory = &*ranked.memory;
    let lesson = memory.lesson.clone();
    MemoryAnswer {
        id: memory.id.as_uuid(),
        task: memory.task.clone(),
        reflection: lesson.text(),
        q_value: memory.tally.utility(),
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
        q_value: tally.utility(),
        uses: tally.uses(),
        passes: tally.passes(),
        fails: tally.fails(),
        score: ranked.score,
        mmr_penalty: ranked.explanation.mmr_penalty,
        trace_id: ranked.explanation.trace_id.as_uuid(),
        similarity_threshold: ranked.explanation.similarity_threshold,
    }
}
