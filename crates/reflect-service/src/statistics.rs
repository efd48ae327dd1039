//! How a project stands.

use reflect_api::{MemoryCountsAnswer, ProjectQueueAnswer, StatisticsAnswer, StatisticsRequest};
use reflect_core::RunCounts;
use reflect_engine::Statistics;

use crate::{Asker, Service, ServiceResult};

impl Service {
    /// How a project stands: its runs by day, its queue, its memories.
    pub async fn statistics(&self, asker: Asker<'_>, request: &StatisticsRequest) -> ServiceResult<StatisticsAnswer> {
        let found = self.engine.statistics(asker, request.check()?).await?;
        let Statistics { days, runs, queue, memories, best, worst } = found;
        let mut shown = RunCounts::default();
        days.iter().for_each(|day| shown += day.runs);
        Ok(StatisticsAnswer {
            days: days.into_iter().map(Into::into).collect(),
            traces: runs.into(),
            with_memories: shown.with_memories.into(),
            without_memories: shown.without_memories.into(),
            queue: ProjectQueueAnswer::new(queue.waiting, queue.failed, queue.next_due, self.engine.now()),
            memories: MemoryCountsAnswer {
                active: memories.active,
                disabled: memories.disabled,
                with_evidence: memories.with_evidence,
                utility_histogram: memories.utility_histogram.to_vec(),
            },
            best: best.into_iter().map(Into::into).collect(),
            worst: worst.into_iter().map(Into::into).collect(),
        })
    }
}
