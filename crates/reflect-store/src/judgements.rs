//! The judge: taking traces to ask about, and writing down what it said.

use reflect_core::{JudgeReport, Judgement, ProjectId, Timestamp, TraceId};

use crate::{
    error::StoreResult,
    sql::{Lane, params},
    store::Store,
    tables::{
        judgements::{self, JudgementClaim},
        reviews::{self, ReviewInsert, Reviewed, TraceReview},
    },
};

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
    /// Takes traces that the judge may be asked about, oldest first, until the lease ends. Each comes with how often it has been taken,
    /// this time included, and how often the answer was unknown.
    pub async fn claim_judgements(
        &self,
        project_id: ProjectId,
        claim: JudgementClaim,
    ) -> StoreResult<Vec<(TraceId, u32, u32)>> {
        let project = project_id.clone();
        // What was found is looked at once more before it is claimed.
        let found = self.readers.read(move |read| judgements::find(read, &project, &claim)).await?;
        if found.is_empty() {
            return Ok(Vec::new());
        }
        self.writer
            .write(Lane::of(&project_id), move |write| {
                let mut claimed = Vec::with_capacity(found.len());
                for trace_id in found {
                    let taken = judgements::claim(write, &project_id, trace_id, &claim)?;
                    claimed.extend(taken.map(|(attempts, unknowns)| (trace_id, attempts, unknowns)));
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
            .write(Lane::of(&project_id), move |write| {
                let JudgementInsert { judgement, review, ask_again_at } = insert;
                if !judgements::set_verdict(write, &project_id, &judgement, ask_again_at)? {
                    return Ok(None);
                }
                let Some(review) = review else {
                    return Ok(Some(Reviewed::Repeated));
                };
                let review = TraceReview { trace_id: judgement.trace_id, review, lesson: None };
                Ok(Some(reviews::accept(write, &project_id, &review, now)?.reviewed))
            })
            .await
    }

    /// Writes down that a question got no answer.
    pub async fn insert_unanswered(&self, project_id: ProjectId, unanswered: Unanswered) -> StoreResult<()> {
        self.writer
            .write(Lane::of(&project_id), move |write| {
                write.submit(
                    "UPDATE judgements SET ask_at = ?3, last_error = ?4 WHERE project_id = ?1 AND trace_id = ?2",
                    params![&project_id, unanswered.trace_id, unanswered.ask_again_at, &unanswered.error],
                )
            })
            .await
    }

    /// How the judge has done in a project.
    pub async fn judge_report(&self, project_id: ProjectId) -> StoreResult<JudgeReport> {
        self.readers.read(move |read| judgements::report(read, &project_id)).await
    }
}
