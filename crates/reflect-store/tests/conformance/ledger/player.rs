//! Lets a history happen in a project of a store.

use std::collections::BTreeMap;

use reflect_core::{Credit, Memory, MemoryId, Outcome, ProjectId, ReviewMode, Tally, Timestamp, Trace, TraceId};
use reflect_store::{
    ClaimedJob, JobFailure, Lease, MemoryFilter, ReviewInsert, Store, TraceFilter, TraceInsert, TracePage, TraceReview,
    TraceView,
};
use uuid::Uuid;

use super::history::{History, SEEDS, Step, Verdict, memory_id, number_of, review_id, time, trace_id};
use crate::support::{Fixture, PATIENCE, list_memories};

/// Everything of a project that learning is about.
#[derive(Debug, PartialEq)]
pub(crate) struct Snapshot {
    traces: Vec<Trace>,
    memories: Vec<(Memory, Vec<Credit>)>,
}

pub(crate) struct Player<'a> {
    fixture: Fixture<'a>,
    /// Draws the order in which lessons are written, and which are written at the second try.
    luck: u64,
}

impl<'a> Player<'a> {
    pub(crate) async fn start(store: &'a Store, project: &str, luck: u64) -> Self {
        let fixture = Fixture::in_project(store, project).await;
        for seed in 0..SEEDS {
            let insert = TraceInsert {
                lesson: Some(fixture.new_lesson("a seed")),
                ..fixture.new_reviewed_trace(&[], Outcome::Pass)
            };
            fixture.insert(numbered(insert, seed)).await;
        }
        Self { fixture, luck }
    }

    /// A whole history, and all lessons written at its end.
    pub(crate) async fn play(&mut self, history: &History) {
        for (number, step) in history {
            self.take(*number, step).await;
        }
        self.work(Timestamp::from_micros(i64::MAX)).await;
    }

    pub(crate) async fn take(&mut self, number: u64, step: &Step) {
        match step {
            Step::Run { shown, verdict } => {
                let shown: Vec<MemoryId> = shown.iter().copied().map(memory_id).collect();
                let mut insert = self.fixture.new_trace(&shown);
                insert.review = verdict.map(|verdict| self.review(number, verdict, ReviewMode::Inline));
                self.fixture.insert(numbered(insert, number)).await;
            }
            Step::Review { run, verdict } => {
                let review = self.review(number, *verdict, ReviewMode::Deferred);
                self.send(*run, review, time(number)).await;
            }
            Step::Correct { run, verdict } => {
                self.work(time(number)).await;
                let mut review = self.review(number, *verdict, ReviewMode::Deferred);
                review.review.supersedes = true;
                self.send(*run, review, time(number)).await;
            }
            Step::TakeBack { run } => {
                let taken = self.fixture.store.take_back_review(self.project(), trace_id(*run), time(number));
                taken.await.unwrap();
            }
            Step::Work => self.work(time(number)).await,
            Step::Nothing => {}
        }
    }

    /// Writes all lessons of this project that are due; other projects' jobs are given back.
    pub(crate) async fn work(&mut self, now: Timestamp) {
        let store = self.fixture.store;
        loop {
            let owner = Uuid::from_u64_pair(9, self.draw());
            let lease = Lease { owner, until: Timestamp::from_micros(i64::MAX) };
            let mut jobs = store.claim_jobs(lease, now, 1_000).await.unwrap();
            jobs.retain(|job| job.project_id == self.fixture.project);
            if jobs.is_empty() {
                store.release_jobs(Some(owner), time(0)).await.unwrap();
                return;
            }
            while !jobs.is_empty() {
                let drawn = usize::try_from(self.draw() % jobs.len() as u64).unwrap();
                let job = jobs.swap_remove(drawn);
                self.work_one(job, now).await;
            }
            store.release_jobs(Some(owner), time(0)).await.unwrap();
        }
    }

    pub(crate) async fn utilities(&self) -> BTreeMap<MemoryId, Tally> {
        let memories = self.memories().await;
        memories.into_iter().map(|memory| (memory.id, memory.tally)).collect()
    }

    pub(crate) async fn snapshot(&self) -> Snapshot {
        let page = TracePage { before: None, limit: 1_000 };
        let ids =
            self.fixture.store.list_trace_ids(self.project(), TraceFilter::default(), page, PATIENCE).await.unwrap();
        let traces = self.fixture.store.get_traces(self.project(), ids, TraceView::Whole);
        let mut memories = Vec::new();
        for memory in self.memories().await {
            memories.push(self.fixture.find_memory(memory.id).await.unwrap());
        }
        Snapshot { traces: traces.await.unwrap(), memories }
    }

    async fn memories(&self) -> Vec<Memory> {
        let filter = MemoryFilter { limit: 1_000, ..MemoryFilter::default() };
        list_memories(self.fixture.store, self.project(), filter).await
    }

    fn project(&self) -> ProjectId {
        self.fixture.id()
    }

    fn review(&self, number: u64, verdict: Verdict, mode: ReviewMode) -> ReviewInsert {
        let mut review = self.fixture.new_review(verdict.result);
        review.id = review_id(number);
        review.mode = mode;
        review.awaited = mode == ReviewMode::Deferred;
        review.review.score = verdict.score;
        review.review.alpha = verdict.alpha;
        review
    }

    async fn send(&self, run: u64, review: ReviewInsert, now: Timestamp) {
        let sent = self.fixture.store.insert_review(
            self.project(),
            TraceReview { trace_id: trace_id(run), review, lesson: None },
            now,
            None,
        );
        sent.await.unwrap();
    }

    async fn work_one(&mut self, job: ClaimedJob, now: Timestamp) {
        let store = self.fixture.store;
        if job.attempts == 1 && self.luck != 0 && self.draw().is_multiple_of(4) {
            let failure = JobFailure::RetryAt(now);
            assert!(store.fail_job(job, "try again".into(), failure).await.unwrap());
            return;
        }
        let trace: TraceId = job.trace_id;
        let result = self.fixture.trace(trace).await.review.unwrap().result;
        let mut lesson = self.fixture.new_lesson("written by a worker");
        lesson.memory_id = memory_id(number_of(job.review_id));
        assert!(store.complete_job(job, result, lesson, now).await.unwrap());
    }

    /// Luck of 0 is none: always the first in the list, never a second try.
    fn draw(&mut self) -> u64 {
        self.luck = self.luck.wrapping_mul(6_364_136_223_846_793_005);
        if self.luck != 0 {
            self.luck = self.luck.wrapping_add(1_442_695_040_888_963_407);
        }
        self.luck >> 33
    }
}

fn numbered(mut insert: TraceInsert, number: u64) -> TraceInsert {
    insert.id = trace_id(number);
    insert.now = time(number);
    if let Some(review) = &mut insert.review {
        review.id = review_id(number);
    }
    if let Some(lesson) = &mut insert.lesson {
        lesson.memory_id = memory_id(number);
    }
    insert
}
