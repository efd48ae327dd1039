//! Looking into the queue of jobs: each look is a range of an index.
//!
//! A queue may hold hundreds of thousands of follow-ups, all of which wait for a provider to come back, while lessons come and
//! go by the hundred each second. So a look never walks the queue: lessons have an index by priority and time, follow-ups
//! one by model and time, and a model whose follow-ups are not wanted is stepped over in one seek.

use std::collections::BTreeMap;

use reflect_core::{JobKind, Timestamp, fair_share};
use uuid::Uuid;

use super::jobs::{ClaimedJob, Lease, Priority};
use crate::{
    error::StoreResult,
    postgres,
    sql::{Dialect, Query, Read, Row, Transaction, Value, params},
};

/// How many jobs of a kind there are, and since when the oldest of them has been due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueDepth {
    /// The kind.
    pub kind: JobKind,
    /// Jobs that are waiting or in progress.
    pub live: u64,
    /// Jobs whose attempts ran out.
    pub failed: u64,
    /// When the one that is due first is due, which may lie ahead.
    pub next_due: Option<Timestamp>,
}

/// How many jobs a claim takes at most.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ClaimLimits {
    /// Jobs of either kind.
    pub jobs: usize,
    /// Follow-ups among them.
    pub follow_ups: usize,
    /// Follow-ups that wait for this model, where that is less.
    pub of_model: BTreeMap<String, usize>,
}

/// So many jobs, whatever they are.
impl From<usize> for ClaimLimits {
    fn from(jobs: usize) -> Self {
        Self { jobs, follow_ups: jobs, of_model: BTreeMap::new() }
    }
}

/// The latest times at which jobs can be due. No delay reaches further, so whatever is due later was put off by a clock that has been
/// set back since.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LatestDue {
    /// Of lessons.
    pub lessons: Timestamp,
    /// Of follow-ups.
    pub follow_ups: Timestamp,
}

/// Takes lessons of the priority `?4`. PostgreSQL has its own, and those of the next, beside it.
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

const LAST_LESSON: &str = "SELECT run_at FROM jobs WHERE failed_at IS NULL AND kind = 'lesson' AND priority = ?1
     ORDER BY run_at DESC LIMIT 1";

const LAST_FOLLOW_UP: &str = "SELECT run_at FROM jobs WHERE failed_at IS NULL AND kind = 'follow_up' AND model = ?1
     ORDER BY run_at DESC LIMIT 1";

/// Makes those of the kind `?1` due at `?3` that are due after `?2`. Whoever has claimed one has lost it.
const BRING_FORWARD: &str = "UPDATE jobs SET lease_owner = NULL, run_at = ?3 WHERE (project_id, trace_id) IN (
         SELECT project_id, trace_id FROM jobs WHERE failed_at IS NULL AND kind = ?1 AND run_at > ?2 /* skip locked */)";

/// Gives back, at `?2`, what the worker `?1` has claimed.
const RELEASE_OF: &str = "UPDATE jobs SET lease_owner = NULL, run_at = ?2, attempts = attempts - 1
     WHERE (project_id, trace_id) IN (SELECT project_id, trace_id FROM jobs WHERE lease_owner = ?1 /* skip locked */)";

/// Gives back at `?1` what anybody has claimed.
const RELEASE_ALL: &str = "UPDATE jobs SET lease_owner = NULL, run_at = ?1 WHERE lease_owner IS NOT NULL";

// Counting walks what it counts, in an index that holds nothing else.
const COUNT_LESSONS: &str = "SELECT count(*) AS jobs FROM jobs WHERE failed_at IS NULL AND kind = 'lesson'";
const COUNT_FOLLOW_UPS: &str = "SELECT count(*) AS jobs FROM jobs WHERE failed_at IS NULL AND kind = 'follow_up'";
const COUNT_FAILED: &str = "SELECT count(*) AS jobs FROM jobs WHERE failed_at IS NOT NULL AND kind = ?1";

pub(crate) fn claim(
    write: &dyn Transaction,
    lease: Lease,
    now: Timestamp,
    limits: &ClaimLimits,
) -> StoreResult<Vec<ClaimedJob>> {
    let (claim_lessons, claim_follow_ups) = match write.dialect() {
        Dialect::Sqlite => (CLAIM_LESSONS, CLAIM_FOLLOW_UPS),
        Dialect::Postgres => (postgres::dialect::CLAIM_LESSONS, postgres::dialect::CLAIM_FOLLOW_UPS),
    };
    let take = |sql: &str, of: Value<'_>, limit: usize| {
        write.query_all(sql, params![lease.owner, lease.until, now, of, limit], |row| claimed_job(row, lease))
    };
    let mut claimed = Vec::new();
    for priority in [Priority::WaitedFor, Priority::Background] {
        let left = limits.jobs.saturating_sub(claimed.len());
        if left > 0 {
            claimed.extend(take(claim_lessons, priority.number().into(), left)?);
        }
    }
    let mut left = limits.follow_ups.min(limits.jobs.saturating_sub(claimed.len()));
    if left == 0 {
        return Ok(claimed);
    }
    let models = claimable_models(write, &limits.of_model)?;
    for (index, (model, at_most)) in models.iter().enumerate() {
        let share = fair_share(left, models.len() - index, *at_most);
        let taken = take(claim_follow_ups, model.into(), share)?;
        left -= taken.len();
        claimed.extend(taken);
    }
    Ok(claimed)
}

pub(crate) fn next_due(read: &dyn Read, limits: &ClaimLimits) -> StoreResult<Option<Timestamp>> {
    if limits.jobs == 0 {
        return Ok(None);
    }
    let lesson = first_lesson_due(read)?;
    let follow_up = if limits.follow_ups > 0 { first_follow_up_due(read, &limits.of_model)? } else { None };
    Ok(lesson.into_iter().chain(follow_up).min())
}

pub(crate) fn first_lesson_due(read: &dyn Read) -> StoreResult<Option<Timestamp>> {
    let first = |priority: Priority| {
        read.query_opt(FIRST_LESSON, params![priority.number()], |row| row.get::<Timestamp>("run_at"))
    };
    Ok(first(Priority::WaitedFor)?.into_iter().chain(first(Priority::Background)?).min())
}

/// Whether any job is due later than it can be.
pub(crate) fn is_any_too_late(read: &dyn Read, latest: LatestDue) -> StoreResult<bool> {
    let last = |sql: &str, of: Value<'_>| read.query_opt(sql, params![of], |row| row.get::<Timestamp>("run_at"));
    for priority in [Priority::WaitedFor, Priority::Background] {
        if last(LAST_LESSON, priority.number().into())? > Some(latest.lessons) {
            return Ok(true);
        }
    }
    for (model, _) in claimable_models(read, &BTreeMap::new())? {
        if last(LAST_FOLLOW_UP, model.into())? > Some(latest.follow_ups) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes jobs due now that are due later than they can be.
pub(crate) fn bring_forward(write: &dyn Transaction, latest: LatestDue, now: Timestamp) -> StoreResult<usize> {
    let lessons = write.execute(BRING_FORWARD, params![JobKind::Lesson.as_str(), latest.lessons, now])?;
    Ok(lessons + write.execute(BRING_FORWARD, params![JobKind::FollowUp.as_str(), latest.follow_ups, now])?)
}

pub(crate) fn release_of(write: &dyn Transaction, owner: Uuid, now: Timestamp) -> StoreResult<usize> {
    write.execute(RELEASE_OF, params![owner, now])
}

/// Gives back what processes have claimed that are gone: all, where there can be no other process.
pub(crate) fn release_all(write: &dyn Transaction, now: Timestamp) -> StoreResult<usize> {
    let sql = match write.dialect() {
        Dialect::Sqlite => RELEASE_ALL,
        Dialect::Postgres => postgres::dialect::RELEASE_ENDED,
    };
    write.execute(sql, params![now])
}

pub(crate) fn depths(read: &dyn Read) -> StoreResult<Vec<QueueDepth>> {
    let count = |sql: &str, params: &[Value<'_>]| read.query_one(sql, params, |row| row.get::<u64>("jobs"));
    let mut depths = Vec::new();
    for (kind, sql, next_due) in [
        (JobKind::FollowUp, COUNT_FOLLOW_UPS, first_follow_up_due(read, &BTreeMap::new())?),
        (JobKind::Lesson, COUNT_LESSONS, first_lesson_due(read)?),
    ] {
        let (live, failed) = (count(sql, params![])?, count(COUNT_FAILED, params![kind.as_str()])?);
        if live + failed > 0 {
            depths.push(QueueDepth { kind, live, failed, next_due });
        }
    }
    Ok(depths)
}

fn first_follow_up_due(read: &dyn Read, of_model: &BTreeMap<String, usize>) -> StoreResult<Option<Timestamp>> {
    let mut first: Option<Timestamp> = None;
    for (model, _) in claimable_models(read, of_model)? {
        let due = read.query_opt(FIRST_FOLLOW_UP, params![&model], |row| row.get("run_at"))?;
        first = first.into_iter().chain(due).min();
    }
    Ok(first)
}

/// The models that follow-ups wait for and how many of each may be taken; models of which none may be taken are left out. One seek each.
fn claimable_models(read: &dyn Read, of_model: &BTreeMap<String, usize>) -> StoreResult<Vec<(String, usize)>> {
    let mut models = Vec::new();
    let mut last = String::new();
    while let Some(model) = read.query_opt(NEXT_MODEL, params![&last], |row| row.get::<String>("model"))? {
        let at_most = of_model.get(&model).copied().unwrap_or(usize::MAX);
        if at_most > 0 {
            models.push((model.clone(), at_most));
        }
        last = model;
    }
    Ok(models)
}

fn claimed_job(row: &dyn Row, lease: Lease) -> StoreResult<ClaimedJob> {
    Ok(ClaimedJob {
        job_id: row.get("job_id")?,
        kind: row.named("kind")?,
        project_id: row.get("project_id")?,
        trace_id: row.get("trace_id")?,
        review_id: row.get("review_id")?,
        attempts: row.get("attempts")?,
        lease,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::plan_of;

    #[test]
    fn every_look_into_the_queue_is_a_range_of_an_index() {
        for (sql, range) in [
            (CLAIM_LESSONS, "USING COVERING INDEX jobs_lessons (priority=? AND run_at<?)"),
            (CLAIM_FOLLOW_UPS, "USING COVERING INDEX jobs_follow_ups (model=? AND run_at<?)"),
            (NEXT_MODEL, "SEARCH jobs USING COVERING INDEX jobs_follow_ups (model>?)"),
            (FIRST_LESSON, "SEARCH jobs USING COVERING INDEX jobs_lessons (priority=?)"),
            (FIRST_FOLLOW_UP, "SEARCH jobs USING COVERING INDEX jobs_follow_ups (model=?)"),
            (LAST_LESSON, "SEARCH jobs USING COVERING INDEX jobs_lessons (priority=?)"),
            (LAST_FOLLOW_UP, "SEARCH jobs USING COVERING INDEX jobs_follow_ups (model=?)"),
            (COUNT_FAILED, "SEARCH jobs USING COVERING INDEX jobs_failed (kind=? AND failed_at>?)"),
        ] {
            let plan = plan_of(sql);
            assert!(plan.contains(range), "{sql}\n{plan}");
            assert!(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
        }
        // Counts walk an index that holds just what is counted.
        assert_eq!(plan_of(COUNT_LESSONS), "SCAN jobs USING COVERING INDEX jobs_lessons");
        assert_eq!(plan_of(COUNT_FOLLOW_UPS), "SCAN jobs USING COVERING INDEX jobs_follow_ups");
    }
}
