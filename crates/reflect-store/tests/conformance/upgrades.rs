//! A database of every schema that has existed, with one of everything in it, is upgraded, and all of it is found. SQLite only: a second
//! backend starts with the newest schema.
//!
//! A database of schema N is made as time made it: each migration up to the Nth is applied and then rows are written as a release
//! of that schema wrote them, into a project of its own. `fixtures/upgrades/` has those rows, a file for each schema that keeps something new. A new
//! migration needs its checksum here, and such a file if it adds a table or a column.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use reflect_core::{MemoryId, ProjectId, RetrievalId, Slate, Tells, TraceId, worth::Expectation};
use reflect_store::{MemoryFilter, Store, TraceFilter, TracePage};
use rusqlite::{Connection, types::Value};

use crate::support::{Fixture, PATIENCE, list_memories};

/// The CRC-32 of every migration. One that was released never changes: the databases that it made would not be like new ones.
const MIGRATIONS: &[u32] = &[
    1_324_703_155,
    3_596_693_919,
    818_179_800,
    3_385_059_690,
    3_722_879_601,
    620_801_394,
    2_027_637_975,
    1_252_586_937,
    2_829_098_830,
    1_219_357_007,
    1_286_069_222,
    208_547_224,
    659_739_973,
    540_576_219,
    2_640_749_770,
    205_525,
    2_645_371_841,
    1_345_229_411,
    3_250_936_090,
    3_485_824_444,
    1_852_820_087,
    3_390_634_028,
    591_201_364,
    787_835_852,
    1_727_637_083,
    1_646_835_929,
    2_545_586_210,
];

/// The rows of a table, each by the names of its columns.
pub(crate) type Rows = Vec<BTreeMap<String, Value>>;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The text of every migration, in their order.
pub(crate) fn migrations() -> Vec<String> {
    let entries = std::fs::read_dir(folder("src/sqlite/migrations")).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).unwrap()).collect()
}

/// Makes a database of that schema, which has lived through all before it.
pub(crate) fn make(path: &Path, schema: usize) {
    let connection = Connection::open(path).unwrap();
    // Thousands of statements, of which none needs to survive a power cut.
    connection.pragma_update(None, "synchronous", "OFF").unwrap();
    for (number, migration) in (1..=schema).zip(migrations()) {
        connection.execute_batch(&migration).unwrap();
        for feature in 1..=number {
            let rows = folder(&format!("tests/conformance/fixtures/upgrades/{feature:04}.sql"));
            let rows = std::fs::read_to_string(rows).unwrap_or_default().replace("{n}", &format!("{number:02}"));
            connection.execute_batch(&rows).unwrap_or_else(|error| panic!("rows {feature} under {number}: {error}"));
        }
    }
    connection.pragma_update(None, "user_version", i64::try_from(schema).unwrap()).unwrap();
}

/// What is worked out from the ledger when a database is opened, as a change to the memory.
const FOLDED: [&str; 7] =
    ["same_words", "worth_sum", "worth_runs", "worth_day", "worth_q_value", "retired_until", "changed"];

/// Everything in a database, but for the name of the process that writes and the list of what is still to be folded.
pub(crate) fn read_all(path: &Path) -> BTreeMap<String, Rows> {
    let connection = Connection::open(path).unwrap();
    let list = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'
                AND name NOT IN ('writer', 'unfolded_memories')";
    let mut statement = connection.prepare(list).unwrap();
    let tables = statement.query_map([], |row| row.get::<_, String>(0)).unwrap();
    tables.map(|table| table.unwrap()).map(|table| (table.clone(), read_table(&connection, &table))).collect()
}

fn read_table(connection: &Connection, table: &str) -> Rows {
    let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let rows = statement
        .query_map([], |row| columns.iter().enumerate().map(|(at, name)| Ok((name.clone(), row.get(at)?))).collect());
    rows.unwrap().collect::<Result<_, _>>().unwrap()
}

/// Every row is still there, with every value that it had.
fn assert_keeps(before: &BTreeMap<String, Rows>, after: &BTreeMap<String, Rows>) {
    for (table, rows) in before {
        for row in rows {
            let kept = row.iter().filter(|(name, _)| !FOLDED.contains(&name.as_str()));
            let has = |now: &BTreeMap<String, Value>| kept.clone().all(|(name, value)| now.get(name) == Some(value));
            assert!(after[table].iter().any(has), "{table} has lost {row:?}");
        }
    }
}

#[test]
fn released_migrations_stay_as_they_are() {
    let checksums: Vec<u32> = migrations().iter().map(|text| crc32fast::hash(text.as_bytes())).collect();
    assert_eq!(checksums, MIGRATIONS, "add a migration; never change one");
}

#[tokio::test]
async fn a_database_of_every_schema_is_upgraded_with_all_that_it_holds() {
    let newest = migrations().len();
    for schema in 1..=newest {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("reflect.db");
        make(&path, schema);
        let before = read_all(&path);
        assert!(before.values().all(|rows| !rows.is_empty()), "schema {schema} has a table without rows");
        let store = Store::open(&path).unwrap();
        assert_keeps(&before, &read_all(&path));
        assert_is_sound(&store, &path, schema).await;
        for written_under in 1..=schema {
            assert_is_found(&store, written_under).await;
        }
        drop(store);
        let aside = temp.path().join(format!("reflect.db.schema-{schema}"));
        assert_eq!(aside.exists(), schema < newest, "what was before is set aside");
        if aside.exists() {
            assert_eq!(read_all(&aside), before);
        }
        drop(Store::open(&path).unwrap());
        assert_keeps(&before, &read_all(&path));
    }
}

async fn assert_is_sound(store: &Store, path: &Path, schema: usize) {
    let ledger = store.check_ledger().await.unwrap();
    assert_eq!((ledger.memories, ledger.credits, ledger.mismatches), (2 * schema, schema, Vec::new()));
    assert_eq!(Store::check_file_at(path).await.unwrap().damages, Vec::<String>::new());
    assert_eq!(store.list_being_erased().len(), schema.saturating_sub(11));
}

/// What users of the store see of the rows that were written under a schema.
async fn assert_is_found(store: &Store, schema: usize) {
    let fixture = Fixture::without_project(store, &format!("of {schema:02}"));
    let id = |last: &str| format!("01a3185c-50{schema:02}-7000-8000-0000000000{last}");
    let project: ProjectId = fixture.id();
    let page = TracePage { before: None, limit: 100 };
    let traces = store.list_trace_ids(project.clone(), TraceFilter::default(), page, PATIENCE).await.unwrap();
    assert_eq!(traces.len(), 3);
    let trace_id: TraceId = id("03").parse().unwrap();
    let trace = store.get_trace(project.clone(), trace_id).await.unwrap().unwrap();
    assert_eq!(trace.trajectory.unwrap().raw().as_str(), r#"[{"role":"user","n":1.50}]"#);
    let review = trace.review.unwrap();
    assert_eq!(review.feedback_text.as_deref(), Some("well done"));
    assert_eq!(review.score, (schema >= 18).then_some(1.0));

    let memory_id: MemoryId = id("05").parse().unwrap();
    let (memory, credits) = fixture.find_memory(memory_id).await.unwrap();
    assert_eq!((memory.lesson.summary.as_str(), memory.revision, credits.len()), ("look up the order", 2, 1));
    assert_eq!(credits[0].circumstances.rank, (schema >= 8).then_some(1));
    let reporter = (schema >= 26).then(|| id("08").parse().unwrap());
    assert_eq!((credits[0].reporter, credits[0].weight), (reporter, 1.0));
    let expected = Expectation { baseline: 0.25, others: 0.5 };
    assert_eq!(credits[0].circumstances.expected, (schema >= 20).then_some(expected));
    let (sum, runs, day) = memory.tally.learned().worth.parts();
    assert_eq!((sum, runs, day), (if schema >= 20 { 0.25 } else { 0.52 }, 1.0, 20_833));
    let filter = MemoryFilter { limit: 100, ..MemoryFilter::default() };
    let memories = list_memories(store, project.clone(), filter).await;
    let tells: Vec<Option<Tells>> = memories.iter().map(|memory| memory.lesson.tells).collect();
    assert_eq!(tells, [(schema >= 23).then_some(Tells::Fact)]);
    let indexed = store.index_reader().list_changed(project.clone(), "test-2".into(), 0, 100).await.unwrap();
    assert_eq!(indexed.iter().filter(|row| row.entry.is_some()).count(), 1);

    let retrieval_id: RetrievalId = id("09").parse().unwrap();
    let retrieval = store.get_retrieval(project.clone(), retrieval_id).await.unwrap().unwrap();
    assert_eq!((retrieval.shown[0].memory_id, retrieval.shown[0].similarity), (memory_id, 0.9));
    assert_eq!(retrieval.shown[0].worth, (schema >= 20).then_some(0.125));
    let slate = Slate { usual: 0.25, unit: 0.5, probability: 1.0, rule_version: 1 };
    assert_eq!(retrieval.slate, (schema >= 20).then_some(slate));
    assert_eq!(retrieval.sat_out, if schema >= 22 { vec![memory_id] } else { Vec::new() });
    assert_eq!(retrieval.mixed.map(|mixed| (mixed.number, mixed.probability())), (schema >= 21).then_some((-7, 0.25)));
    let skill = store.get_skill(project.clone()).await.unwrap().unwrap();
    assert_eq!(skill.content, format!("version 1 of {schema:02}"));
    let key = store.get_key_by_public_id(format!("key-{schema:02}")).await.unwrap().unwrap().key;
    assert_eq!(key.expires_at.is_some(), schema >= 13);
    assert!(store.knows_idempotency_key(project, "a-run".into()).await.unwrap());
}
