//! Which traces the judge is asked about, and what it said.

use reflect_core::{JudgeReport, JudgeVerdict, Judgement, Outcome, ProjectId, Timestamp, TraceId};
use rusqlite::Connection;

use crate::{ReviewInsert, Reviewed, Store, StoreResult, reviews, rows, writer::Write};

/// A trace may be asked about: old enough, without a review, never asked about or due again.
const CLAIMABLE: &str = "t.project_id = ?1 AND t.review_status = 'pending' AND t.created_at <= ?2
     AND (g.trace_id IS NULL OR g.ask_at <= ?3)
     AND NOT EXISTS (SELECT 1 FROM reviews r WHERE r.project_id = t.project_id AND r.trace_id = t.trace_id
                     AND r.removed_at IS NULL)";

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

/// What the judge said, and what follows.
#[derive(Debug, Clone, PartialEq)]
pub struct JudgementInsert {
    /// What it said.
    pub judgement: Judgement,
    /// The review that the verdict amounts to; none for an unknown one.
    pub review: Option<ReviewInsert>,
    /// When to ask again, if ever.
    pub ask_again_at: Option<Timestamp>,
}

/// A question that got no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// The run.
    pub trace_id: TraceId,
    /// Why.
    pub error: String,
    /// When to ask again, if ever.
    pub ask_again_at: Option<Timestamp>,
}

impl Store {
    /// Takes up to `limit` traces that the judge may be asked about, oldest first, until the lease ends: those that were
    /// stored by `stored_by` and are not reviewed. Each comes with how often it has been taken, this time included, and how
    /// often the answer was unknown.
    pub async fn claim_judgements(
        &self,
        project_id: ProjectId,
        stored_by: Timestamp,
        lease_until: Timestamp,
        now: Timestamp,
        limit: usize,
    ) -> StoreResult<Vec<(TraceId, u32, u32)>> {
        let project = project_id.clone();
        // What was found is looked at once more before it is claimed.
        let found = self.readers.read(move |read| find(read, &project, stored_by, now, limit)).await?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        self.writer
            .write(move |write| {
                let mut claimed = Vec::with_capacity(found.len());
                for trace_id in found {
                    let sql = format!(
                        "INSERT INTO judgements (project_id, trace_id, attempts, ask_at)
                         SELECT t.project_id, t.trace_id, 1, ?5 FROM traces t
                         LEFT JOIN judgements g ON g.project_id = t.project_id AND g.trace_id = t.trace_id
                         WHERE {CLAIMABLE} AND t.trace_id = ?4
                         ON CONFLICT DO UPDATE SET attempts = attempts + 1, ask_at = excluded.ask_at
                         RETURNING attempts, unknowns"
                    );
                    let bound = (
                        project_id.as_str(),
                        stored_by.as_micros(),
                        now.as_micros(),
                        trace_id.as_uuid(),
                        lease_until.as_micros(),
                    );
                    let mut statement = write.prepare_cached(&sql)?;
                    let mut rows = statement.query(bound)?;
                    if let Some(row) = rows.next()? {
                        claimed.push((trace_id, row.get(0)?, row.get(1)?));
                        write
                            .prepare_cached(
                                "UPDATE traces SET judge_asked = 1
                                 WHERE project_id = ?1 AND trace_id = ?2 AND judge_asked = 0",
                            )?
                            .execute((project_id.as_str(), trace_id.as_uuid()))?;
                    }
                }
                Ok(claimed)
            })
            .await
    }

    /// Writes down what the judge said, together with the review that follows from it. `None` if the trace is gone. A review
    /// by someone else, given in the meantime, stands.
    pub async fn insert_judgement(
        &self,
        project_id: ProjectId,
        insert: JudgementInsert,
        now: Timestamp,
    ) -> StoreResult<Option<Reviewed>> {
        self.writer
            .write(move |write| {
                if !note_verdict(write, &project_id, &insert)? {
                    return Ok(None);
                }
                match insert.review {
                    Some(review) => {
                        let trace_id = insert.judgement.trace_id;
                        let accepted = reviews::accept(write, &project_id, trace_id, &review, None, now)?;
                        Ok(Some(accepted.reviewed))
                    }
                    None => Ok(Some(Reviewed::Repeated)),
                }
            })
            .await
    }

    /// Writes down that a question got no answer.
    pub async fn insert_unanswered(&self, project_id: ProjectId, unanswered: Unanswered) -> StoreResult<()> {
        self.writer
            .write(move |write| {
                let sql = "UPDATE judgements SET ask_at = ?3, last_error = ?4 WHERE project_id = ?1 AND trace_id = ?2";
                write.prepare_cached(sql)?.execute((
                    project_id.as_str(),
                    unanswered.trace_id.as_uuid(),
                    unanswered.ask_again_at.map(Timestamp::as_micros),
                    &unanswered.error,
                ))?;
                Ok(())
            })
            .await
    }

    /// How the judge has done in a project.
    pub async fn judge_report(&self, project_id: ProjectId) -> StoreResult<JudgeReport> {
        self.readers.read(move |read| report(read, &project_id)).await
    }
}

/// Takes the question out of those that are due, since the trace has a review now, or puts it back, since it has none any more.
pub(crate) fn set_reviewed(
    write: &Write,
    project_id: &ProjectId,
    trace_id: TraceId,
    reviewed: bool,
) -> StoreResult<()> {
    write.prepare_cached("UPDATE judgements SET reviewed = ?3 WHERE project_id = ?1 AND trace_id = ?2")?.execute((
        project_id.as_str(),
        trace_id.as_uuid(),
        reviewed,
    ))?;
    Ok(())
}

/// Those that are due again, then those that were never asked about: a few ranges, however many traces are pending.
fn find(
    read: &Connection,
    project_id: &ProjectId,
    stored_by: Timestamp,
    now: Timestamp,
    limit: usize,
) -> StoreResult<Vec<TraceId>> {
    let trace_id = |row: &rusqlite::Row<'_>| Ok(TraceId::from_uuid(row.get(0)?));
    let mut found: Vec<TraceId> = read
        .prepare_cached(DUE_AGAIN)?
        .query_map((project_id.as_str(), now.as_micros(), limit), trace_id)?
        .collect::<Result<_, _>>()?;
    let bound = TraceId::earliest_at(Timestamp::from_micros(stored_by.as_micros().saturating_add(1)));
    let left = limit.saturating_sub(found.len());
    let never = read
        .prepare_cached(NEVER_ASKED)?
        .query_map((project_id.as_str(), bound.as_uuid(), stored_by.as_micros(), left), trace_id)?
        .collect::<Result<Vec<_>, _>>()?;
    found.extend(never);
    Ok(found)
}

fn note_verdict(write: &Write, project_id: &ProjectId, insert: &JudgementInsert) -> StoreResult<bool> {
    let judgement = &insert.judgement;
    let sql =
        "UPDATE judgements SET verdict = ?3, reason = ?4, model = ?5, judged_at = ?6, ask_at = ?7, last_error = NULL,
                                     unknowns = unknowns + CASE WHEN ?3 = 'unknown' THEN 1 ELSE 0 END
               WHERE project_id = ?1 AND trace_id = ?2";
    let noted = write.prepare_cached(sql)?.execute((
        project_id.as_str(),
        judgement.trace_id.as_uuid(),
        judgement.verdict.as_str(),
        &judgement.reason,
        &judgement.model,
        judgement.judged_at.as_micros(),
        insert.ask_again_at.map(Timestamp::as_micros),
    ))?;
    Ok(noted > 0)
}

fn report(read: &Connection, project_id: &ProjectId) -> StoreResult<JudgeReport> {
    let mut report = read
        .prepare_cached(
            "SELECT count(*) FILTER (WHERE verdict IN ('pass', 'fail')) AS judged,
                    count(*) FILTER (WHERE verdict = 'unknown') AS unknown,
                    count(*) FILTER (WHERE verdict IS NULL AND ask_at IS NULL) AS given_up,
                    (SELECT count(*) FROM traces t
                     LEFT JOIN reviews r ON r.project_id = t.project_id AND r.trace_id = t.trace_id
                                         AND r.removed_at IS NULL
                     WHERE t.project_id = ?1 AND t.review_status = 'pending' AND r.review_id IS NULL) AS pending
             FROM judgements WHERE project_id = ?1",
        )?
        .query_row([project_id.as_str()], |row| {
            Ok(JudgeReport {
                judged: row.get("judged")?,
                unknown: row.get("unknown")?,
                given_up: row.get("given_up")?,
                pending: row.get("pending")?,
                ..JudgeReport::default()
            })
        })?;
    let mut pairs = read.prepare_cached(
        "SELECT g.verdict, r.result, count(*) AS times FROM judgements g
         JOIN reviews r ON r.project_id = g.project_id AND r.trace_id = g.trace_id AND r.removed_at IS NULL
         WHERE g.project_id = ?1 AND g.verdict IS NOT NULL AND r.source <> 'judge' GROUP BY g.verdict, r.result",
    )?;
    let mut rows = pairs.query([project_id.as_str()])?;
    while let Some(row) = rows.next()? {
        let (judge, other): (JudgeVerdict, Outcome) = (rows::named(row, "verdict")?, rows::named(row, "result")?);
        *report.confusion.count_mut(judge, other) += row.get::<_, u64>("times")?;
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema;

    #[test]
    fn what_the_judge_may_be_asked_about_is_a_range_of_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let connection = schema::open_for_writing(&folder.path().join("reflect.db")).unwrap();
        for (sql, range) in [
            (NEVER_ASKED, "SEARCH t USING INDEX traces_unjudged (project_id=? AND trace_id<?)"),
            (DUE_AGAIN, "SEARCH g USING COVERING INDEX judgements_due (project_id=? AND ask_at<?)"),
        ] {
            let plan = schema::plan(&connection, sql);
            assert!(plan.contains(range) && !plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{sql}\n{plan}");
        }
    }
}
