//! The judge: reviews of runs that nobody else has reviewed.

use std::{panic::AssertUnwindSafe, sync::Arc, time::Duration};

use futures_util::{FutureExt, StreamExt, stream};
use reflect_core::{
    Backoff, JudgeReport, JudgeVerdict, Judgement, KeyId, NewReview, Project, ProjectId, ReviewId, ReviewMode,
    ReviewSource, Scope, Trace, TraceId,
};
use reflect_store::{JudgementClaim, JudgementInsert, ReviewInsert, Reviewed, Unanswered};
use reflection::{PendingRun, Verdict};

use super::pauses::SLACK;
use crate::{
    Asker, Changed, Engine, EngineResult,
    metrics::JUDGE,
    models::{Fallback, Model, OFF},
};

/// How many runs are judged at the same time, and taken at once.
const AT_ONCE: usize = 8;

/// How often the judge may answer that it cannot tell before it is not asked again.
const MAX_UNKNOWNS: u32 = 3;

/// How long after such an answer it is asked again: by then a rubric or a model may have changed.
const UNKNOWN_PAUSE_MILLIS: i64 = 86_400_000;

/// How often a question is tried that gets no answer at all.
const MAX_ATTEMPTS: u32 = 12;

/// The pauses between them.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(60), Duration::from_secs(6 * 3_600));

/// A run that the judge is being asked about.
struct Claim {
    project_id: ProjectId,
    trace_id: TraceId,
    attempts: u32,
    unknowns: u32,
    rubric: Option<String>,
}

impl Engine {
    /// Judges every run that has waited long enough for a review, in every project that wants it, and answers how many there
    /// were. Projects take turns, a few runs each, as they are set up by then; one that fails does not keep the others. For
    /// tests and tools; a server has [`crate::Background`].
    pub async fn judge_due_traces(&self) -> EngineResult<usize> {
        let mut judged = 0;
        loop {
            let mut more = false;
            for project in self.store.list_projects().await? {
                let Some(model) = self.models.judge_of(&project.settings) else { continue };
                match self.judge_some(&project, &model).await {
                    Ok(claimed) => {
                        judged += claimed;
                        more |= claimed == AT_ONCE;
                    }
                    Err(error) => tracing::error!(project_id = %project.id, %error, "the judge failed in a project"),
                }
            }
            if !more {
                return Ok(judged);
            }
        }
    }

    /// How the judge has done in a project, under the name of the one that judges there now.
    pub async fn judge_report(&self, asker: Asker<'_>) -> EngineResult<(String, JudgeReport)> {
        self.admit(asker, Scope::TraceRead)?;
        let project = self.open_project(asker).await?;
        let judge = self.models.judge_of(&project.settings).map_or_else(|| OFF.to_owned(), |model| model.name.clone());
        Ok((judge, self.store.judge_report(asker.project_id.clone()).await?))
    }

    async fn judge_some(&self, project: &Project, model: &Arc<Model>) -> EngineResult<usize> {
        let now = self.now();
        let limit = model.breaker.free_permits(now).min(AT_ONCE);
        if limit == 0 || self.spending.spent_until().await.is_some() {
            return Ok(0);
        }
        let millis = |duration: std::time::Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
        let stored_by = now.plus_millis(-millis(self.settings.judge_after));
        let lease_until = self.lease().until;
        let latest_due = lease_until.max(now.plus_millis(UNKNOWN_PAUSE_MILLIS)).plus(SLACK);
        let claim = JudgementClaim { stored_by, lease_until, latest_due, now, limit };
        let claimed = self.store.claim_judgements(project.id.clone(), claim).await?;
        let count = claimed.len();
        let claims = claimed.into_iter().map(|(trace_id, attempts, unknowns)| Claim {
            project_id: project.id.clone(),
            trace_id,
            attempts,
            unknowns,
            rubric: project.settings.judge_rubric.clone(),
        });
        stream::iter(claims).for_each_concurrent(AT_ONCE, |claim| self.judge_one(claim, model)).await;
        Ok(count)
    }

    async fn judge_one(&self, claim: Claim, model: &Arc<Model>) {
        let (project_id, trace_id) = (claim.project_id.clone(), claim.trace_id);
        let done = match self.store.get_trace(project_id.clone(), trace_id).await {
            Ok(Some(trace)) => self.ask_judge(&claim, &trace, model).await,
            Ok(None) => return,
            Err(error) => Err(error.into()),
        };
        if let Err(error) = done {
            tracing::error!(%project_id, %trace_id, %error, "a verdict could not be stored; it is asked for again");
        }
    }

    async fn ask_judge(&self, claim: &Claim, trace: &Trace, model: &Arc<Model>) -> EngineResult<()> {
        let permit = match model.breaker.admit(self.now()) {
            Ok(permit) => permit,
            // It went out since the run was claimed.
            Err(_) => return self.note_unanswered(claim, "the judge has not answered lately".to_owned()).await,
        };
        let run = PendingRun {
            task: trace.task.clone(),
            messages: trace.trajectory.as_ref().map(reflect_core::Trajectory::messages).unwrap_or_default(),
            final_response: trace.final_response.clone(),
            reference_context: trace.reference_context.clone(),
        };
        let asked = AssertUnwindSafe(model.judge.judge(&run, claim.rubric.as_deref())).catch_unwind();
        let answer = match tokio::time::timeout(self.settings.attempt_timeout, asked).await {
            Err(_) => Err(Fallback::TooSlow),
            Ok(Err(_)) => Err(Fallback::Panicked),
            Ok(Ok(Err(error))) => Err(error.into()),
            Ok(Ok(Ok(answer))) => Ok(answer),
        };
        match answer {
            Ok(answer) => {
                permit.answered();
                self.store_judgement(claim, model, answer).await
            }
            Err(fallback) => {
                permit.report(&fallback, self.now());
                self.note_unanswered(claim, fallback.to_string()).await
            }
        }
    }

    async fn store_judgement(&self, claim: &Claim, model: &Model, judged: reflection::JudgeAnswer) -> EngineResult<()> {
        let now = self.now();
        let (verdict, reason) = match judged.verdict {
            Verdict::Pass => (JudgeVerdict::Pass, judged.explanation),
            Verdict::Fail => (JudgeVerdict::Fail, judged.explanation),
            Verdict::Unknown(why) => (JudgeVerdict::Unknown, why),
        };
        let again = verdict == JudgeVerdict::Unknown && claim.unknowns + 1 < MAX_UNKNOWNS;
        let insert = JudgementInsert {
            review: verdict.outcome().map(|result| ReviewInsert {
                id: ReviewId::mint(now, &*self.entropy),
                review: NewReview {
                    result,
                    score: None,
                    feedback_text: Some(reason.clone()).filter(|reason| !reason.trim().is_empty()),
                    alpha: Some(self.settings.judge_alpha),
                    reflection: None,
                    source: ReviewSource::Judge,
                    supersedes: false,
                },
                mode: ReviewMode::Deferred,
                awaited: false,
                default_alpha: self.settings.judge_alpha,
                reporter: KeyId::MASTER,
            }),
            ask_again_at: again.then(|| now.plus_millis(UNKNOWN_PAUSE_MILLIS)),
            judgement: Judgement {
                trace_id: claim.trace_id,
                verdict,
                reason,
                model: model.name.clone(),
                judged_at: now,
            },
        };
        let answer = self.store.insert_judgement(claim.project_id.clone(), insert, now).await?;
        self.metrics.count(&JUDGE, &[verdict.as_str()]);
        if answer == Some(Reviewed::Accepted) {
            self.coordination.wake_worker();
            self.coordination.note_change(&claim.project_id, Changed::LEARNING);
        }
        Ok(())
    }

    async fn note_unanswered(&self, claim: &Claim, error: String) -> EngineResult<()> {
        let (trace_id, attempts) = (claim.trace_id, claim.attempts);
        // That the model fails, and why, is in the log already.
        tracing::debug!(project_id = %claim.project_id, %trace_id, attempts, error, "the judge gave no verdict");
        self.metrics.count(&JUDGE, &["failed"]);
        let ask_again_at = (attempts < MAX_ATTEMPTS).then(|| self.retry_at(BACKOFF, attempts));
        let unanswered = Unanswered { trace_id, error, ask_again_at };
        Ok(self.store.insert_unanswered(claim.project_id.clone(), unanswered).await?)
    }
}
