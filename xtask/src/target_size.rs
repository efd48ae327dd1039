//! Keeps `target` from growing without end: cargo never deletes what an older version of a dependency has left there.

use std::{fs, path::Path};

use crate::shell::{cargo, run, say, target};

/// A run of everything leaves about a third of this.
const MOST_GIGABYTES: u64 = 24;

/// Deletes what tests have built, if it is too much by now. It is built again by whoever needs it.
pub(crate) fn keep_small() -> anyhow::Result<()> {
    let gigabytes = size_of(&target().join("debug")) / 1_000_000_000;
    if gigabytes <= MOST_GIGABYTES {
        return Ok(());
    }
    say(&format!("target/debug has {gigabytes} GB, most of it of older builds: it is deleted and built anew"));
    run(cargo(["clean", "--profile", "dev"]))
}

/// The bytes of all files below a folder; what cannot be read has none.
fn size_of(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.map(|entry| match entry.metadata() {
        Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
        Ok(metadata) => metadata.len(),
        Err(_) => 0,
    });
    sizes.sum()
}
