//! The ledger, read from the database file itself and folded by a few lines that share nothing with the server's.

use std::{collections::BTreeMap, path::Path};

use rusqlite::{Connection, OpenFlags};

use super::server_view::{ExpectedCredit, ServerView};

/// Holds the file against what the server answered: every memory that is not deleted has exactly the credits that the
/// reviews say, and every utility, of deleted memories too, is the fold of its ledger to the last bit.
pub(super) fn assert_sound(data: &Path, view: &ServerView) {
    let mut connection =
        Connection::open_with_flags(data.join("reflect.db"), OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let snapshot = connection.transaction().unwrap();
    let mut expected = view.expected_credits();
    for memory in memories(&snapshot) {
        let (folded, credits) = fold(&snapshot, &memory);
        assert_eq!(
            folded.to_bits(),
            memory.q_value.to_bits(),
            "memory {} has {} and its ledger says {folded}",
            memory.id,
            memory.q_value
        );
        if !memory.deleted {
            assert_eq!(credits, expected.remove(&memory.id).unwrap_or_default(), "memory {}", memory.id);
        }
    }
    assert_eq!(count(&snapshot, STRAY_CREDITS), 0, "credits of reviews that do not count");
    assert_eq!(count(&snapshot, SHARED_PLACES), 0, "places with more than one credit");
    assert_eq!(count(&snapshot, TWICE_REVIEWED), 0, "traces with more than one review that counts");
}

const STRAY_CREDITS: &str = "SELECT count(*) FROM credits c WHERE removed_at IS NULL AND NOT EXISTS
    (SELECT 1 FROM reviews r WHERE r.review_id = c.review_id AND r.removed_at IS NULL AND r.trace_id = c.trace_id
                               AND r.project_id = c.project_id)";

const SHARED_PLACES: &str = "SELECT count(*) FROM (SELECT 1 FROM credits WHERE removed_at IS NULL
    GROUP BY project_id, memory_id, position HAVING count(*) > 1)";

const TWICE_REVIEWED: &str = "SELECT count(*) FROM (SELECT 1 FROM reviews WHERE removed_at IS NULL
    GROUP BY project_id, trace_id HAVING count(*) > 1)";

struct Memory {
    project_id: String,
    id: String,
    blob: Vec<u8>,
    q_value: f64,
    deleted: bool,
}

fn memories(connection: &Connection) -> Vec<Memory> {
    let sql = "SELECT memory_id, q_value, deleted_at IS NOT NULL, project_id FROM memories";
    let mut statement = connection.prepare(sql).unwrap();
    let rows = statement.query_map([], |row| {
        let blob: Vec<u8> = row.get(0)?;
        Ok(Memory { id: id(&blob), blob, q_value: row.get(1)?, deleted: row.get(2)?, project_id: row.get(3)? })
    });
    rows.unwrap().map(Result::unwrap).collect()
}

/// `q ← q + α · (r − q)` from 0.5 over the live credits, and those credits in the order of their reviews.
fn fold(connection: &Connection, memory: &Memory) -> (f64, Vec<ExpectedCredit>) {
    let sql = "SELECT review_id, trace_id, result, alpha FROM credits
               WHERE project_id = ?1 AND memory_id = ?2 AND removed_at IS NULL ORDER BY position";
    let mut statement = connection.prepare_cached(sql).unwrap();
    let mut rows = statement.query((&memory.project_id, &memory.blob)).unwrap();
    let mut q = 0.5;
    let mut credits = BTreeMap::new();
    while let Some(row) = rows.next().unwrap() {
        let result: String = row.get(2).unwrap();
        let alpha: f64 = row.get(3).unwrap();
        let reward = if result == "pass" { 1.0 } else { 0.0 };
        q += alpha * (reward - q);
        let credit = ExpectedCredit {
            review_id: id(&row.get::<_, Vec<u8>>(0).unwrap()),
            trace_id: id(&row.get::<_, Vec<u8>>(1).unwrap()),
            result,
            alpha: alpha.to_string(),
        };
        let twice = credits.insert(credit.review_id.clone(), credit);
        assert!(twice.is_none(), "memory {} was credited twice: {twice:?}", memory.id);
    }
    (q, credits.into_values().collect())
}

fn count(connection: &Connection, sql: &str) -> i64 {
    connection.query_row(sql, [], |row| row.get(0)).unwrap()
}

/// A UUID's bytes as it is written.
fn id(bytes: &[u8]) -> String {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}
