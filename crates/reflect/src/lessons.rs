//! `reflect lessons`.

use clap::{Arg, ArgAction, ArgMatches, Command as Clap, builder::RangedU64ValueParser};
use reflect_api::MemoryDetail;
use reflect_core::{Direction, MemoryOrder, MemoryStatus};

use crate::{
    print,
    target::{Target, with_target},
    terminal_text::one_line,
};

/// Which lessons, and whose.
pub(crate) struct LessonsCommand {
    target: Target,
    which: Which,
    limit: u32,
    as_json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Which {
    Best,
    Worst,
    LeftOut,
}

pub(crate) fn command() -> Clap {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    with_target(
        Clap::new("lessons")
            .about("Show lessons with what is known of them, the best first")
            .long_about("Shows lessons with what is known of them: how runs went that saw them, what they are believed to add, and how sure that is.")
            .arg(flag("worst", "The worst first").conflicts_with("left-out"))
            .arg(flag("left-out", "Only those that queries leave out, since they are believed to hurt, and when they come back"))
            .arg(
                Arg::new("limit")
                    .long("limit")
                    .default_value("10")
                    .value_parser(RangedU64ValueParser::<u32>::new().range(1..=1_000))
                    .help("How many at most"),
            )
            .arg(flag("json", "Print the server's answer as it is")),
    )
}

impl LessonsCommand {
    pub(crate) fn read(matches: &ArgMatches) -> anyhow::Result<Self> {
        let which = match (matches.get_flag("worst"), matches.get_flag("left-out")) {
            (_, true) => Which::LeftOut,
            (true, _) => Which::Worst,
            _ => Which::Best,
        };
        let limit = matches.get_one::<u32>("limit").copied().unwrap_or(10);
        Ok(Self { target: Target::read(matches)?, which, limit, as_json: matches.get_flag("json") })
    }

    pub(crate) fn run(self) -> anyhow::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let reached = self.target.reach()?;
        let client = reached.client(&self.target.project_id)?;
        let direction = if self.which == Which::Worst { Direction::Asc } else { Direction::Desc };
        let list = client.list_memories().order(MemoryOrder::Utility, direction).page_size(self.limit);
        let list = if self.which == Which::LeftOut { list.retired().status(MemoryStatus::Active) } else { list };
        let memories = runtime.block_on(list.page(None))?.items;
        if self.as_json {
            return print(&format!("{}\n", serde_json::to_string_pretty(&memories)?));
        }
        print(&self.text(&memories))
    }

    fn text(&self, memories: &[MemoryDetail]) -> String {
        match (self.which, memories) {
            (Which::LeftOut, []) => "No lesson is left out.\n".to_owned(),
            (_, []) => "There are no lessons yet.\n".to_owned(),
            _ => memories.iter().map(paragraph).collect::<Vec<_>>().join("\n"),
        }
    }
}

/// A lesson in a few lines: its utility and its id, what it is about, what it says, and what is known of it.
fn paragraph(memory: &MemoryDetail) -> String {
    let marks = [(memory.pinned, "never left out"), (memory.status == MemoryStatus::Disabled, "disabled")];
    let marks: String = marks.iter().filter(|(is, _)| *is).map(|(_, mark)| format!(", {mark}")).collect();
    let says = [&memory.guidance, &memory.correct_action, &memory.summary].into_iter().find(|text| !text.is_empty());
    let mut text = format!("{:.2}  {}{marks}\n", memory.q_value, memory.id);
    let lines = [Some(&memory.task), says, memory.evidence.as_ref().map(|evidence| &evidence.sentence)];
    for line in lines.into_iter().flatten() {
        text.push_str(&format!("      {}\n", one_line(line)));
    }
    text
}
