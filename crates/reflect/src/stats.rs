//! `reflect stats`: what is kept, and how large it is.

use anyhow::Context;
use reflect_store::{DataFolder, Kept, ProjectSizes, Store, StoreSizes};
use serde_json::json;

use crate::{check, home::Home, progress::size, say, settings::Settings};

/// How the sizes are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Print {
    Table,
    Json,
}

/// Measures a database, whoever has it open.
pub(crate) fn run(settings: &Settings, print: Print) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let sizes = match Home::shared(settings) {
        Some(home) => runtime.block_on(async { anyhow::Ok(home.store().await?.measure().await?) })?,
        None => {
            let database = DataFolder::database_in(&settings.data);
            check::size_of(&database)?;
            runtime.block_on(Store::measure_at(&database)).context("measuring the database")?
        }
    };
    match print {
        Print::Json => say(format_args!("{}", as_json(&sizes))),
        Print::Table => print_table(&sizes),
    }
}

fn columns(project: &ProjectSizes) -> [(&'static str, Kept); 5] {
    let ProjectSizes { traces, memories, vectors, credits, retrievals } = *project;
    [("traces", traces), ("memories", memories), ("vectors", vectors), ("credits", credits), ("queries", retrievals)]
}

fn as_json(sizes: &StoreSizes) -> serde_json::Value {
    let projects = sizes.projects.iter().map(|(project_id, project)| {
        let kept = columns(project).map(|(name, kept)| (name, json!({"rows": kept.rows, "bytes": kept.bytes})));
        (project_id.to_string(), serde_json::Value::from_iter(kept))
    });
    json!({"file_bytes": sizes.file, "free_bytes": sizes.free, "projects": serde_json::Map::from_iter(projects)})
}

fn print_table(sizes: &StoreSizes) -> anyhow::Result<()> {
    let width =
        sizes.projects.keys().map(|name| name.to_string().chars().count()).max().unwrap_or(0).max("project".len());
    let head = columns(&ProjectSizes::default()).map(|(name, _)| format!("{name:>22}")).concat();
    say(format_args!("{:<width$}{head}", "project"))?;
    for (project_id, project) in &sizes.projects {
        let cells =
            columns(project).map(|(_, kept)| format!("{:>22}", format!("{} ({})", kept.rows, size(kept.bytes))));
        say(format_args!("{:<width$}{}", project_id.to_string(), cells.concat()))?;
    }
    say(format_args!("{} in the database, {} of it free; the rest are indexes", size(sizes.file), size(sizes.free)))
}
