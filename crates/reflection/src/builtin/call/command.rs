//! A line for a shell: which commands are in it, what they are called, and when two lines ask for the same.

use super::{
    pieces::{self, Joint},
    pipeline::{self, Pipeline},
    programs::{self, Program},
    sql::Statement,
    writes,
};

/// A longer line is a script; it is not taken apart.
const LONG: usize = 16_384;

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
    /// Whether nothing is piped away from the end of its output.
    shows_its_end: bool,
    /// Whether all but its last command only show something.
    looks_first: bool,
    /// Whether its last command is one of a service's client that only shows what there is.
    lists: bool,
    ends_well: bool,
    /// The code by which it answers and does not fail.
    answer: Option<u8>,
    tells_of_failure: bool,
    /// The program of its last command of weight.
    program: String,
    subcommand: String,
    sql: Option<Statement>,
    files: Vec<String>,
    /// Variables that it sets, and what it runs first to set the scene.
    settings: Vec<String>,
    directory: Option<String>,
    place: Option<String>,
}

impl Command {
    pub(super) fn read(line: &str) -> Self {
        if line.len() > LONG {
            return Self::script(line);
        }
        let all = pipeline::read(line);
        let settings = pipeline::settings(line, &all);
        let pipelines = pipeline::weighty(line, all);
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
            shows_its_end: last.shows_its_end(),
            looks_first: pipelines.iter().rev().skip(1).all(Pipeline::is_reading),
            lists: programs::lists(&words),
            ends_well: words.iter().any(|word| word == "--exit-zero"),
            answer: programs::answer(&words),
            tells_of_failure: program.tells_of_failure() && last.shows_its_end(),
            program: pipeline::block(&pipelines).unwrap_or(program.name).to_owned(),
            subcommand: program.subcommand.to_owned(),
            sql: pipelines.iter().rev().find_map(Pipeline::sql),
            files: writes::files(&pipelines),
            settings,
            directory: place(line).filter(|place| place.starts_with('/')),
            place: place(line),
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
            shows_its_end: false,
            looks_first: false,
            lists: false,
            ends_well: false,
            answer: None,
            tells_of_failure: false,
            program: String::new(),
            subcommand: String::new(),
            sql: None,
            files: Vec::new(),
            settings: Vec::new(),
            directory: None,
            place: None,
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

    /// Whether it is a loop or a condition, of which no output goes elsewhere.
    pub(in super::super) fn is_block(&self) -> bool {
        pipeline::BLOCKS.contains(&self.program.as_str()) && !self.shown.contains('>')
    }

    pub(in super::super) fn has_own_code(&self) -> bool {
        self.has_own_code
    }

    /// Whether it is told to come to 0 whatever it finds: then nothing that it finds is a failure.
    pub(in super::super) fn ends_well(&self) -> bool {
        self.ends_well
    }

    /// Whether nothing is piped away from the end of its output.
    pub(in super::super) fn shows_its_end(&self) -> bool {
        self.shows_its_end
    }

    /// Whether only its last command does something.
    pub(in super::super) fn looks_first(&self) -> bool {
        self.looks_first
    }

    /// Whether it asks what there is, be it by a program that does other things as well.
    pub(in super::super) fn only_shows(&self) -> bool {
        self.is_reading || self.lists
    }

    /// Whether a code other than 0 is an answer by contract: that there are changes, or something newer.
    pub(in super::super) fn answers_by(&self, code: i64) -> bool {
        self.answer.is_some_and(|answer| i64::from(answer) == code)
    }

    /// Whether the last lines of its output would say so if it had failed, and are there to be read.
    pub(in super::super) fn tells_of_failure(&self) -> bool {
        self.tells_of_failure
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

    /// The directory that the line goes to first, as it is named there.
    pub(in super::super) fn place(&self) -> Option<&str> {
        self.place.as_deref()
    }

    /// Whether the last pipeline of the line is this part.
    pub(in super::super) fn is_last(&self, part: usize) -> bool {
        part + 1 == self.parts.len()
    }

    /// What the commands of one checker have in common, whatever they check: `pytest`, `cargo test`.
    pub(in super::super) fn check(&self) -> Option<String> {
        self.is_a_check.then(|| programs::check_name(&self.program, &self.subcommand))
    }

    /// The files that it changes, where the line says so.
    pub(in super::super) fn files(&self) -> &[String] {
        &self.files
    }

    /// How the scene is set for it: `JAVA_HOME=/opt/17`, `nvm use 20`.
    pub(in super::super) fn settings(&self) -> &[String] {
        &self.settings
    }
}

/// Keys of commands are told from those of other calls by how they begin.
fn key_of(commands: &str) -> String {
    format!("$ {commands}")
}

fn place(line: &str) -> Option<String> {
    let after = line.trim_start().strip_prefix("cd ")?.trim_start();
    let directory = after.split([' ', ';', '&', '\n']).next()?.trim_matches(['"', '\'']);
    (!directory.is_empty() && directory != "-").then(|| directory.trim_end_matches('/').to_owned())
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
        assert_eq!(Command::read("sudo mysql -u root -e 'show tables'").program, "mysql");
        assert_eq!(Command::read("sudo -u postgres psql -c '\\dt'").program, "psql");
        assert_eq!(Command::read("for f in *; do gzip $f; done").program, "for");
        assert_eq!(Command::read("for f in *; do gzip $f; done && pytest").program, "pytest");
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
    fn how_the_scene_is_set_is_known() {
        let settings = |line: &str| Command::read(line).settings;
        assert_eq!(settings("JAVA_HOME=/opt/17 RUST_BACKTRACE=1 ./gradlew test"), ["JAVA_HOME=/opt/17"]);
        assert_eq!(
            settings("cd a && source ~/.nvm/nvm.sh && nvm use 20 > /dev/null && npm ci"),
            ["source ~/.nvm/nvm.sh", "nvm use 20"]
        );
        assert_eq!(
            settings("export CI=1 API_TOKEN=x; env PGPASSWORD=y psql -c 'select a=1'"),
            ["CI=1", "API_TOKEN", "PGPASSWORD"]
        );
        assert!(settings("git commit -m a=b && make X=1").is_empty());
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
