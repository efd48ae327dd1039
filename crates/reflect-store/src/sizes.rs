//! What is kept, and how large it is.

use std::{collections::BTreeMap, ops::ControlFlow, path::Path};

use reflect_core::ProjectId;

use crate::{
    error::StoreResult,
    postgres,
    sql::{Dialect, Query, Read, params},
    sqlite::{Readers, dialect},
    store::Store,
};

/// How many there are of something, and how many bytes they take without indexes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept {
    /// How many.
    pub rows: u64,
    /// Bytes of their texts, vectors and ids.
    pub bytes: u64,
}

/// What one project keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectSizes {
    /// Runs, with their messages, reviews and judgements.
    pub traces: Kept,
    /// Memories, with what they said before.
    pub memories: Kept,
    /// What memories are found by.
    pub vectors: Kept,
    /// The ledger.
    pub credits: Kept,
    /// The log of queries.
    pub retrievals: Kept,
}

/// What a database keeps.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct StoreSizes {
    /// Bytes of the file, or of all tables and their indexes.
    pub file: u64,
    /// Bytes of it that hold nothing, and are used again or given back.
    pub free: u64,
    /// By project; those that are being erased are among them.
    pub projects: BTreeMap<ProjectId, ProjectSizes>,
}

/// Which rows count as what, and how many bytes one has. An id is 16, a time or a number 8.
const MEASURED: &[(Select, &str, &str)] = &[
    (
        Select::Traces,
        "traces",
        "80 + octet_length(task) + octet_length(final_response) + octet_length(metadata) + octet_length(warnings)
      + octet_length(retrieved_memory_ids) + coalesce(octet_length(reference_context), 0)",
    ),
    (Select::PartOfTraces, "trajectories", "32 + octet_length(trajectory)"),
    (
        Select::PartOfTraces,
        "reviews",
        "80 + coalesce(octet_length(feedback_text), 0) + coalesce(octet_length(reflection), 0)",
    ),
    (
        Select::Memories,
        "memories",
        "140 + octet_length(task) + octet_length(lesson) + octet_length(written_by) + octet_length(metadata)",
    ),
    (Select::PartOfMemories, "memory_revisions", "48 + octet_length(lesson) + octet_length(written_by)"),
    (Select::Vectors, "vectors", "64 + octet_length(vector) + coalesce(octet_length(lesson_vector), 0)"),
    (Select::Credits, "credits", "150"),
    (Select::Retrievals, "retrievals", "bytes"),
];

#[derive(Debug, Clone, Copy)]
enum Select {
    Traces,
    PartOfTraces,
    Memories,
    PartOfMemories,
    Vectors,
    Credits,
    Retrievals,
}

impl Store {
    /// Measures the database. Reads all of it.
    pub async fn measure(&self) -> StoreResult<StoreSizes> {
        self.readers.read(measure).await
    }

    /// The same for the SQLite database at `path`, which another process may have open.
    pub async fn measure_at(path: &Path) -> StoreResult<StoreSizes> {
        Readers::open_foreign(path)?.read(measure).await
    }
}

fn measure(read: &dyn Read) -> StoreResult<StoreSizes> {
    let file_size = match read.dialect() {
        Dialect::Sqlite => dialect::FILE_SIZE,
        Dialect::Postgres => postgres::dialect::FILE_SIZE,
    };
    let mut sizes = read.query_one(file_size, params![], |row| {
        Ok(StoreSizes { file: row.get("file")?, free: row.get("free")?, projects: BTreeMap::new() })
    })?;
    let projects = read.query_all("SELECT project_id FROM projects", params![], |row| row.get("project_id"))?;
    sizes.projects.extend(projects.into_iter().map(|project_id| (project_id, ProjectSizes::default())));
    for (select, table, bytes) in MEASURED {
        let sql = format!(
            "SELECT project_id, count(*) AS rows, CAST(sum({bytes}) AS BIGINT) AS bytes FROM {table} GROUP BY project_id"
        );
        read.each_row(&sql, params![], &mut |row| {
            let project = sizes.projects.entry(row.get("project_id")?).or_default();
            let (kept, counts) = select.of(project);
            kept.bytes += row.get::<u64>("bytes")?;
            kept.rows += if counts { row.get("rows")? } else { 0 };
            Ok(ControlFlow::Continue(()))
        })?;
    }
    Ok(sizes)
}

impl Select {
    /// Where such rows are counted, and whether each is one more.
    fn of(self, project: &mut ProjectSizes) -> (&mut Kept, bool) {
        match self {
            Self::Traces => (&mut project.traces, true),
            Self::PartOfTraces => (&mut project.traces, false),
            Self::Memories => (&mut project.memories, true),
            Self::PartOfMemories => (&mut project.memories, false),
            Self::Vectors => (&mut project.vectors, true),
            Self::Credits => (&mut project.credits, true),
            Self::Retrievals => (&mut project.retrievals, true),
        }
    }
}
