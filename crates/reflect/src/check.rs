//! `reflect check`: the ledger against the utilities, and the indexes against the database.

use reflect_store::{DataFolder, Store};

use crate::{say, settings::Settings};

/// Folds everything again and prints what differs.
pub(crate) fn run(settings: &Settings) -> anyhow::Result<()> {
    let database = DataFolder::database_in(&settings.data);
    anyhow::ensure!(database.exists(), "there is no database at `{}`", database.display());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let report = runtime.block_on(Store::check_ledger_at(&database))?;
    for mismatch in &report.mismatches {
        say(format_args!(
            "memory {} in project `{}`: {} is stored, the ledger says {}",
            mismatch.memory_id,
            mismatch.project_id,
            mismatch.cached.utility(),
            mismatch.folded.utility()
        ))?;
    }
    let (memories, credits, wrong) = (report.memories, report.credits, report.mismatches.len());
    say(format_args!("{memories} memories, {credits} credits folded, {wrong} differ"))?;
    let indexes = runtime.block_on(reflect_engine::check_database(&database))?;
    for (project_id, memory_id) in &indexes.differing {
        say(format_args!(
            "memory {memory_id} in project `{project_id}`: its index does not have it as the database does"
        ))?;
    }
    let (memories, differing) = (indexes.memories, indexes.differing.len());
    say(format_args!("{memories} memories indexed, {differing} differ"))?;
    anyhow::ensure!(differing == 0, "{differing} memories are not in their indexes as they are in the database");
    anyhow::ensure!(wrong == 0, "{wrong} utilities are not the fold of their ledger");
    Ok(())
}
