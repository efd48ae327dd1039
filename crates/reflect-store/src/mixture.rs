//! The queries that a project answered by a mixture of configurations.

use std::ops::ControlFlow;

use reflect_core::{
    Outcome, ProjectId, Timestamp, TraceId,
    what_if::{MixedQuery, MixturePeriod},
};

use crate::{
    error::{StoreError, StoreResult},
    sql::{Row, params},
    store::Store,
    tables::drawn_queries,
};

/// Every mixed query with its run and that run's score, the newest first.
const LIST_MIXED: &str = "SELECT d.draw, d.mixed, d.created_at, d.trace_id, r.score, r.result
     FROM drawn_queries d
     LEFT JOIN reviews r ON r.project_id = d.project_id AND r.trace_id = d.trace_id AND r.removed_at IS NULL
     WHERE d.project_id = ?1 AND d.mixed IS NOT NULL ORDER BY d.retrieval_id DESC";

impl Store {
    /// The queries since the mixture was last changed, or since a later time.
    pub async fn mixture_period(&self, project_id: ProjectId, since: Option<Timestamp>) -> StoreResult<MixturePeriod> {
        self.readers
            .read(move |read| {
                let mut period = MixturePeriod::starting(since);
                read.walk(LIST_MIXED, params![&project_id], &mut |row| {
                    let belongs = period.add(mixed_query(row)?);
                    Ok(if belongs { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
                })?;
                Ok(period)
            })
            .await
    }
}

fn mixed_query(row: &dyn Row) -> StoreResult<MixedQuery> {
    let answer = drawn_queries::mixed(row)?.ok_or_else(|| StoreError::damaged("mixed", "it is empty"))?;
    let run = match row.get::<Option<TraceId>>("trace_id")? {
        Some(trace_id) => Some((trace_id, score(row)?)),
        None => None,
    };
    Ok(MixedQuery { answer, asked_at: row.get("created_at")?, run })
}

/// How the run went by its review, if it has one.
fn score(row: &dyn Row) -> StoreResult<Option<f64>> {
    if row.get::<Option<String>>("result")?.is_none() {
        return Ok(None);
    }
    let result: Outcome = row.named("result")?;
    Ok(Some(row.get::<Option<f64>>("score")?.unwrap_or_else(|| result.reward())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::plan_of;

    #[test]
    fn mixed_queries_are_read_in_their_order_and_reviews_by_their_index() {
        let plan = plan_of(LIST_MIXED);
        assert!(plan.starts_with("SEARCH d USING PRIMARY KEY"), "{plan}");
        assert!(plan.contains("SEARCH r USING INDEX reviews_live") && !plan.contains("TEMP"), "{plan}");
    }
}
