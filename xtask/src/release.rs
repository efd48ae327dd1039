//! `cargo xtask release`: what has to be green before a release, and the files that it consists of.

use crate::{dist, test};

/// Runs every stage, whatever has passed before; the last of them leaves the wheel, to which this adds the archive.
pub(crate) fn make() -> anyhow::Result<()> {
    test::all(true)?;
    dist::build()
}
