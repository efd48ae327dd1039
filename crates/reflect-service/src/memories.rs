//! Memories, beyond queries.

use reflect_api::{
    CreditAnswer, EditMemoryRequest, ListCreditsRequest, ListMemoriesRequest, MapPointAnswer, MemoryDetail,
    MemoryMapAnswer, RetrievalAnswer, RevisionAnswer,
};
use reflect_core::{Direction, Memory, MemoryCursor, MemoryId, MemoryOrder, RetrievalId};
use reflect_engine::{CreditPage, EditMemory, KnownMemory, MemoryFilter, MemoryPlan};

use crate::{
    Asker, Page, Service, ServiceResult,
    paging::{page_limit, parse_cursor},
};

/// How many memories a page has that did not say.
const PAGE: usize = 100;

impl Service {
    /// A page of memories, newest first unless another order is asked for. It ends before its `limit` where its memories are large.
    pub async fn list_memories(
        &self,
        asker: Asker<'_>,
        request: &ListMemoriesRequest,
    ) -> ServiceResult<Page<MemoryDetail>> {
        let plan = self.plan_memories(asker, request).await?;
        self.read_memories(asker, plan).await
    }

    /// Such a page, measured and not read.
    pub async fn plan_memories(&self, asker: Asker<'_>, request: &ListMemoriesRequest) -> ServiceResult<MemoryPlan> {
        Ok(self.engine.plan_memories(asker, filter(request)?).await?)
    }

    /// The page that was planned.
    pub async fn read_memories(&self, asker: Asker<'_>, plan: MemoryPlan) -> ServiceResult<Page<MemoryDetail>> {
        let MemoryPlan { memory_ids, next, runs_alike, bytes: _ } = plan;
        let memories = self.engine.get_memories(asker, memory_ids).await?;
        let next_cursor = next.map(|cursor| cursor.to_string());
        let item = |memory: Memory| {
            let runs_alike = runs_alike.get(&memory.id).copied();
            MemoryDetail { runs_alike, ..MemoryDetail::new(memory, None) }
        };
        Ok(Page { items: memories.into_iter().map(item).collect(), next_cursor })
    }

    /// How many bytes the texts of a memory have. One that is not there has none.
    pub async fn measure_memory(&self, asker: Asker<'_>, memory_id: MemoryId) -> ServiceResult<usize> {
        Ok(self.engine.measure_memory(asker, memory_id).await?)
    }

    /// A page of the steps of a memory's utility, newest first.
    pub async fn list_credits(
        &self,
        asker: Asker<'_>,
        memory_id: MemoryId,
        request: &ListCreditsRequest,
    ) -> ServiceResult<Page<CreditAnswer>> {
        let limit = page_limit(request.limit)?.unwrap_or(PAGE);
        let before = parse_cursor(request.cursor.as_ref())?;
        let page = CreditPage { before, limit: limit + 1, ..CreditPage::default() };
        let credits = self.engine.list_credits(asker, memory_id, page).await?;
        Ok(Page::cut(credits, limit, |credit| credit.position.to_string()).map(Into::into))
    }

    /// What a memory says and said before, newest first.
    pub async fn list_memory_revisions(
        &self,
        asker: Asker<'_>,
        memory_id: MemoryId,
    ) -> ServiceResult<Vec<RevisionAnswer>> {
        let revisions = self.engine.list_memory_revisions(asker, memory_id).await?;
        Ok(revisions.into_iter().map(Into::into).collect())
    }

    /// The map of the project's memories.
    pub async fn memory_map(&self, asker: Asker<'_>) -> ServiceResult<MemoryMapAnswer> {
        let map = self.engine.memory_map(asker).await?;
        // Four digits are more than a screen has.
        let rounded = |value: f64| (value * 10_000.0).round() / 10_000.0;
        let points = map.points.iter().map(|point| MapPointAnswer {
            id: point.memory_id.as_uuid(),
            x: rounded(point.x),
            y: rounded(point.y),
            q_value: point.utility,
            uses: point.uses,
            task: point.task.clone(),
        });
        Ok(MemoryMapAnswer { points: points.collect(), total: map.total, made_at: map.made_at })
    }

    /// One answered query.
    pub async fn get_retrieval(&self, asker: Asker<'_>, id: RetrievalId) -> ServiceResult<RetrievalAnswer> {
        Ok(self.engine.get_retrieval(asker, id).await?.into())
    }

    /// One memory with its ledger, and what it is always shown with.
    pub async fn get_memory(&self, asker: Asker<'_>, memory_id: MemoryId) -> ServiceResult<MemoryDetail> {
        let KnownMemory { memory, credits, always_with } = self.engine.get_memory(asker, memory_id).await?;
        Ok(MemoryDetail::new(memory, Some(credits)).always_with(&always_with))
    }

    /// Disables, enables or rewrites a memory.
    pub async fn edit_memory(
        &self,
        asker: Asker<'_>,
        memory_id: MemoryId,
        request: EditMemoryRequest,
    ) -> ServiceResult<MemoryDetail> {
        request.check(&self.limits)?;
        let edit = EditMemory {
            status: request.status,
            pinned: request.pinned,
            bring_back: request.retired == Some(false),
            summary: request.summary,
            key_mistake: request.key_mistake,
            correct_action: request.correct_action,
            guidance: request.guidance,
            applicable_tools: request.applicable_tools,
        };
        let memory = self.engine.edit_memory(asker, memory_id, edit).await?;
        Ok(MemoryDetail::new(memory, None))
    }

    /// Deletes a memory; its ledger stays.
    pub async fn delete_memory(&self, asker: Asker<'_>, memory_id: MemoryId) -> ServiceResult<()> {
        Ok(self.engine.delete_memory(asker, memory_id).await?)
    }
}

fn filter(request: &ListMemoriesRequest) -> ServiceResult<MemoryFilter> {
    request.check()?;
    let after: Option<MemoryCursor> = parse_cursor(request.cursor.as_ref())?;
    Ok(MemoryFilter {
        status: request.status,
        only_retired: request.retired.unwrap_or_default(),
        same_as: request.same_as.map(MemoryId::from_uuid),
        only_distinct: request.distinct.unwrap_or_default(),
        text: request.text.clone(),
        order: request.order.unwrap_or(MemoryOrder::Created),
        direction: request.direction.unwrap_or(Direction::Desc),
        after,
        limit: page_limit(request.limit)?.unwrap_or(PAGE),
        ..MemoryFilter::default()
    })
}
