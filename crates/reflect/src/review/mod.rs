//! `reflect review`: pending runs at a terminal, one by one.

mod bench;
mod screen;
mod terminal;

use std::io::IsTerminal;

use clap::{Arg, ArgMatches, Command as Clap, value_parser};

use crate::{
    say,
    target::{Target, with_target},
};
use bench::{Bench, Decided};
use terminal::{Key, Terminal};

/// Whose runs to review, and how many.
pub(crate) struct ReviewCommand {
    target: Target,
    most: usize,
}

pub(crate) fn command() -> Clap {
    let most = Arg::new("most").long("most").value_name("COUNT").default_value("500").value_parser(value_parser!(u16));
    with_target(
        Clap::new("review")
            .about("Review pending runs at the terminal, one by one")
            .long_about("Shows the runs that nobody has reviewed yet, newest first, and takes a key for each: p for pass, f for fail with a line of feedback, d to leave it for later, u to undo the last, o to see the whole run, q to stop.\n\nLessons are written in the background.")
            .arg(most.help("How many runs at most")),
    )
}

impl ReviewCommand {
    pub(crate) fn read(matches: &ArgMatches) -> anyhow::Result<Self> {
        let most = matches.get_one::<u16>("most").copied().unwrap_or(500);
        Ok(Self { target: Target::read(matches)?, most: usize::from(most) })
    }

    pub(crate) fn run(self) -> anyhow::Result<()> {
        anyhow::ensure!(
            std::io::stdin().is_terminal() && std::io::stdout().is_terminal(),
            "`reflect review` needs a terminal; programs use the API (docs/api.md)"
        );
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let reached = self.target.reach()?;
        let client = reached.client(&self.target.project_id)?;
        let mut bench = runtime.block_on(Bench::gather(client, self.most))?;
        if bench.is_empty() {
            return say(format_args!("no run is waiting for a review in the project `{}`", self.target.project_id));
        }
        let terminal = Terminal::open()?;
        let ended = runtime.block_on(review(&mut bench, &terminal));
        drop(terminal);
        ended?;
        say(format_args!("{}", bench.sum()))
    }
}

/// Takes decisions until there are no more runs, or no more wish.
async fn review(bench: &mut Bench, terminal: &Terminal) -> anyhow::Result<()> {
    let mut note = String::new();
    let mut is_whole = false;
    while let Some(trace) = bench.current().await? {
        let view = screen::View { trace: &trace, progress: bench.progress(), note: &note, is_whole };
        terminal.show(&view.draw(terminal.size()))?;
        (note, is_whole) = (String::new(), false);
        let decided = match terminal.key()? {
            Key::Letter('p') => bench.pass(trace.id).await,
            Key::Letter('f') => match terminal.line("What was wrong? ")? {
                Some(feedback) => bench.fail(trace.id, feedback).await,
                None => Ok(Decided::Nothing),
            },
            Key::Letter('d') => Ok(bench.defer()),
            Key::Letter('u') => bench.undo().await,
            Key::Letter('o') => {
                is_whole = true;
                Ok(Decided::Nothing)
            }
            Key::Letter('q') | Key::End => return Ok(()),
            Key::Letter(_) => Ok(Decided::Nothing),
        };
        match decided {
            Ok(Decided::Said(said)) => note = said,
            Ok(Decided::Nothing) => {}
            Err(error) => note = format!("{error:#}"),
        }
    }
    Ok(())
}
