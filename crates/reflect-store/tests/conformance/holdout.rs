//! Queries that were drawn for an arm of the holdout, and their runs.

use reflect_core::{
    Outcome, Retrieval, RetrievalId, Timestamp,
    lift::{Draw, HoldoutReport, LeftOut},
};
use reflect_store::{RetrievalCut, Store};
use uuid::Uuid;

use crate::support::{Fixture, conformance};

conformance! {
    a_draw_is_read_with_its_query,
    a_run_is_joined_to_the_draw_of_its_query,
    a_run_that_names_nothing_is_joined_by_its_task,
    reviews_count_while_they_stand,
    a_draw_with_a_run_outlives_its_query,
    draws_go_with_their_project,
}

const SHARE: f64 = 0.25;

/// Logs a query that was drawn.
async fn log(fixture: &Fixture<'_>, number: i64, held_out: bool) -> RetrievalId {
    let draw = Some(Draw { number, held_out, share: SHARE });
    let retrieval = Retrieval { draw, ..fixture.new_retrieval("refund order 7", &[]) };
    fixture.store.insert_retrieval(fixture.id(), retrieval.clone()).await.unwrap();
    retrieval.id
}

async fn report(fixture: &Fixture<'_>) -> HoldoutReport {
    fixture.store.settle().await.unwrap();
    fixture.store.holdout_period(fixture.id()).await.unwrap().report(LeftOut::default())
}

async fn a_draw_is_read_with_its_query(store: &Store) {
    let fixture = Fixture::new(store).await;
    let id = log(&fixture, -7, true).await;
    store.settle().await.unwrap();
    let found = store.get_retrieval(fixture.id(), id).await.unwrap().unwrap();
    assert_eq!(found.draw, Some(Draw { number: -7, held_out: true, share: SHARE }));
    let other = Fixture::in_project(store, "other").await;
    assert_eq!(report(&other).await.share, None);
}

async fn a_run_is_joined_to_the_draw_of_its_query(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (held_out, with) = (log(&fixture, 1, true).await, log(&fixture, 2, false).await);
    for named in [held_out, with, held_out] {
        let mut insert = fixture.new_reviewed_trace(&[], Outcome::Pass);
        insert.trace.retrieval_id = Some(named);
        insert.trace.task = "whatever it was called later".into();
        fixture.insert(insert).await;
    }
    let found = report(&fixture).await;
    assert_eq!((found.lift.with.reviewed.runs, found.lift.without.reviewed.runs), (1, 1));
    assert_eq!((found.with.unnamed, found.without.unnamed, found.share), (0, 0, Some(SHARE)));
}

async fn a_run_that_names_nothing_is_joined_by_its_task(store: &Store) {
    let fixture = Fixture::new(store).await;
    log(&fixture, 1, true).await;
    let trace_id = fixture.run(&[]).await;
    let found = report(&fixture).await.without;
    assert_eq!((found.unrecorded, found.unreviewed, found.unnamed), (0, 1, 1));
    assert_eq!(fixture.trace(trace_id).await.retrieval_id, None, "that is not told as if it were known");
}

async fn reviews_count_while_they_stand(store: &Store) {
    let fixture = Fixture::new(store).await;
    log(&fixture, 1, false).await;
    let passes = async || {
        let reviewed = report(&fixture).await.lift.with.reviewed;
        (reviewed.passes, reviewed.runs)
    };
    assert_eq!(passes().await, (0, 0));
    let (trace_id, _) = fixture.taught_run(&[], Outcome::Fail).await;
    assert_eq!(passes().await, (0, 1));
    fixture.review(trace_id, fixture.new_correction(Outcome::Pass)).await;
    assert_eq!(passes().await, (1, 1));
    store.delete_traces(fixture.id(), vec![trace_id], false, fixture.now()).await.unwrap();
    assert_eq!(passes().await, (0, 0));
}

async fn a_draw_with_a_run_outlives_its_query(store: &Store) {
    let fixture = Fixture::new(store).await;
    log(&fixture, 1, true).await;
    fixture.run(&[]).await;
    for number in 2..40 {
        log(&fixture, number, false).await;
    }
    let later: Timestamp = fixture.now().plus_millis(60_000);
    let cut = RetrievalCut { before: RetrievalId::earliest_at(later), from: RetrievalId::from_uuid(Uuid::max()) };
    while !store.prune_retrievals(fixture.id(), cut).await.unwrap().done {}
    let found = report(&fixture).await;
    assert_eq!((found.without.unreviewed, found.with.unrecorded), (1, 0));
}

async fn draws_go_with_their_project(store: &Store) {
    let fixture = Fixture::new(store).await;
    log(&fixture, 1, true).await;
    fixture.run(&[]).await;
    fixture.erase_project().await;
    store.get_or_insert_project(fixture.new_project()).await.unwrap();
    assert_eq!(report(&fixture).await.share, None);
}
