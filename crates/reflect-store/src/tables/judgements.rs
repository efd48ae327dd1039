//! Which traces the judge is asked about, and what it said.

use reflect_core::{JudgeReport, JudgeVerdict, Judgement, Outcome, ProjectId, Timestamp, TraceId};

use crate::{
    error::StoreResult,
    sql::{Query, Read, Row, Transaction, params},
};

/// Traces that were never asked about. Ids sort by age, so the bound `?2` ends the range; `?3` is the same to the microsecond.
const NEVER_ASKED: &str = "SELECT t.trace_id FROM traces t
     WHERE t.project_id = ?1 AND t.review_status = 'pending' AND t.judge_asked = 0 AND t.trace_id < ?2
       AND t.created_at <= ?3
       AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.project_id = t.project_id AND r.trace_id = t.trace_id
                       AND r.removed_at IS NULL)
     ORDER BY t.trace_id LIMIT ?4";

/// Traces that are due again.
const DUE_AGAIN: &str = "SELECT g.trace_id FROM judgements g
     WHERE g.project_id = ?1 AND g.reviewed = 0 AND g.ask_at <= ?2 ORDER BY g.ask_at LIMIT ?3";

/// Traces of which the clock that stored them or put them off says a time that cannot be: it has been set back since.
const FROM_THE_FUTURE: &str = "SELECT g.trace_id FROM judgements g
     WHERE g.project_id = ?1 AND g.reviewed = 0 AND g.ask_at > ?2
     UNION ALL SELECT t.trace_id FROM traces t
     WHERE t.project_id = ?1 AND t.review_status = 'pending' AND t.judge_asked = 0 AND t.trace_id > ?3
     LIMIT ?4";

/// Takes one trace, if it may be asked about: old enough, without a review, never asked about or due again.
const CLAIM: &str = "INSERT INTO judgements (project_id, trace_id, attempts, ask_at)
     SELECT t.project_id, t.trace_id, 1, ?5 FROM traces t
     LEFT JOIN judgements g ON g.project_id = t.project_id AND g.trace_id = t.trace_id
     WHERE t.project_id = ?1 AND t.review_status = 'pending'
       AND (t.created_at <= ?2 OR t.created_at > ?7)
       AND (g.trace_id IS NULL OR g.ask_at <= ?3 OR g.ask_at > ?6)
       AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.project_id = t.project_id AND r.trace_id = t.trace_id
                       AND r.removed_at IS NULL)
       AND t.trace_id = ?4
     ON CONFLICT (project_id, trace_id) DO UPDATE SET attempts = judgements.attempts + 1, ask_at = excluded.ask_at
     RETURNING attempts, unknowns";

/// Which traces the judge may be asked about, and until when they are its asker's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JudgementClaim {
    /// Those that were stored by this time and are not reviewed.
    pub stored_by: Timestamp,
    /// When they fall due again for others.
    pub lease_until: Timestamp,
    /// The latest time that a question can be put off to. What is due later was put off by a clock that has been set back since,
    /// and may be asked now; so may a trace that was stored more than a minute ahead.
    pub latest_due: Timestamp,
    /// The time of the claim.
    pub now: Timestamp,
    /// How many at most.
    pub limit: usize,
}

impl JudgementClaim {
    /// After which time no trace can have been stored.
    const fn ahead(&self) -> Timestamp {
        self.now.plus_millis(60_000)
    }
}

/// Those that are due again, then those that were never asked about: a few ranges, however many traces are pending.
pub(crate) fn find(read: &dyn Read, project_id: &ProjectId, claim: &JudgementClaim) -> StoreResult<Vec<TraceId>> {
    let trace_id = |row: &dyn Row| row.get::<TraceId>("trace_id");
    let mut found = read.query_all(DUE_AGAIN, params![project_id, claim.now, claim.limit], trace_id)?;
    let bound = TraceId::earliest_at(Timestamp::from_micros(claim.stored_by.as_micros().saturating_add(1)));
    let left = claim.limit.saturating_sub(found.len());
    found.extend(read.query_all(NEVER_ASKED, params![project_id, bound, claim.stored_by, left], trace_id)?);
    if found.len() < claim.limit {
        let ahead = TraceId::earliest_at(claim.ahead());
        let left = claim.limit - found.len();
        found.extend(read.query_all(FROM_THE_FUTURE, params![project_id, claim.latest_due, ahead, left], trace_id)?);
    }
    Ok(found)
}

/// Claims one that was found, unless that has changed. Answers how often it has been taken, this time included, and how often the
/// answer was unknown.
pub(crate) fn claim(
    write: &dyn Transaction,
    project_id: &ProjectId,
    trace_id: TraceId,
    claim: &JudgementClaim,
) -> StoreResult<Option<(u32, u32)>> {
    let bound =
        params![project_id, claim.stored_by, claim.now, trace_id, claim.lease_until, claim.latest_due, claim.ahead()];
    let claimed = write.query_opt(CLAIM, bound, |row| Ok((row.get("attempts")?, row.get("unknowns")?)))?;
    if claimed.is_some() {
        write.submit(
            "UPDATE traces SET judge_asked = 1 WHERE project_id = ?1 AND trace_id = ?2 AND judge_asked = 0",
            params![project_id, trace_id],
        )?;
    }
    Ok(claimed)
}

/// Takes the question out of those that are due while the trace has a review, and puts it back once it has none. To be called when a
/// first review was stored and when one was taken back.
pub(crate) fn update_reviewed(write: &dyn Transaction, project_id: &ProjectId, trace_id: TraceId) -> StoreResult<()> {
    write.submit(
        "UPDATE judgements SET reviewed = (SELECT count(*) FROM reviews r
                                           WHERE r.project_id = ?1 AND r.trace_id = ?2 AND r.removed_at IS NULL)
         WHERE project_id = ?1 AND trace_id = ?2",
        params![project_id, trace_id],
    )
}

/// Writes a verdict down. `false` if the trace is gone.
pub(crate) fn set_verdict(
    write: &dyn Transaction,
    project_id: &ProjectId,
    judgement: &Judgement,
    ask_again_at: Option<Timestamp>,
) -> StoreResult<bool> {
    let noted = write.execute(
        "UPDATE judgements SET verdict = ?3, reason = ?4, model = ?5, judged_at = ?6, ask_at = ?7, last_error = NULL,
                               unknowns = unknowns + CASE WHEN ?3 = 'unknown' THEN 1 ELSE 0 END
         WHERE project_id = ?1 AND trace_id = ?2",
        params![
            project_id,
            judgement.trace_id,
            judgement.verdict.as_str(),
            &judgement.reason,
            &judgement.model,
            judgement.judged_at,
            ask_again_at,
        ],
    )?;
    Ok(noted > 0)
}

pub(crate) fn report(read: &dyn Read, project_id: &ProjectId) -> StoreResult<JudgeReport> {
    let mut report = read.query_one(
        "SELECT count(*) FILTER (WHERE verdict IN ('pass', 'fail')) AS judged,
                count(*) FILTER (WHERE verdict = 'unknown') AS unknown,
                count(*) FILTER (WHERE verdict IS NULL AND ask_at IS NULL) AS given_up,
                (SELECT count(*) FROM traces t
                 LEFT JOIN reviews r ON r.project_id = t.project_id AND r.trace_id = t.trace_id
                                     AND r.removed_at IS NULL
                 WHERE t.project_id = ?1 AND t.review_status = 'pending' AND r.review_id IS NULL) AS pending
         FROM judgements WHERE project_id = ?1",
        params![project_id],
        |row| {
            Ok(JudgeReport {
                judged: row.get("judged")?,
                unknown: row.get("unknown")?,
                given_up: row.get("given_up")?,
                pending: row.get("pending")?,
                ..JudgeReport::default()
            })
        },
    )?;
    let pairs = read.query_all(
        "SELECT g.verdict, r.result, count(*) AS times FROM judgements g
         JOIN reviews r ON r.project_id = g.project_id AND r.trace_id = g.trace_id AND r.removed_at IS NULL
         WHERE g.project_id = ?1 AND g.verdict IS NOT NULL AND r.source <> 'judge' GROUP BY g.verdict, r.result",
        params![project_id],
        |row| Ok((row.named::<JudgeVerdict>("verdict")?, row.named::<Outcome>("result")?, row.get::<u64>("times")?)),
    )?;
    for (judge, other, times) in pairs {
        *report.confusion.count_mut(judge, other) += times;
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sqlite::plan_of;

    #[test]
    fn what_the_judge_may_be_asked_about_is_a_range_of_an_index() {
        for (sql, range) in [
            (NEVER_ASKED, "SEARCH t USING INDEX traces_unjudged (project_id=? AND trace_id<?)"),
            (DUE_AGAIN, "SEARCH g USING COVERING INDEX judgements_due (project_id=? AND ask_at<?)"),
        ] {
            let plan = plan_of(sql);
            assert!(plan.contains(range) && !plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
        }
    }
}
