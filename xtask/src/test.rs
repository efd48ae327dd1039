//! `cargo xtask test`: runs the stages, and says how long each took.

use std::time::Instant;

use crate::{
    beside::{self, Beside},
    guards,
    shell::say,
    stages::{self, STAGES, Stage, When},
    target_size,
    times::Times,
};

/// How many stages run side by side. All of them at once, with `docs`, had not ended after seven minutes on two cores.
const AT_ONCE: usize = 2;

/// Runs the stages that were named, or all that a change needs.
pub(crate) fn run_stages(named: &[&str]) -> anyhow::Result<()> {
    if named.is_empty() {
        return all(false);
    }
    for name in named {
        stages::named(name)?;
    }
    let mut times = Times::default();
    let done = STAGES.iter().filter(|stage| named.contains(&stage.name)).try_for_each(|stage| timed(stage, &mut times));
    times.print();
    done
}

/// Runs every stage; those that rarely find anything only where what they guard has changed, unless this is for a release.
pub(crate) fn all(for_release: bool) -> anyhow::Result<()> {
    target_size::keep_small()?;
    let (begun, mut times) = (Instant::now(), Times::default());
    let done = in_order(for_release, &mut times);
    times.add("all", begun.elapsed());
    times.print();
    done?;
    times.keep()?;
    guards::remember_green()?;
    say("all stages passed");
    Ok(())
}

fn in_order(for_release: bool, times: &mut Times) -> anyhow::Result<()> {
    let mut preparing = Some(Beside::start("prepare", &["prepare"])?);
    for stage in STAGES.iter().filter(|stage| matches!(stage.when, When::InTurn)) {
        if stage.name == "unit" {
            // The console goes into the binary: it has to be there before that is built.
            preparing.take().map_or(Ok(()), |preparing| preparing.end(times))?;
        }
        timed(stage, times)?;
    }
    say("\n== side by side; what each prints follows when it ends");
    let beside: Vec<&Stage> = STAGES.iter().filter(|stage| matches!(stage.when, When::Beside)).collect();
    beside::run_all(&beside, AT_ONCE, times)?;
    for stage in STAGES {
        let When::Rarely(guarded) = stage.when else { continue };
        if for_release || guards::have_changed(stage.name, guarded)? {
            timed(stage, times)?;
        } else {
            say(&format!("{}: left out, nothing that it guards has changed since it passed", stage.name));
        }
    }
    Ok(())
}

fn timed(stage: &Stage, times: &mut Times) -> anyhow::Result<()> {
    let begun = Instant::now();
    let done = run_stage(stage);
    times.add(stage.name, begun.elapsed());
    done
}

/// Runs one stage. One that guards files notes with which of them it has passed.
pub(crate) fn run_stage(stage: &Stage) -> anyhow::Result<()> {
    say(&format!("\n== {}", stage.name));
    (stage.run)()?;
    if let When::Rarely(guarded) = stage.when {
        guards::note_passed(stage.name, guarded)?;
    }
    Ok(())
}
