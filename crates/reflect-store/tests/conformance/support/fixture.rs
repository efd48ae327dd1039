//! One project of a store, with a clock, a source of ids, and builders that fill in what a case does not care about.

use reflect_core::{
    ApiKey, Clock, Credit, EmbedderId, Environment, KeyId, Lesson, Match, Memory, MemoryId, NewReview, NewTrace,
    Outcome, Project, ProjectId, ProjectSettings, QuerySettings, RawJson, Retrieval, RetrievalId, ReviewId, ReviewMode,
    ReviewSource, Scope, ShownMemory, Skill, Step, Tally, Timestamp, Trace, TraceId, Trajectory, WrittenBy,
    WrittenLesson,
};
use reflect_store::{
    ClaimedJob, CreditPage, DeletedProject, IdempotencyKey, KeyInsert, Lease, LessonInsert, MemoryVectors, Once,
    ReviewInsert, Reviewed, Store, StoreError, Submission, TraceInsert, TraceReview,
};
use uuid::Uuid;

use super::{CountingEntropy, TickingClock};

/// The step size of reviews that ask for none.
pub(crate) const DEFAULT_ALPHA: f64 = 0.3;

const LEASE_MILLIS: i64 = 60_000;

/// The answer of an operation that must have been carried out just now.
#[track_caller]
pub(crate) fn first<T>(once: Once<T>) -> T {
    match once {
        Once::First(answer) => answer,
        Once::Again(_) | Once::KeyReused => panic!("it was carried out before"),
    }
}

/// What such credits add up to on the day of a fixture, whose runs are of no known query.
pub(crate) fn tally_of(credits: &[(Outcome, f64)]) -> Tally {
    let day = TickingClock::new().now().day();
    Tally::of(credits.iter().map(|(result, alpha)| Step::new(*result, None, *alpha).of_run(day, None)))
}

/// The newest credits of a memory.
pub(crate) fn newest(limit: usize) -> CreditPage {
    CreditPage { limit, ..CreditPage::default() }
}

/// Vectors by that embedder.
pub(crate) fn vector_of(embedder: &str) -> MemoryVectors {
    MemoryVectors { embedder: EmbedderId(embedder.into()), task: vec![0.6, -0.8], lesson: vec![0.8, 0.6] }
}

pub(crate) struct Fixture<'a> {
    pub(crate) store: &'a Store,
    pub(crate) project: ProjectId,
    clock: TickingClock,
    pub(crate) entropy: CountingEntropy,
}

impl<'a> Fixture<'a> {
    /// A fixture in the project `default`, which it makes.
    pub(crate) async fn new(store: &'a Store) -> Self {
        Self::in_project(store, "default").await
    }

    /// A fixture in a project of its own, which it makes. Fixtures of one history make the same ids.
    pub(crate) async fn in_project(store: &'a Store, name: &str) -> Self {
        let fixture = Self::without_project(store, name);
        store.get_or_insert_project(fixture.new_project()).await.unwrap();
        fixture
    }

    /// A fixture whose project is yet to be made.
    pub(crate) fn without_project(store: &'a Store, name: &str) -> Self {
        Self { store, project: name.parse().unwrap(), clock: TickingClock::new(), entropy: CountingEntropy::default() }
    }

    pub(crate) fn id(&self) -> ProjectId {
        self.project.clone()
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn trace_id(&self) -> TraceId {
        TraceId::mint(self.now(), &self.entropy)
    }

    pub(crate) fn review_id(&self) -> ReviewId {
        ReviewId::mint(self.now(), &self.entropy)
    }

    pub(crate) fn memory_id(&self) -> MemoryId {
        MemoryId::mint(self.now(), &self.entropy)
    }

    pub(crate) fn uuid(&self) -> Uuid {
        self.trace_id().as_uuid()
    }

    pub(crate) fn new_project(&self) -> Project {
        Project {
            id: self.id(),
            incarnation: self.uuid(),
            settings: ProjectSettings::default(),
            embedder: EmbedderId("test-2".into()),
            embedder_switch: None,
            created_at: self.now(),
        }
    }

    pub(crate) fn new_key(&self, public_id: &str) -> KeyInsert {
        KeyInsert {
            key: ApiKey {
                id: KeyId::mint(self.now(), &self.entropy),
                project_id: self.id(),
                public_id: public_id.into(),
                label: "laptop".into(),
                scopes: vec![Scope::MemoryRead, Scope::TraceWrite],
                environment: Environment::Live,
                created_at: self.now(),
                last_used_at: None,
                revoked_at: None,
                expires_at: None,
            },
            secret_hash: [7; 32],
        }
    }

    /// A run that was shown `memories`, not reviewed.
    pub(crate) fn new_trace(&self, memories: &[MemoryId]) -> TraceInsert {
        let now = self.now();
        TraceInsert {
            id: TraceId::mint(now, &self.entropy),
            key_id: KeyId::MASTER,
            trace: NewTrace {
                task: "refund order 7".into(),
                trajectory: Trajectory::from_stored(RawJson::parse(r#"[{"role":"user","n":1.50}]"#.into()).unwrap()),
                final_response: "done".into(),
                retrieved_memory_ids: memories.iter().map(MemoryId::to_string).collect(),
                model: None,
                metadata: RawJson::empty_object(),
                reference_context: None,
                retrieval_id: None,
                review: None,
            },
            review: None,
            lesson: None,
            now,
            idempotency: None,
        }
    }

    /// The same, with a review that came along.
    pub(crate) fn new_reviewed_trace(&self, memories: &[MemoryId], result: Outcome) -> TraceInsert {
        TraceInsert {
            review: Some(ReviewInsert { mode: ReviewMode::Inline, awaited: false, ..self.new_review(result) }),
            ..self.new_trace(memories)
        }
    }

    /// A deferred review.
    pub(crate) fn new_review(&self, result: Outcome) -> ReviewInsert {
        ReviewInsert {
            id: self.review_id(),
            review: NewReview {
                result,
                score: None,
                feedback_text: None,
                alpha: None,
                reflection: None,
                source: ReviewSource::Api,
                supersedes: false,
            },
            mode: ReviewMode::Deferred,
            awaited: true,
            default_alpha: DEFAULT_ALPHA,
            reporter: KeyId::MASTER,
        }
    }

    /// A review that may replace another.
    pub(crate) fn new_correction(&self, result: Outcome) -> ReviewInsert {
        let mut review = self.new_review(result);
        review.review.supersedes = true;
        review
    }

    pub(crate) fn new_lesson(&self, summary: &str) -> LessonInsert {
        LessonInsert {
            memory_id: self.memory_id(),
            written: WrittenLesson {
                lesson: Lesson { summary: summary.into(), ..Lesson::default() },
                written_by: WrittenBy::new("builtin", "1"),
            },
            vectors: vec![vector_of("test-2")],
        }
    }

    pub(crate) fn new_retrieval(&self, task: &str, shown: &[MemoryId]) -> Retrieval {
        let shown =
            shown.iter().zip(1..).map(|(&memory_id, rank)| ShownMemory { rank, ..ShownMemory::new(memory_id, 0.9) });
        Retrieval {
            id: RetrievalId::mint(self.now(), &self.entropy),
            key_id: KeyId::MASTER,
            task: task.into(),
            settings: QuerySettings {
                limit: 10,
                lambda: 0.5,
                mmr_lambda: 0.7,
                matching: Match::Both,
                similarity_threshold: None,
                metadata_filter: None,
            },
            shown: shown.collect(),
            sat_out: Vec::new(),
            draw: None,
            mixed: None,
            slate: None,
            created_at: self.now(),
        }
    }

    pub(crate) fn new_skill(&self, version: u32) -> Skill {
        Skill {
            content: format!("---\nname: refunds\n---\nversion {version}"),
            version,
            name: "refunds".into(),
            description: "How refunds are paid".into(),
            n_passed: 2,
            n_failed: 1,
            memory_ids: vec![self.memory_id()],
            written_by: Some(WrittenBy::new("builtin", "skill-1")),
            created_at: self.now(),
        }
    }

    pub(crate) fn idempotency(&self, key: &str, body: u8) -> Option<IdempotencyKey> {
        Some(IdempotencyKey { key: key.into(), fingerprint: [body; 32] })
    }

    /// Whether a write was refused for a row that is there. Only of a database that others may write to at the same time is that said by itself.
    pub(crate) fn is_duplicate<T>(&self, answer: &Result<T, StoreError>) -> bool {
        let Err(error) = answer else { return false };
        if self.store.is_shared() {
            matches!(error, StoreError::Crossed)
        } else {
            matches!(error, StoreError::Database(_))
        }
    }

    /// Deletes the project, and erases everything that it held.
    pub(crate) async fn erase_project(&self) -> DeletedProject {
        let deleted = self.store.delete_project(self.id()).await.unwrap().unwrap();
        while !self.store.erase_some(self.id()).await.unwrap().done {}
        deleted
    }

    /// Stores a run, which must be new.
    pub(crate) async fn insert(&self, insert: TraceInsert) -> Submission {
        first(self.store.insert_trace(self.id(), insert).await.unwrap().unwrap())
    }

    /// Stores a run that was shown `memories` and is not reviewed yet.
    pub(crate) async fn run(&self, memories: &[MemoryId]) -> TraceId {
        self.insert(self.new_trace(memories)).await.trace_id
    }

    /// Stores a run whose inline review is queued.
    pub(crate) async fn queued_run(&self, memories: &[MemoryId], result: Outcome) -> TraceId {
        self.insert(self.new_reviewed_trace(memories, result)).await.trace_id
    }

    /// Stores a run with its lesson, and so a memory.
    pub(crate) async fn taught_run(&self, memories: &[MemoryId], result: Outcome) -> (TraceId, MemoryId) {
        let lesson = self.new_lesson("look up the order first");
        let memory_id = lesson.memory_id;
        let insert = TraceInsert { lesson: Some(lesson), ..self.new_reviewed_trace(memories, result) };
        (self.insert(insert).await.trace_id, memory_id)
    }

    /// A memory that nothing is known about yet.
    pub(crate) async fn seed_memory(&self) -> MemoryId {
        self.taught_run(&[], Outcome::Pass).await.1
    }

    pub(crate) async fn review(&self, trace_id: TraceId, review: ReviewInsert) -> Reviewed {
        self.review_with(trace_id, review, None).await
    }

    pub(crate) async fn review_with(
        &self,
        trace_id: TraceId,
        review: ReviewInsert,
        lesson: Option<LessonInsert>,
    ) -> Reviewed {
        let review = TraceReview { trace_id, review, lesson };
        self.store.insert_review(self.id(), review, self.now(), None).await.unwrap()
    }

    /// Claims up to `limit` jobs for a worker that has not claimed any before.
    pub(crate) async fn claim(&self, limit: usize) -> Vec<ClaimedJob> {
        let now = self.now();
        let lease = Lease { owner: self.uuid(), until: now.plus_millis(LEASE_MILLIS) };
        self.store.claim_jobs(lease, now, limit).await.unwrap()
    }

    /// Claims the one job that is due.
    pub(crate) async fn claim_one(&self) -> ClaimedJob {
        let mut jobs = self.claim(2).await;
        assert_eq!(jobs.len(), 1, "{jobs:?}");
        jobs.remove(0)
    }

    /// Has the jobs taken back whose process has died with this claim on its one job, and claims that for a worker that has not claimed any
    /// before. Where other processes may be at work, that can be told only when the lease has ended.
    pub(crate) async fn claim_of_dead(&self, dead: &ClaimedJob) -> ClaimedJob {
        let mut now = self.now();
        if self.store.is_shared() {
            assert_eq!(self.store.release_jobs(None, now).await.unwrap(), 0);
            now = dead.lease.until;
        }
        assert_eq!(self.store.release_jobs(None, now).await.unwrap(), 1);
        let lease = Lease { owner: self.uuid(), until: now.plus_millis(LEASE_MILLIS) };
        let mut jobs = self.store.claim_jobs(lease, now, 2).await.unwrap();
        assert_eq!(jobs.len(), 1, "{jobs:?}");
        jobs.remove(0)
    }

    /// Ends a job with a lesson; says whether the claim stood.
    pub(crate) async fn complete(&self, job: ClaimedJob) -> bool {
        let lesson = self.new_lesson("written by a worker");
        self.store.complete_job(job, Outcome::Pass, lesson, self.now()).await.unwrap()
    }

    pub(crate) async fn trace(&self, trace_id: TraceId) -> Trace {
        self.store.get_trace(self.id(), trace_id).await.unwrap().unwrap()
    }

    pub(crate) async fn memory(&self, memory_id: MemoryId) -> Memory {
        self.find_memory(memory_id).await.unwrap().0
    }

    pub(crate) async fn credits(&self, memory_id: MemoryId) -> Vec<Credit> {
        self.find_memory(memory_id).await.unwrap().1
    }

    pub(crate) async fn find_memory(&self, memory_id: MemoryId) -> Option<(Memory, Vec<Credit>)> {
        self.store.get_memory(self.id(), memory_id, newest(1_000)).await.unwrap()
    }
}
