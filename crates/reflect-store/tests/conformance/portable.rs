//! Exports and imports of one of everything.

use std::{path::Path, sync::Arc};

use reflect_core::{EmbedderId, ProjectId, Timestamp};
use reflect_store::{Import, LineCounts, Store, StoreError};

use crate::support::{CountingEntropy, PROJECTS, TempStore, make_everything};

const NOW: Timestamp = Timestamp::from_micros(1_900_000_000_000_000);

async fn export(store: &Store) -> String {
    let (counts, out) = store.export(None, Vec::new()).await.unwrap();
    let out = String::from_utf8(out).unwrap();
    assert_eq!(out.lines().count() as u64, counts.total() + 2);
    out
}

fn export_at(path: &Path, project_id: Option<&ProjectId>) -> String {
    let (mut out, mut last) = (Vec::new(), (0, 0));
    let counts = Store::export_at(path, project_id, &mut out, &mut |done, all| last = (done, all)).unwrap();
    assert_eq!(last, (counts.total(), counts.total()));
    String::from_utf8(out).unwrap()
}

/// An export of a database with one of everything.
fn rich_export(project_id: Option<&ProjectId>) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reflect.db");
    make_everything(&path);
    export_at(&path, project_id)
}

fn new_import(into: Option<&str>) -> Import {
    Import::new(into.map(|name| name.parse().unwrap()), NOW, Arc::new(CountingEntropy::default()))
}

async fn import(store: &Store, into: Option<&str>, lines: &str) -> Result<Import, StoreError> {
    let mut import = new_import(into);
    for line in lines.lines() {
        import = store.import(import, vec![line.to_owned()]).await?;
    }
    Ok(import)
}

#[tokio::test]
async fn what_was_exported_and_imported_is_exported_byte_for_byte() {
    assert_comes_through(&rich_export(None)).await;
}

/// Of two projects that a database from before 0.1.0 held: one as the very first schema had kept it, whose credits know neither a day nor how their
/// memories came to be shown, and one of schema 26.
#[tokio::test]
async fn an_export_from_before_the_first_release_is_exported_byte_for_byte() {
    assert_comes_through(include_str!("fixtures/export.jsonl")).await;
}

async fn assert_comes_through(exported: &str) {
    let temp = TempStore::open().await;
    let lines = exported.lines().map(str::to_owned).collect();
    let import = temp.store.import(new_import(None), lines).await.unwrap();
    assert!(import.is_whole);
    assert_eq!((import.read, import.stored.total() + 2), (import.stored, exported.lines().count() as u64));
    assert_eq!(export(&temp.store).await, exported);

    let report = temp.store.check_ledger().await.unwrap();
    assert_eq!((report.credits, report.mismatches), (PROJECTS, Vec::new()));
    let report = temp.store.check_texts().await.unwrap();
    assert_eq!((report.damages, report.without_checksum), (Vec::new(), 0));
}

#[tokio::test]
async fn an_import_that_was_cut_off_goes_on_without_doubles() {
    let exported = rich_export(None);
    let temp = TempStore::open().await;
    let half: Vec<&str> = exported.lines().take(exported.lines().count() / 2).collect();
    let first = import(&temp.store, None, &half.join("\n")).await.unwrap();
    assert!(!first.is_whole && first.stored.traces > 0);
    let again = import(&temp.store, None, &exported).await.unwrap();
    assert_eq!(again.stored.total() + first.stored.total(), again.read.total());
    assert_eq!(export(&temp.store).await, exported);
    let nothing_new = import(&temp.store, None, &exported).await.unwrap();
    assert_eq!((nothing_new.stored, nothing_new.is_whole), (LineCounts::default(), true));
    assert_eq!(export(&temp.store).await, exported);
}

#[tokio::test]
async fn one_project_comes_under_another_name() {
    let exported = rich_export(Some(&"of 02".parse().unwrap()));
    let temp = TempStore::open().await;
    let imported = import(&temp.store, Some("elsewhere"), &exported).await.unwrap();
    assert_eq!((imported.stored.projects, imported.stored.memories, imported.stored.traces), (1, 2, 3));
    assert_eq!(export(&temp.store).await, exported.replace("\"of 02\"", "\"elsewhere\""));
    let error = import(&temp.store, Some("elsewhere"), &rich_export(None)).await.err().unwrap();
    assert!(error.to_string().contains("several projects"), "{error}");
}

#[tokio::test]
async fn a_memory_without_a_vector_sends_its_project_to_get_one() {
    let temp = TempStore::open().await;
    let lines = r#"{"reflect_export":1}
{"project":{"project_id":"p","settings":{},"embedder":"test-2","created_at":"2026-11-16T09:00:00Z"}}
{"memory":{"memory_id":"01a3185c-5001-7000-8000-000000000005","trace_id":"01a3185c-5001-7000-8000-000000000003","task":"t","lesson":{"summary":"s","key_mistake":"","correct_action":"","guidance":"","applicable_tools":[],"tools_used":[]},"written_by":{"reflector":"author","version":"1"},"created_at":"2026-11-16T09:00:00Z","updated_at":"2026-11-16T09:00:00Z"}}
{"end":{"projects":1,"memories":1}}"#;
    assert!(import(&temp.store, None, lines).await.unwrap().is_whole);
    let project = temp.store.get_project("p".parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(project.embedder_switch.unwrap().target, EmbedderId("test-2".into()));
}

#[tokio::test]
async fn a_line_that_is_none_is_named_and_nothing_beside_it_is_stored() {
    let temp = TempStore::open().await;
    let head = r#"{"reflect_export":1}"#;
    let project =
        r#"{"project":{"project_id":"p","settings":{},"embedder":"test-2","created_at":"2026-11-16T09:00:00Z"}}"#;
    for (line, said) in [
        ("nonsense", "line 3 cannot be imported: `line`"),
        (r#"{"reflect_export":2}"#, "it is 2, and this release reads 1"),
        (r#"{"song":{}}"#, "there is nothing named `song`"),
        (r#"{"trace":{"task":"t"}}"#, "`trace_id`: it is missing"),
        (r#"{"skill":{"version":1,"rating":5}}"#, "it has no field `rating`"),
        (r#"{"end":{"traces":4}}"#, "4 lines were written, and 1 are there"),
    ] {
        let lines = [head, project, line].map(str::to_owned).to_vec();
        let error = temp.store.import(new_import(None), lines).await.err().unwrap().to_string();
        assert!(error.contains(said), "{error}");
        assert_eq!(temp.store.list_projects().await.unwrap(), []);
    }
    let error = import(&temp.store, None, project).await.err().unwrap().to_string();
    assert!(error.contains("the first one of an export is `reflect_export`"), "{error}");
}
