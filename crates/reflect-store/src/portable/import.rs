//! Storing lines of an export.

use std::sync::Arc;

use reflect_core::{Entropy, MemoryId, ProjectId, Timestamp, TraceId};
use uuid::Uuid;

use super::{
    counts::{LineCounts, VERSION},
    parts::{LINES, Part},
    reading::{Fields, ProjectRows, read},
};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Lane, Transaction, params},
    store::Store,
    tables::{
        credits, lessons, memories, projects, reporters, same_words,
        traces::{self, TraceView},
    },
};

/// How far an import has come.
#[derive(Clone)]
pub struct Import {
    /// How many lines were read.
    pub line: u64,
    /// How many things they held.
    pub read: LineCounts,
    /// How many of those were not there before.
    pub stored: LineCounts,
    /// Whether the last line was read: a file without it was cut off.
    pub is_whole: bool,
    into: Option<ProjectId>,
    now: Timestamp,
    entropy: Arc<dyn Entropy>,
    project_id: Option<ProjectId>,
}

impl Store {
    /// Stores some lines of an export, all of them or none, and answers how far the import has come. What is there already is passed over.
    pub async fn import(&self, mut import: Import, lines: Vec<String>) -> StoreResult<Import> {
        self.writer
            .write(Lane::Import, move |write| {
                if let Some(project_id) = &import.project_id {
                    write.lock_project(project_id)?;
                }
                for line in &lines {
                    import.line += 1;
                    import.take(write, line).map_err(|error| import.located(error))?;
                }
                Ok(import)
            })
            .await
    }
}

impl Import {
    /// An import that has read nothing yet, at `now`. Lines are stored in the project `into`, if there is one, instead of those that the file
    /// names. What tells a new project from an earlier one of its name is drawn from `entropy`.
    pub fn new(into: Option<ProjectId>, now: Timestamp, entropy: Arc<dyn Entropy>) -> Self {
        let counts = LineCounts::default();
        Self { line: 0, read: counts, stored: counts, is_whole: false, into, now, entropy, project_id: None }
    }

    fn located(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Damaged { what, why } => StoreError::BadLine { line: self.line, what, why },
            error => error,
        }
    }

    fn take(&mut self, write: &dyn Transaction, line: &str) -> StoreResult<()> {
        let object: Fields = serde_json::from_str(line).map_err(|error| StoreError::damaged("line", error))?;
        let Some((name, value)) = object.iter().next().filter(|_| object.len() == 1) else {
            return Err(StoreError::damaged("line", "it is not one thing under its name"));
        };
        if name == "reflect_export" {
            return refuse_version(read("reflect_export", value)?);
        }
        if self.line == 1 {
            return Err(StoreError::damaged("line", "the first one of an export is `reflect_export`"));
        }
        if name == "end" {
            self.is_whole = true;
            self.finish_project(write)?;
            return refuse_difference(self.read, read("end", value)?);
        }
        let part = LINES.into_iter().find(|part| part.name == name);
        let part = part.ok_or_else(|| StoreError::damaged("line", format!("there is nothing named `{name}`")))?;
        let fields = read(part.name, value)?;
        let is_new = match part.name {
            "project" => self.open_project(write, &fields)?,
            _ => self.store(write, part, &fields)?,
        };
        *self.read.of(name) += 1;
        *self.stored.of(name) += u64::from(is_new);
        Ok(())
    }

    /// Makes a project, unless it is there: then it stays as it is.
    fn open_project(&mut self, write: &dyn Transaction, fields: &Fields) -> StoreResult<bool> {
        let named = fields.get("project_id").ok_or_else(|| StoreError::damaged("project_id", "it is missing"))?;
        let project_id = match &self.into {
            Some(_) if self.read.projects > 0 => {
                return Err(StoreError::damaged("project", "the file has several projects, and cannot go into one"));
            }
            Some(into) => into.clone(),
            None => read("project_id", named)?,
        };
        self.finish_project(write)?;
        let project_id = self.project_id.insert(project_id);
        write.lock_project(project_id)?;
        if projects::exists(write, project_id)? {
            return Ok(false);
        }
        projects::refuse_erased(write, project_id)?;
        let mut incarnation = [0; 16];
        self.entropy.fill(&mut incarnation);
        ProjectRows { write, project_id }.insert_project(fields, Uuid::from_bytes(incarnation))?;
        projects::get(write, project_id).map(|_| true)
    }

    /// Counts anew who has brought how many of the runs in the ledgers of the project that was open.
    fn finish_project(&self, write: &dyn Transaction) -> StoreResult<()> {
        self.project_id.as_ref().map_or(Ok(()), |project_id| reporters::count_all(write, project_id))
    }

    /// Stores one thing of a project. It is read again as the server reads it, so that nothing gets in that would be found damaged later.
    fn store(&self, write: &dyn Transaction, part: &Part, fields: &Fields) -> StoreResult<bool> {
        let project_id = self.project_id.as_ref().ok_or_else(|| StoreError::damaged("line", "no project is open"))?;
        let Some(key) = (ProjectRows { write, project_id }).insert(part, fields)? else {
            return Ok(false);
        };
        match (part.name, key) {
            ("memory", Some(id)) => self.finish_memory(write, project_id, MemoryId::from_uuid(id))?,
            ("trace", Some(id)) => finish_trace(write, project_id, TraceId::from_uuid(id))?,
            _ => {}
        }
        Ok(true)
    }

    /// Folds its ledger, and sends the project to the embedder that it has if a vector is missing: whatever lacks one gets it on that way.
    fn finish_memory(&self, write: &dyn Transaction, project_id: &ProjectId, id: MemoryId) -> StoreResult<()> {
        write.execute(
            "UPDATE memories SET next_position = ledger.length
             FROM (SELECT coalesce(max(position) + 1, 0) AS length FROM credits WHERE project_id = ?1 AND memory_id = ?2) AS ledger
             WHERE project_id = ?1 AND memory_id = ?2 AND next_position < ledger.length",
            params![project_id, id],
        )?;
        credits::refold(write, project_id, id)?;
        write.execute(
            "DELETE FROM vectors WHERE project_id = ?1 AND memory_id = ?2 AND embedder NOT IN (
                 SELECT embedder FROM projects WHERE project_id = ?1
                 UNION SELECT target FROM embedder_switches WHERE project_id = ?1)",
            params![project_id, id],
        )?;
        write.execute(
            "INSERT INTO embedder_switches (project_id, target, started_at)
             SELECT p.project_id, p.embedder, ?3 FROM projects p
             JOIN memories m ON m.project_id = p.project_id AND m.memory_id = ?2 AND m.deleted_at IS NULL
             WHERE p.project_id = ?1 AND NOT EXISTS (
                 SELECT 1 FROM vectors v WHERE v.project_id = ?1 AND v.memory_id = ?2 AND v.embedder = p.embedder
                                           AND v.lesson_revision = m.revision)
             ON CONFLICT DO NOTHING",
            params![project_id, id, self.now],
        )?;
        same_words::keep(write, project_id, id).map(|_| ())
    }
}

/// Sets what stands on rows only for an index to hold it.
fn finish_trace(write: &dyn Transaction, project_id: &ProjectId, id: TraceId) -> StoreResult<()> {
    write.execute(
        "UPDATE traces SET judge_asked = (SELECT count(*) FROM judgements WHERE project_id = ?1 AND trace_id = ?2)
         WHERE project_id = ?1 AND trace_id = ?2",
        params![project_id, id],
    )?;
    write.execute(
        "UPDATE reviews SET shown = (
             SELECT count(*) FROM traces WHERE project_id = ?1 AND trace_id = ?2 AND retrieved_memory_ids <> '[]')
         WHERE project_id = ?1 AND trace_id = ?2",
        params![project_id, id],
    )?;
    let trace = traces::get(write, project_id, id, TraceView::Whole)?;
    let taught = trace.and_then(|trace| trace.created_memory_id);
    let deleted = lessons::list_deleted(write, project_id, id)?;
    taught.into_iter().chain(deleted).try_for_each(|memory_id| memories::touch(write, project_id, memory_id))
}

fn refuse_version(version: u32) -> StoreResult<()> {
    if version == VERSION {
        return Ok(());
    }
    Err(StoreError::damaged("reflect_export", format!("it is {version}, and this release reads {VERSION}")))
}

fn refuse_difference(read: LineCounts, written: LineCounts) -> StoreResult<()> {
    if read == written {
        return Ok(());
    }
    Err(StoreError::damaged("end", format!("{} lines were written, and {} are there", written.total(), read.total())))
}
