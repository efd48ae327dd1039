//! The commands of a line, each with what it is piped into.

use std::ops::Range;

use super::{
    pieces::{self, Joint},
    programs::{self, Program},
    sql::Statement,
    writes,
};
use crate::builtin::reading;

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

/// Words that open a loop or a condition.
pub(super) const BLOCKS: [&str; 5] = ["for", "while", "until", "if", "case"];

/// One command between the joints of a line, with everything it is piped into.
pub(super) struct Pipeline<'a> {
    pub(super) joint: Joint,
    pub(super) range: Range<usize>,
    pub(super) stages: Vec<&'a str>,
}

/// The pipelines of a line, in order.
pub(super) fn read(line: &str) -> Vec<Pipeline<'_>> {
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
pub(super) fn weighty<'a>(line: &'a str, mut pipelines: Vec<Pipeline<'a>>) -> Vec<Pipeline<'a>> {
    let opens = |pipeline: &Pipeline, words: &[&str]| {
        let all = pieces::words(pipeline.main());
        all.first().is_some_and(|first| words.contains(&first.as_str())) && !writes::writes_a_file(pipeline.text(line))
    };
    let setup = pipelines.iter().take_while(|pipeline| opens(pipeline, &SETUP) || opens(pipeline, &CODAS)).count();
    let coda = pipelines.iter().rev().take_while(|pipeline| opens(pipeline, &CODAS)).count();
    if setup + coda < pipelines.len() {
        pipelines.truncate(pipelines.len() - coda);
        pipelines.drain(..setup);
    }
    pipelines
}

/// What a line sets before its commands do something: variables, and what it runs first for its shell.
pub(super) fn settings(line: &str, pipelines: &[Pipeline]) -> Vec<String> {
    const OF_THE_SHELL: &str = "source . unset conda nvm ulimit";
    let mut settings = Vec::new();
    for pipeline in pipelines.iter().take(SETTINGS) {
        let text = writes::without_redirections(pipeline.text(line).trim());
        let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
        match first {
            "export" => settings.extend(programs::variables(rest)),
            first if reading::lists(OF_THE_SHELL, first) => settings.push(text.to_owned()),
            _ => settings.extend(programs::variables(pipeline.main())),
        }
    }
    settings
}

/// The word that opens the line, where that is one loop or one condition: its commands are read as one.
pub(super) fn block<'a>(pipelines: &[Pipeline<'a>]) -> Option<&'a str> {
    let word = |pipeline: &Pipeline<'a>| pipeline.main().split_whitespace().next();
    let is_closed = pipelines.last().and_then(word).is_some_and(|last| ["done", "fi", "esac", "end"].contains(&last));
    pipelines.first().and_then(word).filter(|first| is_closed && BLOCKS.contains(first))
}

/// How many commands of a line are looked at for what they set.
const SETTINGS: usize = 8;

impl<'a> Pipeline<'a> {
    fn text(&self, line: &'a str) -> &'a str {
        line.get(self.range.clone()).unwrap_or_default()
    }

    /// The stage that the pipeline is about: the first, unless that only feeds the next.
    pub(super) fn main(&self) -> &'a str {
        let feeds =
            |stage: &&&str| matches!(Program::of(&pieces::words(stage)).name, "echo" | "printf" | "cat" | "yes");
        let fed = self.stages.get(1).filter(|stage| !Program::of(&pieces::words(stage)).is_filter());
        match self.stages.first().filter(feeds).and(fed) {
            Some(fed) => fed,
            None => self.stages.first().copied().unwrap_or_default(),
        }
    }

    /// How much of the line is this pipeline without the filters at its end.
    pub(super) fn shown_length(&self, line: &str) -> usize {
        let filters =
            self.stages.iter().skip(1).rev().take_while(|stage| Program::of(&pieces::words(stage)).is_filter());
        let filtered = filters.last().map_or(0, |first| line.len() - offset(line, first));
        let text = self.text(line);
        let end = match filtered {
            0 => text.len(),
            rest => (line.len() - rest).saturating_sub(self.range.start),
        };
        let kept = text.get(..end).unwrap_or(text).trim_end().trim_end_matches(['|', '&']);
        writes::without_redirections(kept).len()
    }

    /// Whether nothing is piped away from the end of its output.
    pub(super) fn shows_its_end(&self) -> bool {
        let keeps = |stage: &str| matches!(Program::of(&pieces::words(stage)).name, "tail" | "tee" | "cat");
        self.stages.iter().skip(1).all(|stage| keeps(stage))
    }

    /// Whether it checks something, and does not mend it at once.
    pub(super) fn is_a_check(&self) -> bool {
        let words = pieces::words(self.main());
        Program::of(&words).is_checker() && !programs::mends(&words)
    }

    pub(super) fn key(&self) -> String {
        let main = writes::without_redirections(self.main().trim());
        let words = pieces::words(main);
        let words = programs::without_wrappers(&words);
        let is_checker = Program::of(words).is_checker();
        let is_manner = |word: &String| {
            let flag = word.split('=').next().unwrap_or_default();
            is_checker && (MANNERS.contains(&flag) || flag == "--tb" || flag == "--format" || flag == "--reporter")
        };
        let kept = words.iter().filter(|word| !is_manner(word) && !writes::is_redirection(word));
        let kept: Vec<&str> = kept.map(String::as_str).collect();
        match kept.as_slice() {
            ["npm" | "yarn" | "pnpm", "run", "test", rest @ ..] => {
                ["npm test", &rest.join(" ")].join(" ").trim().to_owned()
            }
            words => words.join(" "),
        }
    }

    pub(super) fn is_reading(&self) -> bool {
        let reads = |stage: &&str| {
            let words = pieces::words(stage);
            let program = Program::of(&words);
            let acts = words.iter().any(|word| match program.name {
                "find" | "fd" => matches!(word.as_str(), "-delete" | "-exec" | "-execdir" | "-x"),
                "sed" => word.starts_with("-i") || word == "--in-place",
                "tee" => true,
                _ => false,
            });
            let asks_version =
                matches!(words.as_slice(), [_, flag] if matches!(flag.as_str(), "--version" | "-version" | "-V"));
            (program.is_reader() || program.is_filter() || asks_version) && !acts
        };
        self.stages.iter().all(|stage| reads(stage) && !writes::writes_a_file(stage))
    }

    /// The SQL that a client in it is sent: after its flag, as its last word, or through a pipe.
    pub(super) fn sql(&self) -> Option<Statement> {
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
