//! `reflect copy`: everything from one data folder or database into another.

use std::{fmt, path::PathBuf};

use anyhow::{Context, ensure};
use clap::{Arg, ArgMatches, Command as Clap};
use reflect_core::Secret;
use reflect_store::{CopyProgress, CopyReport, CopySource, CopyStep, CopyTarget, DataFolder};

use crate::{
    check,
    home::own_folder,
    progress::{ProgressBar, Unit},
    say,
};

/// From where to where.
pub(crate) struct CopyCommand {
    from: Place,
    to: Place,
}

enum Place {
    Folder(PathBuf),
    Database(Secret),
}

pub(crate) fn command() -> Clap {
    let place = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("FOLDER|URL").allow_hyphen_values(true).help(help)
    };
    Clap::new("copy")
        .about("Copy everything between data folders and PostgreSQL databases")
        .long_about("Copies everything from a data folder or a PostgreSQL database into another: every row of every table as it is, keys by their hashes, sessions and work that is still to be done included. Afterwards all of it is read again and compared, table by table, and every utility is held against its ledger.\n\nThe target must be empty. A copy that was interrupted is simply repeated: it goes on where it was. No server starts on a target that is not finished.\n\nA data folder that a server has open is refused. Of a database, the copy is what it held when the copying began: stop its servers first, or what they write meanwhile is not in it, and an interrupted copy has to begin anew.\n\nNeither the master key nor the audit log is in a database: give the new server the master key of the old one. A password in a URL can be seen by others on this machine; put the URL into REFLECT_COPY_FROM or REFLECT_COPY_TO instead.")
        .arg(place("from", "What to copy: a data folder, or postgres://… [default: REFLECT_COPY_FROM]"))
        .arg(place("to", "Where to: a data folder, or postgres://… [default: REFLECT_COPY_TO]"))
}

impl CopyCommand {
    pub(crate) fn read(matches: &ArgMatches) -> anyhow::Result<Self> {
        let place = |name: &str, variable: &str| {
            let typed = matches.get_one::<String>(name).cloned();
            let named = typed.or_else(|| std::env::var(variable).ok().filter(|text| !text.is_empty()));
            Place::read(named.with_context(|| format!("say with --{name} or {variable} which folder or database"))?)
        };
        Ok(Self { from: place("from", "REFLECT_COPY_FROM")?, to: place("to", "REFLECT_COPY_TO")? })
    }

    pub(crate) fn run(&self) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        // Both folders are ours until the end.
        let (_from, source) = runtime.block_on(self.from.source()).with_context(|| format!("opening {}", self.from))?;
        let (_to, target) = runtime.block_on(self.to.target()).with_context(|| format!("opening {}", self.to))?;
        let report = runtime.block_on(target.copy_from(&source, bars()))?;
        self.print(&report)
    }

    fn print(&self, report: &CopyReport) -> anyhow::Result<()> {
        let CopyReport { tables, already_there, ledger } = report;
        for (table, rows) in tables.iter().filter(|(_, rows)| *rows > 0) {
            say(format_args!("{rows:>12} {table}"))?;
        }
        if *already_there > 0 {
            say(format_args!("{already_there} rows had been copied before"))?;
        }
        let (rows, Self { from, to }) = (report.rows(), self);
        say(format_args!("{rows} rows are in {to}, the same as in {from}"))?;
        let differ = ledger.mismatches.len();
        say(format_args!("{} memories, {} credits folded, {differ} differ", ledger.memories, ledger.credits))?;
        ensure!(differ == 0, "{differ} utilities are not the fold of their ledger, in both: see `reflect check`");
        if let Self { from: Place::Folder(from), .. } = self
            && from.join(reflect_store::MASTER_KEY_FILE).exists()
        {
            say(format_args!(
                "its master key is not among them: give the new server what {} holds, in REFLECT_MASTER_KEY",
                from.join(reflect_store::MASTER_KEY_FILE).display()
            ))?;
        }
        Ok(())
    }
}

impl Place {
    fn read(named: String) -> anyhow::Result<Self> {
        match named.split_once("://") {
            Some(("postgres" | "postgresql", _)) => Ok(Self::Database(Secret::new(named))),
            Some((scheme, _)) => anyhow::bail!("there is no `{scheme}://` to copy: name a folder, or postgres://…"),
            None => Ok(Self::Folder(named.into())),
        }
    }

    async fn source(&self) -> anyhow::Result<(Option<DataFolder>, CopySource)> {
        match self {
            Self::Folder(folder) => {
                check::size_of(&DataFolder::database_in(folder))?;
                let folder = own_folder(folder)?;
                let source = CopySource::open(&folder.database())?;
                Ok((Some(folder), source))
            }
            Self::Database(url) => Ok((None, CopySource::connect(url.expose()).await?)),
        }
    }

    async fn target(&self) -> anyhow::Result<(Option<DataFolder>, CopyTarget)> {
        match self {
            Self::Folder(folder) => {
                let folder = own_folder(folder)?;
                let target = CopyTarget::open(&folder.database())?;
                Ok((Some(folder), target))
            }
            Self::Database(url) => Ok((None, CopyTarget::connect(url.expose()).await?)),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "`{}`", folder.display()),
            Self::Database(_) => f.write_str("the database"),
        }
    }
}

/// Draws how far a copy has come, a bar for each step.
fn bars() -> impl FnMut(CopyProgress) + Send + 'static {
    let mut bars = [("copying", CopyStep::Copying), ("comparing", CopyStep::Comparing)]
        .map(|(what, step)| (step, ProgressBar::new(what, Unit::Rows)));
    move |CopyProgress { step, done, all }| {
        for (_, bar) in bars.iter_mut().filter(|(of, _)| *of == step) {
            bar.show(done, all);
        }
    }
}
