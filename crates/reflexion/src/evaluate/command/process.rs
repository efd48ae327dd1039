//! A process with its group: started, fed, heard, and ended with all that it started.

use std::{
    ffi::{OsStr, OsString},
    io,
    path::Path,
    pin::pin,
    process::{ExitStatus, Stdio},
    time::Duration,
};

use tokio::{
    io::AsyncWriteExt,
    process::{Child, ChildStdin, Command},
    time::{sleep, timeout},
};

use super::capture::Capture;

/// How long the outputs are heard after the group is gone: only what left the group could still hold them open.
const LAST_WORDS: Duration = Duration::from_secs(2);

pub(super) struct Process<'a> {
    pub(super) program: &'a OsStr,
    pub(super) args: Vec<OsString>,
    pub(super) directory: Option<&'a Path>,
    pub(super) environment: &'a [(OsString, OsString)],
    pub(super) inherits_environment: bool,
    pub(super) stdin: Option<&'a str>,
    pub(super) timeout: Duration,
    pub(super) output_limit: usize,
}

pub(super) struct Finished {
    pub(super) end: End,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum End {
    Exited(ExitStatus),
    TimedOut,
}

impl Process<'_> {
    pub(super) async fn run(self) -> io::Result<Finished> {
        let mut child = self.command().spawn()?;
        let mut group = Group::of(&child);
        let (mut stdout, mut stderr) = (Capture::new(self.output_limit), Capture::new(self.output_limit));
        let end = {
            let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
            let mut talking = pin!(async {
                let hearing = async {
                    if let Some(output) = output {
                        stdout.read(output).await;
                    }
                };
                let hearing_errors = async {
                    if let Some(errors) = errors {
                        stderr.read(errors).await;
                    }
                };
                tokio::join!(feed(input, self.stdin), hearing, hearing_errors);
            });
            let mut time_up = pin!(sleep(self.timeout));
            let mut is_silent = false;
            let end = loop {
                tokio::select! {
                    status = child.wait() => break End::Exited(status?),
                    () = &mut talking, if !is_silent => is_silent = true,
                    () = &mut time_up => break End::TimedOut,
                }
            };
            group.kill();
            if matches!(end, End::TimedOut) {
                // Where there are no groups this ends the program at least.
                let _ = child.start_kill();
                child.wait().await?;
            }
            if !is_silent {
                let _ = timeout(LAST_WORDS, talking).await;
            }
            end
        };
        Ok(Finished { end, stdout: stdout.into_text(), stderr: stderr.into_text() })
    }

    fn command(&self) -> Command {
        let mut command = Command::new(self.program);
        command.args(&self.args);
        if let Some(directory) = self.directory {
            command.current_dir(directory);
        }
        if !self.inherits_environment {
            command.env_clear();
        }
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(if self.stdin.is_some() { Stdio::piped() } else { Stdio::null() });
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        command
    }
}

/// A program that does not read what it is given is no error: the rest is not sent.
async fn feed(input: Option<ChildStdin>, text: Option<&str>) {
    if let (Some(mut input), Some(text)) = (input, text) {
        let _ = input.write_all(text.as_bytes()).await;
        let _ = input.shutdown().await;
    }
}

/// The processes that a program started, itself included; they end with this.
///
/// The group's number stays taken while anyone is in it. Between the end of the last one and the signal it could in theory be given
/// to a new group; numbers are handed out in turn, so that would take all of them in that moment.
struct Group(Option<u32>);

impl Group {
    fn of(child: &Child) -> Self {
        Self(child.id())
    }

    #[cfg(unix)]
    fn kill(&mut self) {
        use rustix::process::{Pid, Signal, kill_process_group};

        let number = self.0.take().and_then(|number| i32::try_from(number).ok());
        if let Some(group) = number.and_then(Pid::from_raw) {
            // An error means that nobody is left.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }

    #[cfg(not(unix))]
    fn kill(&mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}
