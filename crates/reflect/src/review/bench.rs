//! The runs that wait, what was decided about them, and the way back.

use anyhow::Context;
use reflect_api::{BulkReviewStatus, ErrorCode, TraceAnswer};
use reflect_client::{ReflectClient, ReviewTraces};
use reflect_core::{IngestStatus, ReviewStatus};
use uuid::Uuid;

const PAGE: u32 = 100;

/// Runs in a row, and how far we are.
pub(super) struct Bench {
    client: ReflectClient,
    trace_ids: Vec<Uuid>,
    /// One for each run before the present one.
    decisions: Vec<Decision>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Decision {
    Passed,
    Failed,
    Deferred,
    /// It was gone, or somebody else was faster.
    PassedOver,
}

/// What a key has led to.
pub(super) enum Decided {
    /// Something to tell.
    Said(String),
    Nothing,
}

/// How far we are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    pub(super) done: usize,
    pub(super) all: usize,
    pub(super) reviewed: usize,
    pub(super) deferred: usize,
}

impl Bench {
    /// The newest runs that have no review and are not getting one just now.
    pub(super) async fn gather(client: ReflectClient, most: usize) -> anyhow::Result<Self> {
        let pending = client.list_traces().review_status(ReviewStatus::Pending);
        let pending = pending.ingest_status(IngestStatus::Completed).summaries().page_size(PAGE);
        let (mut trace_ids, mut cursor) = (Vec::new(), None);
        while trace_ids.len() < most {
            let page = pending.page(cursor.take()).await?;
            trace_ids.extend(page.items.iter().map(|trace| trace.id));
            match page.next_cursor {
                Some(next) => cursor = Some(next),
                None => break,
            }
        }
        trace_ids.truncate(most);
        Ok(Self { client, trace_ids, decisions: Vec::new() })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.trace_ids.is_empty()
    }

    /// The run to decide about. One that has gone, or has a review by now, is passed over.
    pub(super) async fn current(&mut self) -> anyhow::Result<Option<TraceAnswer>> {
        while let Some(trace_id) = self.trace_ids.get(self.decisions.len()) {
            match self.client.get_trace(*trace_id).await {
                Ok(trace) if trace.review.is_none() => return Ok(Some(trace)),
                Ok(_) => {}
                Err(error) if error.code() == Some(ErrorCode::NotFound) => {}
                Err(error) => return Err(error.into()),
            }
            self.decisions.push(Decision::PassedOver);
        }
        Ok(None)
    }

    pub(super) async fn pass(&mut self, trace_id: Uuid) -> anyhow::Result<Decided> {
        self.send(self.client.review_traces().passed(trace_id), Decision::Passed).await
    }

    pub(super) async fn fail(&mut self, trace_id: Uuid, feedback: String) -> anyhow::Result<Decided> {
        self.send(self.client.review_traces().failed(trace_id, feedback), Decision::Failed).await
    }

    /// Sends one review in the way that does not wait for the lesson.
    async fn send(&mut self, review: ReviewTraces, decision: Decision) -> anyhow::Result<Decided> {
        let answer = review.await?.reviews.pop().context("the server did not say whether it took the review")?;
        if answer.status == BulkReviewStatus::Refused {
            let why = answer.error.map(|error| error.message).unwrap_or_default();
            return Ok(Decided::Said(format!("the review was refused: {why}")));
        }
        self.decisions.push(decision);
        Ok(Decided::Nothing)
    }

    pub(super) fn defer(&mut self) -> Decided {
        self.decisions.push(Decision::Deferred);
        Decided::Nothing
    }

    /// Goes back to the last run, and takes its review back if it got one.
    pub(super) async fn undo(&mut self) -> anyhow::Result<Decided> {
        while self.decisions.last() == Some(&Decision::PassedOver) {
            self.decisions.pop();
        }
        let Some(last) = self.decisions.last() else { return Ok(Decided::Said("there is nothing to undo".into())) };
        if *last != Decision::Deferred {
            let trace_id = self.trace_ids.get(self.decisions.len() - 1).context("a decision without its run")?;
            self.client.take_back_review(*trace_id).await.context("the review cannot be taken back")?;
        }
        self.decisions.pop();
        Ok(Decided::Said("undone".into()))
    }

    pub(super) fn progress(&self) -> Progress {
        let count = |wanted: &[Decision]| self.decisions.iter().filter(|decision| wanted.contains(decision)).count();
        Progress {
            done: self.decisions.len(),
            all: self.trace_ids.len(),
            reviewed: count(&[Decision::Passed, Decision::Failed]),
            deferred: count(&[Decision::Deferred]),
        }
    }

    /// What came of it, in a line.
    pub(super) fn sum(&self) -> String {
        let count = |wanted| self.decisions.iter().filter(|decision| **decision == wanted).count();
        let (passed, failed) = (count(Decision::Passed), count(Decision::Failed));
        let Progress { done, all, deferred, .. } = self.progress();
        format!("{passed} passed, {failed} failed, {deferred} deferred, {} left", all - done)
    }
}
