//! Queries that were answered by a mixture of configurations, and their runs.

use reflect_core::{
    Outcome, Retrieval, RetrievalId, Timestamp,
    lift::Draw,
    what_if::{Agreement, Configuration, Evaluation, MixedAnswer, PossibleAnswer, Resolved},
};
use reflect_store::{RetrievalCut, Store};
use uuid::Uuid;

use crate::support::{Fixture, conformance};

conformance! {
    a_mixed_answer_is_read_with_its_query,
    a_run_counts_while_its_review_stands,
    a_changed_mixture_begins_a_new_period,
    a_mixed_query_with_a_run_outlives_its_log,
    mixtures_of_projects_are_apart,
}

const USEFUL: Configuration = Configuration { lambda: Some(0.9), limit: None, similarity_threshold: None };

fn answer(number: i64, share: f64) -> MixedAnswer {
    let asked = Resolved { lambda: 0.5, limit: 10, similarity_threshold: None };
    let part = |configuration, probability, agreement| PossibleAnswer { configuration, probability, agreement };
    let possible = vec![
        part(Configuration::default(), 1.0 - share, Agreement { chance: 0.125 }),
        part(USEFUL, share, Agreement::CERTAIN),
    ];
    MixedAnswer { number, asked, possible, drawn: 1, rule_version: 1 }
}

async fn log(fixture: &Fixture<'_>, mixed: MixedAnswer) -> RetrievalId {
    let retrieval = Retrieval { mixed: Some(mixed), ..fixture.new_retrieval("refund order 7", &[]) };
    let id = retrieval.id;
    fixture.store.insert_retrieval(fixture.id(), retrieval).await.unwrap();
    id
}

async fn evaluate(fixture: &Fixture<'_>, since: Option<Timestamp>) -> Evaluation {
    fixture.store.settle().await.unwrap();
    fixture.store.mixture_period(fixture.id(), since).await.unwrap().evaluate(&USEFUL)
}

async fn a_mixed_answer_is_read_with_its_query(store: &Store) {
    let fixture = Fixture::new(store).await;
    let alone = log(&fixture, answer(-7, 0.25)).await;
    let draw = Some(Draw { number: 9, held_out: false, share: 0.1 });
    let both = Retrieval { draw, mixed: Some(answer(9, 0.25)), ..fixture.new_retrieval("refund order 7", &[]) };
    store.insert_retrieval(fixture.id(), both.clone()).await.unwrap();
    store.settle().await.unwrap();
    let found = store.get_retrieval(fixture.id(), alone).await.unwrap().unwrap();
    assert_eq!((found.draw, found.mixed), (None, Some(answer(-7, 0.25))));
    let found = store.get_retrieval(fixture.id(), both.id).await.unwrap().unwrap();
    assert_eq!((found.draw, found.mixed), (draw, both.mixed));
}

async fn a_run_counts_while_its_review_stands(store: &Store) {
    let fixture = Fixture::new(store).await;
    log(&fixture, answer(1, 0.25)).await;
    let runs = async || evaluate(&fixture, None).await.runs;
    assert_eq!(runs().await, 0);
    let (trace_id, _) = fixture.taught_run(&[], Outcome::Fail).await;
    assert_eq!(runs().await, 1);
    fixture.review(trace_id, fixture.new_correction(Outcome::Pass)).await;
    assert_eq!(runs().await, 1);
    store.delete_traces(fixture.id(), vec![trace_id], false, fixture.now()).await.unwrap();
    assert_eq!(runs().await, 0);
}

async fn a_changed_mixture_begins_a_new_period(store: &Store) {
    let fixture = Fixture::new(store).await;
    for (number, share) in [(1, 0.5), (2, 0.25), (3, 0.25)] {
        log(&fixture, answer(number, share)).await;
        fixture.taught_run(&[], Outcome::Pass).await;
    }
    let found = evaluate(&fixture, None).await;
    assert_eq!((found.runs, found.parts), (2, vec![(Configuration::default(), 0.75), (USEFUL, 0.25)]));
    let later = evaluate(&fixture, Some(fixture.now().plus_millis(60_000))).await;
    assert_eq!((later.runs, later.since), (0, None));
}

async fn a_mixed_query_with_a_run_outlives_its_log(store: &Store) {
    let fixture = Fixture::new(store).await;
    log(&fixture, answer(1, 0.25)).await;
    fixture.taught_run(&[], Outcome::Pass).await;
    log(&fixture, answer(2, 0.25)).await;
    let later = fixture.now().plus_millis(60_000);
    let cut = RetrievalCut { before: RetrievalId::earliest_at(later), from: RetrievalId::from_uuid(Uuid::max()) };
    while !store.prune_retrievals(fixture.id(), cut).await.unwrap().done {}
    assert_eq!(evaluate(&fixture, None).await.runs, 1);
}

async fn mixtures_of_projects_are_apart(store: &Store) {
    let (fixture, other) = (Fixture::new(store).await, Fixture::in_project(store, "other").await);
    log(&fixture, answer(1, 0.25)).await;
    fixture.taught_run(&[], Outcome::Pass).await;
    let found = evaluate(&other, None).await;
    assert_eq!((found.runs, found.since, found.parts.len()), (0, None, 0));
    fixture.erase_project().await;
    store.get_or_insert_project(fixture.new_project()).await.unwrap();
    assert_eq!(evaluate(&fixture, None).await.since, None);
}
