//! What a run changed between two of its steps.

use super::{
    arguments,
    call::{Request, command::Command},
    pitfalls, reading, saying,
    steps::{Place, Step},
    words,
};

/// Files that were edited and commands that were run.
#[derive(Default)]
pub(super) struct Changes {
    files: Vec<String>,
    /// Commands that are known to change something.
    commands: Vec<String>,
    /// Commands of which nobody knows; they count where nothing else was done.
    others: Vec<String>,
    /// How the scene was set for the success, and not for the failure.
    settings: Vec<String>,
}

/// More changes than these are not counted.
const COUNTED: usize = 64;

/// Programs that change what there is.
const CHANGERS: &str = "pip pip3 npm yarn pnpm bun cargo apt apt-get brew go bundle gem composer poetry uv conda mamba dotnet \
    nuget dnf yum apk git mkdir touch cp mv rm chmod chown ln tar unzip docker docker-compose podman systemctl service kubectl helm \
    createdb dropdb alembic prisma createuser gpasswd groupadd useradd usermod kill pkill terraform rails rake mysql psql sqlite3";

/// More files than these are not named one by one.
const FILES: usize = 3;

/// Commands that keep what was done, and change nothing that a check could see.
const BOOKKEEPING: [(&str, &[&str]); 2] =
    [("git", &["add", "commit", "push", "tag", "config", "fetch"]), ("gh", &["pr", "issue", "run", "auth"])];

/// Tools for an agent's own thoughts.
const THOUGHTS: [&str; 6] = ["todo", "think", "plan", "note", "memory", "thought"];

impl Changes {
    /// The changes of the steps between a failure and the success after it, and of the files that the line of the success itself
    /// changed. What failed has changed nothing. `directories` are those of the day, of which files are named without.
    pub(super) fn between(failed: &Step, between: &[Step], success: &Step, directories: &[&str]) -> Self {
        let mut changes = Self::default();
        let is_done = |step: &&Step| step.place == Place::Call && step.may_have_worked() && step.key != failed.key;
        for step in between.iter().filter(is_done) {
            changes.take(step, step.has_worked_beside(failed), directories);
        }
        if let Request::Command(command) = &success.request {
            command.files().iter().for_each(|file| changes.add_file(file, directories));
            changes.add_settings(failed, success, command);
        }
        changes
    }

    fn take(&mut self, step: &Step, has_worked: bool, directories: &[&str]) {
        match &step.request {
            Request::Edit(files) => files.iter().for_each(|file| self.add_file(file, directories)),
            Request::Command(command) if !command.files().is_empty() => {
                command.files().iter().for_each(|file| self.add_file(file, directories));
            }
            Request::Command(command) if command.only_shows() || command.is_a_check() || keeps_books(command) => {}
            Request::Command(command) => {
                let told = words::code(command.shown(), saying::QUOTE);
                let is_known = reading::lists(CHANGERS, command.program()) || command.shown().contains("install");
                let list = if is_known { &mut self.commands } else { &mut self.others };
                add(list, told);
            }
            Request::Statement(statement) if !step.is_a_look() => {
                add(&mut self.commands, words::code(statement.text(), 100))
            }
            Request::Other if !asks(step) && has_worked => {
                let small = step.tool.to_lowercase();
                if !THOUGHTS.iter().any(|word| small.contains(word)) && !step.tool.is_empty() {
                    add(&mut self.commands, arguments::bracketed(&step.tool_name(), step.arguments, 60));
                }
            }
            _ => {}
        }
    }

    /// What the success has set and the failure had not; but for what is shown with it, where it is another command.
    fn add_settings(&mut self, failed: &Step, success: &Step, command: &Command) {
        let Request::Command(before) = &failed.request else { return };
        let is_shown = |setting: &String| success.key != failed.key && command.shown().contains(setting.as_str());
        let new = command.settings().iter().filter(|setting| !before.settings().contains(setting));
        new.filter(|setting| !is_shown(setting)).for_each(|setting| add(&mut self.settings, words::code(setting, 80)));
    }

    fn add_file(&mut self, file: &str, directories: &[&str]) {
        add(&mut self.files, words::code(without_directory(file, directories), 80));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty() && self.commands().is_empty() && self.settings.is_empty()
    }

    /// Whether there are any but commands of which nobody knows what they do.
    pub(super) fn are_known(&self) -> bool {
        !self.files.is_empty() || !self.commands.is_empty()
    }

    /// Whether there are more of them than can be named.
    pub(super) fn are_many(&self) -> bool {
        self.files.len() > FILES || self.commands().len() > 2
    }

    fn commands(&self) -> &[String] {
        let is_known = self.are_known() || !self.settings.is_empty();
        if is_known { &self.commands } else { &self.others }
    }

    /// "after `a.rs` was edited, with `A=1`".
    pub(super) fn told(&self) -> String {
        let settings = words::list(self.settings.get(..FILES).unwrap_or(&self.settings));
        match (self.files.is_empty() && self.commands().is_empty(), settings.is_empty()) {
            (_, true) => self.done(),
            (true, false) => format!("with {settings}"),
            (false, false) => format!("{}, with {settings}", self.done()),
        }
    }

    /// "after `a.rs` was edited": what was done, as it follows on "after". Of many commands the last ones.
    fn done(&self) -> String {
        let files = match self.files.get(FILES..) {
            Some([_, ..]) => format!("edits of {} files", self.files.len()),
            _ => words::list(&self.files),
        };
        let last_two = self.commands().get(self.commands().len().saturating_sub(2)..).unwrap_or_default();
        let commands = words::list(last_two);
        match (self.files.len(), commands.is_empty()) {
            (0, _) => format!("after {commands}"),
            (1, true) => format!("after {files} was edited"),
            (2..=FILES, true) => format!("after {files} were edited"),
            (_, true) => format!("after {files}"),
            (1, false) => format!("after {commands} and an edit of {files}"),
            (2..=FILES, false) => format!("after {commands} and edits of {files}"),
            (_, false) => format!("after {commands} and {files}"),
        }
    }
}

/// Whether a call of a tool only asks something.
fn asks(step: &Step) -> bool {
    step.is_a_look() || step.is_a_check() || pitfalls::describes_itself(step)
}

/// Adds what is not there yet.
fn add(list: &mut Vec<String>, told: String) {
    if !told.is_empty() && list.len() < COUNTED && !list.contains(&told) {
        list.push(told);
    }
}

/// Whether a command only keeps what was done.
pub(super) fn keeps_books(command: &Command) -> bool {
    let mut known = BOOKKEEPING.iter();
    known.any(|(program, words)| *program == command.program() && words.contains(&command.subcommand()))
}

/// A file's path without the directory that the run worked in.
pub(super) fn without_directory<'f>(file: &'f str, directories: &[&str]) -> &'f str {
    const USUAL: [&str; 8] = ["/repo/", "/workspace/", "/app/", "/testbed/", "/code/", "/project/", "/work/", "/src/"];
    let inside = |directory: &&&str| file.strip_prefix(**directory).and_then(|rest| rest.strip_prefix('/'));
    let longest =
        directories.iter().filter(|directory| inside(directory).is_some()).max_by_key(|directory| directory.len());
    if let Some(rest) = longest.and_then(|directory| inside(&directory)) {
        return rest;
    }
    if let Some(rest) = USUAL.iter().find_map(|usual| file.strip_prefix(usual)) {
        return rest;
    }
    match file.rmatch_indices('/').nth(2) {
        Some((at, _)) if file.starts_with('/') => file.get(at + 1..).unwrap_or(file),
        _ => file,
    }
}
