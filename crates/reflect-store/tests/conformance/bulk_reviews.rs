//! Many reviews in one operation: each by itself, in their order, once.

use proptest::prelude::*;
use reflect_core::{IngestStatus, MemoryId, Outcome, ReviewStatus, TraceId};
use reflect_store::{BulkOutcome, LessonInsert, Once, ReviewInsert, Reviewed, Store, StoreError, TraceReview};

use crate::{
    ledger::for_all,
    support::{DEFAULT_ALPHA, Fixture, conformance, first, tally_of, vector_of},
};

const QUEUED: BulkOutcome = BulkOutcome::Accepted(IngestStatus::Queued);
const DONE: BulkOutcome = BulkOutcome::Accepted(IngestStatus::Completed);

conformance! {
    many_reviews_move_utilities_and_queue_their_lessons,
    lessons_that_come_along_are_stored_at_once,
    one_that_is_refused_takes_no_other_along,
    a_trace_that_comes_twice_is_reviewed_in_order,
    a_review_that_was_there_before_is_repeated_with_its_status,
    lessons_that_someone_waits_for_come_first,
    many_reviews_sent_twice_count_once,
    refusals_are_remembered_with_the_rest,
    another_request_under_the_same_key_is_refused,
    a_lesson_without_a_vector_that_fits_stores_nothing,
    no_reviews_are_no_outcomes,
    another_projects_traces_are_not_there,
    many_reviews_at_once_end_where_the_same_end_one_by_one,
}

async fn many_reviews_move_utilities_and_queue_their_lessons(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let runs = [fixture.run(&[memory]).await, fixture.run(&[memory]).await];
    let reviews = vec![review(&fixture, runs[0], Outcome::Pass), review(&fixture, runs[1], Outcome::Fail)];
    assert_eq!(send(&fixture, reviews).await, [QUEUED, QUEUED]);
    let in_order = tally_of(&[(Outcome::Pass, DEFAULT_ALPHA), (Outcome::Fail, DEFAULT_ALPHA)]);
    assert_eq!(fixture.memory(memory).await.tally, in_order);
    for run in runs {
        let trace = fixture.trace(run).await;
        assert_eq!((trace.ingest_status, trace.review_status), (IngestStatus::Queued, ReviewStatus::Pending));
    }
    assert_eq!(fixture.claim(10).await.len(), 2);
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

async fn lessons_that_come_along_are_stored_at_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let run = fixture.run(&[]).await;
    let lesson = fixture.new_lesson("look it up first");
    let mut insert = review(&fixture, run, Outcome::Fail);
    insert.lesson = Some(lesson.clone());
    assert_eq!(send(&fixture, vec![insert]).await, [DONE]);
    let trace = fixture.trace(run).await;
    assert_eq!((trace.review_status, trace.created_memory_id), (ReviewStatus::Reviewed, Some(lesson.memory_id)));
    assert_eq!(fixture.memory(lesson.memory_id).await.lesson, lesson.written.lesson);
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn one_that_is_refused_takes_no_other_along(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (reviewed, _) = fixture.taught_run(&[], Outcome::Pass).await;
    let queued = fixture.queued_run(&[], Outcome::Pass).await;
    let invalid = BulkOutcome::Invalid { path: "alpha".into(), problem: "is wrong".into() };
    let free = [fixture.run(&[]).await, fixture.run(&[]).await];
    let reviews = vec![
        Ok(review(&fixture, free[0], Outcome::Fail)),
        Ok(review(&fixture, reviewed, Outcome::Fail)),
        Err(invalid.clone()),
        Ok(review(&fixture, queued, Outcome::Fail)),
        Ok(review(&fixture, fixture.trace_id(), Outcome::Fail)),
        Ok(review(&fixture, free[1], Outcome::Fail)),
    ];
    let outcomes = first(store.insert_reviews(fixture.id(), reviews, fixture.now(), None).await.unwrap());
    let expected =
        [QUEUED, BulkOutcome::AlreadyReviewed, invalid, BulkOutcome::InProgress, BulkOutcome::NoTrace, QUEUED];
    assert_eq!(outcomes, expected);
    for (run, result) in [(free[0], Outcome::Fail), (free[1], Outcome::Fail), (reviewed, Outcome::Pass)] {
        assert_eq!(fixture.trace(run).await.review.unwrap().result, result);
    }
}

async fn a_trace_that_comes_twice_is_reviewed_in_order(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let (queued, taught) = (fixture.run(&[memory]).await, fixture.run(&[]).await);
    let with_lesson = |mut insert: TraceReview| {
        insert.lesson = Some(fixture.new_lesson("by the reviewer"));
        insert.review.review.supersedes = true;
        insert
    };
    let reviews = vec![
        review(&fixture, queued, Outcome::Pass),
        review(&fixture, queued, Outcome::Pass),
        review(&fixture, queued, Outcome::Fail),
        with_lesson(review(&fixture, taught, Outcome::Pass)),
        with_lesson(review(&fixture, taught, Outcome::Fail)),
    ];
    let repeated = BulkOutcome::Repeated(IngestStatus::Queued);
    assert_eq!(send(&fixture, reviews).await, [QUEUED, repeated, BulkOutcome::InProgress, DONE, DONE]);
    assert_eq!(fixture.memory(memory).await.tally.uses(), 1);
    let trace = fixture.trace(taught).await;
    assert_eq!(trace.review.unwrap().result, Outcome::Fail);
    assert_eq!(fixture.memory(trace.created_memory_id.unwrap()).await.revision, 2);
}

async fn a_review_that_was_there_before_is_repeated_with_its_status(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (taught, _) = fixture.taught_run(&[], Outcome::Pass).await;
    let outcomes = send(&fixture, vec![review(&fixture, taught, Outcome::Pass)]).await;
    assert_eq!(outcomes, [BulkOutcome::Repeated(IngestStatus::Completed)]);
    assert_eq!(store.next_job_due().await.unwrap(), None);
}

async fn lessons_that_someone_waits_for_come_first(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (among_many, alone) = (fixture.run(&[]).await, fixture.run(&[]).await);
    send(&fixture, vec![review(&fixture, among_many, Outcome::Pass)]).await;
    fixture.review(alone, fixture.new_review(Outcome::Pass)).await;
    let claimed: Vec<TraceId> = fixture.claim(1).await.into_iter().map(|job| job.trace_id).collect();
    assert_eq!(claimed, [alone]);
}

async fn many_reviews_sent_twice_count_once(store: &Store) {
    let fixture = Fixture::new(store).await;
    let memory = fixture.seed_memory().await;
    let run = fixture.run(&[memory]).await;
    let send = async || {
        let reviews = vec![Ok(review(&fixture, run, Outcome::Pass))];
        let idempotency = fixture.idempotency("word", 1);
        store.insert_reviews(fixture.id(), reviews, fixture.now(), idempotency).await.unwrap()
    };
    assert_eq!(send().await, Once::First(vec![QUEUED]));
    assert!(fixture.complete(fixture.claim_one().await).await);
    assert_eq!(send().await, Once::Again(vec![QUEUED]), "the first answer, not how things stand by now");
    assert_eq!(fixture.memory(memory).await.tally.uses(), 1);
}

async fn refusals_are_remembered_with_the_rest(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (taught, _) = fixture.taught_run(&[], Outcome::Pass).await;
    let send = async |reviews: Vec<Result<TraceReview, BulkOutcome>>| {
        store.insert_reviews(fixture.id(), reviews, fixture.now(), fixture.idempotency("word", 1)).await.unwrap()
    };
    let not_embedded = BulkOutcome::NotEmbedded("the embedder was out".into());
    let remembered = vec![BulkOutcome::AlreadyReviewed, not_embedded.clone()];
    let reviews = vec![Ok(review(&fixture, taught, Outcome::Fail)), Err(not_embedded)];
    assert_eq!(send(reviews).await, Once::First(remembered.clone()));
    assert!(store.delete_traces(fixture.id(), vec![taught], false, fixture.now()).await.unwrap().contains(&taught));
    let reviews = vec![Ok(review(&fixture, taught, Outcome::Fail)), Err(BulkOutcome::NoTrace)];
    assert_eq!(send(reviews).await, Once::Again(remembered));
}

async fn another_request_under_the_same_key_is_refused(store: &Store) {
    let fixture = Fixture::new(store).await;
    let runs = [fixture.run(&[]).await, fixture.run(&[]).await];
    let send = async |run, body| {
        let reviews = vec![Ok(review(&fixture, run, Outcome::Pass))];
        let idempotency = fixture.idempotency("word", body);
        store.insert_reviews(fixture.id(), reviews, fixture.now(), idempotency).await.unwrap()
    };
    assert_eq!(send(runs[0], 1).await, Once::First(vec![QUEUED]));
    assert_eq!(send(runs[1], 2).await, Once::KeyReused);
    assert_eq!(fixture.trace(runs[1]).await.review, None);
}

async fn a_lesson_without_a_vector_that_fits_stores_nothing(store: &Store) {
    let fixture = Fixture::new(store).await;
    let runs = [fixture.run(&[]).await, fixture.run(&[]).await];
    let draw = |embedder: &str| {
        let mut with_lesson = review(&fixture, runs[1], Outcome::Pass);
        with_lesson.lesson =
            Some(LessonInsert { vectors: vec![vector_of(embedder)], ..fixture.new_lesson("a lesson") });
        vec![Ok(review(&fixture, runs[0], Outcome::Pass)), Ok(with_lesson)]
    };
    let send = async |embedder: &str| {
        store.insert_reviews(fixture.id(), draw(embedder), fixture.now(), fixture.idempotency("word", 1)).await
    };
    assert!(matches!(send("another-2").await, Err(StoreError::OtherEmbedder(_))));
    for run in runs {
        assert_eq!(fixture.trace(run).await.review, None);
    }
    assert_eq!(send("test-2").await.unwrap(), Once::First(vec![QUEUED, DONE]));
}

async fn no_reviews_are_no_outcomes(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(send(&fixture, Vec::new()).await, []);
}

async fn another_projects_traces_are_not_there(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let run = fixture.run(&[]).await;
    assert_eq!(send(&other, vec![review(&other, run, Outcome::Pass)]).await, [BulkOutcome::NoTrace]);
    assert_eq!(fixture.trace(run).await.review, None);
}

const MEMORIES: usize = 3;
const RUNS: usize = 4;

/// A review of one of a few runs; the last number is that of no run.
#[derive(Debug, Clone)]
struct Entry {
    run: usize,
    result: Outcome,
    alpha: Option<f64>,
    supersedes: bool,
    with_lesson: bool,
}

fn entries() -> impl Strategy<Value = ([[bool; MEMORIES]; RUNS], Vec<Entry>)> {
    let result = prop_oneof![Just(Outcome::Pass), Just(Outcome::Fail)];
    let alpha = prop::sample::select(vec![None, None, Some(0.0), Some(0.1), Some(1.0)]);
    let entry = (0..=RUNS, result, alpha, any::<bool>(), any::<bool>()).prop_map(
        |(run, result, alpha, supersedes, with_lesson)| Entry { run, result, alpha, supersedes, with_lesson },
    );
    (any::<[[bool; MEMORIES]; RUNS]>(), prop::collection::vec(entry, 0..12))
}

async fn many_reviews_at_once_end_where_the_same_end_one_by_one(store: &Store) {
    for_all(48, entries(), async |project, (shown, entries)| {
        let together = Side::start(store, &format!("{project} together"), &shown).await;
        let drawn: Vec<TraceReview> = entries.iter().map(|entry| together.draw(entry)).collect();
        let outcomes = send(&together.fixture, drawn).await;

        let apart = Side::start(store, &format!("{project} apart"), &shown).await;
        let mut answers = Vec::new();
        for entry in &entries {
            let TraceReview { trace_id, review, lesson } = apart.draw(entry);
            answers.push(apart.fixture.review_with(trace_id, review, lesson).await);
        }
        assert_eq!(outcomes.iter().map(as_single).collect::<Vec<_>>(), answers);
        assert_eq!(together.end().await, apart.end().await);
    });
    assert_eq!(store.check_ledger().await.unwrap().mismatches, []);
}

/// A few memories and runs, the same in every project.
struct Side<'a> {
    fixture: Fixture<'a>,
    memories: Vec<MemoryId>,
    runs: Vec<TraceId>,
}

/// Utilities to the bit, and what each run's review says.
type End = (Vec<(u64, u32)>, Vec<Option<(Outcome, u64)>>);

impl<'a> Side<'a> {
    async fn start(store: &'a Store, project: &str, shown: &[[bool; MEMORIES]]) -> Self {
        let fixture = Fixture::in_project(store, project).await;
        let mut memories = Vec::new();
        for _ in 0..MEMORIES {
            memories.push(fixture.seed_memory().await);
        }
        let mut runs = Vec::new();
        for shown in shown {
            let shown = memories.iter().zip(shown).filter(|(_, shown)| **shown).map(|(id, _)| *id);
            runs.push(fixture.run(&shown.collect::<Vec<_>>()).await);
        }
        runs.push(fixture.trace_id());
        Self { fixture, memories, runs }
    }

    fn draw(&self, entry: &Entry) -> TraceReview {
        let mut insert = review(&self.fixture, self.runs[entry.run], entry.result);
        insert.review.review.alpha = entry.alpha;
        insert.review.review.supersedes = entry.supersedes;
        if entry.with_lesson {
            let lesson = self.fixture.new_lesson("by the reviewer");
            insert.review.review.reflection = Some(lesson.written.clone());
            insert.lesson = Some(lesson);
        }
        insert
    }

    async fn end(&self) -> End {
        let (mut utilities, mut reviews) = (Vec::new(), Vec::new());
        for memory in &self.memories {
            let tally = self.fixture.memory(*memory).await.tally;
            utilities.push((tally.utility().to_bits(), tally.uses()));
        }
        for run in self.runs.iter().take(RUNS) {
            let review = self.fixture.trace(*run).await.review;
            reviews.push(review.map(|review| (review.result, review.alpha.to_bits())));
        }
        (utilities, reviews)
    }
}

fn as_single(outcome: &BulkOutcome) -> Reviewed {
    match outcome {
        BulkOutcome::Accepted(_) => Reviewed::Accepted,
        BulkOutcome::Repeated(_) => Reviewed::Repeated,
        BulkOutcome::AlreadyReviewed => Reviewed::AlreadyReviewed,
        BulkOutcome::InProgress => Reviewed::InProgress,
        BulkOutcome::NoTrace => Reviewed::NoTrace,
        other => panic!("{other:?} is no outcome of the store"),
    }
}

fn review(fixture: &Fixture<'_>, trace_id: TraceId, result: Outcome) -> TraceReview {
    let review = ReviewInsert { awaited: false, ..fixture.new_review(result) };
    TraceReview { trace_id, review, lesson: None }
}

async fn send(fixture: &Fixture<'_>, reviews: Vec<TraceReview>) -> Vec<BulkOutcome> {
    let reviews = reviews.into_iter().map(Ok).collect();
    first(fixture.store.insert_reviews(fixture.id(), reviews, fixture.now(), None).await.unwrap())
}
