//! Looking into the queue of jobs: each look is a range of an index.
//!
//! A queue may hold hundreds of thousands of follow-ups, all of which wait for a provider to come back, while lessons come and
//! go by the hundred each second. So a look never walks the queue: lessons have an index by priority and time, follow-ups
//! one by model and time, and a model whose follow-ups are not wanted is stepped over in one seek.

use std::collections::BTreeMap;

use reflect_core::{JobKind, ReviewId, Timestamp, TraceId, fair_share};
use rusqlite::{CachedStatement, Connection, OptionalExtension, Row, params};

use crate::{
    ClaimLimits, ClaimedJob, Lease, QueueDepth, StoreError, StoreResult,
    jobs::{PRIORITY_BACKGROUND, PRIORITY_WAITED_FOR},
    rows,
    writer::Write,
};

/// Takes lessons of the priority `?4`.
const CLAIM_LESSONS: &str = "UPDATE jobs SET lease_owner = ?1, run_at = ?2, attempts = attempts + 1
     WHERE job_id IN (SELECT job_id FROM jobs
                      WHERE failed_at IS NULL AND kind = 'lesson' AND priority = ?4 AND run_at <= ?3
                      ORDER BY run_at LIMIT ?5)
     RETURNING job_id, kind, project_id, trace_id, review_id, attempts";

/// Takes follow-ups that wait for the model `?4`.
const CLAIM_FOLLOW_UPS: &str = "UPDATE jobs SET lease_owner = ?1, run_at = ?2, attempts = attempts + 1
     WHERE job_id IN (SELECT job_id FROM jobs
                      WHERE failed_at IS NULL AND kind = 'follow_up' AND model = ?4 AND run_at <= ?3
                      ORDER BY run_at LIMIT ?5)
     RETURNING job_id, kind, project_id, trace_id, review_id, attempts";

const NEXT_MODEL: &str = "SELECT model FROM jobs WHERE failed_at IS NULL AND kind = 'follow_up' AND model > ?1
     ORDER BY model LIMIT 1";

const FIRST_LESSON: &str = "SELECT run_at FROM jobs WHERE failed_at IS NULL AND kind = 'lesson' AND priority = ?1
     ORDER BY run_at LIMIT 1";

const FIRST_FOLLOW_UP: &str = "SELECT run_at FROM jobs WHERE failed_at IS NULL AND kind = 'follow_up' AND model = ?1
     ORDER BY run_at LIMIT 1";

// Counting walks what it counts, in an index that holds nothing else.
const COUNT_LESSONS: &str = "SELECT count(*) FROM jobs WHERE failed_at IS NULL AND kind = 'lesson'";
const COUNT_FOLLOW_UPS: &str = "SELECT count(*) FROM jobs WHERE failed_at IS NULL AND kind = 'follow_up'";
const COUNT_FAILED: &str = "SELECT count(*) FROM jobs WHERE failed_at IS NOT NULL AND kind = ?1";

pub(crate) fn claim(write: &Write, lease: Lease, now: Timestamp, limits: &ClaimLimits) -> StoreResult<Vec<ClaimedJob>> {
    let mut claimed = Vec::new();
    let mut lessons = write.prepare_cached(CLAIM_LESSONS)?;
    for priority in [PRIORITY_WAITED_FOR, PRIORITY_BACKGROUND] {
        let left = limits.jobs.saturating_sub(claimed.len());
        if left > 0 {
            let bound = params![lease.owner, lease.until.as_micros(), now.as_micros(), priority, bound_limit(left)];
            take(&mut lessons, bound, lease, &mut claimed)?;
        }
    }
    let mut left = limits.follow_ups.min(limits.jobs.saturating_sub(claimed.len()));
    if left == 0 {
        return Ok(claimed);
    }
    let models = claimable_models(write, &limits.of_model)?;
    let mut follow_ups = write.prepare_cached(CLAIM_FOLLOW_UPS)?;
    for (index, (model, at_most)) in models.iter().enumerate() {
        let share = fair_share(left, models.len() - index, *at_most);
        let bound = params![lease.owner, lease.until.as_micros(), now.as_micros(), model, bound_limit(share)];
        let before = claimed.len();
        take(&mut follow_ups, bound, lease, &mut claimed)?;
        left -= claimed.len() - before;
    }
    Ok(claimed)
}

pub(crate) fn next_due(read: &Connection, limits: &ClaimLimits) -> StoreResult<Option<Timestamp>> {
    if limits.jobs == 0 {
        return Ok(None);
    }
    let mut due = first_lesson_due(read)?;
    if limits.follow_ups > 0 {
        for (model, _) in claimable_models(read, &limits.of_model)? {
            due = due.into_iter().chain(first(read, FIRST_FOLLOW_UP, &model)?).min();
        }
    }
    Ok(due)
}

pub(crate) fn first_lesson_due(read: &Connection) -> StoreResult<Option<Timestamp>> {
    let waited_for = first(read, FIRST_LESSON, &PRIORITY_WAITED_FOR)?;
    Ok(waited_for.into_iter().chain(first(read, FIRST_LESSON, &PRIORITY_BACKGROUND)?).min())
}

pub(crate) fn depths(read: &Connection) -> StoreResult<Vec<QueueDepth>> {
    let mut first_follow_up = None;
    for (model, _) in claimable_models(read, &BTreeMap::new())? {
        first_follow_up = first_follow_up.into_iter().chain(first(read, FIRST_FOLLOW_UP, &model)?).min();
    }
    let mut depths = Vec::new();
    for (kind, sql, next_due) in [
        (JobKind::FollowUp, COUNT_FOLLOW_UPS, first_follow_up),
        (JobKind::Lesson, COUNT_LESSONS, first_lesson_due(read)?),
    ] {
        let live: u64 = read.prepare_cached(sql)?.query_row([], |row| row.get(0))?;
        let failed: u64 = read.prepare_cached(COUNT_FAILED)?.query_row([kind.as_str()], |row| row.get(0))?;
        if live + failed > 0 {
            depths.push(QueueDepth { kind, live, failed, next_due });
        }
    }
    Ok(depths)
}

/// The models that follow-ups wait for and how many of each may be taken, without those of which that is none. One seek each.
fn claimable_models(read: &Connection, of_model: &BTreeMap<String, usize>) -> StoreResult<Vec<(String, usize)>> {
    let mut statement = read.prepare_cached(NEXT_MODEL)?;
    let mut models = Vec::new();
    let mut last = String::new();
    while let Some(model) = statement.query_row([&last], |row| row.get::<_, String>(0)).optional()? {
        let at_most = of_model.get(&model).copied().unwrap_or(usize::MAX);
        if at_most > 0 {
            models.push((model.clone(), at_most));
        }
        last = model;
    }
    Ok(models)
}

fn first(read: &Connection, sql: &str, bound: &dyn rusqlite::ToSql) -> StoreResult<Option<Timestamp>> {
    let run_at = read.prepare_cached(sql)?.query_row([bound], |row| row.get(0)).optional()?;
    Ok(run_at.map(Timestamp::from_micros))
}

fn take(
    statement: &mut CachedStatement<'_>,
    bound: &[&dyn rusqlite::ToSql],
    lease: Lease,
    claimed: &mut Vec<ClaimedJob>,
) -> StoreResult<()> {
    for job in statement.query_and_then(bound, |row| claimed_job(row, lease))? {
        claimed.push(job?);
    }
    Ok(())
}

fn claimed_job(row: &Row<'_>, lease: Lease) -> StoreResult<ClaimedJob> {
    let project_id: String = row.get("project_id")?;
    Ok(ClaimedJob {
        job_id: row.get("job_id")?,
        kind: rows::named(row, "kind")?,
        project_id: project_id.try_into().map_err(|error| StoreError::damaged("project_id", error))?,
        trace_id: TraceId::from_uuid(row.get("trace_id")?),
        review_id: ReviewId::from_uuid(row.get("review_id")?),
        attempts: row.get("attempts")?,
        lease,
    })
}

fn bound_limit(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::{self, plan};

    #[test]
    fn every_look_into_the_queue_is_a_range_of_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let connection = schema::open_for_writing(&folder.path().join("reflect.db")).unwrap();
        for (sql, range) in [
            (CLAIM_LESSONS, "USING COVERING INDEX jobs_lessons (priority=? AND run_at<?)"),
            (CLAIM_FOLLOW_UPS, "USING COVERING INDEX jobs_follow_ups (model=? AND run_at<?)"),
            (NEXT_MODEL, "SEARCH jobs USING COVERING INDEX jobs_follow_ups (model>?)"),
            (FIRST_LESSON, "SEARCH jobs USING COVERING INDEX jobs_lessons (priority=?)"),
            (FIRST_FOLLOW_UP, "SEARCH jobs USING COVERING INDEX jobs_follow_ups (model=?)"),
            (COUNT_FAILED, "SEARCH jobs USING COVERING INDEX jobs_failed (kind=? AND failed_at>?)"),
        ] {
            let plan = plan(&connection, sql);
            assert!(plan.contains(range), "{sql}\n{plan}");
            assert!(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
        }
        // Counts walk an index that holds just what is counted.
        assert_eq!(plan(&connection, COUNT_LESSONS), "SCAN jobs USING COVERING INDEX jobs_lessons");
        assert_eq!(plan(&connection, COUNT_FOLLOW_UPS), "SCAN jobs USING COVERING INDEX jobs_follow_ups");
    }
}
