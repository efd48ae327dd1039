//! Running a command over the answer.

mod capture;
mod judged;
mod process;
mod report;

#[cfg(test)]
mod tests;

use std::{
    collections::BTreeSet,
    ffi::OsString,
    io,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use derive_setters::Setters;
use tokio::sync::Mutex;

use crate::{BoxError, Evaluation, Evaluator, FinishedAttempt};
use process::{Finished, Process};

/// What stands for the answer in an argument.
const PLACEHOLDER: &str = "{answer}";

/// Runs a program with the answer, and passes what it ends with exit code 0: tests, a compiler, a linter, a script.
///
/// The answer goes to the program's standard input, to a file, or into an argument. The program is started as it is, through no
/// shell ([`shell`] is for that), in a process group of its own; when the time is up, or the evaluation is dropped, or the program has
/// ended and left others behind, the whole group is killed. A program that takes too long fails the answer. One that
/// cannot be started is a [`CommandError`] and says nothing about the answer.
///
/// The feedback has the exit code, the failures by name where the output is that of a known test runner (cargo test, nextest, pytest,
/// unittest, go test, TAP, jest and its kin, JUnit under Maven or Gradle, GoogleTest), and the head and tail of the output. The score is 1 for a
/// pass, and otherwise the share of tests that passed, where that can be read; what the program prints decides no more than that.
///
/// ```
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/src/evaluate/doc_example.rs"));
/// use std::time::Duration;
/// use reflexion::{Evaluator, evaluate::command};
///
/// # #[cfg(unix)]
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), reflexion::BoxError> {
/// let evaluator = command("grep", ["-q", "42"]).timeout(Duration::from_secs(10));
/// assert!(evaluator.evaluate(&finished("It is 42.")).await?.passed());
/// let failed = evaluator.evaluate(&finished("It is 41.")).await?;
/// assert_eq!(failed.feedback, "`grep` exited with code 1");
/// # Ok(()) }
/// # #[cfg(not(unix))]
/// # fn main() {}
/// ```
pub fn command(program: impl Into<OsString>, args: impl IntoIterator<Item = impl Into<OsString>>) -> CommandEvaluator {
    CommandEvaluator {
        program: program.into(),
        args: args.into_iter().map(Into::into).collect(),
        current_dir: None,
        environment: Vec::new(),
        inherits_environment: true,
        answer: AnswerTo::Stdin,
        is_shell: false,
        timeout: Duration::from_secs(60),
        output_limit: 64 * 1024,
        feedback_limit: 4_000,
        inconclusive: BTreeSet::new(),
        file_lock: Arc::default(),
    }
}

/// Runs a script through `sh`, as [`command()`] runs a program. The answer never becomes part of the script: as an argument it is `$1`.
pub fn shell(script: impl Into<OsString>) -> CommandEvaluator {
    let args = ["-c".into(), script.into(), "sh".into()];
    CommandEvaluator { is_shell: true, ..command("sh", args) }
}

/// What [`command()`] and [`shell`] make, and everything that can be set.
///
/// ```
/// use std::time::Duration;
/// use reflexion::evaluate::command;
///
/// let evaluator = command("pytest", ["-q", "test_solution.py"])
///     .current_dir("exercise")
///     .answer_in_file("solution.py")
///     .env_clear()
///     .env("PATH", "/usr/local/bin:/usr/bin")
///     .timeout(Duration::from_secs(20))
///     .inconclusive_codes([2, 3, 4, 5])
///     .output_limit(16 * 1024)
///     .feedback_limit(2_000);
/// let by_argument = command("python3", ["-c", "{answer}"]).answer_as_argument();
/// ```
#[derive(Debug, Clone, Setters)]
#[setters(generate = false, strip_option)]
pub struct CommandEvaluator {
    program: OsString,
    args: Vec<OsString>,
    /// Runs in this folder; in that of this process unless set.
    #[setters(generate, into)]
    current_dir: Option<PathBuf>,
    environment: Vec<(OsString, OsString)>,
    inherits_environment: bool,
    answer: AnswerTo,
    is_shell: bool,
    /// How long it may run, 60 seconds unless set.
    #[setters(generate)]
    timeout: Duration,
    /// How many bytes of each of its two outputs are kept, head and tail, 64 KiB unless set.
    #[setters(generate)]
    output_limit: usize,
    /// How many characters of output the feedback shows, 4 000 unless set.
    #[setters(generate)]
    feedback_limit: usize,
    inconclusive: BTreeSet<i32>,
    /// Two evaluations at once would overwrite each other's file.
    file_lock: Arc<Mutex<()>>,
}

#[derive(Debug, Clone)]
enum AnswerTo {
    Stdin,
    File(PathBuf),
    Argument,
}

/// Why a command said nothing about an answer.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// It did not start, or was lost sight of.
    #[error("`{program}` cannot be run; is it installed, and does its working folder exist?")]
    Run {
        /// The program.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// The file for the answer could not be written.
    #[error("the answer cannot be written to `{}`", path.display())]
    WriteAnswer {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl CommandEvaluator {
    /// Sets a variable of the environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// Starts with no variables but those of [`CommandEvaluator::env`]: for answers that are not to be trusted with this process's own.
    #[must_use]
    pub fn env_clear(self) -> Self {
        Self { inherits_environment: false, ..self }
    }

    /// Writes the answer into this file before each run, over what was there; relative to the working folder. Evaluations then wait for
    /// each other.
    #[must_use]
    pub fn answer_in_file(self, path: impl Into<PathBuf>) -> Self {
        Self { answer: AnswerTo::File(path.into()), ..self }
    }

    /// Puts the answer wherever an argument says `{answer}`, or after the last argument if none does. Systems bound the length of
    /// arguments, Linux at 128 KiB; standard input and files have no such bound.
    #[must_use]
    pub fn answer_as_argument(self) -> Self {
        Self { answer: AnswerTo::Argument, ..self }
    }

    /// Exit codes that say that the answer could not be judged, such as pytest's 5 for no tests: the verdict is unknown.
    #[must_use]
    pub fn inconclusive_codes(self, codes: impl IntoIterator<Item = i32>) -> Self {
        Self { inconclusive: codes.into_iter().collect(), ..self }
    }

    fn args_with(&self, answer: &str) -> Vec<OsString> {
        let mut args = self.args.clone();
        if !matches!(self.answer, AnswerTo::Argument) {
            return args;
        }
        let mut is_placed = false;
        if !self.is_shell {
            for arg in &mut args {
                if let Some(text) = arg.to_str().filter(|text| text.contains(PLACEHOLDER)) {
                    *arg = text.replace(PLACEHOLDER, answer).into();
                    is_placed = true;
                }
            }
        }
        if !is_placed {
            args.push(answer.into());
        }
        args
    }

    async fn write_file(&self, path: &Path, answer: &str) -> Result<(), CommandError> {
        let path = self.current_dir.as_deref().map_or_else(|| path.to_owned(), |directory| directory.join(path));
        let written = async {
            if let Some(parent) = path.parent() {
                tokio::fs::create_dir_all(parent).await?;
            }
            tokio::fs::write(&path, answer).await
        };
        written.await.map_err(|source| CommandError::WriteAnswer { path: path.clone(), source })
    }

    async fn run(&self, answer: &str) -> Result<Finished, CommandError> {
        let process = Process {
            program: &self.program,
            args: self.args_with(answer),
            directory: self.current_dir.as_deref(),
            environment: &self.environment,
            inherits_environment: self.inherits_environment,
            stdin: matches!(self.answer, AnswerTo::Stdin).then_some(answer),
            timeout: self.timeout,
            output_limit: self.output_limit,
        };
        process.run().await.map_err(|source| CommandError::Run { program: self.name(), source })
    }

    fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
}

#[async_trait]
impl Evaluator for CommandEvaluator {
    async fn evaluate(&self, attempt: &FinishedAttempt) -> Result<Evaluation, BoxError> {
        let answer = attempt.answer();
        if matches!(self.answer, AnswerTo::Argument) && answer.contains('\0') {
            return Ok(Evaluation::fail("the answer has a NUL character, which no argument can have").scored(0.0));
        }
        let finished = match &self.answer {
            AnswerTo::File(path) => {
                let _alone = self.file_lock.lock().await;
                self.write_file(path, answer).await?;
                self.run(answer).await?
            }
            _ => self.run(answer).await?,
        };
        Ok(self.evaluation(&finished))
    }
}
