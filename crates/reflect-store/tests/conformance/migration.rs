//! A database of the release before: everything in it is found, and its ledger folds to the same utilities. SQLite only: a second
//! backend starts with the newest schema.

use reflect_core::{Circumstances, EmbedderId, IngestStatus, JobKind, ReviewStatus};
use reflect_store::{JudgementClaim, MemoryFilter, Store, TraceFilter, TracePage, TraceView};
use rusqlite::Connection;

use crate::support::{FAR_AHEAD, Fixture, PATIENCE, list_memories};

#[test]
fn memories_that_were_numbered_alike_get_numbers_of_their_own() {
    let (folder, store) = old_database();
    drop(store);
    let path = folder.path().join("reflect.db");
    let connection = Connection::open(&path).unwrap();
    // The schema as it was before two writers noticed each other.
    let old = "DROP TABLE drawn_queries; ALTER TABLE reviews DROP COLUMN score; ALTER TABLE credits DROP COLUMN score;
               ALTER TABLE vectors DROP COLUMN lesson_vector; ALTER TABLE vectors DROP COLUMN lesson_revision;
               ALTER TABLE vectors DROP COLUMN lesson_checksum; DROP INDEX traces_shown; DROP INDEX memories_figures;
               DROP INDEX memories_alike; ALTER TABLE memories DROP COLUMN same_words;
               DROP INDEX reviews_live; ALTER TABLE reviews DROP COLUMN shown; DROP TABLE sessions;
               DROP INDEX api_keys_by_expiry; ALTER TABLE api_keys DROP COLUMN expires_at;
               DROP TABLE deleted_projects; DROP INDEX retrievals_by_age; ALTER TABLE retrievals DROP COLUMN bytes;
               CREATE INDEX retrievals_by_id ON retrievals (project_id, retrieval_id);
               DROP TABLE unfolded_memories; ALTER TABLE retrievals DROP COLUMN usual; ALTER TABLE retrievals DROP
               COLUMN unit; ALTER TABLE retrievals DROP COLUMN probability; ALTER TABLE retrievals DROP COLUMN
               rule_version; ALTER TABLE retrievals DROP COLUMN worths; ALTER TABLE retrievals DROP COLUMN sat_out; ALTER TABLE credits DROP COLUMN usual;
               ALTER TABLE credits DROP COLUMN others; ALTER TABLE credits DROP COLUMN unit; ALTER TABLE credits
               DROP COLUMN slate_probability; ALTER TABLE credits DROP COLUMN rule_version; ALTER TABLE credits
               DROP COLUMN day; ALTER TABLE reviews DROP COLUMN added; ALTER TABLE memories DROP COLUMN worth_sum;
               ALTER TABLE memories DROP COLUMN worth_runs; ALTER TABLE memories DROP COLUMN worth_day; ALTER TABLE
               memories DROP COLUMN worth_q_value; ALTER TABLE memories DROP COLUMN tells; ALTER TABLE memories DROP COLUMN has_run; ALTER TABLE memories DROP COLUMN pinned; DROP TABLE reporters; ALTER TABLE credits DROP COLUMN reporter; ALTER TABLE credits DROP COLUMN weight; DROP INDEX memories_deleted; ALTER TABLE memories DROP COLUMN run_score;
               ALTER TABLE memories DROP COLUMN run_added; ALTER TABLE memories DROP COLUMN worth_from; DROP INDEX memories_retired;
               ALTER TABLE memories DROP COLUMN retired_until;
               DROP TABLE writer; DROP INDEX memories_by_change; UPDATE memories SET changed = 7;
               CREATE INDEX memories_by_change ON memories (project_id, changed); PRAGMA user_version = 9";
    connection.execute_batch(old).unwrap();
    drop(Store::open(&path).unwrap());
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let memories = count("SELECT count(*) FROM memories");
    assert!(memories > 1);
    assert_eq!(count("SELECT count(DISTINCT changed) FROM memories"), memories);
    assert!(count("SELECT min(changed) FROM memories") >= 7);
    let alike = connection.execute("UPDATE memories SET changed = 7", []).unwrap_err();
    assert!(alike.to_string().contains("UNIQUE"), "{alike}");
}

/// What the old release wrote, in a folder that goes when it goes.
fn old_database() -> (tempfile::TempDir, Store) {
    old_database_after("")
}

/// The same after these statements.
fn old_database_after(sql: &str) -> (tempfile::TempDir, Store) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reflect.db");
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch(include_str!("fixtures/schema_7.sql")).unwrap();
    connection.execute_batch(sql).unwrap();
    let store = Store::open(&path).unwrap();
    (folder, store)
}

#[tokio::test]
async fn a_ledger_of_schema_7_folds_to_the_same_utilities() {
    let (_folder, store) = old_database();
    let report = store.check_ledger().await.unwrap();
    assert_eq!((report.memories, report.credits, report.mismatches), (7, 6, Vec::new()));
    let fixture = Fixture::without_project(&store, "default");
    let expected =
        [("01a3185c-5005-7000-8080-000000000000", 0.522_95, 4), ("01a3185c-5008-7000-8140-000000000000", 0.685, 2)];
    for (memory, utility, uses) in expected {
        let (memory, credits) = fixture.find_memory(memory.parse().unwrap()).await.unwrap();
        assert!((memory.tally.utility() - utility).abs() < 1e-12, "{:?}", memory.tally);
        assert_eq!((memory.tally.uses(), credits.len()), (uses, uses as usize));
        assert!(credits.iter().all(|credit| credit.circumstances == Circumstances::default()), "nobody knows by now");
    }
}

#[tokio::test]
async fn traces_reviews_and_memories_of_schema_7_are_found() {
    let (_folder, store) = old_database();
    let fixture = Fixture::without_project(&store, "default");
    let page = TracePage { before: None, limit: 100 };
    let trace_ids = store.list_trace_ids(fixture.id(), TraceFilter::default(), page, PATIENCE).await.unwrap();
    let traces = store.get_traces(fixture.id(), trace_ids, TraceView::Whole).await.unwrap();
    assert_eq!(traces.len(), 11);
    let count = |status| traces.iter().filter(|trace| trace.review_status == status).count();
    assert_eq!((count(ReviewStatus::Reviewed), count(ReviewStatus::Pending)), (6, 5));
    assert_eq!(traces.iter().filter(|trace| trace.ingest_status == IngestStatus::Queued).count(), 2);
    assert_eq!(traces.iter().filter(|trace| trace.review.is_some()).count(), 8);
    assert_eq!(traces.iter().filter(|trace| trace.retrieval_id.is_some()).count(), 6);

    let filter = MemoryFilter { limit: 100, ..MemoryFilter::default() };
    let memories = list_memories(&store, fixture.id(), filter).await;
    assert_eq!(memories.len(), 6);
    assert_eq!(memories.iter().map(|memory| memory.revision).max(), Some(2));
    assert_eq!(store.index_reader().list_changed(fixture.id(), "test-2".into(), 0, 100).await.unwrap().len(), 7);
    let retrieval = traces.iter().find_map(|trace| trace.retrieval_id).unwrap();
    let retrieval = store.get_retrieval(fixture.id(), retrieval).await.unwrap().unwrap();
    assert_eq!(retrieval.shown.len(), 2);
}

#[tokio::test]
async fn jobs_of_schema_7_are_claimed() {
    let (_folder, store) = old_database();
    let fixture = Fixture::without_project(&store, "default");
    for _ in 0..100 {
        fixture.now();
    }
    let jobs = fixture.claim(10).await;
    let kinds: Vec<JobKind> = jobs.iter().map(|job| job.kind).collect();
    assert_eq!(kinds, [JobKind::Lesson, JobKind::Lesson, JobKind::FollowUp]);
    let inputs = store.get_job_inputs(&jobs).await.unwrap();
    assert!(inputs.into_iter().all(|input| input.unwrap().is_some()));
}

#[tokio::test]
async fn questions_to_the_judge_of_schema_7_are_due_as_before() {
    let (_folder, store) = old_database();
    let fixture = Fixture::without_project(&store, "default");
    let report = store.judge_report(fixture.id()).await.unwrap();
    assert_eq!((report.judged, report.unknown, report.given_up, report.pending), (1, 1, 1, 3));
    let due = fixture.now().plus_millis(7_200_000);
    let claim = async |now| {
        let claimed = store
            .claim_judgements(
                fixture.id(),
                JudgementClaim {
                    stored_by: now,
                    lease_until: due.plus_millis(60_000),
                    now,
                    latest_due: FAR_AHEAD,
                    limit: 10,
                },
            )
            .await
            .unwrap();
        claimed
            .into_iter()
            .map(|(trace_id, attempts, unknowns)| (trace_id.to_string(), attempts, unknowns))
            .collect::<Vec<_>>()
    };
    assert_eq!(claim(fixture.now().plus_millis(1_000)).await, [], "all were asked about");
    let (unknown, unanswered) = ("01a3185c-5028-7000-8700-000000000000", "01a3185c-5029-7000-8740-000000000000");
    assert_eq!(claim(due).await, [(unknown.to_owned(), 2, 1), (unanswered.to_owned(), 2, 0)]);

    // One that waits behind a review is due again once that is taken back.
    let reviewed = "01a3185c-502a-7000-8780-000000000000";
    store.take_back_review(fixture.id(), reviewed.parse().unwrap(), fixture.now()).await.unwrap();
    assert_eq!(claim(due).await, [(reviewed.to_owned(), 2, 0)]);
}

#[tokio::test]
async fn keys_skills_spend_and_switches_of_schema_7_are_found() {
    let (_folder, store) = old_database();
    let fixture = Fixture::without_project(&store, "default");
    let keys = store.list_keys(fixture.id()).await.unwrap();
    assert_eq!(keys.len(), 1);
    assert!(keys[0].last_used_at.is_some() && keys[0].revoked_at.is_none());
    assert_eq!(store.get_key_by_public_id("old-key".into()).await.unwrap().unwrap().secret_hash, [7; 32]);
    assert!(store.knows_idempotency_key(fixture.id(), "a-run".into()).await.unwrap());
    let skill = store.get_skill(fixture.id()).await.unwrap().unwrap();
    assert_eq!((skill.version, skill.content.as_str()), (1, "---\nname: refunds\n---\nversion 1"));
    assert_eq!(store.get_daily_spend(20_000).await.unwrap().calls, 2);
    let project = store.get_project(fixture.id()).await.unwrap().unwrap();
    assert_eq!(project.embedder_switch.unwrap().target, EmbedderId("third-2".into()));
    assert_eq!(store.delete_leftover_vectors(100).await.unwrap(), Some(0));
}

#[tokio::test]
async fn memories_from_before_lessons_had_vectors_are_sent_to_get_them() {
    let (_folder, store) = old_database_after("DELETE FROM embedder_switches");
    let fixture = Fixture::without_project(&store, "default");
    let project = store.get_project(fixture.id()).await.unwrap().unwrap();
    let switch = project.embedder_switch.unwrap();
    assert_eq!(switch.target, project.embedder);
    assert!(switch.started_at > fixture.now().plus_millis(-10 * 365 * 24 * 3_600_000), "{:?}", switch.started_at);
    let page = store.list_unembedded(fixture.id(), project.embedder.clone(), 0, 100).await.unwrap();
    let progress = store.get_switch_progress(fixture.id(), project.embedder.clone()).await.unwrap();
    assert_eq!((page.memories.len(), progress.done), (progress.total, 0));
    assert!(page.memories.iter().any(|memory| memory.has_task_vector && memory.lesson.summary == "edited"));
    let rows = store.index_reader().list_changed(fixture.id(), project.embedder.0, 0, 100).await.unwrap();
    let entries: Vec<_> = rows.into_iter().filter_map(|row| row.entry).collect();
    assert!(
        !entries.is_empty() && entries.iter().all(|entry| entry.lesson_vector.is_none()),
        "they are served meanwhile"
    );
}
