//! A progress bar on standard error, for whoever sits at a terminal.

use std::{
    io::{IsTerminal, Write},
    time::{Duration, Instant},
};

/// How many marks a full bar has.
const WIDTH: u64 = 30;

/// How often it is drawn at most.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// Goes back to the start of the line and clears it.
const CLEAR: &str = "\r\x1b[2K";

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Bytes,
    Lines,
    Rows,
}

/// Draws how far some work has come, over itself. Elsewhere than on a terminal it draws nothing. Dropped, it is gone from the screen.
pub(crate) struct ProgressBar {
    what: &'static str,
    unit: Unit,
    drawn_at: Option<Instant>,
    is_terminal: bool,
}

impl ProgressBar {
    /// A bar with the name of the work beside it.
    pub(crate) fn new(what: &'static str, unit: Unit) -> Self {
        Self { what, unit, drawn_at: None, is_terminal: std::io::stderr().is_terminal() }
    }

    /// Shows that `done` of `all` are dealt with.
    pub(crate) fn show(&mut self, done: u64, all: u64) {
        let is_soon = self.drawn_at.is_some_and(|drawn_at| drawn_at.elapsed() < DRAW_EVERY);
        if !self.is_terminal || (is_soon && done < all) {
            return;
        }
        self.drawn_at = Some(Instant::now());
        // What cannot be drawn is not worth ending the work for.
        let _ = write!(std::io::stderr(), "{CLEAR}{}", line(self.what, self.unit, done, all));
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        if self.drawn_at.is_some() {
            let _ = write!(std::io::stderr(), "{CLEAR}");
        }
    }
}

fn line(what: &str, unit: Unit, done: u64, all: u64) -> String {
    let share = |of: u64| (u128::from(done.min(all)) * u128::from(of)).checked_div(all.into()).unwrap_or(of.into());
    let marks = "#".repeat(usize::try_from(share(WIDTH)).unwrap_or_default());
    let all = match unit {
        Unit::Bytes => size(all),
        Unit::Lines => format!("{all} lines"),
        Unit::Rows => format!("{all} rows"),
    };
    format!("{what} [{marks:<30}] {:>3} % of {all}", share(100))
}

/// A number of bytes for people.
pub(crate) fn size(bytes: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
    let unit = units.iter().find(|(_, unit)| bytes as f64 >= *unit);
    unit.map_or_else(|| format!("{bytes} bytes"), |(name, unit)| format!("{:.1} {name}", bytes as f64 / unit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_up() {
        assert_eq!(line("copying", Unit::Bytes, 0, 1_000), "copying [                              ]   0 % of 1.0 kB");
        assert_eq!(
            line("copying", Unit::Bytes, 500, 1_000),
            "copying [###############               ]  50 % of 1.0 kB"
        );
        assert_eq!(
            line("copying", Unit::Bytes, 2_500_000, 2_500_000),
            format!("copying [{}] 100 % of 2.5 MB", "#".repeat(30))
        );
        assert_eq!(line("copying", Unit::Bytes, 0, 0), format!("copying [{}] 100 % of 0 bytes", "#".repeat(30)));
    }
}
