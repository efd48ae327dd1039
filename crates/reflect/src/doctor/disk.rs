//! Room on the disk that holds a data folder.

use std::path::Path;

use super::report::{Fault, Report};
use crate::{settings::Settings, target::absolute};

/// Below this much the next writes may fail.
const LEAST: u64 = 64 << 20;

/// Below this much it is time to do something.
const LITTLE: u64 = 1 << 30;

pub(super) fn check(settings: &Settings, report: &mut Report) -> anyhow::Result<()> {
    let folder = absolute(settings)?;
    // A folder that is not there yet will be where its parents are.
    let there = folder.ancestors().find(|folder| folder.exists()).unwrap_or(Path::new("/"));
    let shown = folder.display();
    let remedy = || format!("make room on the disk that holds `{shown}`, or move the folder to a larger one");
    match rustix::fs::statvfs(there) {
        Err(error) => report.fail(
            "disk",
            Fault::new(format!("`{shown}` cannot be looked at: {error}"), "look whether the folder is there and yours"),
        ),
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            let message = format!("{} MiB are free where `{shown}` is", free >> 20);
            match free {
                0..LEAST => report.fail("disk", Fault::new(message, remedy())),
                LEAST..LITTLE => report.warn("disk", Fault::new(message, remedy())),
                _ => report.ok("disk", message),
            }
        }
    }
}
