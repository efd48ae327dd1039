//! One reporter alone does not decide what is believed of a memory where several review a project's runs.

use std::sync::Arc;

use reflect_core::{KeyId, MemoryId, Outcome, ReviewId, Tally, TraceId};
use reflect_store::{Import, LineCounts, Reviewed, Store, TraceInsert};
use uuid::Uuid;

use crate::support::{CountingEntropy, Fixture, TempStore, all_at_once, conformance, first, tally_of};

conformance! {
    a_lone_key_teaches_fully,
    one_of_several_is_heard_until_it_has_said_enough,
    whoever_has_brought_half_of_all_runs_teaches_fully,
    what_others_have_said_makes_room,
    a_correction_keeps_who_brought_the_run_and_its_weight,
    a_correction_with_a_larger_step_finds_no_more_room,
    taking_back_leaves_what_came_after_as_it_was_logged,
    runs_that_are_sent_at_once_are_heard_one_by_one,
    a_key_that_was_revoked_holds_nobody_back,
    an_import_counts_runs_by_its_ledger,
    a_project_that_was_erased_has_heard_nobody,
}

/// A project in which the holder of the master key has brought so many runs, and the id of another key.
struct Shared<'a> {
    fixture: Fixture<'a>,
    memory: MemoryId,
    key: KeyId,
}

impl<'a> Shared<'a> {
    /// The runs saw another memory.
    async fn new(store: &'a Store, runs: usize) -> Self {
        let fixture = Fixture::new(store).await;
        let (memory, other) = (fixture.seed_memory().await, fixture.seed_memory().await);
        for _ in 0..runs {
            fixture.queued_run(&[other], Outcome::Pass).await;
        }
        let key = add_key(&fixture, "another").await;
        Self { fixture, memory, key }
    }

    fn by(&self, reporter: KeyId, result: Outcome) -> TraceInsert {
        reported(&self.fixture, reporter, &[self.memory], result)
    }

    async fn runs(&self, reporter: KeyId, result: Outcome, count: usize) -> Vec<TraceId> {
        let mut runs = Vec::new();
        for _ in 0..count {
            runs.push(self.fixture.insert(self.by(reporter, result)).await.trace_id);
        }
        runs
    }

    /// The weights of the memory's live credits, oldest first.
    async fn weights(&self) -> Vec<f64> {
        self.fixture.credits(self.memory).await.iter().rev().map(|credit| credit.weight).collect()
    }

    async fn tally(&self) -> Tally {
        assert_eq!(self.fixture.store.check_ledger().await.unwrap().mismatches, []);
        self.fixture.memory(self.memory).await.tally
    }
}

async fn add_key(fixture: &Fixture<'_>, public_id: &str) -> KeyId {
    first(fixture.store.insert_key(fixture.new_key(public_id), String::new(), None).await.unwrap().unwrap()).0
}

/// A reviewed run whose lesson came along.
fn reported(fixture: &Fixture<'_>, reporter: KeyId, memories: &[MemoryId], result: Outcome) -> TraceInsert {
    let mut insert = fixture.new_reviewed_trace(memories, result);
    insert.lesson = Some(fixture.new_lesson("look up the order first"));
    insert.review.as_mut().unwrap().reporter = reporter;
    insert
}

/// What a memory is believed to be after these runs.
fn learned(runs: &[(Outcome, usize)]) -> Tally {
    tally_of(&runs.iter().flat_map(|(result, count)| vec![(*result, 0.3); *count]).collect::<Vec<_>>())
}

async fn a_lone_key_teaches_fully(store: &Store) {
    let shared = Shared::new(store, 0).await;
    shared.runs(shared.key, Outcome::Fail, 12).await;
    assert_eq!(shared.tally().await, learned(&[(Outcome::Fail, 12)]));
    let newest = &shared.fixture.credits(shared.memory).await[0];
    assert_eq!((newest.reporter, newest.weight), (Some(shared.key), 1.0));
}

async fn one_of_several_is_heard_until_it_has_said_enough(store: &Store) {
    let shared = Shared::new(store, 30).await;
    shared.runs(shared.key, Outcome::Fail, 40).await;
    let tally = shared.tally().await;
    assert_eq!(tally.learned(), learned(&[(Outcome::Fail, 8)]).learned());
    assert_eq!((tally.uses(), tally.fails()), (40, 40), "runs are counted");
    assert!(shared.weights().await.iter().enumerate().all(|(run, weight)| *weight == f64::from(run < 8)));
    shared.runs(KeyId::MASTER, Outcome::Pass, 1).await;
    assert_eq!(*shared.weights().await.last().unwrap(), 1.0, "more runs of the other key count for nobody");
}

async fn whoever_has_brought_half_of_all_runs_teaches_fully(store: &Store) {
    let shared = Shared::new(store, 3).await;
    shared.runs(shared.key, Outcome::Fail, 12).await;
    assert_eq!(shared.tally().await, learned(&[(Outcome::Fail, 12)]));
}

async fn what_others_have_said_makes_room(store: &Store) {
    let shared = Shared::new(store, 30).await;
    let third = add_key(&shared.fixture, "third").await;
    shared.runs(KeyId::MASTER, Outcome::Pass, 16).await;
    shared.runs(third, Outcome::Pass, 6).await;
    shared.runs(shared.key, Outcome::Fail, 20).await;
    let expected = learned(&[(Outcome::Pass, 22), (Outcome::Fail, 12)]);
    assert_eq!(shared.tally().await.learned(), expected.learned());
}

async fn a_correction_keeps_who_brought_the_run_and_its_weight(store: &Store) {
    let shared = Shared::new(store, 30).await;
    let runs = shared.runs(shared.key, Outcome::Fail, 9).await;
    for run in [runs[0], runs[8]] {
        let correction = shared.fixture.new_correction(Outcome::Pass);
        assert_eq!(shared.fixture.review(run, correction).await, Reviewed::Accepted);
    }
    let credits = shared.fixture.credits(shared.memory).await;
    assert!(credits.iter().all(|credit| credit.reporter == Some(shared.key)));
    assert_eq!((credits[0].result, credits[0].weight), (Outcome::Pass, 0.0));
    let tally = shared.tally().await;
    assert_eq!(tally.learned(), learned(&[(Outcome::Pass, 1), (Outcome::Fail, 7)]).learned());
    assert_eq!((tally.passes(), tally.fails()), (2, 7));
}

async fn a_correction_with_a_larger_step_finds_no_more_room(store: &Store) {
    let shared = Shared::new(store, 30).await;
    let runs = shared.runs(shared.key, Outcome::Fail, 8).await;
    let mut correction = shared.fixture.new_correction(Outcome::Fail);
    correction.review.alpha = Some(0.9);
    assert_eq!(shared.fixture.review(runs[7], correction).await, Reviewed::Accepted);
    let newest = &shared.fixture.credits(shared.memory).await[0];
    assert!((newest.weight * newest.alpha - 0.3).abs() < 1e-12, "{newest:?}");
    let runs = shared.tally().await.learned().worth.runs();
    assert!((runs - 8.0).abs() < 1e-9, "{runs}");
}

async fn taking_back_leaves_what_came_after_as_it_was_logged(store: &Store) {
    let shared = Shared::new(store, 30).await;
    let runs = shared.runs(shared.key, Outcome::Fail, 10).await;
    let taken_back = store.take_back_review(shared.fixture.id(), runs[0], shared.fixture.now());
    taken_back.await.unwrap();
    assert_eq!(shared.weights().await, [[1.0; 7].as_slice(), &[0.0; 2]].concat());
    assert_eq!(shared.tally().await.learned(), learned(&[(Outcome::Fail, 7)]).learned());
    shared.runs(shared.key, Outcome::Fail, 1).await;
    assert_eq!(shared.weights().await.last(), Some(&0.0), "nine of its runs are there");
    assert_eq!(store.repair().await.unwrap().refolded, 0);
}

async fn runs_that_are_sent_at_once_are_heard_one_by_one(store: &Store) {
    let shared = Shared::new(store, 80).await;
    let inserts: Vec<_> = (0..60)
        .map(|number| {
            let mine = shared.by(shared.key, Outcome::Fail);
            let others = shared.fixture.new_reviewed_trace(&[], Outcome::Pass);
            if number % 3 == 0 { others } else { mine }
        })
        .collect();
    all_at_once(inserts.into_iter().map(|insert| shared.fixture.insert(insert))).await;
    assert_eq!(shared.weights().await, [[1.0; 8].as_slice(), &[0.0; 32]].concat());
    assert_eq!(shared.tally().await.learned(), learned(&[(Outcome::Fail, 8)]).learned());
}

async fn a_key_that_was_revoked_holds_nobody_back(store: &Store) {
    let shared = Shared::new(store, 0).await;
    let other = shared.fixture.seed_memory().await;
    for _ in 0..30 {
        shared.fixture.insert(reported(&shared.fixture, shared.key, &[other], Outcome::Pass)).await;
    }
    let newer = add_key(&shared.fixture, "newer").await;
    shared.runs(newer, Outcome::Fail, 10).await;
    assert_eq!(shared.weights().await.iter().sum::<f64>(), 8.0);
    store.revoke_key(shared.fixture.id(), shared.key, shared.fixture.now()).await.unwrap().unwrap();
    shared.runs(newer, Outcome::Fail, 3).await;
    assert_eq!(shared.weights().await.iter().sum::<f64>(), 11.0);
    shared.tally().await;
}

async fn an_import_counts_runs_by_its_ledger(store: &Store) {
    let shared = Shared::new(store, 30).await;
    shared.runs(shared.key, Outcome::Fail, 10).await;
    let (_, exported) = store.export(None, Vec::new()).await.unwrap();
    let lines = String::from_utf8(exported).unwrap().lines().map(str::to_owned).collect();
    let elsewhere = TempStore::open().await;
    let entropy = Arc::new(CountingEntropy::default());
    let import = Import::new(None, shared.fixture.now(), entropy);
    assert_ne!(elsewhere.store.import(import, lines).await.unwrap().stored, LineCounts::default());

    let there = Shared { fixture: Fixture::without_project(&elsewhere.store, "default"), ..shared };
    assert_eq!(there.weights().await.iter().sum::<f64>(), 8.0);
    there.fixture.insert(numbered(there.by(there.key, Outcome::Fail), 900)).await;
    assert_eq!(there.weights().await.iter().sum::<f64>(), 8.0, "the other runs are known there, too");
    there.tally().await;
}

/// With ids that the other history does not have.
fn numbered(mut insert: TraceInsert, number: u128) -> TraceInsert {
    insert.id = TraceId::from_uuid(Uuid::from_u128(number));
    insert.review.as_mut().unwrap().id = ReviewId::from_uuid(Uuid::from_u128(number));
    insert.lesson.as_mut().unwrap().memory_id = MemoryId::from_uuid(Uuid::from_u128(number));
    insert
}

async fn a_project_that_was_erased_has_heard_nobody(store: &Store) {
    let shared = Shared::new(store, 30).await;
    shared.fixture.erase_project().await;
    let again = Shared::new(store, 0).await;
    again.runs(again.key, Outcome::Fail, 12).await;
    assert_eq!(again.tally().await, learned(&[(Outcome::Fail, 12)]));
}
