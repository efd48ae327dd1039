//! Who may look into a data folder: its owner alone.

use std::{
    fs::{DirBuilder, OpenOptions, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt},
    path::Path,
};

/// The name of the file in a data folder that keeps its master key.
pub const MASTER_KEY_FILE: &str = "master.key";

const OWNERS_FOLDER: u32 = 0o700;
const OWNERS_FILE: u32 = 0o600;

/// The rights of anyone but the owner.
const OTHERS: u32 = 0o077;
const OTHERS_WRITE: u32 = 0o022;

/// Makes a folder that only its owner may enter, unless it is there.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(OWNERS_FOLDER).create(path)
}

/// Options that make a file which only its owner may read.
pub(crate) fn owners_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(OWNERS_FILE);
    options
}

/// Makes an empty file that only its owner may read, unless it is there. SQLite gives the files beside a database the same rights.
pub(super) fn make_file(path: &Path) -> io::Result<()> {
    owners_file().append(true).create(true).open(path).map(|_| ())
}

/// Takes from everybody else the rights that an earlier release or somebody's copy gave them to the folder and to what we keep in it, and
/// says so. Files of others are left alone.
pub(super) fn close_to_others(folder: &Path) {
    close(folder, OWNERS_FOLDER);
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        if is_file && is_ours(&name.to_string_lossy(), &path) {
            close(&path, OWNERS_FILE);
        }
    }
}

/// A master key that others could write is not ours to close: it may be theirs by now, and is refused when it is read.
fn is_ours(name: &str, path: &Path) -> bool {
    let writable = || std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & OTHERS_WRITE != 0);
    match name {
        MASTER_KEY_FILE => !writable(),
        "owner.lock" | "server.log" => true,
        _ => name.starts_with("reflect.db") || name.starts_with("audit.log"),
    }
}

fn close(path: &Path, mode: u32) {
    let Ok(found) = std::fs::metadata(path).map(|found| found.permissions().mode() & 0o7777) else { return };
    if found & OTHERS == 0 {
        return;
    }
    let (shown, found) = (path.display(), format!("{found:04o}"));
    match std::fs::set_permissions(path, Permissions::from_mode(mode)) {
        Ok(()) => {
            tracing::warn!(path = %shown, mode = found, "others could look into this; it is the owner's alone now")
        }
        Err(error) => {
            tracing::warn!(path = %shown, mode = found, %error, "others can look into this, which cannot be changed")
        }
    }
}
