//! Stages side by side, each a process of its own whose output waits in a file until it ends.

use std::{
    fs::File,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::Context;

use crate::{
    shell::{notes, root, say},
    stages::Stage,
    times::Times,
};

/// A stage that runs beside others.
pub(crate) struct Beside {
    name: &'static str,
    process: Child,
    begun: Instant,
}

impl Beside {
    /// Starts this program with other arguments.
    pub(crate) fn start(name: &'static str, arguments: &[&str]) -> anyhow::Result<Self> {
        let log = File::create(notes()?.join(format!("{name}.log")))?;
        let mut program = Command::new(std::env::current_exe()?);
        program.args(arguments).current_dir(root()).stdin(Stdio::null());
        program.stdout(log.try_clone()?).stderr(log);
        let process = program.spawn().with_context(|| format!("starting `{name}`"))?;
        Ok(Self { name, process, begun: Instant::now() })
    }

    /// Waits for it, and prints what it has said.
    pub(crate) fn end(mut self, times: &mut Times) -> anyhow::Result<()> {
        let passed = self.process.wait()?.success();
        anyhow::ensure!(self.report(passed, times)?, "failed: {}; its output is above", self.name);
        Ok(())
    }

    /// Whether it passed, if it has ended.
    fn ended(&mut self) -> anyhow::Result<Option<bool>> {
        Ok(self.process.try_wait()?.map(|status| status.success()))
    }

    fn report(&self, passed: bool, times: &mut Times) -> anyhow::Result<bool> {
        let took = self.begun.elapsed();
        times.add(self.name, took);
        say(&std::fs::read_to_string(notes()?.join(format!("{}.log", self.name)))?);
        let outcome = if passed { "passed" } else { "FAILED" };
        say(&format!("== {} {outcome} after {:.0} s", self.name, took.as_secs_f64()));
        Ok(passed)
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // Nothing of ours goes on after us, whatever has failed meanwhile.
        let _ = self.process.wait();
    }
}

/// Runs stages, so many at once, and prints what each has said when it ends. Fails if one has failed, but not before all have ended.
pub(crate) fn run_all(stages: &[&Stage], at_once: usize, times: &mut Times) -> anyhow::Result<()> {
    let (mut waiting, mut running, mut failed) = (stages.iter(), Vec::new(), Vec::new());
    loop {
        while running.len() < at_once {
            let Some(stage) = waiting.next() else { break };
            running.push(Beside::start(stage.name, &["stage", stage.name])?);
        }
        if running.is_empty() {
            break;
        }
        thread::sleep(Duration::from_millis(50));
        let mut going_on = Vec::new();
        for mut stage in running {
            match stage.ended()? {
                None => going_on.push(stage),
                Some(passed) if !stage.report(passed, times)? => failed.push(stage.name),
                Some(_) => {}
            }
        }
        running = going_on;
    }
    anyhow::ensure!(failed.is_empty(), "failed: {}; their output is above", failed.join(", "));
    Ok(())
}
