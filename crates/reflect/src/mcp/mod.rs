//! `reflect mcp`: the Model Context Protocol on standard input and output, and ready-made configuration for programs that speak it.

mod bridge;
mod configuration;
mod message;

use clap::{Arg, ArgAction, ArgMatches, Command as Clap};

use crate::{
    print,
    target::{Target, with_target},
};
use configuration::Program;

/// What to do.
pub(crate) enum McpCommand {
    Serve(Target),
    PrintConfiguration(Target, Program),
    PrintSkill,
}

pub(crate) fn command() -> Clap {
    let names: Vec<&str> = Program::ALL.iter().map(|program| program.name()).collect();
    with_target(
        Clap::new("mcp")
            .about("Speak the Model Context Protocol on standard input and output")
            .long_about("Speaks the Model Context Protocol (MCP) on standard input and output, for editors and agents that start their tools as programs. Those that speak HTTP use the server's /mcp instead.\n\nThe tools are retrieve_memories, create_memory and review_trace.")
            .arg(
                Arg::new("print_config")
                    .long("print-config")
                    .value_name("PROGRAM")
                    .value_parser(names)
                    .help("Print what to put into this program's configuration, for the target that is named beside it"),
            )
            .arg(
                Arg::new("print_skill")
                    .long("print-skill")
                    .action(ArgAction::SetTrue)
                    .help("Print a skill that tells an agent when to retrieve, what to report and how to write a good lesson"),
            ),
    )
}

impl McpCommand {
    pub(crate) fn read(matches: &ArgMatches) -> anyhow::Result<Self> {
        if matches.get_flag("print_skill") {
            return Ok(Self::PrintSkill);
        }
        let target = Target::read(matches)?;
        let named = matches.get_one::<String>("print_config");
        let program = named.and_then(|name| Program::ALL.into_iter().find(|program| program.name() == name));
        Ok(match program {
            Some(program) => Self::PrintConfiguration(target, program),
            None => Self::Serve(target),
        })
    }

    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::PrintSkill => print(reflect_server::AGENT_SKILL),
            Self::PrintConfiguration(target, program) => print(&configuration::write(&target, program)?),
            Self::Serve(target) => bridge::run(target),
        }
    }
}
