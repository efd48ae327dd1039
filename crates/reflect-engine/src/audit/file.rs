//! A file that is moved aside when it is full.

use std::{
    fs::{File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// How many bytes a file holds before it is moved aside.
const FULL: u64 = 10 << 20;

/// How many full files are kept: `audit.log.1` is the newest.
const KEPT: u32 = 5;

/// A file and the full ones before it.
pub(super) struct RotatedFile {
    path: PathBuf,
    file: File,
    size: u64,
    full: u64,
}

impl RotatedFile {
    /// Goes on with the file at `path`, or begins it, readable by its owner alone.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = open(path)?;
        Ok(Self { path: path.to_owned(), size: file.metadata()?.len(), file, full: FULL })
    }

    pub(super) fn append(&mut self, line: &[u8]) -> io::Result<()> {
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
        if self.size > 0 && self.size.saturating_add(length) > self.full {
            self.move_aside()?;
        }
        self.file.write_all(line)?;
        self.size = self.size.saturating_add(length);
        Ok(())
    }

    fn move_aside(&mut self) -> io::Result<()> {
        for number in (1..KEPT).rev() {
            // The first few times there is none.
            let _ = std::fs::rename(self.numbered(number), self.numbered(number + 1));
        }
        std::fs::rename(&self.path, self.numbered(1))?;
        (self.file, self.size) = (open(&self.path)?, 0);
        Ok(())
    }

    fn numbered(&self, number: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_files_are_kept_up_to_a_number() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.log");
        let mut file = RotatedFile { full: 20, ..RotatedFile::open(&path).unwrap() };
        for number in 0..30 {
            file.append(format!("line {number:03}\n").as_bytes()).unwrap();
        }
        let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read("audit.log"), "line 028\nline 029\n");
        assert_eq!(read("audit.log.1"), "line 026\nline 027\n");
        assert_eq!(read("audit.log.5"), "line 018\nline 019\n");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 6);
        drop(file);
        let mut again = RotatedFile::open(&path).unwrap();
        again.append(b"line 030\n").unwrap();
        assert_eq!(read("audit.log"), "line 028\nline 029\nline 030\n", "it is gone on with");
    }
}
