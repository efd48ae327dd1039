//! `reflect check`: the whole database, the ledger against the utilities, and the indexes against the database.

use std::path::Path;

use anyhow::{Context, ensure};
use reflect_core::{Tally, worth::LearningRule};
use reflect_engine::IndexReport;
use reflect_store::{DataFolder, FileReport, LedgerReport, Ownership, Store};
use tokio::runtime::Runtime;

use crate::{home::Home, say, settings::Settings};

/// Looks for damage and prints what is found; mends what can be mended before, if that is asked for.
pub(crate) fn run(settings: &Settings, repair: bool) -> anyhow::Result<()> {
    if let Some(home) = Home::shared(settings) {
        ensure!(!repair, "a database that servers may be using is not repaired: restore it from a backup");
        return look_at_shared(&home);
    }
    let database = DataFolder::database_in(&settings.data);
    size_of(&database)?;
    if repair {
        mend(&runtime()?, settings)?;
    }
    look_at(&database)
}

/// Looks for damage in a database that servers may be using, and prints what is found.
fn look_at_shared(home: &Home) -> anyhow::Result<()> {
    let runtime = runtime()?;
    let store = runtime.block_on(home.store())?;
    let texts = || say_texts(&runtime.block_on(store.check_texts())?);
    let ledger = || say_ledger(&runtime.block_on(store.check_ledger())?);
    let indexes = || say_indexes(&runtime.block_on(reflect_engine::check_rows(store.index_reader()))?);
    sum_up(vec![("the database is damaged", texts()), ("the ledger", ledger()), ("the indexes", indexes())])
}

/// How large a database is, which must be there.
pub(crate) fn size_of(database: &Path) -> anyhow::Result<u64> {
    let size = std::fs::metadata(database).map(|found| found.len());
    let size = size.with_context(|| format!("there is no database at `{}`", database.display()))?;
    ensure!(size > 0, "`{}` is empty (0 bytes): put it back from a backup", database.display());
    Ok(size)
}

/// Looks for damage in a database, which another process may have open, and prints what is found.
pub(crate) fn look_at(database: &Path) -> anyhow::Result<()> {
    let runtime = runtime()?;
    let texts = || say_texts(&runtime.block_on(Store::check_file_at(database))?);
    let ledger = || say_ledger(&runtime.block_on(Store::check_ledger_at(database))?);
    let indexes = || say_indexes(&runtime.block_on(reflect_engine::check_database(database))?);
    let mut problems = vec![("the file is damaged", texts())];
    match Store::older_schema_at(database)? {
        Some(schema) => say(format_args!(
            "schema {schema} is from an earlier release: its ledger and its indexes are looked at once it is migrated"
        ))?,
        None => problems.extend([("the ledger", ledger()), ("the indexes", indexes())]),
    }
    sum_up(problems)
}

fn sum_up(problems: Vec<(&str, anyhow::Result<()>)>) -> anyhow::Result<()> {
    let mut failed = Vec::new();
    for (what, checked) in problems {
        if let Err(error) = checked {
            failed.push(format!("{what}: {error:#}"));
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("; "));
    Ok(())
}

fn runtime() -> std::io::Result<Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

fn mend(runtime: &Runtime, settings: &Settings) -> anyhow::Result<()> {
    let folder = match DataFolder::open(&settings.data)? {
        Ownership::Ours(folder) => folder,
        Ownership::Theirs(owner) => anyhow::bail!("process {} has the data folder open; stop it first", owner.pid),
    };
    let store = Store::open(&folder.database())?;
    let repaired = runtime.block_on(store.repair())?;
    say(format_args!(
        "indexes made anew, {} memories numbered anew, {} utilities folded anew, {} found by what they say again",
        repaired.renumbered, repaired.refolded, repaired.reworded
    ))?;
    let told = runtime.block_on(reflect_engine::tell_lessons(&store))?;
    say(format_args!("{told} lessons said how much they tell"))
}

fn say_texts(report: &FileReport) -> anyhow::Result<()> {
    for damage in &report.damages {
        say(format_args!("{damage}"))?;
    }
    let (texts, without, damaged) = (report.texts, report.without_checksum, report.damages.len());
    say(format_args!("{texts} texts and vectors read, {without} of them without a checksum, {damaged} damages"))?;
    ensure!(damaged == 0, "{damaged} damages; what is lost has to come from a backup");
    Ok(())
}

fn say_ledger(report: &LedgerReport) -> anyhow::Result<()> {
    for mismatch in &report.mismatches {
        let both = |tally: &Tally| {
            let by = |rule| tally.under(rule).utility();
            format!("{} by constant steps and {} by worth", by(LearningRule::Constant), by(LearningRule::Worth))
        };
        let (memory_id, project_id) = (mismatch.memory_id, &mismatch.project_id);
        let (cached, folded) = (both(&mismatch.cached), both(&mismatch.folded));
        say(format_args!(
            "memory {memory_id} in project `{project_id}`: {cached} is stored, the ledger says {folded}"
        ))?;
    }
    let (memories, credits, wrong) = (report.memories, report.credits, report.mismatches.len());
    say(format_args!("{memories} memories, {credits} credits folded, {wrong} differ"))?;
    ensure!(wrong == 0, "{wrong} utilities are not the fold of their ledger");
    Ok(())
}

fn say_indexes(report: &IndexReport) -> anyhow::Result<()> {
    for (project_id, memory_id) in &report.differing {
        say(format_args!(
            "memory {memory_id} in project `{project_id}`: its index does not have it as the database does"
        ))?;
    }
    let (memories, differing) = (report.memories, report.differing.len());
    say(format_args!("{memories} memories indexed, {differing} differ"))?;
    ensure!(differing == 0, "{differing} memories are not in their indexes as they are in the database");
    Ok(())
}
