//! A line for a shell: which commands are in it, what they are called, and when two lines ask for the same.

use std::ops::Range;

use super::{
    edit,
    pieces::{self, Joint},
    programs::{self, Program},
    sql::Statement,
};

/// A longer line is a script; it is not taken apart.
const LONG: usize = 16_384;

/// Setting the scene: a line may begin with these and still be about what comes after them.
const SETUP: [&str; 13] =
    ["cd", "pushd", "export", "source", ".", "set", "unset", "clear", "conda", "nvm", "alias", "shopt", "ulimit"];

/// Words after the last command that change nothing of it.
const CODAS: [&str; 5] = ["echo", "true", "exit", "sleep", ":"];

/// Flags that change how much a check says and not what it comes to.
const MANNERS: [&str; 26] = [
    "-v",
    "-vv",
    "-vvv",
    "-q",
    "-qq",
    "-s",
    "--verbose",
    "--quiet",
    "--silent",
    "--nocapture",
    "--show-output",
    "--no-color",
    "--color",
    "--no-header",
    "--no-summary",
    "-ra",
    "-rA",
    "--progress",
    "--no-progress",
    "-l",
    "--showlocals",
    "--backtrace",
    "--info",
    "--debug",
    "--stacktrace",
    "--",
];

/// A line, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in super::super) struct Command {
    /// What it is quoted as: the line without directories, filters and redirections around it.
    shown: String,
    /// The same for every line that asks for the same.
    key: String,
    /// The keys of the commands in it, where all of them must have come to 0 for the line to.
    parts: Vec<String>,
    is_reading: bool,
    is_finding: bool,
    is_a_check: bool,
    is_silent_check: bool,
    /// Whether the code that the line comes to is that of its last command of weight.
    has_own_code: bool,
    /// The program of its last command of weight.
    program: String,
    subcommand: String,
    sql: Option<Statement>,
    files: Vec<String>,
    directory: Option<String>,
}

/// One command between the joints of a line, with everything it is piped into.
struct Pipeline<'a> {
    joint: Joint,
    range: Range<usize>,
    stages: Vec<&'a str>,
}

impl Command {
    pub(super) fn read(line: &str) -> Self {
        if line.len() > LONG {
            return Self::script(line);
        }
        let pipelines = weighty(line, pipelines(line));
        let Some(last) = pipelines.last() else { return Self::script(line) };
        let words = pieces::words(last.main());
        let program = Program::of(&words);
        let ends_whole = line.get(last.range.end..).unwrap_or_default().trim().is_empty();
        let start = pipelines.first().map_or(0, |first| first.range.start);
        let end = last.range.start + last.shown_length(line);
        let keys: Vec<String> = pipelines.iter().map(Pipeline::key).collect();
        let key = key_of(&keys.join(" && "));
        let joined_by_and = pipelines.iter().skip(1).all(|pipeline| pipeline.joint == Joint::And);
        Self {
            shown: line.get(start..end).unwrap_or(line).trim().to_owned(),
            key,
            parts: if joined_by_and { keys.iter().map(|key| key_of(key)).collect() } else { Vec::new() },
            is_reading: pipelines.iter().all(Pipeline::is_reading),
            is_finding: last.stages.last().is_some_and(|stage| Program::of(&pieces::words(stage)).is_finder()),
            is_a_check: pipelines.iter().any(Pipeline::is_a_check),
            is_silent_check: pipelines.len() == 1 && last.stages.len() == 1 && program.is_silent_checker(),
            has_own_code: ends_whole && last.stages.len() == 1 && joined_by_and,
            program: program.name.to_owned(),
            subcommand: program.subcommand.to_owned(),
            sql: pipelines.iter().rev().find_map(Pipeline::sql),
            files: files(&pipelines),
            directory: directory(line),
        }
    }

    fn script(line: &str) -> Self {
        Self {
            shown: line.trim().to_owned(),
            key: key_of(line.trim()),
            parts: Vec::new(),
            is_reading: false,
            is_finding: false,
            is_a_check: false,
            is_silent_check: false,
            has_own_code: true,
            program: String::new(),
            subcommand: String::new(),
            sql: None,
            files: Vec::new(),
            directory: None,
        }
    }

    pub(in super::super) fn shown(&self) -> &str {
        &self.shown
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }

    /// The keys of its commands, each of which came to 0 where the line did.
    pub(in super::super) fn parts(&self) -> &[String] {
        &self.parts
    }

    /// Whether it only shows something. What is shown is no outcome of it.
    pub(in super::super) fn is_reading(&self) -> bool {
        self.is_reading
    }

    /// Whether a code of 1 says no more than that nothing was found.
    pub(in super::super) fn is_finding(&self) -> bool {
        self.is_finding
    }

    pub(in super::super) fn is_a_check(&self) -> bool {
        self.is_a_check
    }

    /// Whether it is a check that prints nothing where it finds nothing.
    pub(in super::super) fn is_silent_check(&self) -> bool {
        self.is_silent_check
    }

    pub(in super::super) fn has_own_code(&self) -> bool {
        self.has_own_code
    }

    pub(in super::super) fn program(&self) -> &str {
        &self.program
    }

    pub(in super::super) fn subcommand(&self) -> &str {
        &self.subcommand
    }

    pub(in super::super) fn sql(&self) -> Option<&Statement> {
        self.sql.as_ref()
    }

    /// The directory that the line goes to first, where it is named from the root.
    pub(in super::super) fn directory(&self) -> Option<&str> {
        self.directory.as_deref()
    }

    /// What the commands of one checker have in common, whatever they check: `pytest`, `cargo test`.
    pub(in super::super) fn check(&self) -> Option<String> {
        self.is_a_check.then(|| programs::check_name(&self.program, &self.subcommand))
    }

    /// The files that it changes, where the line says so.
    pub(in super::super) fn files(&self) -> &[String] {
        &self.files
    }
}

/// Keys of commands are told from those of other calls by how they begin.
fn key_of(commands: &str) -> String {
    format!("$ {commands}")
}

fn directory(line: &str) -> Option<String> {
    let after = line.trim_start().strip_prefix("cd ")?.trim_start();
    let directory = after.split([' ', ';', '&', '\n']).next()?.trim_matches(['"', '\'']);
    directory.starts_with('/').then(|| directory.trim_end_matches('/').to_owned())
}

fn pipelines(line: &str) -> Vec<Pipeline<'_>> {
    let mut pipelines: Vec<Pipeline> = Vec::new();
    for (joint, range) in pieces::split(line) {
        let text = line.get(range.clone()).unwrap_or_default();
        match pipelines.last_mut() {
            Some(last) if joint == Joint::Pipe => {
                last.stages.push(text);
                last.range.end = range.end;
            }
            _ => pipelines.push(Pipeline { joint, range, stages: vec![text] }),
        }
    }
    pipelines
}

/// The pipelines without what sets the scene before them and what says a word after them; all of them where nothing else is there.
fn weighty<'a>(line: &'a str, mut pipelines: Vec<Pipeline<'a>>) -> Vec<Pipeline<'a>> {
    let opens = |pipeline: &Pipeline, words: &[&str]| {
        let all = pieces::words(pipeline.main());
        all.first().is_some_and(|first| words.contains(&first.as_str())) && !writes_a_file(pipeline.text(line))
    };
    let setup = pipelines.iter().take_while(|pipeline| opens(pipeline, &SETUP) || opens(pipeline, &CODAS)).count();
    let coda = pipelines.iter().rev().take_while(|pipeline| opens(pipeline, &CODAS)).count();
    if setup + coda < pipelines.len() {
        pipelines.truncate(pipelines.len() - coda);
        pipelines.drain(..setup);
    }
    pipelines
}

impl<'a> Pipeline<'a> {
    fn text(&self, line: &'a str) -> &'a str {
        line.get(self.range.clone()).unwrap_or_default()
    }

    /// The stage that the pipeline is about: the first, unless that only feeds the next.
    fn main(&self) -> &'a str {
        let feeds =
            |stage: &&&str| matches!(Program::of(&pieces::words(stage)).name, "echo" | "printf" | "cat" | "yes");
        let fed = self.stages.get(1).filter(|stage| !Program::of(&pieces::words(stage)).is_filter());
        match self.stages.first().filter(feeds).and(fed) {
            Some(fed) => fed,
            None => self.stages.first().copied().unwrap_or_default(),
        }
    }

    /// How much of the line is this pipeline without the filters at its end.
    fn shown_length(&self, line: &str) -> usize {
        let filters =
            self.stages.iter().skip(1).rev().take_while(|stage| Program::of(&pieces::words(stage)).is_filter());
        let filtered = filters.last().map_or(0, |first| line.len() - offset(line, first));
        let text = self.text(line);
        let end = match filtered {
            0 => text.len(),
            rest => (line.len() - rest).saturating_sub(self.range.start),
        };
        let kept = text.get(..end).unwrap_or(text).trim_end().trim_end_matches(['|', '&']);
        without_redirections(kept).len()
    }

    /// Whether it checks something, and does not mend it at once.
    fn is_a_check(&self) -> bool {
        let words = pieces::words(self.main());
        Program::of(&words).is_checker() && !programs::mends(&words)
    }

    fn key(&self) -> String {
        let main = without_redirections(self.main().trim());
        let words = pieces::words(main);
        let words = programs::without_wrappers(&words);
        let is_checker = Program::of(words).is_checker();
        let is_manner = |word: &String| {
            let flag = word.split('=').next().unwrap_or_default();
            is_checker && (MANNERS.contains(&flag) || flag == "--tb" || flag == "--format" || flag == "--reporter")
        };
        let kept = words.iter().filter(|word| !is_manner(word) && !is_redirection(word));
        let kept: Vec<&str> = kept.map(String::as_str).collect();
        match kept.as_slice() {
            ["npm" | "yarn" | "pnpm", "run", "test", rest @ ..] => {
                ["npm test", &rest.join(" ")].join(" ").trim().to_owned()
            }
            words => words.join(" "),
        }
    }

    fn is_reading(&self) -> bool {
        let reads = |stage: &&str| {
            let words = pieces::words(stage);
            let program = Program::of(&words);
            let acts = words.iter().any(|word| match program.name {
                "find" | "fd" => matches!(word.as_str(), "-delete" | "-exec" | "-execdir" | "-x"),
                "sed" => word.starts_with("-i") || word == "--in-place",
                "tee" => true,
                _ => false,
            });
            (program.is_reader() || program.is_filter()) && !acts
        };
        self.stages.iter().all(|stage| reads(stage) && !writes_a_file(stage))
    }

    /// The SQL that a client in it is sent: after its flag, as its last word, or through a pipe.
    fn sql(&self) -> Option<Statement> {
        let main = self.main();
        let words = pieces::words(main);
        if !Program::of(&words).is_sql_client() {
            return None;
        }
        let after_flag = |(at, word): (usize, &String)| match word.as_str() {
            "-c" | "-e" | "--command" | "--execute" | "-Q" => words.get(at + 1).cloned(),
            word => word.strip_prefix("--command=").or(word.strip_prefix("--execute=")).map(str::to_owned),
        };
        let flagged = words.iter().enumerate().find_map(after_flag);
        let last = || words.last().filter(|last| last.contains(' ') || last.starts_with('.')).cloned();
        let fed = || pieces::words(self.stages.first().filter(|first| **first != main)?).into_iter().next_back();
        let document = || Some(main.split_once("<<")?.1.split_once('\n')?.1.rsplit_once('\n')?.0.to_owned());
        flagged.or_else(document).or_else(last).or_else(fed).map(Statement::new)
    }
}

/// Where a part of a line begins.
fn offset(line: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(line.as_ptr() as usize).min(line.len())
}

/// Without the redirections at the end.
fn without_redirections(text: &str) -> &str {
    let mut kept = text.trim_end();
    while let Some((before, last)) = kept.rsplit_once(char::is_whitespace) {
        let before = before.trim_end();
        if is_redirection(last) {
            kept = before;
        } else if let Some(before) = before.strip_suffix('>').filter(|_| last == "/dev/null") {
            let of_number = ["1", "2", "&"].iter().find_map(|sign| before.strip_suffix(sign));
            kept = of_number.filter(|rest| rest.ends_with(' ')).unwrap_or(before).trim_end();
        } else {
            break;
        }
    }
    kept
}

fn is_redirection(word: &str) -> bool {
    matches!(
        word,
        "2>&1" | ">/dev/null" | "2>/dev/null" | "1>/dev/null" | "&>/dev/null" | ">&2" | "1>&2" | "</dev/null"
    )
}

/// Whether the output goes into a file.
fn writes_a_file(text: &str) -> bool {
    !redirected_to(text).is_empty()
}

/// The files that a command's output goes into.
fn redirected_to(text: &str) -> Vec<String> {
    if !text.contains('>') {
        return Vec::new();
    }
    let words = pieces::words(text.split("<<").next().unwrap_or_default());
    let mut files = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let target = match word.as_str() {
            ">" | ">>" | "1>" => words.get(at + 1).cloned(),
            word => word.strip_prefix(">>").or(word.strip_prefix('>')).map(str::to_owned),
        };
        files.extend(target.filter(|file| !file.is_empty() && !file.starts_with(['&', '(']) && file != "/dev/null"));
    }
    // `cat <<EOF > file` has its file after the mark.
    let first_line = text.lines().next().unwrap_or_default();
    if let Some((_, after)) = first_line.split_once("<<").and_then(|(_, after)| after.split_once('>')) {
        files.extend(pieces::words(after.trim_start_matches('>')).into_iter().next());
    }
    files
}

/// The files that the commands change: in place, by a patch, or by what is written into them.
fn files(pipelines: &[Pipeline]) -> Vec<String> {
    let mut files = Vec::new();
    for stage in pipelines.iter().flat_map(|pipeline| &pipeline.stages) {
        let words = pieces::words(stage);
        let in_place = |word: &String| word.starts_with("-i") || word == "--in-place" || word == "-pi";
        match Program::of(&words).name {
            "sed" | "perl" if words.iter().any(in_place) => files.extend(words.last().cloned()),
            "tee" => files.extend(words.iter().skip(1).find(|word| !word.starts_with('-')).cloned()),
            "apply_patch" | "patch" => files.extend(edit::files_of_patch(stage)),
            "git" if stage.contains("apply") => files.extend(edit::files_of_patch(stage)),
            "echo" | "cat" | "printf" => files.extend(redirected_to(stage)),
            _ => {}
        }
    }
    files.retain(|file| !file.starts_with("/tmp/") && file != "/dev/null");
    files.truncate(8);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> String {
        Command::read(line).shown
    }

    #[test]
    fn a_line_is_shown_without_what_stands_around_it() {
        assert_eq!(shown("cd /repo && pytest tests/a.py -v 2>&1 | tail -20"), "pytest tests/a.py -v");
        assert_eq!(
            shown("cargo test -p parser 2>&1 | grep -E 'error|warning' | head; echo $?"),
            "cargo test -p parser"
        );
        assert_eq!(shown("cargo build 2> /dev/null"), "cargo build");
        assert_eq!(shown("ls | wc -l"), "ls");
        assert_eq!(shown("export A=1; cd b && make -j8 && ./run"), "make -j8 && ./run");
        assert_eq!(shown("cd /repo"), "cd /repo");
    }

    #[test]
    fn lines_that_ask_for_the_same_have_the_same_key() {
        let key = |line: &str| Command::read(line).key.replacen("$ ", "", 1);
        let same = [
            "cargo test -p parser",
            "cd /repo && cargo test -p parser 2>&1 | tail -5",
            "cd parser; RUST_BACKTRACE=1 cargo test -p parser -- --nocapture",
            "timeout 60 cargo test -p parser -q; echo \"exit $?\"",
        ];
        for line in same {
            assert_eq!(key(line), "cargo test -p parser", "{line}");
        }
        assert_eq!(key("python -m pytest tests/a.py -vv --tb=short"), key("poetry run pytest tests/a.py"));
        assert_eq!(key("npm run test"), key("npm test"));
        assert_ne!(key("pytest tests/a.py"), key("pytest"));
        assert_ne!(key("sudo systemctl restart nginx"), key("systemctl restart nginx"));
        assert_eq!(Command::read("sudo -E env A=1 docker ps").program, "docker");
        assert_eq!(Command::read("sudo -u postgres psql -c '\\dt'").program, "psql");
        assert_ne!(key("docker run -v a:b x"), key("docker run a:b x"));
    }

    #[test]
    fn reading_is_told_from_doing() {
        for line in
            ["grep -rn TODO src", "cat a | head -3", "cd a && git log -5", "kubectl logs pod-1", "sed -n 1,5p a"]
        {
            assert!(Command::read(line).is_reading, "{line}");
        }
        for line in ["sed -i s/a/b/ c", "cat a > b", "find . -delete", "git push", "cat a | xargs rm", "python a.py"] {
            assert!(!Command::read(line).is_reading, "{line}");
        }
        assert!(Command::read("cd a && cargo build").is_a_check && !Command::read("cargo add tokio").is_a_check);
    }

    #[test]
    fn files_and_statements_are_found_in_a_line() {
        let files = |line: &str| Command::read(line).files;
        assert_eq!(files("sed -i 's/a/b/' src/x.rs && cargo build"), ["src/x.rs"]);
        assert_eq!(files("cat > src/y.py <<'EOF'\nprint(1 > 0)\nEOF"), ["src/y.py"]);
        assert_eq!(files("cat <<EOF >> z.txt\nx\nEOF"), ["z.txt"]);
        assert!(files("cargo test > /dev/null").is_empty());
        let sql = |line: &str| Command::read(line).sql.map(|statement| statement.text().to_owned());
        assert_eq!(sql("psql -h db -c \"select * from a\""), Some("select * from a".into()));
        assert_eq!(sql("sqlite3 shop.db '.tables' | head"), Some(".tables".into()));
        assert_eq!(sql("echo 'show tables' | mysql shop"), Some("show tables".into()));
        assert_eq!(sql("psql <<EOF\nselect 1\nEOF"), Some("select 1".into()));
        assert_eq!(sql("python a.py"), None);
    }
}
