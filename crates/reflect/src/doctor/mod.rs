//! `reflect doctor`: proves that the loop closes, or says what keeps it from closing and what to do.

mod disk;
mod report;
mod round;
mod server;

use clap::{Arg, ArgAction, ArgMatches, Command as Clap};
use reflect_core::ProjectId;

use crate::target::{Place, Reached, Target, with_target};
use report::{Fault, Report};

/// What to examine.
pub(crate) struct DoctorCommand {
    target: Target,
    as_json: bool,
}

pub(crate) fn command() -> Clap {
    with_target(
        Clap::new("doctor")
            .about("Prove that the loop closes, or say what to do")
            .long_about("Looks at a server and at what it needs: key, store, disk, clock, worker, embedder, models. Then it does a real round: a run, its review, a lesson, the retrieval of a paraphrase, credit. With the master key that happens in a project of its own, which is deleted afterwards; with any other key in the key's project, from which it is removed.\n\nEach line says ok, or what is wrong and what to do. Ends with status 1 if anything failed.")
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("Print one JSON document instead of lines")),
    )
}

impl DoctorCommand {
    pub(crate) fn read(matches: &ArgMatches) -> anyhow::Result<Self> {
        Ok(Self { target: Target::read(matches)?, as_json: matches.get_flag("json") })
    }

    pub(crate) fn run(self) -> anyhow::Result<()> {
        let mut report = Report::new(self.as_json);
        tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?
            .block_on(examine(&self.target, &mut report))?;
        report.end()
    }
}

/// What every check needs.
struct Patient {
    reached: Reached,
    project_id: ProjectId,
}

async fn examine(target: &Target, report: &mut Report) -> anyhow::Result<()> {
    if let Place::Folder { settings, .. } = &target.place {
        disk::check(settings, report)?;
    }
    let reached = match target.reach() {
        Ok(reached) => reached,
        Err(error) => {
            let remedy = "put that right, then run `reflect serve` or this again";
            return report.fail("server", Fault::new(format!("{error:#}"), remedy));
        }
    };
    let patient = Patient { reached, project_id: target.project_id.clone() };
    if !server::check_reachable(&patient, report).await? {
        return Ok(());
    }
    let before = report.failures();
    let session = server::check_key(&patient, report).await?;
    server::check_parts(&patient, report).await?;
    match session {
        Some(session) if report.failures() == before => round::run(&patient, &session, report).await,
        _ => report.skip("round", "not tried; put right what failed above first"),
    }
}
