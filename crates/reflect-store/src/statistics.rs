//! Figures of a project. Every one is counted, in indexes that hold what is counted and little else.

use std::ops::ControlFlow;

use reflect_core::{
    DayCounts, Memory, MemoryFigure, MemoryFigures, MemoryId, NAMED, ProjectId, Results, RunCounts, Timestamp, TraceId,
    is_among_best, is_among_worst,
    worth::{LearningRule, Viewpoint},
};
use uuid::Uuid;

use crate::{
    error::StoreResult,
    index_rows,
    memory_list::PAGE_BYTES,
    sql::{Query, Read, Value, params},
    store::Store,
    tables::credits,
};

/// How a project stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Statistics {
    /// Its runs by the day they were made.
    pub days: Vec<DayCounts>,
    /// All of its runs.
    pub runs: RunCounts,
    /// Its lessons that are still to be written.
    pub queue: ProjectQueue,
    /// Its memories.
    pub memories: MemoryFigures,
    /// The active ones that surely help most, best first, with their words.
    pub best: Vec<Memory>,
    /// Those that hurt most, worst first.
    pub worst: Vec<Memory>,
}

/// The lessons of a project that are still to be written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ProjectQueue {
    /// Lessons that wait or are being written.
    pub waiting: u64,
    /// Lessons whose attempts ran out.
    pub failed: u64,
    /// Since when the one that waits longest has been due, which may lie ahead.
    pub next_due: Option<Timestamp>,
}

const COUNT_TRACES: &str =
    "SELECT count(*) AS traces FROM traces WHERE project_id = ?1 AND trace_id >= ?2 AND trace_id < ?3";

const COUNT_REVIEWS: &str = "SELECT count(*) AS reviews, count(*) FILTER (WHERE result = 'pass') AS passed,
            count(*) FILTER (WHERE shown = 1) AS shown, count(*) FILTER (WHERE shown = 1 AND result = 'pass') AS shown_passed
     FROM reviews WHERE project_id = ?1 AND trace_id >= ?2 AND trace_id < ?3 AND removed_at IS NULL";

const LIST_FIGURES: &str =
    "SELECT memory_id, status, q_value, worth_q_value, uses FROM memories WHERE project_id = ?1 AND deleted_at IS NULL";

// The empty text keeps these in the index of lessons: there are few of them, while a project may have many follow-ups.
const COUNT_LESSONS: &str = "SELECT count(*) AS jobs, min(run_at) AS next_due FROM jobs
     WHERE failed_at IS NULL AND kind = 'lesson' AND project_id || '' = ?1";
const COUNT_FAILED: &str =
    "SELECT count(*) AS jobs FROM jobs WHERE failed_at IS NOT NULL AND kind = 'lesson' AND project_id || '' = ?1";

impl Store {
    /// How many traces a project has from this one on.
    pub async fn count_traces_from(&self, project_id: ProjectId, from: TraceId) -> StoreResult<u64> {
        let count = move |read: &dyn Read| {
            let range = params![&project_id, from, Uuid::max()];
            read.query_one(COUNT_TRACES, range, |row| row.get("traces"))
        };
        self.readers.read(count).await
    }

    /// How a project stands, its memories as it sees them. `bounds` are the beginnings of days, and the end of the last one.
    pub async fn statistics(
        &self,
        project_id: ProjectId,
        viewpoint: Viewpoint,
        bounds: Vec<Timestamp>,
    ) -> StoreResult<Statistics> {
        self.readers.read(move |read| statistics(read, &project_id, &viewpoint, &bounds)).await
    }
}

fn statistics(
    read: &dyn Read,
    project_id: &ProjectId,
    viewpoint: &Viewpoint,
    bounds: &[Timestamp],
) -> StoreResult<Statistics> {
    let ids: Vec<Uuid> = bounds.iter().map(|bound| TraceId::earliest_at(*bound).as_uuid()).collect();
    let (first, last) = (ids.first().copied().unwrap_or(Uuid::max()), ids.last().copied().unwrap_or(Uuid::max()));
    let outside = [[Uuid::nil(), first], [last, Uuid::max()]];
    let inside = ids.windows(2).filter_map(|range| <[Uuid; 2]>::try_from(range).ok());
    let counted = count_runs(read, project_id, outside.into_iter().chain(inside))?;
    let mut runs = RunCounts::default();
    counted.iter().for_each(|counts| runs += *counts);
    let of_days = counted.iter().skip(outside.len());
    let days = bounds.iter().zip(of_days).map(|(day, counts)| DayCounts { day: *day, runs: *counts }).collect();
    let memories = MemoryFigures::of(&list_figures(read, project_id, viewpoint.rule)?);
    let name = |figures: &[MemoryFigure], is_among: fn(&Memory) -> bool| -> StoreResult<Vec<Memory>> {
        let ids: Vec<MemoryId> = figures.iter().map(|figure| figure.id).collect();
        let found = index_rows::in_order(read, project_id, &ids, PAGE_BYTES)?.into_iter();
        Ok(found.map(|found| found.memory.seen_from(viewpoint)).filter(is_among).take(NAMED).collect())
    };
    let best = name(&memories.highest, is_among_best)?;
    let is_best = |figure: &MemoryFigure| best.iter().any(|memory| memory.id == figure.id);
    let lowest: Vec<MemoryFigure> = memories.lowest.iter().filter(|figure| !is_best(figure)).copied().collect();
    let worst = name(&lowest, is_among_worst)?;
    Ok(Statistics { days, runs, queue: queue(read, project_id)?, memories, best, worst })
}

/// The runs of each of these ranges of ids, in their order.
fn count_runs(
    read: &dyn Read,
    project_id: &ProjectId,
    ranges: impl Iterator<Item = [Uuid; 2]>,
) -> StoreResult<Vec<RunCounts>> {
    let ranges: Vec<Vec<Value<'_>>> = ranges.map(|[from, until]| params![project_id, from, until].to_vec()).collect();
    let traces: Vec<u64> = read.query_all_of(COUNT_TRACES, &ranges, |row| row.get("traces"))?;
    let results = read.query_all_of(COUNT_REVIEWS, &ranges, |row| {
        let (reviews, passed): (u64, u64) = (row.get("reviews")?, row.get("passed")?);
        let (shown, shown_passed): (u64, u64) = (row.get("shown")?, row.get("shown_passed")?);
        let with_memories = Results { passed: shown_passed, failed: shown - shown_passed };
        let (passed, failed) = (passed - shown_passed, reviews - shown - (passed - shown_passed));
        Ok((with_memories, Results { passed, failed }))
    })?;
    let counts = |(traces, (with_memories, without_memories))| RunCounts { traces, with_memories, without_memories };
    Ok(traces.into_iter().zip(results).map(counts).collect())
}

fn list_figures(read: &dyn Read, project_id: &ProjectId, rule: LearningRule) -> StoreResult<Vec<MemoryFigure>> {
    let mut figures = Vec::new();
    read.each_row(LIST_FIGURES, params![project_id], &mut |row| {
        figures.push(MemoryFigure {
            id: row.get("memory_id")?,
            status: row.named("status")?,
            utility: row.get(credits::utility_column(rule))?,
            uses: row.get("uses")?,
        });
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(figures)
}

fn queue(read: &dyn Read, project_id: &ProjectId) -> StoreResult<ProjectQueue> {
    let failed = read.query_one(COUNT_FAILED, params![project_id], |row| row.get("jobs"))?;
    read.query_one(COUNT_LESSONS, params![project_id], |row| {
        Ok(ProjectQueue { waiting: row.get("jobs")?, failed, next_due: row.get("next_due")? })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::plan_of;

    #[test]
    fn figures_are_counted_in_indexes() {
        for (sql, expected) in [
            (COUNT_TRACES, "SEARCH traces USING COVERING INDEX sqlite_autoindex_traces_1"),
            (COUNT_REVIEWS, "SEARCH reviews USING COVERING INDEX reviews_live"),
            (LIST_FIGURES, "SEARCH memories USING COVERING INDEX memories_figures"),
            (COUNT_LESSONS, "SCAN jobs USING INDEX jobs_lessons"),
            (COUNT_FAILED, "SEARCH jobs USING INDEX jobs_failed"),
        ] {
            let plan = plan_of(sql);
            assert!(plan.starts_with(expected), "{sql}: {plan}");
        }
    }
}
