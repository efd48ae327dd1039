//! Lists of traces: newest first, a page at a time, narrowed by every filter.

use std::time::Duration;

use reflect_core::{IngestStatus, NewReview, Outcome, RawJson, ReviewStatus, TraceId};
use reflect_store::{JobFailure, ReviewInsert, Store, StoreError, TraceFilter, TracePage, TraceView};

use crate::support::{Fixture, PATIENCE, conformance};

conformance! {
    traces_are_listed_newest_first,
    pages_follow_each_other_without_gaps,
    traces_are_read_in_the_order_asked_for,
    traces_are_measured_without_being_read,
    summaries_leave_the_trajectory_out,
    every_filter_narrows,
    metadata_is_matched_by_how_it_reads,
    texts_are_found_whatever_their_case,
    every_word_occurs_somewhere_in_any_order,
    filtered_pages_follow_each_other_without_gaps,
    times_are_taken_from_and_until,
    traces_are_found_by_a_memory_that_they_name,
    a_corrected_review_is_listed_by_what_it_says_now,
    another_projects_traces_are_not_listed,
    a_search_without_time_is_given_up_and_a_page_is_not,
}

async fn traces_are_listed_newest_first(store: &Store) {
    let fixture = Fixture::new(store).await;
    assert_eq!(list(&fixture, TraceFilter::default()).await, []);
    let (older, newer) = (fixture.new_trace(&[]), fixture.new_trace(&[]));
    let ids = [newer.id, older.id];
    for insert in [newer, older] {
        fixture.insert(insert).await;
    }
    assert_eq!(list(&fixture, TraceFilter::default()).await, ids);
}

async fn pages_follow_each_other_without_gaps(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut runs = Vec::new();
    for _ in 0..7 {
        runs.insert(0, fixture.run(&[]).await);
    }
    let mut listed: Vec<TraceId> = Vec::new();
    let mut lengths = Vec::new();
    while lengths.last() != Some(&0) {
        let page = TracePage { before: listed.last().copied(), limit: 3 };
        let ids = store.list_trace_ids(fixture.id(), TraceFilter::default(), page, PATIENCE).await.unwrap();
        lengths.push(ids.len());
        listed.extend(ids);
    }
    assert_eq!(lengths, [3, 3, 1, 0]);
    assert_eq!(listed, runs);
}

async fn traces_are_read_in_the_order_asked_for(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (older, newer) = (fixture.run(&[]).await, fixture.run(&[]).await);
    let unknown = fixture.trace_id();
    let read = store.get_traces(fixture.id(), vec![older, unknown, newer], TraceView::Whole).await.unwrap();
    assert_eq!(read, [fixture.trace(older).await, fixture.trace(newer).await]);
    assert_eq!(store.get_traces(fixture.id(), Vec::new(), TraceView::Whole).await.unwrap(), []);
}

async fn traces_are_measured_without_being_read(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (run, reviewed) = (fixture.run(&[]).await, fixture.queued_run(&[], Outcome::Pass).await);
    let measure = async |trace_ids, view| store.measure_traces(fixture.id(), trace_ids, view).await.unwrap();
    let whole = measure(vec![run, fixture.trace_id(), reviewed], TraceView::Whole).await;
    let summaries = measure(vec![run, reviewed], TraceView::Summary).await;
    let trace = fixture.trace(run).await;
    let trajectory = trace.trajectory.as_ref().unwrap().raw().as_str().len();
    // Lists without elements are stored as `[]`.
    let summary = trace.task.len() + trace.final_response.len() + trace.metadata.as_str().len() + "[][]".len();
    assert_eq!(whole, [summary + trajectory, 0, whole[2]]);
    assert_eq!(summaries[0], summary);
    assert!(summaries[1] > 0 && summaries[1] < whole[2]);
}

async fn summaries_leave_the_trajectory_out(store: &Store) {
    let fixture = Fixture::new(store).await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    let mut expected = fixture.trace(trace_id).await;
    let read = async |view| store.get_traces(fixture.id(), vec![trace_id], view).await.unwrap().remove(0);
    assert_eq!(read(TraceView::Whole).await, expected);
    expected.trajectory = None;
    assert_eq!(read(TraceView::Summary).await, expected);
}

async fn every_filter_narrows(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut insert = fixture.new_trace(&[]);
    insert.trace.model = Some("a model".into());
    let unreviewed = fixture.insert(insert).await.trace_id;
    let failed = fixture.queued_run(&[], Outcome::Fail).await;
    let job = fixture.claim_one().await;
    let given_up = JobFailure::GivenUp(fixture.now());
    assert!(store.fail_job(job, "no".into(), given_up).await.unwrap());
    let (taught, _) = fixture.taught_run(&[], Outcome::Pass).await;
    let processing = fixture.queued_run(&[], Outcome::Pass).await;
    fixture.claim_one().await;
    let queued = fixture.queued_run(&[], Outcome::Pass).await;

    let by_review = async |status| {
        let filter = TraceFilter { review_status: Some(status), ..TraceFilter::default() };
        list(&fixture, filter).await
    };
    assert_eq!(by_review(ReviewStatus::Reviewed).await, [taught]);
    assert_eq!(by_review(ReviewStatus::Pending).await, [queued, processing, failed, unreviewed]);

    let by_ingest = async |status| {
        let filter = TraceFilter { ingest_status: Some(status), ..TraceFilter::default() };
        list(&fixture, filter).await
    };
    assert_eq!(by_ingest(IngestStatus::Completed).await, [taught, unreviewed]);
    assert_eq!(by_ingest(IngestStatus::Failed).await, [failed]);
    assert_eq!(by_ingest(IngestStatus::Processing).await, [processing]);
    assert_eq!(by_ingest(IngestStatus::Queued).await, [queued]);

    let by_result = |result| TraceFilter { result: Some(result), ..TraceFilter::default() };
    assert_eq!(list(&fixture, by_result(Outcome::Fail)).await, [failed]);
    assert_eq!(list(&fixture, by_result(Outcome::Pass)).await, [queued, processing, taught]);
    let both = TraceFilter { ingest_status: Some(IngestStatus::Queued), ..by_result(Outcome::Fail) };
    assert_eq!(list(&fixture, both).await, []);

    let by_model = |model: &str| TraceFilter { model: Some(model.into()), ..TraceFilter::default() };
    assert_eq!(list(&fixture, by_model("a model")).await, [unreviewed]);
    assert_eq!(list(&fixture, by_model("a mode")).await, []);
}

async fn metadata_is_matched_by_how_it_reads(store: &Store) {
    let fixture = Fixture::new(store).await;
    let with = async |metadata: &str| {
        let mut insert = fixture.new_trace(&[]);
        insert.trace.metadata = RawJson::parse(metadata.into()).unwrap();
        fixture.insert(insert).await.trace_id
    };
    let mixed = with(r#"{"team": "blue", "n": 1.50, "live": true, "a.b c": "x", "tags": ["x", "y", 7]}"#).await;
    let other = with(r#"{"team": "Blue", "n": "1.5", "tags": "x", "odd": "\ud800"}"#).await;
    let escaped = with(r#"{"te\u0061m": "blue", "n": 1e400}"#).await;
    fixture.run(&[]).await;
    let by = async |pairs: &[(&str, &str)]| {
        let metadata = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        list(&fixture, TraceFilter { metadata, ..TraceFilter::default() }).await
    };
    assert_eq!(by(&[("team", "blue")]).await, [escaped, mixed], "whatever else is stored beside it");
    assert_eq!(by(&[("team", "Blue")]).await, [other]);
    assert_eq!(by(&[("odd", "\\ud800")]).await, []);
    assert_eq!(by(&[("live", "true")]).await, [mixed]);
    assert_eq!(by(&[("a.b c", "x")]).await, [mixed]);
    assert_eq!(by(&[("n", "1.5")]).await, [other, mixed]);
    assert_eq!(by(&[("n", "1.50")]).await, [mixed]);
    assert_eq!(by(&[("tags", "x")]).await, [other, mixed]);
    assert_eq!(by(&[("tags", "x"), ("tags", "7"), ("team", "blue")]).await, [mixed]);
    assert_eq!(by(&[("tags", "x"), ("team", "red")]).await, []);
    assert_eq!(by(&[("absent", "")]).await, []);
    assert_eq!(by(&[("n", "' OR 1 = 1 --")]).await, []);
    assert_eq!(by(&[]).await.len(), 4);
}

async fn texts_are_found_whatever_their_case(store: &Store) {
    let fixture = Fixture::new(store).await;
    let with = async |task: &str, final_response: &str| {
        let mut insert = fixture.new_trace(&[]);
        insert.trace.task = task.into();
        insert.trace.final_response = final_response.into();
        fixture.insert(insert).await.trace_id
    };
    let in_task = with("Refund the Café's ORDER", "").await;
    let in_response = with("", "100% of the order_7 is paid").await;
    let in_feedback = with("", "").await;
    let mut review = fixture.new_review(Outcome::Fail);
    review.review.feedback_text = Some("the Order was wrong".into());
    fixture.review(in_feedback, review).await;
    let by = async |text: &str| list(&fixture, TraceFilter { text: Some(text.into()), ..TraceFilter::default() }).await;
    assert_eq!(by("oRdEr").await, [in_feedback, in_response, in_task]);
    assert_eq!(by("CAFÉ").await, [in_task]);
    assert_eq!(by("order_7").await, [in_response]);
    assert_eq!(by("0%").await, [in_response]);
    assert_eq!(by("%order").await, [], "no sign stands for another");
    assert_eq!(by("order w").await, [in_feedback]);
    assert_eq!(by("").await.len(), 3);
    assert!(store.take_back_review(fixture.id(), in_feedback, fixture.now()).await.is_ok());
    assert_eq!(by("order w").await, [], "what was taken back is not there");
}

async fn every_word_occurs_somewhere_in_any_order(store: &Store) {
    let fixture = Fixture::new(store).await;
    let with = async |task: &str, final_response: &str| {
        let mut insert = fixture.new_trace(&[]);
        insert.trace.task = task.into();
        insert.trace.final_response = final_response.into();
        fixture.insert(insert).await.trace_id
    };
    let apart = with("Refund the order of ÅSA", "It was paid twice").await;
    let together = with("twice refund", "").await;
    with("refund", "once").await;
    let by = async |text: &str| list(&fixture, TraceFilter { text: Some(text.into()), ..TraceFilter::default() }).await;
    assert_eq!(by("refund twice").await, [together, apart]);
    assert_eq!(by(" twice\t\n REFUND  ").await, [together, apart], "in any order, whatever is between them");
    assert_eq!(by("twice åsa refund paid").await, [apart], "from any of the texts");
    assert_eq!(by("refund twice never").await, [], "all of them");
    assert_eq!(by("refund refund").await.len(), 3, "a word that is said twice has to occur once");
    let review = ReviewInsert {
        review: NewReview { feedback_text: Some("Never again".into()), ..fixture.new_review(Outcome::Fail).review },
        ..fixture.new_review(Outcome::Fail)
    };
    fixture.review(together, review).await;
    assert_eq!(by("never refund").await, [together]);
}

async fn filtered_pages_follow_each_other_without_gaps(store: &Store) {
    let fixture = Fixture::new(store).await;
    let mut wanted = Vec::new();
    for index in 0..9 {
        let mut insert = fixture.new_trace(&[]);
        let is_wanted = index % 2 == 0;
        insert.trace.task = if is_wanted { "find me" } else { "pass me by" }.into();
        insert.trace.metadata = RawJson::parse(r#"{"k": "v"}"#.into()).unwrap();
        let trace_id = fixture.insert(insert).await.trace_id;
        if is_wanted {
            wanted.insert(0, trace_id);
        }
    }
    let filter =
        TraceFilter { text: Some("FIND".into()), metadata: vec![("k".into(), "v".into())], ..TraceFilter::default() };
    let mut listed: Vec<TraceId> = Vec::new();
    let mut lengths = Vec::new();
    while lengths.last() != Some(&0) {
        let page = TracePage { before: listed.last().copied(), limit: 2 };
        let ids = store.list_trace_ids(fixture.id(), filter.clone(), page, PATIENCE).await.unwrap();
        lengths.push(ids.len());
        listed.extend(ids);
    }
    assert_eq!((lengths, listed), (vec![2, 2, 1, 0], wanted));
}

async fn times_are_taken_from_and_until(store: &Store) {
    let fixture = Fixture::new(store).await;
    let first = fixture.run(&[]).await;
    let second = fixture.run(&[]).await;
    let (first_at, second_at) = (fixture.trace(first).await.created_at, fixture.trace(second).await.created_at);
    let between = |since, until| TraceFilter { since, until, ..TraceFilter::default() };
    assert_eq!(list(&fixture, between(Some(first_at), Some(second_at))).await, [first]);
    assert_eq!(list(&fixture, between(Some(second_at), None)).await, [second]);
    assert_eq!(list(&fixture, between(None, Some(first_at))).await, []);
}

async fn traces_are_found_by_a_memory_that_they_name(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (memory, other) = (fixture.seed_memory().await, fixture.seed_memory().await);
    let by = |memory| TraceFilter { memory_id: Some(memory), ..TraceFilter::default() };
    let pending = fixture.run(&[other, memory]).await;
    let reviewed = fixture.queued_run(&[memory], Outcome::Pass).await;
    fixture.run(&[other]).await;
    let mut insert = fixture.new_trace(&[]);
    insert.trace.retrieved_memory_ids = vec![memory.to_string().to_uppercase()];
    let in_capitals = fixture.insert(insert).await.trace_id;
    assert_eq!(list(&fixture, by(memory)).await, [in_capitals, reviewed, pending]);
    assert_eq!(list(&fixture, by(fixture.memory_id())).await, []);
    let elsewhere = Fixture::in_project(store, "elsewhere").await;
    assert_eq!(list(&elsewhere, by(memory)).await, []);
}

async fn a_corrected_review_is_listed_by_what_it_says_now(store: &Store) {
    let fixture = Fixture::new(store).await;
    let (trace_id, _) = fixture.taught_run(&[], Outcome::Pass).await;
    fixture.review(trace_id, fixture.new_correction(Outcome::Fail)).await;
    let by_result = |result| TraceFilter { result: Some(result), ..TraceFilter::default() };
    assert_eq!(list(&fixture, by_result(Outcome::Pass)).await, []);
    assert_eq!(list(&fixture, by_result(Outcome::Fail)).await, [trace_id]);
    assert_eq!(list(&fixture, TraceFilter::default()).await, [trace_id], "once, with one review");
}

async fn another_projects_traces_are_not_listed(store: &Store) {
    let fixture = Fixture::new(store).await;
    let other = Fixture::in_project(store, "other").await;
    let trace_id = fixture.queued_run(&[], Outcome::Pass).await;
    assert_eq!(list(&other, TraceFilter::default()).await, []);
    assert_eq!(store.get_traces(other.id(), vec![trace_id], TraceView::Summary).await.unwrap(), []);
}

async fn list(fixture: &Fixture<'_>, filter: TraceFilter) -> Vec<TraceId> {
    let page = TracePage { before: None, limit: 100 };
    fixture.store.list_trace_ids(fixture.id(), filter, page, PATIENCE).await.unwrap()
}

async fn a_search_without_time_is_given_up_and_a_page_is_not(store: &Store) {
    let fixture = Fixture::new(store).await;
    for _ in 0..40 {
        fixture.run(&[]).await;
    }
    let page = TracePage { before: None, limit: 10 };
    let by_text = TraceFilter { text: Some("absent".into()), ..TraceFilter::default() };
    let by_metadata = TraceFilter { metadata: vec![("k".into(), "v".into())], ..TraceFilter::default() };
    let by_result = TraceFilter { result: Some(Outcome::Pass), ..TraceFilter::default() };
    for filter in [by_text, by_metadata, by_result] {
        let given_up = store.list_trace_ids(fixture.id(), filter.clone(), page, Duration::ZERO).await;
        assert!(matches!(given_up, Err(StoreError::Interrupted)), "{given_up:?}");
        assert_eq!(list(&fixture, filter).await, []);
    }
    let pending = TraceFilter { review_status: Some(ReviewStatus::Pending), ..TraceFilter::default() };
    for filter in [TraceFilter::default(), pending] {
        let listed = store.list_trace_ids(fixture.id(), filter, page, Duration::ZERO).await;
        assert_eq!(listed.unwrap().len(), 10);
    }
}
