//! A run on the screen.

use reflect_api::TraceAnswer;
use reflect_core::{Message, Trajectory};

use super::bench::Progress;
use super::terminal::Size;

const BAR: usize = 30;
const KEYS: &str = "[p]ass  [f]ail with feedback  [d]efer  [u]ndo  [o]pen all of it  [q]uit";

/// What is to be seen.
pub(super) struct View<'a> {
    pub(super) trace: &'a TraceAnswer,
    pub(super) progress: Progress,
    /// What the last key led to.
    pub(super) note: &'a str,
    /// Whether the run is shown in all its length, rather than as much as fits.
    pub(super) is_whole: bool,
}

impl View<'_> {
    /// The text of a screen of this size.
    pub(super) fn draw(&self, size: Size) -> String {
        let mut lines = self.run(size.columns);
        // Bar, note and keys, and blank lines around them.
        let room = size.rows.saturating_sub(6).max(4);
        if !self.is_whole && lines.len() > room {
            lines.truncate(room - 1);
            lines.push("… (o shows all of it)".to_owned());
        }
        format!("{}\n\n{}\n\n{}\n{KEYS} ", bar(self.progress), lines.join("\n"), visible(self.note))
    }

    fn run(&self, columns: usize) -> Vec<String> {
        let trace = self.trace;
        let mut lines = Vec::new();
        section(&mut lines, "Task", &trace.task, columns);
        section(&mut lines, "Answer", &trace.final_response, columns);
        if !trace.retrieved_memory_ids.is_empty() {
            let shown = format!("{} lessons were shown to it", trace.retrieved_memory_ids.len());
            section(&mut lines, "Memories", &shown, columns);
        }
        section(&mut lines, "Warnings", &trace.warnings.join("\n"), columns);
        let run = trace.trajectory.clone().map(|run| Trajectory::from_stored(run).messages()).unwrap_or_default();
        let run: Vec<String> = run.iter().map(told).collect();
        section(&mut lines, "Run", &run.join("\n"), columns);
        lines
    }
}

fn told(message: &Message) -> String {
    let mut parts = Vec::new();
    if !message.text.trim().is_empty() {
        parts.push(message.text.trim().to_owned());
    }
    parts.extend(message.tool_calls.iter().map(|call| format!("calls {} {}", call.name, call.arguments)));
    parts.extend(message.tool_results.iter().map(|result| format!("{} answers {}", result.name, result.text.trim())));
    format!("{}: {}", message.role, parts.join("\n  "))
}

fn section(lines: &mut Vec<String>, title: &str, text: &str, columns: usize) {
    let text = visible(text.trim());
    if text.is_empty() {
        return;
    }
    lines.push(format!("{title}:"));
    lines.extend(
        text.lines().flat_map(|line| wrap(line, columns.saturating_sub(3).max(20))).map(|line| format!("  {line}")),
    );
}

/// A line in pieces of so many characters, cut between words where there are any.
fn wrap(line: &str, width: usize) -> Vec<String> {
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for word in line.split_inclusive(' ') {
        let length = word.chars().count();
        if used > 0 && used + length > width {
            pieces.push(String::new());
            used = 0;
        }
        for character in word.chars() {
            if used == width {
                pieces.push(String::new());
                used = 0;
            }
            if let Some(piece) = pieces.last_mut() {
                piece.push(character);
            }
            used += 1;
        }
    }
    pieces
}

/// A text without what would steer the terminal: runs hold whatever agents have read anywhere.
fn visible(text: &str) -> String {
    let kept = |character: &char| *character == '\n' || !character.is_control();
    text.replace('\t', "    ").chars().filter(kept).collect()
}

fn bar(progress: Progress) -> String {
    let Progress { done, all, reviewed, deferred } = progress;
    let full = (BAR * done).checked_div(all).unwrap_or(BAR);
    format!(
        "[{}{}] {}/{all}  {reviewed} reviewed, {deferred} deferred",
        "#".repeat(full),
        "-".repeat(BAR - full),
        done + 1
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_as_runs_are_decided() {
        let at = |done| bar(Progress { done, all: 3, reviewed: done, deferred: 0 });
        assert_eq!(at(0), format!("[{}] 1/3  0 reviewed, 0 deferred", "-".repeat(30)));
        assert_eq!(at(2), format!("[{}{}] 3/3  2 reviewed, 0 deferred", "#".repeat(20), "-".repeat(10)));
    }

    #[test]
    fn lines_are_cut_between_words_and_long_words_anywhere() {
        assert_eq!(wrap("one two three", 8), ["one two ", "three"]);
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("", 4), [""]);
    }

    #[test]
    fn no_text_steers_the_terminal() {
        assert_eq!(visible("a\u{1b}[2Jb\r\u{7}\u{9b}31mc\td\n"), "a[2Jb31mc    d\n");
    }
}
