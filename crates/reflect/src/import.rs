//! `reflect import`: an export, of ours or of another tool, into a data folder.

use std::{
    fs::File,
    io::{BufRead, BufReader, Read},
    path::PathBuf,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use anyhow::{Context, ensure};
use reflect_core::{Clock, ProjectId, Timestamp};
use reflect_import::{ConvertError, Format, Target, convert};
use reflect_store::{Import, Store};
use reflect_system::{SystemClock, SystemEntropy};
use tokio::runtime::Runtime;

use crate::{
    export::counted,
    home::Home,
    progress::{ProgressBar, Unit},
    say,
    settings::Settings,
};

/// How many bytes of lines share a transaction; one line may have more.
const BATCH_BYTES: usize = 1 << 20;

/// What is to be read.
pub(crate) struct ImportWish {
    /// The project that everything goes into; without one, those that the file names.
    pub(crate) project_id: Option<ProjectId>,
    /// Whose export it is; without one, our own.
    pub(crate) format: Option<Format>,
    pub(crate) from: PathBuf,
}

/// Stores what a file holds, while no server runs on the folder.
pub(crate) fn run(settings: &Settings, wish: &ImportWish) -> anyhow::Result<()> {
    let file = File::open(&wish.from).with_context(|| format!("reading `{}`", wish.from.display()))?;
    let (bytes, modified) = (file.metadata()?.len(), file.metadata()?.modified()?);
    let bar = ProgressBar::new("importing", Unit::Bytes);
    let file = BufReader::new(Watched { file, bar, read: 0, bytes });
    let home = Home::open(settings)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let store = runtime.block_on(home.store())?;
    let mut lines = Lines::new(&store, runtime, wish.project_id.clone());
    match wish.format {
        None => file.lines().try_for_each(|line| lines.push(line.context("reading the next line")?))?,
        Some(format) => {
            let take = &mut |line| lines.push(line).map_err(|error| ConvertError::Taker(error.into()));
            convert(format, file, &target(settings, wish, modified)?, take)?;
        }
    }
    let import = lines.finish()?;
    ensure!(
        import.is_whole,
        "`{}` was cut off: what it holds is stored, its last lines are missing",
        wish.from.display()
    );
    say(format_args!("read: {}\nnew: {}", counted(&import.read), counted(&import.stored)))
}

fn target(settings: &Settings, wish: &ImportWish, modified: SystemTime) -> anyhow::Result<Target> {
    let embedders = settings.embedders.make(Arc::new(SystemClock), Arc::new(SystemEntropy))?;
    let project_id = wish.project_id.clone().map_or_else(|| "default".parse(), Ok)?;
    let undated = Timestamp::from_micros(0).plus(modified.duration_since(UNIX_EPOCH).unwrap_or_default());
    let embedder = embedders.default_id().as_str().to_owned();
    Ok(Target { project_id, embedder, now: SystemClock.now(), undated })
}

/// Lines on their way into a store, some at a time.
struct Lines<'a> {
    store: &'a Store,
    runtime: Runtime,
    import: Import,
    batch: Vec<String>,
    bytes: usize,
}

impl<'a> Lines<'a> {
    fn new(store: &'a Store, runtime: Runtime, project_id: Option<ProjectId>) -> Self {
        let import = Import::new(project_id, SystemClock.now(), Arc::new(SystemEntropy));
        Self { store, runtime, import, batch: Vec::new(), bytes: 0 }
    }

    fn push(&mut self, line: String) -> anyhow::Result<()> {
        self.bytes += line.len();
        self.batch.push(line);
        if self.bytes < BATCH_BYTES { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.bytes = 0;
        let batch = std::mem::take(&mut self.batch);
        self.import = self.runtime.block_on(self.store.import(self.import.clone(), batch))?;
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<Import> {
        self.flush()?;
        Ok(self.import)
    }
}

/// A file that shows how far it was read.
struct Watched {
    file: File,
    bar: ProgressBar,
    read: u64,
    bytes: u64,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.read += u64::try_from(read).unwrap_or_default();
        self.bar.show(self.read, self.bytes);
        Ok(read)
    }
}
