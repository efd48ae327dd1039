//! `reflect check`: the ledger against the utilities.

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
            mismatch.memory_id, mismatch.project_id, mismatch.cached.q_value, mismatch.folded.q_value
        ))?;
    }
    let (memories, credits, wrong) = (report.memories, report.credits, report.mismatches.len());
    say(format_args!("{memories} memories, {credits} credits folded, {wrong} differ"))?;
    anyhow::ensure!(wrong == 0, "{wrong} utilities are not the fold of their ledger");
    Ok(())
}
