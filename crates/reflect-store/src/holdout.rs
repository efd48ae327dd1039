//! The queries of a project's holdout, for the report on whether memories help.

use std::ops::ControlFlow;

use reflect_core::{
    ProjectId,
    lift::{DrawnQuery, DrawnRun, HoldoutPeriod, RunReview},
};

use crate::{
    error::{StoreError, StoreResult},
    sql::{Row, params},
    store::Store,
    tables::drawn_queries,
};

/// Every drawn query with its run and that run's review, the newest first.
const LIST_DRAWS: &str =
    "SELECT d.draw, d.held_out, d.share, d.created_at, d.trace_id, d.named, r.review_id, r.result, r.source
     FROM drawn_queries d
     LEFT JOIN reviews r ON r.project_id = d.project_id AND r.trace_id = d.trace_id AND r.removed_at IS NULL
     WHERE d.project_id = ?1 AND d.share IS NOT NULL ORDER BY d.retrieval_id DESC";

impl Store {
    /// The queries since the share that is held out was last changed.
    pub async fn holdout_period(&self, project_id: ProjectId) -> StoreResult<HoldoutPeriod> {
        self.readers
            .read(move |read| {
                let mut period = HoldoutPeriod::default();
                read.walk(LIST_DRAWS, params![&project_id], &mut |row| {
                    let belongs = period.add(drawn_query(row)?);
                    Ok(if belongs { ControlFlow::Continue(()) } else { ControlFlow::Break(()) })
                })?;
                Ok(period)
            })
            .await
    }
}

fn drawn_query(row: &dyn Row) -> StoreResult<DrawnQuery> {
    let draw = drawn_queries::draw(row)?.ok_or_else(|| StoreError::damaged("draw", "it is empty"))?;
    let run = match row.get("trace_id")? {
        Some(trace_id) => Some(DrawnRun { trace_id, is_named: row.get("named")?, review: review(row)? }),
        None => None,
    };
    Ok(DrawnQuery { draw, asked_at: row.get("created_at")?, run })
}

fn review(row: &dyn Row) -> StoreResult<Option<RunReview>> {
    let Some(id) = row.get("review_id")? else { return Ok(None) };
    Ok(Some(RunReview { id, result: row.named("result")?, source: row.named("source")? }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::plan_of;

    #[test]
    fn draws_are_read_in_their_order_and_reviews_by_their_index() {
        let plan = plan_of(LIST_DRAWS);
        assert!(plan.starts_with("SEARCH d USING PRIMARY KEY"), "{plan}");
        assert!(plan.contains("SEARCH r USING COVERING INDEX reviews_live") && !plan.contains("TEMP"), "{plan}");
    }
}
