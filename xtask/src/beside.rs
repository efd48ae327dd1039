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

    /// How long it took and whether it passed, if it has ended.
    fn ended(&mut self) -> anyhow::Result<Option<(Duration, bool)>> {
        Ok(self.process.try_wait()?.map(|status| (self.begun.elapsed(), status.success())))
    }
}

impl Drop for Beside {
    fn drop(&mut self) {
        // Nothing of ours goes on after us, whatever has failed meanwhile.
        let _ = self.process.wait();
    }
}

/// Waits for all, printing what each has said when it ends. Fails if one has failed, but not before all have ended.
pub(crate) fn wait_for_all(mut running: Vec<Beside>, times: &mut Times) -> anyhow::Result<()> {
    let mut failed = Vec::new();
    while !running.is_empty() {
        let mut going_on = Vec::new();
        for mut stage in running {
            let Some((took, passed)) = stage.ended()? else {
                going_on.push(stage);
                continue;
            };
            times.add(stage.name, took);
            say(&std::fs::read_to_string(notes()?.join(format!("{}.log", stage.name)))?);
            say(&format!(
                "== {} {} after {:.0} s",
                stage.name,
                if passed { "passed" } else { "FAILED" },
                took.as_secs_f64()
            ));
            if !passed {
                failed.push(stage.name);
            }
        }
        running = going_on;
        thread::sleep(Duration::from_millis(50));
    }
    anyhow::ensure!(failed.is_empty(), "failed: {}; their output is above", failed.join(", "));
    Ok(())
}
