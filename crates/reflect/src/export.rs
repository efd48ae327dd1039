//! `reflect export`: projects as lines of JSON.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use reflect_core::ProjectId;
use reflect_store::{DataFolder, LineCounts, Store};

use crate::{
    check,
    partial::Partial,
    progress::{ProgressBar, Unit},
    say,
    settings::Settings,
};

/// What is to be written, and where.
pub(crate) struct ExportWish {
    /// Without one, all projects.
    pub(crate) project_id: Option<ProjectId>,
    /// `-` is standard output.
    pub(crate) to: PathBuf,
}

/// Writes projects of a data folder, whoever has it open. A file gets its name once it is whole.
pub(crate) fn run(settings: &Settings, wish: &ExportWish) -> anyhow::Result<()> {
    let database = DataFolder::database_in(&settings.data);
    check::size_of(&database)?;
    if wish.to == Path::new("-") {
        let mut out = BufWriter::new(std::io::stdout().lock());
        write(&database, wish, &mut out)?;
        return Ok(out.flush()?);
    }
    let partial = Partial::begin(&wish.to)?;
    let file = File::create(partial.path()).with_context(|| format!("writing `{}`", wish.to.display()))?;
    let mut out = BufWriter::new(file);
    let written = write(&database, wish, &mut out)?;
    out.into_inner().map_err(|error| error.into_error())?.sync_all()?;
    partial.finish()?;
    say(format_args!("{} are in {}", counted(&written), wish.to.display()))
}

fn write(database: &Path, wish: &ExportWish, out: &mut dyn Write) -> anyhow::Result<LineCounts> {
    let mut bar = ProgressBar::new("exporting", Unit::Lines);
    let each = &mut |done, all| bar.show(done, all);
    let written = Store::export_at(database, wish.project_id.as_ref(), out, each)?;
    if let Some(project_id) = &wish.project_id {
        ensure!(written.projects == 1, "there is no project `{project_id}`");
    }
    Ok(written)
}

/// How much there is, for people.
pub(crate) fn counted(counts: &LineCounts) -> String {
    let LineCounts { projects, memories, traces, retrievals, skills } = counts;
    format!("{projects} projects, {memories} memories, {traces} traces, {retrievals} queries, {skills} skills")
}
