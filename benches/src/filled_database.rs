//! A database with many memories, made without asking anybody to embed them.

use std::path::Path;

use rusqlite::Connection;
use serde_json::json;

use crate::retrieval::Random;

/// What a memory is ranked by.
pub(crate) struct Filled {
    pub(crate) task: Vec<f32>,
    pub(crate) lesson: Vec<f32>,
    pub(crate) utility: f64,
}

/// Memories with vectors of 384 dimensions in any direction, of tasks and of lessons.
pub(crate) fn in_any_direction(size: usize) -> impl Iterator<Item = Filled> {
    let mut random = Random(7);
    (0..size).map(move |_| Filled {
        utility: f64::from(random.next() as u16) / 65_535.0,
        task: random.unit(),
        lesson: random.unit(),
    })
}

/// Writes memories of a project as they stand after lessons were written for them, in one transaction.
pub(crate) fn fill(
    database: &Path,
    (project, embedder): (&str, &str),
    memories: impl Iterator<Item = Filled>,
) -> anyhow::Result<()> {
    let mut connection = Connection::open(database)?;
    let write = connection.transaction()?;
    let first: i64 = write.query_row("SELECT coalesce(max(changed), 0) FROM memories", [], |row| row.get(0))?;
    let mut insert_memory = write.prepare(
        "INSERT INTO memories (project_id, memory_id, trace_id, task, lesson, success, status, revision, written_by, q_value,
                               uses, passes, fails, next_position, metadata, created_at, updated_at, changed)
         VALUES (?1, ?2, ?2, ?3, ?4, 1, 'active', 1, ?5, ?6, 0, 0, 0, 0, ?7, 0, 0, ?8)",
    )?;
    let mut insert_vector = write.prepare(
        "INSERT INTO vectors (project_id, memory_id, embedder, vector, lesson_vector, lesson_revision)
         VALUES (?1, ?2, ?3, ?4, ?5, 1)",
    )?;
    let written_by = json!({"reflector": "builtin", "version": "1"}).to_string();
    for (number, filled) in memories.enumerate() {
        let id = uuid::Uuid::from_u128(number as u128 + 1);
        let lesson = json!({
            "summary": format!("Order {number} was looked up before it was answered, and the customer was told the carrier."),
            "key_mistake": "", "correct_action": "Look the order up first.", "guidance": "Say the carrier and the day.",
            "applicable_tools": ["get_order"], "tools_used": ["get_order"],
        });
        let metadata = json!({"source": "bench", "team": number % 10, "run": number}).to_string();
        let task = format!("Answer ticket {number}: where is order {}?", number * 7_919 % 100_000);
        let changed = first + 1 + number as i64;
        insert_memory.execute((
            project,
            id,
            task,
            lesson.to_string(),
            &written_by,
            filled.utility,
            metadata,
            changed,
        ))?;
        let [task, lesson] = [filled.task, filled.lesson]
            .map(|vector| vector.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>());
        insert_vector.execute((project, id, embedder, task, lesson))?;
    }
    drop((insert_memory, insert_vector));
    Ok(write.commit()?)
}

/// The embedder that the server gave to a project.
pub(crate) fn embedder_of(database: &Path, project: &str) -> anyhow::Result<String> {
    let sql = "SELECT embedder FROM projects WHERE project_id = ?1";
    Ok(Connection::open(database)?.query_row(sql, [project], |row| row.get(0))?)
}
