//! What a command in a shell came to.

use super::{
    CallOutcome, Sign, error_line, first_line,
    frame::{self, Ending},
    json, labels, last_words, sql, status,
};
use crate::builtin::call::command::Command;

pub(super) fn outcome(command: &Command, ending: Option<Ending>, is_marked: bool, printed: &str) -> CallOutcome {
    if is_lost(printed) {
        return CallOutcome::Unknown;
    }
    match ending {
        Some(Ending::Stopped) => CallOutcome::failed(&error_line::of_frame(printed), Sign::Frame),
        Some(Ending::Code(0)) if !is_marked => of_success(command, printed),
        Some(Ending::Code(129..=159)) => CallOutcome::failed(&error_line::of_crash(printed), Sign::Frame),
        Some(Ending::Code(code)) if command.answers_by(code) => CallOutcome::Succeeded,
        Some(Ending::Code(code)) if code != 0 && is_silent(printed) => CallOutcome::Silent,
        Some(Ending::Code(code)) if code != 0 && !is_no_find(command, code) => failed(printed),
        Some(_) => CallOutcome::Unknown,
        None if is_marked && is_silent(printed) => CallOutcome::Silent,
        None if is_marked => failed(printed),
        None => by_words(command, printed),
    }
}

fn failed(printed: &str) -> CallOutcome {
    CallOutcome::failed(&error_line::telling(printed), Sign::Frame)
}

/// Whether the line did not get where its commands were to run: they did not.
fn is_lost(printed: &str) -> bool {
    printed.lines().take(4).any(|line| line.contains(": cd: ") || line.starts_with("cd: "))
}

/// A search that finds nothing has a code, too.
fn is_no_find(command: &Command, code: i64) -> bool {
    command.is_finding() && code == 1
}

/// Whether nothing was printed but the frame, and that speaks of no more than a code.
fn is_silent(printed: &str) -> bool {
    let says_nothing =
        |line: &str| line.trim().is_empty() || (frame::is_frame_line(line) && !frame::is_stop_line(line));
    printed.lines().all(says_nothing)
}

/// A code of 0 is that of the last command. Of a pipe that may be `tail`, whatever became of the test run before it.
fn of_success(command: &Command, printed: &str) -> CallOutcome {
    // Of a loop's commands the last has the code; each that failed would have said so.
    let is_quiet_block = command.is_block() && is_silent(printed);
    if command.has_own_code() || command.is_reading() || is_quiet_block {
        return CallOutcome::Succeeded;
    }
    by_words(command, printed)
}

/// The outcome where no code tells.
fn by_words(command: &Command, printed: &str) -> CallOutcome {
    let first = first_line(printed);
    if command.is_reading() {
        return match is_own_message(command, first) && printed.lines().nth(2).is_none() {
            true => CallOutcome::failed(first, Sign::Words),
            false => {
                CallOutcome::known(printed.lines().any(|line| !line.trim().is_empty() && !frame::is_frame_line(line)))
            }
        };
    }
    if command.sql().is_some() {
        return sql::outcome(printed);
    }
    if first.is_empty() {
        return CallOutcome::known(command.is_silent_check());
    }
    if matches!(command.program(), "curl" | "http" | "https" | "xh")
        && let json::Verdict::Error(error) = json::judge(printed.trim())
    {
        return CallOutcome::failed(&error, Sign::Words);
    }
    let last = printed.lines().rev().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    if [first, last].iter().any(|line| is_unknown_command(line)) {
        return CallOutcome::failed(&error_line::telling(printed), Sign::Words);
    }
    if labels::is_exception(printed.trim_start()) || ends_in_exception(printed) || has_crashed(printed) {
        return CallOutcome::failed(&error_line::telling(printed), Sign::Exception);
    }
    match last_words::read(printed) {
        Some(false) if command.ends_well() || command.only_shows() => return CallOutcome::Unknown,
        Some(false) => return CallOutcome::failed(&error_line::telling(printed), Sign::Words),
        Some(true) => return CallOutcome::Succeeded,
        None => {}
    }
    let says_so = |line: &str| is_own_message(command, line) || is_own_error(command, line);
    if says_so(first) || says_so(last) {
        return CallOutcome::failed(&error_line::telling(printed), Sign::Words);
    }
    CallOutcome::known(command.program() == "git" && command.subcommand() == "push" && has_pushed(printed))
}

/// `bash: line 1: foo: command not found`.
fn is_unknown_command(line: &str) -> bool {
    let is_shell =
        ["bash: ", "sh: ", "/bin/sh: ", "/bin/bash: ", "zsh: ", "-bash: "].iter().any(|shell| line.starts_with(shell));
    let is_lost = ["not found", ": No such file or directory", ": Permission denied"];
    is_shell && (is_lost.iter().any(|end| line.ends_with(end)) || line.contains("command not found"))
}

/// A program that ends by an exception prints it last.
fn ends_in_exception(printed: &str) -> bool {
    let is_last = |line: &str| labels::has_exception_type(line.trim());
    let mut last = printed.lines().rev().filter(|line| !line.trim().is_empty());
    printed.contains(labels::TRACEBACK) && last.next().is_some_and(is_last)
}

/// The last words of programs in other languages: Java, Go, Rust, JavaScript.
fn has_crashed(printed: &str) -> bool {
    let is_crash = |line: &str| {
        line.starts_with("Exception in thread \"")
            || line.starts_with("goroutine 1 [running]")
            || line.starts_with("fatal runtime error: ")
            || (line.starts_with("thread 'main' ") && line.contains("panicked at"))
            || (line.contains("ERROR: ") && line.contains("Sanitizer: "))
    };
    let is_of_node = printed.starts_with("node:internal/")
        || printed.lines().next_back().is_some_and(|line| line.starts_with("Node.js v"));
    (is_of_node && printed.lines().any(|line| line.starts_with("    at ")))
        || printed.lines().rev().take(60).any(is_crash)
}

/// `cat: a.txt: No such file or directory`: a program under its own name, about trouble.
fn is_own_message(command: &Command, line: &str) -> bool {
    const TROUBLE: [&str; 20] = [
        "does not exist",
        "already exists",
        "missing",
        "no such",
        "cannot",
        "can't",
        "could not",
        "couldn't",
        "error",
        "fail",
        "denied",
        "not found",
        "invalid",
        "unrecognized",
        "unknown",
        "illegal",
        "refused",
        "unable",
        "not a ",
        "is a directory",
    ];
    if command.program().is_empty() || command.program() == "make" || line.len() > 400 {
        return false;
    }
    let said = line.strip_prefix(command.program()).and_then(|rest| rest.strip_prefix(": "));
    let small = said.unwrap_or_default().to_lowercase();
    let about_own = !command.is_reading()
        || small.split(':').next().is_some_and(|name| command.shown().to_lowercase().contains(name.trim()));
    about_own && TROUBLE.iter().any(|word| small.contains(word))
}

/// Errors under the label that a program is known to use.
fn is_own_error(command: &Command, line: &str) -> bool {
    let labels: &[&str] = match command.program() {
        "git" => &["fatal: ", "error: ", "! [rejected]", "! [remote rejected]", "CONFLICT ("],
        "cargo" => &["error: ", "error["],
        "npm" | "pnpm" | "yarn" => &["npm ERR!", "npm error", "error ", "ERR_PNPM"],
        "pip" | "pip3" => &["ERROR: "],
        "apt" | "apt-get" => &["E: "],
        "systemctl" | "service" => &["Failed to ", "Job for "],
        "kubectl" => &["Error from server", "error: ", "Error: "],
        "docker" | "docker-compose" => &["Error response from daemon", "Error: ", "ERROR: ", "docker: "],
        "terraform" | "helm" | "gh" | "flyctl" => &["Error: ", "error: "],
        "curl" => return status::is_error_line(line),
        _ => return false,
    };
    labels.iter().any(|label| line.starts_with(label))
}

fn has_pushed(printed: &str) -> bool {
    printed.contains("Everything up-to-date")
        || printed.lines().any(|line| line.contains(" -> ") && !line.contains('!'))
}
