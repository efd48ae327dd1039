//! What a tool call asks for: a command, a statement, an edit of files, a look, or something else.

mod columns;
pub(super) mod command;
mod edit;
mod pieces;
mod pipeline;
mod programs;
pub(super) mod schema;
pub(super) mod sql;
mod tool;
mod writes;

use super::arguments;
use command::Command;
use sql::Statement;

/// What one call wants, as far as its tool and its arguments say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Request {
    /// A line for a shell.
    Command(Box<Command>),
    /// SQL for a tool that runs it.
    Statement(Statement),
    /// Changes to these files.
    Edit(Vec<String>),
    /// A look at something that stays as it is: a file, a search, a page.
    Look,
    /// A tool of which nothing is known.
    Other,
}

impl Request {
    pub(super) fn read(tool: &str, arguments: &str) -> Self {
        let fields = arguments::fields(arguments);
        let name = tool::Name::of(tool);
        if let Some(files) = edit::files(&name, arguments, fields.as_ref()) {
            return if files.is_empty() { Self::Look } else { Self::Edit(files) };
        }
        if let Some(line) = tool::command_line(&name, arguments, fields.as_ref()) {
            return Self::Command(Box::new(Command::read(&line)));
        }
        if let Some(statement) = tool::statement(&name, arguments, fields.as_ref()) {
            return Self::Statement(Statement::new(statement));
        }
        if name.only_looks() && name.shows_what_others_wrote(fields.as_ref()) { Self::Look } else { Self::Other }
    }

    /// Whether it leaves everything as it is.
    pub(super) fn is_a_look(&self, tool: &str) -> bool {
        match self {
            Self::Command(command) => command.is_reading(),
            Self::Statement(statement) => statement.is_reading(),
            Self::Edit(_) => false,
            Self::Look => true,
            Self::Other => tool::Name::of(tool).asks(),
        }
    }

    /// The statement of SQL in it, sent by a tool of its own or by a client in a shell.
    pub(super) fn sql(&self) -> Option<&Statement> {
        match self {
            Self::Command(command) => command.sql(),
            Self::Statement(statement) => Some(statement),
            _ => None,
        }
    }

    /// Whether it is a test run, a build or another check, which passes or fails.
    pub(super) fn is_a_check(&self, tool: &str) -> bool {
        match self {
            Self::Command(command) => command.is_a_check(),
            Self::Other | Self::Look => tool::Name::of(tool).checks(),
            _ => false,
        }
    }
}

/// What two calls have in common that ask for the same thing.
pub(super) fn key(tool: &str, arguments: &str, request: &Request) -> String {
    match request {
        Request::Command(command) => command.key().to_owned(),
        Request::Statement(statement) => format!("{tool} {}", statement.key()),
        _ => format!("{tool} {}", arguments::without_manner(arguments)),
    }
}
