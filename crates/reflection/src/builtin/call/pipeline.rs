//! The commands of a line, each with what it is piped into.

use std::ops::Range;

use super::{
    pieces::{self, Joint},
    programs::{self, Program},
    sql::Statement,
    writes,
};

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
            (program.is_reader() || program.is_filter()) && !acts
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
