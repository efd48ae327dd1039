//! `reflect lift`.

use std::fmt::Write;

use clap::{Arg, ArgAction, ArgMatches, Command as Clap};
use reflect_api::{LiftAnswer, LiftArmAnswer, LiftRequest};

use crate::{
    print,
    target::{Target, with_target},
};

/// What is asked, and of whom.
pub(crate) struct LiftCommand {
    target: Target,
    request: LiftRequest,
    as_json: bool,
}

pub(crate) fn command() -> Clap {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    with_target(
        Clap::new("lift")
            .about("Ask a server whether memories help")
            .long_about("Asks a server whether memories help, by the share of tasks that did without (`holdout` in the settings).\n\nThe verdict may be looked at after every run; the interval holds for one look.")
            .arg(flag("without-judged", "Leave out reviews by the judge"))
            .arg(flag("without-unnamed", "Leave out runs that did not name their query"))
            .arg(flag("json", "Print the server's answer as it is")),
    )
}

impl LiftCommand {
    pub(crate) fn read(matches: &ArgMatches) -> anyhow::Result<Self> {
        let left_out = |name: &str| matches.get_flag(name).then_some(false);
        let request = LiftRequest { judged: left_out("without-judged"), unnamed: left_out("without-unnamed") };
        Ok(Self { target: Target::read(matches)?, request, as_json: matches.get_flag("json") })
    }

    pub(crate) fn run(self) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let reached = self.target.reach()?;
        let client = reached.client(&self.target.project_id)?;
        let answer = runtime.block_on(client.lift(self.request))?;
        if self.as_json {
            return print(&format!("{}\n", serde_json::to_string_pretty(&answer)?));
        }
        print(&table(&answer)?)
    }
}

/// A figure of an arm.
type Figure = fn(&LiftArmAnswer) -> u64;

/// The sentence, and what it was made of.
fn table(answer: &LiftAnswer) -> Result<String, std::fmt::Error> {
    let mut text = format!("{}\n", answer.sentence);
    let Some(share) = answer.share else { return Ok(text) };
    let (with, without) = (&answer.with_memories, &answer.without_memories);
    writeln!(text, "\n{:<28}{:>14}{:>18}", "", "with memories", "without memories")?;
    let rows: [(&str, Figure); 7] = [
        ("tasks, each once a day", |arm| arm.tasks),
        ("  reviewed", |arm| arm.reviewed),
        ("    passed", |arm| arm.passed),
        ("    by the judge", |arm| arm.judged),
        ("  without a review", |arm| arm.unreviewed),
        ("  without a run", |arm| arm.unrecorded),
        ("  that named no query", |arm| arm.unnamed),
    ];
    for (name, count) in rows {
        writeln!(text, "{name:<28}{:>14}{:>18}", count(with), count(without))?;
    }
    let rate = |arm: &LiftArmAnswer| arm.pass_rate.map_or("–".to_owned(), |rate| format!("{:.1} %", 100.0 * rate));
    writeln!(text, "{:<28}{:>14}{:>18}\n", "pass rate", rate(with), rate(without))?;
    writeln!(text, "evidence {:.2}, a verdict takes 20", answer.evidence)?;
    writeln!(text, "a difference of ten points takes about {} more reviewed runs", answer.more_runs_for_ten_points)?;
    let since = answer.since.map_or(String::new(), |since| format!(" since {since}"));
    writeln!(text, "held out: {:.1} % of the tasks{since}; now {:.1} %", 100.0 * share, 100.0 * answer.holdout)?;
    Ok(text)
}
