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
    home::Home,
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

/// Writes projects of a database, whoever has it open. A file gets its name once it is whole.
pub(crate) fn run(settings: &Settings, wish: &ExportWish) -> anyhow::Result<()> {
    if wish.to == Path::new("-") {
        let (_, mut out) = write(settings, wish, BufWriter::new(std::io::stdout()))?;
        return Ok(out.flush()?);
    }
    let partial = Partial::begin(&wish.to)?;
    let file = File::create(partial.path()).with_context(|| format!("writing `{}`", wish.to.display()))?;
    let (written, out) = write(settings, wish, BufWriter::new(file))?;
    out.into_inner().map_err(|error| error.into_error())?.sync_all()?;
    partial.finish()?;
    say(format_args!("{} are in {}", counted(&written), wish.to.display()))
}

fn write<W: Write + Send + 'static>(
    settings: &Settings,
    wish: &ExportWish,
    mut out: W,
) -> anyhow::Result<(LineCounts, W)> {
    let (written, out) = match Home::shared(settings) {
        Some(home) => {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            let store = runtime.block_on(home.store())?;
            runtime.block_on(store.export(wish.project_id.clone(), out))?
        }
        None => {
            let database = DataFolder::database_in(&settings.data);
            check::size_of(&database)?;
            let mut bar = ProgressBar::new("exporting", Unit::Lines);
            let each = &mut |done, all| bar.show(done, all);
            (Store::export_at(&database, wish.project_id.as_ref(), &mut out, each)?, out)
        }
    };
    if let Some(project_id) = &wish.project_id {
        ensure!(written.projects == 1, "there is no project `{project_id}`");
    }
    Ok((written, out))
}

/// How much there is, for people.
pub(crate) fn counted(counts: &LineCounts) -> String {
    let LineCounts { projects, memories, traces, retrievals, skills } = counts;
    format!("{projects} projects, {memories} memories, {traces} traces, {retrievals} queries, {skills} skills")
}
