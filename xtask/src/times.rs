//! How long stages took: printed, and kept in `target/xtask/times.json`.

use std::{fs, time::Duration};

use crate::shell::{notes, say};

/// Each stage with its time, in the order in which they ended.
#[derive(Default)]
pub(crate) struct Times(Vec<(&'static str, Duration)>);

impl Times {
    pub(crate) fn add(&mut self, name: &'static str, took: Duration) {
        self.0.push((name, took));
    }

    pub(crate) fn print(&self) {
        say("");
        for (name, took) in &self.0 {
            say(&format!("{name:>8} {:>6.1} s", took.as_secs_f64()));
        }
    }

    /// Writes them down in seconds, in place of those of the run before.
    pub(crate) fn keep(&self) -> anyhow::Result<()> {
        let seconds: Vec<String> =
            self.0.iter().map(|(name, took)| format!("  \"{name}\": {:.1}", took.as_secs_f64())).collect();
        fs::write(notes()?.join("times.json"), format!("{{\n{}\n}}\n", seconds.join(",\n")))?;
        Ok(())
    }
}
