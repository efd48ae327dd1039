//! What happened in a run, as a line of a file: what was done survives when the benchmark is stopped.

use std::{
    fs::{File, OpenOptions},
    io::{BufRead, BufReader, Write},
    path::Path,
};

use serde::{Deserialize, Serialize};

/// A run that was done.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    /// From 0.
    pub(super) number: usize,
    pub(super) family: String,
    pub(super) task: String,
    pub(super) arm: Arm,
    pub(super) lessons_shown: usize,
    /// How many of these come from the task's own family.
    pub(super) own_lessons: usize,
    pub(super) answer: String,
    pub(super) passed: bool,
    pub(super) feedback: String,
    /// From the query to the lesson.
    pub(super) seconds: f64,
}

/// What the server drew for a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Arm {
    WithMemories,
    /// Held out.
    WithoutMemories,
    /// There was nothing to show, so nothing was drawn.
    NothingFound,
}

impl Arm {
    /// From what the log of queries says.
    pub(super) fn drawn(held_out: Option<bool>) -> Self {
        match held_out {
            Some(true) => Self::WithoutMemories,
            Some(false) => Self::WithMemories,
            None => Self::NothingFound,
        }
    }
}

/// A file of runs that only grows.
pub(super) struct RunLog(File);

impl RunLog {
    /// The file, and what it has already.
    pub(super) fn open(path: &Path) -> anyhow::Result<(Self, Vec<Record>)> {
        let file = OpenOptions::new().create(true).read(true).append(true).open(path)?;
        let lines = BufReader::new(&file).lines();
        let records = lines.map(|line| Ok(serde_json::from_str(&line?)?)).collect::<anyhow::Result<_>>()?;
        Ok((Self(file), records))
    }

    pub(super) fn append(&mut self, record: &Record) -> anyhow::Result<()> {
        let line = serde_json::to_string(record)? + "\n";
        Ok(self.0.write_all(line.as_bytes())?)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::windows::tests::record, *};

    #[test]
    fn runs_are_there_when_the_file_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        for number in 0..2 {
            let (mut log, before) = RunLog::open(&path).unwrap();
            assert_eq!(before.len(), number);
            log.append(&record(number, Arm::drawn(Some(true)), true)).unwrap();
        }
        let (_, records) = RunLog::open(&path).unwrap();
        assert!(records.iter().all(|record| record.passed && record.arm == Arm::WithoutMemories));
    }
}
