//! Writing projects as lines.

use std::{io::Write, path::Path};

use reflect_core::ProjectId;

use super::{
    counts::{LineCounts, VERSION},
    parts::LINES,
    writing::ProjectLines,
};
use crate::{
    error::{StoreError, StoreResult},
    sql::{Query, Read, params, to_json},
    sqlite::{Readers, older_schema},
    store::Store,
};

impl Store {
    /// Writes a project, or all of them, of the SQLite database at `path`, which another process may have open: one consistent view of it. Says
    /// after each line how many of how many are written.
    pub fn export_at(
        path: &Path,
        project_id: Option<&ProjectId>,
        out: &mut dyn Write,
        each: &mut dyn FnMut(u64, u64),
    ) -> StoreResult<LineCounts> {
        if let Some(found) = older_schema(path)? {
            return Err(StoreError::OlderSchema(found));
        }
        Readers::open_foreign(path)?.read_now(|read| export(read, project_id, out, each))
    }

    /// Writes a project, or all of them: one consistent view.
    pub async fn export<W: Write + Send + 'static>(
        &self,
        project_id: Option<ProjectId>,
        mut out: W,
    ) -> StoreResult<(LineCounts, W)> {
        let export = move |read: &dyn Read| {
            export(read, project_id.as_ref(), &mut out, &mut |_, _| {}).map(|counts| (counts, out))
        };
        self.readers.read(export).await
    }
}

fn export(
    read: &dyn Read,
    project_id: Option<&ProjectId>,
    out: &mut dyn Write,
    each: &mut dyn FnMut(u64, u64),
) -> StoreResult<LineCounts> {
    let project_ids: Vec<ProjectId> = read.query_all(
        "SELECT project_id FROM projects WHERE CAST(?1 AS TEXT) IS NULL OR project_id = ?1 ORDER BY project_id",
        params![project_id],
        |row| row.get("project_id"),
    )?;
    let all = count(read, &project_ids)?.total();
    let mut written = LineCounts::default();
    let mut write = |line: &str| out.write_all(line.as_bytes()).map_err(StoreError::file("writing the export"));
    write(&format!("{{\"reflect_export\":{VERSION}}}\n"))?;
    for project_id in &project_ids {
        for part in LINES {
            ProjectLines { read, project_id }.each_line(part, |line| {
                write(line)?;
                *written.of(part.name) += 1;
                each(written.total(), all);
                Ok(())
            })?;
        }
    }
    write(&format!("{{\"end\":{}}}\n", to_json("end", &written)?))?;
    Ok(written)
}

fn count(read: &dyn Read, project_ids: &[ProjectId]) -> StoreResult<LineCounts> {
    let mut counts = LineCounts::default();
    for project_id in project_ids {
        for part in LINES {
            let sql = format!("SELECT count(*) AS rows FROM {} WHERE project_id = ?1", part.table);
            *counts.of(part.name) += read.query_one(&sql, params![project_id], |row| row.get::<u64>("rows"))?;
        }
    }
    Ok(counts)
}
