//! Traces: storing one, reading one, deleting some.

use std::sync::Arc;

use reflect_core::{IngestStatus, KeyId, NewTrace, ProjectId, Timestamp, Trace, TraceId, parse_memory_ids};
use serde::{Deserialize, Serialize};

use crate::{
    error::{StoreError, StoreResult},
    sql::{Lane, Operation, Read, Transaction},
    store::Store,
    tables::{
        credits,
        drawn_queries::{self, FollowingRun},
        idempotency::{IdempotencyKey, Once, Request},
        lessons::LessonInsert,
        projects,
        retrievals::{self, Link, SentTrace},
        reviews::{self, ReviewInsert, ReviewRow, Teaching},
        showing::Showing,
        traces::{self, TraceRow, TraceView},
    },
};

/// A trace to be stored.
#[derive(Debug, Clone, PartialEq)]
pub struct TraceInsert {
    /// The id that it gets, made at `now`: lists take its time from it.
    pub id: TraceId,
    /// The key that sends it.
    pub key_id: KeyId,
    /// The run.
    pub trace: NewTrace,
    /// Its review, with what was decided about it.
    pub review: Option<ReviewInsert>,
    /// The lesson, where the review brought one along: no job is needed then.
    pub lesson: Option<LessonInsert>,
    /// The time of the request.
    pub now: Timestamp,
    /// What makes the request one and the same.
    pub idempotency: Option<IdempotencyKey>,
}

/// What the sender of a trace is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// The trace's id.
    pub trace_id: TraceId,
    /// How far the work on it had come when it was stored.
    pub ingest_status: IngestStatus,
    /// What looks wrong about it.
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl TraceInsert {
    /// Whether it has nothing to do with what is there: new rows of its own are all that it needs, unless it follows a query.
    fn is_addition(&self) -> bool {
        let names_nothing = self.trace.retrieval_id.is_none() && self.trace.retrieved_memory_ids.is_empty();
        names_nothing && self.lesson.is_none()
    }

    /// The query behind it.
    fn link(&self, read: &dyn Read, project_id: &ProjectId) -> StoreResult<Link> {
        let sent = SentTrace { key_id: self.key_id, trace: &self.trace, now: self.now };
        retrievals::link(read, project_id, sent, &parse_memory_ids(&self.trace.retrieved_memory_ids))
    }
}

impl Store {
    /// Stores a trace; with a review, moves the utilities of the memories it was shown, and queues the lesson or stores
    /// the one that came along. All of it or nothing. `None` if the project is gone.
    pub async fn insert_trace(
        &self,
        project_id: ProjectId,
        insert: TraceInsert,
    ) -> StoreResult<Option<Once<Submission>>> {
        let run = Arc::new((project_id, insert));
        if run.1.is_addition() && self.may_add_to(&run.0) {
            match self.insert_trace_in(Lane::Additions(run.0.clone()), Arc::clone(&run)).await {
                // In its project's own lane it can be told what it has crossed.
                Err(StoreError::Crossed) => {}
                stored => return stored,
            }
        }
        self.insert_trace_in(Lane::of(&run.0), run).await
    }

    /// Whether what is added beside a project's other writes sees all queries that were answered before.
    fn may_add_to(&self, project_id: &ProjectId) -> bool {
        !self.unlogged.holds(project_id) && self.writer.takes_additions(project_id)
    }

    async fn insert_trace_in(
        &self,
        lane: Lane,
        run: Arc<(ProjectId, TraceInsert)>,
    ) -> StoreResult<Option<Once<Submission>>> {
        let is_beside = matches!(lane, Lane::Additions(_));
        let asked = Arc::clone(&run);
        self.writer
            .write_asking(
                lane,
                Operation::Durable,
                Arc::new(move |read| prefetch(read, &asked.0, &asked.1)),
                move |write| {
                    let (project_id, insert) = &*run;
                    let request = Request { project_id, key: insert.idempotency.as_ref(), now: insert.now };
                    let stored = request.once(write, || {
                        if !projects::stays(write, project_id)? {
                            return Ok(Err(()));
                        }
                        let link = insert.link(write, project_id)?;
                        if is_beside && link.follows.is_some() {
                            return Err(StoreError::Crossed);
                        }
                        store(write, project_id, insert, link).map(Ok)
                    })?;
                    Ok(stored.ok())
                },
            )
            .await
    }

    /// One trace with its trajectory.
    pub async fn get_trace(&self, project_id: ProjectId, trace_id: TraceId) -> StoreResult<Option<Trace>> {
        self.readers.read(move |read| traces::get(read, &project_id, trace_id, TraceView::Whole)).await
    }

    /// The traces with these ids, in their order; those that are gone are passed over.
    pub async fn get_traces(
        &self,
        project_id: ProjectId,
        trace_ids: Vec<TraceId>,
        view: TraceView,
    ) -> StoreResult<Vec<Trace>> {
        self.readers.read(move |read| traces::get_all(read, &project_id, &trace_ids, view)).await
    }

    /// How many bytes each of these traces has, in their order; none if it is gone. They are not read for it.
    pub async fn measure_traces(
        &self,
        project_id: ProjectId,
        trace_ids: Vec<TraceId>,
        view: TraceView,
    ) -> StoreResult<Vec<usize>> {
        self.readers
            .read(move |read| {
                let bytes = traces::measure_all(read, &project_id, &trace_ids, view)?;
                Ok(trace_ids.iter().map(|trace_id| bytes.get(trace_id).copied().unwrap_or_default()).collect())
            })
            .await
    }

    /// Erases traces: their text, their reviews and what was still to be done about them. What they taught stays, unless
    /// `cascade` is set: then each ends as if its review had been taken back. Answers those that were there.
    pub async fn delete_traces(
        &self,
        project_id: ProjectId,
        trace_ids: Vec<TraceId>,
        cascade: bool,
        now: Timestamp,
    ) -> StoreResult<Vec<TraceId>> {
        self.writer
            .write(Lane::of(&project_id), move |write| {
                let mut deleted = Vec::new();
                for trace_id in trace_ids {
                    if cascade {
                        reviews::undo(write, &project_id, trace_id, now)?;
                    }
                    if traces::delete(write, &project_id, trace_id)? {
                        deleted.push(trace_id);
                    }
                }
                Ok(deleted)
            })
            .await
    }
}

/// Says what storing a trace will ask.
fn prefetch(read: &dyn Read, project_id: &ProjectId, insert: &TraceInsert) -> StoreResult<()> {
    let TraceInsert { key_id, trace, now, idempotency, review, .. } = insert;
    let memory_ids = parse_memory_ids(&trace.retrieved_memory_ids);
    Request { project_id, key: idempotency.as_ref(), now: *now }.prefetch(read)?;
    projects::prefetch_stays(read, project_id)?;
    retrievals::prefetch_link(read, project_id, &SentTrace { key_id: *key_id, trace, now: *now }, &memory_ids)?;
    match review {
        Some(review) => credits::prefetch(read, project_id, &memory_ids, review.reporter),
        None => Ok(()),
    }
}

fn store(write: &dyn Transaction, project_id: &ProjectId, insert: &TraceInsert, link: Link) -> StoreResult<Submission> {
    let TraceInsert { id, trace, now, .. } = insert;
    let memory_ids = parse_memory_ids(&trace.retrieved_memory_ids);
    let row = TraceRow { id: *id, trace, retrieval_id: link.retrieval_id, warnings: &link.warnings, now: *now };
    traces::insert(write, project_id, &row)?;
    if let Some(retrieval_id) = link.follows {
        let run = FollowingRun { trace_id: *id, is_named: trace.retrieval_id.is_some() };
        drawn_queries::update_run(write, project_id, retrieval_id, run)?;
    }
    let submission = |ingest_status| Submission { trace_id: *id, ingest_status, warnings: link.warnings };
    let Some(review) = &insert.review else {
        return Ok(submission(IngestStatus::Completed));
    };
    let alpha = review.review.alpha.unwrap_or(review.default_alpha);
    let reward = review.reward(*id, alpha, *now);
    let shown = !trace.retrieved_memory_ids.is_empty();
    let showing = match link.answer {
        Some(answer) => Showing { memory_ids, retrieval_id: link.retrieval_id, answer },
        None => retrievals::showing(write, project_id, link.retrieval_id, memory_ids)?,
    };
    reviews::insert(write, project_id, &ReviewRow { insert: review, reward, shown, added: showing.added() })?;
    credits::append(write, project_id, &showing, reward)?;
    let teaching = Teaching { trace_id: *id, review, lesson: insert.lesson.as_ref(), now: *now };
    Ok(submission(reviews::teach(write, project_id, &teaching)?))
}
