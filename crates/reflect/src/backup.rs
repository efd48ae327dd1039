//! `reflect backup` and `reflect restore`: a data folder's database as one file, and back.

use std::path::Path;

use anyhow::Context;
use reflect_core::Clock;
use reflect_store::{DataFolder, Store};
use reflect_system::SystemClock;

use crate::{
    check,
    home::own_folder,
    partial::Partial,
    progress::{ProgressBar, Unit, size},
    say,
    settings::Settings,
};

/// Copies the database of a data folder, whoever has it open, checks the copy, and gives it its name only then.
pub(crate) fn backup(settings: &Settings, to: &Path) -> anyhow::Result<()> {
    settings.need_folder("`pg_dump` copies a database")?;
    let database = DataFolder::database_in(&settings.data);
    check::size_of(&database)?;
    let to = if to.is_dir() { to.join(dated_name()) } else { to.to_owned() };
    let bytes = copy(&database, &to)?;
    say(format_args!("{} are backed up in {}", size(bytes), to.display()))
}

/// Makes the database of a data folder, which must have none, out of a backup.
pub(crate) fn restore(settings: &Settings, from: &Path) -> anyhow::Result<()> {
    settings.need_folder("`pg_restore` brings a database back")?;
    check::size_of(from)?;
    let folder = own_folder(&settings.data)?;
    let bytes = copy(from, &folder.database())?;
    say(format_args!("{} are restored to {}", size(bytes), folder.path().display()))
}

/// Copies a database to where nothing is yet. What stands there afterwards is whole, sound and on disk. Answers how large it is.
fn copy(from: &Path, to: &Path) -> anyhow::Result<u64> {
    let partial = Partial::begin(to)?;
    let mut bar = ProgressBar::new("copying", Unit::Bytes);
    Store::copy_at(from, partial.path(), |copied| bar.show(copied.bytes, copied.of))
        .with_context(|| format!("copying `{}`", from.display()))?;
    drop(bar);
    check::look_at(partial.path()).context("the copy is not sound, and was thrown away")?;
    let bytes = check::size_of(partial.path())?;
    partial.finish()?;
    Ok(bytes)
}

/// Such as `reflect-20261116-093000.db`, so that backups sort by age.
fn dated_name() -> String {
    let now = SystemClock.now().to_string();
    let digits: String = now.chars().take("2026-11-16T09:30:00".len()).filter(char::is_ascii_digit).collect();
    let (day, time) = digits.split_at_checked(8).unwrap_or((&digits, ""));
    format!("reflect-{day}-{time}.db")
}
