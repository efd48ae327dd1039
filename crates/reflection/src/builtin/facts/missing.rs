//! Errors about a name that does not exist, in the words of databases, shells, languages and package managers.

/// What kind of thing a name would have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Table,
    Column,
    Function,
    File,
    Flag,
    Subcommand,
    Command,
    Module,
    Package,
    Name,
    Script,
    Sheet,
    Tool,
    Endpoint,
    Field,
    Entity,
}

impl Kind {
    pub(super) fn noun(self) -> &'static str {
        match self {
            Self::Table => "table",
            Self::Column => "column",
            Self::Function => "function",
            Self::File => "file",
            Self::Flag => "flag",
            Self::Subcommand => "subcommand",
            Self::Command => "command",
            Self::Module => "module",
            Self::Package => "package",
            Self::Name => "name",
            Self::Script => "script",
            Self::Sheet => "sheet",
            Self::Tool => "tool",
            Self::Endpoint => "endpoint",
            Self::Field => "field",
            Self::Entity => "entity",
        }
    }

    /// Whether it is written in code or on a command line, where the right name is often another spelling of it.
    pub(super) fn is_spelled(self) -> bool {
        use Kind::{Flag, Function, Module, Name, Package, Script, Subcommand};
        matches!(self, Flag | Function | Module | Name | Package | Script | Subcommand)
    }

    /// Whether it belongs to a database's schema.
    pub(super) fn is_of_schema(self) -> bool {
        matches!(self, Self::Table | Self::Column)
    }
}

/// What an error says before a name and right after it.
struct Phrase {
    before: &'static str,
    after: &'static str,
    kind: Kind,
}

const fn phrase(before: &'static str, after: &'static str, kind: Kind) -> Phrase {
    Phrase { before, after, kind }
}

/// In small letters. The first that fits counts.
const PHRASES: [Phrase; 77] = [
    phrase("unknown tool: ", "", Kind::Tool),
    phrase("unknown tool ", "", Kind::Tool),
    phrase("no such tool: ", "", Kind::Tool),
    phrase("no such tool ", "", Kind::Tool),
    phrase("no tool named ", "", Kind::Tool),
    phrase("tool not found: ", "", Kind::Tool),
    phrase("unknown function: ", "", Kind::Tool),
    phrase("tool ", " does not exist", Kind::Tool),
    phrase("tool ", " not found", Kind::Tool),
    phrase("tool ", " is not available", Kind::Tool),
    phrase("unable to parse range: ", "", Kind::Sheet),
    phrase("no such sheet: ", "", Kind::Sheet),
    phrase("worksheet named ", " not found", Kind::Sheet),
    phrase("sheet not found: ", "", Kind::Sheet),
    phrase("sheet ", " does not exist", Kind::Sheet),
    phrase("sheet ", " not found", Kind::Sheet),
    phrase("no route matches get ", "", Kind::Endpoint),
    phrase("no route matches post ", "", Kind::Endpoint),
    phrase("cannot get ", "", Kind::Endpoint),
    phrase("cannot post ", "", Kind::Endpoint),
    phrase("no such endpoint: ", "", Kind::Endpoint),
    phrase("unknown endpoint: ", "", Kind::Endpoint),
    phrase("no such table: ", "", Kind::Table),
    phrase("no column named ", "", Kind::Column),
    phrase("no such column: ", "", Kind::Column),
    phrase("no such function: ", "", Kind::Function),
    phrase("unknown column ", "", Kind::Column),
    phrase("unknown table ", "", Kind::Table),
    phrase("invalid object name ", "", Kind::Table),
    phrase("invalid column name ", "", Kind::Column),
    phrase("relation ", " does not exist", Kind::Table),
    phrase("table ", " doesn't exist", Kind::Table),
    phrase("table ", " does not exist", Kind::Table),
    phrase("column ", " does not exist", Kind::Column),
    phrase("function ", " does not exist", Kind::Function),
    phrase("no such file or directory: ", "", Kind::File),
    phrase("no such file or directory, open ", "", Kind::File),
    phrase("can't open file ", "", Kind::File),
    phrase("cannot stat ", ": no such file", Kind::File),
    phrase("cannot access ", ": no such file", Kind::File),
    phrase("file not found: ", "", Kind::File),
    phrase("pathspec ", " did not match", Kind::File),
    phrase("unrecognized arguments: ", "", Kind::Flag),
    phrase("unrecognized option ", "", Kind::Flag),
    phrase("unrecognized option: ", "", Kind::Flag),
    phrase("unknown option: ", "", Kind::Flag),
    phrase("unknown option ", "", Kind::Flag),
    phrase("unknown flag: ", "", Kind::Flag),
    phrase("unknown argument: ", "", Kind::Flag),
    phrase("no such option: ", "", Kind::Flag),
    phrase("unexpected argument ", " found", Kind::Flag),
    phrase("invalid option -- ", "", Kind::Flag),
    phrase("no such command: ", "", Kind::Subcommand),
    phrase("no such command ", "", Kind::Subcommand),
    phrase("unknown command ", "", Kind::Subcommand),
    phrase("unknown command: ", "", Kind::Subcommand),
    phrase("unrecognized subcommand ", "", Kind::Subcommand),
    phrase("missing script: ", "", Kind::Script),
    phrase("no module named ", "", Kind::Module),
    phrase("cannot find module ", "", Kind::Module),
    phrase("unresolved import ", "", Kind::Module),
    phrase("no matching distribution found for ", "", Kind::Package),
    phrase("unable to locate package ", "", Kind::Package),
    phrase("no matching package named ", " found", Kind::Package),
    phrase("has no attribute ", "", Kind::Name),
    phrase("cannot find function ", "", Kind::Function),
    phrase("no method named ", " found", Kind::Function),
    phrase("cannot import name ", "", Kind::Name),
    phrase("command not found: ", "", Kind::Command),
    phrase("satisfies the requirement ", " (from versions: none", Kind::Package),
    phrase("cannot query field ", " on type", Kind::Field),
    phrase("no such field: ", "", Kind::Field),
    phrase("column not found: ", "", Kind::Field),
    phrase("unrecognized name: ", "", Kind::Field),
    phrase("entity ", " not found", Kind::Entity),
    phrase("unknown entity ", "", Kind::Entity),
    phrase("404 not found - get https://registry.npmjs.org/", "", Kind::Package),
];

/// A name that does not exist, as an error has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Missing<'e> {
    pub(super) kind: Kind,
    pub(super) name: &'e str,
}

impl<'e> Missing<'e> {
    pub(super) fn read(error: &'e str) -> Option<Self> {
        let small = error.to_ascii_lowercase();
        PHRASES.iter().find_map(|phrase| by_phrase(error, &small, phrase)).or_else(|| by_ending(error, &small))
    }
}

fn by_phrase<'e>(error: &'e str, small: &str, phrase: &Phrase) -> Option<Missing<'e>> {
    let start = small.find(phrase.before)? + phrase.before.len();
    let rest = error.get(start..)?;
    let name = name_at(rest)?;
    let end = start + offset(rest, name) + name.len();
    let after = small.get(end..)?.trim_start_matches(['"', '\'', '`', '’', '”']);
    // MySQL names a table with its database.
    let name = match phrase.kind {
        Kind::Table => name.rsplit('.').next().unwrap_or(name),
        // A flag may be named with its value.
        Kind::Flag => name.split('=').next().unwrap_or(name),
        // A range is named with its sheet.
        Kind::Sheet => name.split('!').next().unwrap_or(name),
        _ => name,
    };
    // "Cannot get the order" names no endpoint.
    let is_name = name.chars().any(char::is_alphanumeric) && (phrase.kind != Kind::Endpoint || name.starts_with('/'));
    (is_name && after.starts_with(phrase.after)).then_some(Missing { kind: phrase.kind, name })
}

/// The path of an address that was not found, where the call has nothing else that could be missing.
pub(super) fn endpoint<'e>(error: &str, arguments: &'e str) -> Option<Missing<'e>> {
    let small = error.to_ascii_lowercase();
    let is_absent = small.contains("404") && (small.contains("not found") || small.contains("http"));
    let address = ["http://", "https://"].iter().find_map(|scheme| arguments.split_once(scheme)).map(|(_, rest)| rest);
    let address = address.filter(|_| is_absent)?.split(['"', '\'', '?', '#', ' ', '\\']).next()?;
    let name = address.get(address.find('/')?..)?;
    (name.len() > 1).then_some(Missing { kind: Kind::Endpoint, name })
}

/// `bash: foo: command not found`, `cat: a.txt: No such file or directory`: the name stands before what is said of it.
fn by_ending<'e>(error: &'e str, small: &str) -> Option<Missing<'e>> {
    let known = [(": command not found", Kind::Command), (": no such file or directory", Kind::File)];
    let (at, kind) = known.into_iter().find_map(|(ending, kind)| Some((small.find(ending)?, kind)))?;
    let name = error.get(..at)?.rsplit(": ").next()?.trim().trim_matches(['"', '\'', '`', '‘', '’']);
    (!name.is_empty() && !name.contains(char::is_whitespace)).then_some(Missing { kind, name })
}

/// The name that a text begins with: what stands between quotes, or a word.
fn name_at(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let open = text.chars().next()?;
    let close = match open {
        '"' | '\'' | '`' => Some(open),
        '‘' => Some('’'),
        '“' => Some('”'),
        _ => None,
    };
    match close {
        Some(close) => text.get(open.len_utf8()..)?.split(close).next(),
        None => text.split(|letter: char| letter.is_whitespace() || ",;:()".contains(letter)).next(),
    }
}

fn offset(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_do_not_exist_are_read_in_many_tongues() {
        let cases = [
            ("no such table: car_1", Kind::Table, "car_1"),
            ("Error executing query: Table 'shop.orders' doesn't exist", Kind::Table, "orders"),
            ("ERROR:  relation \"orders\" does not exist", Kind::Table, "orders"),
            ("Unknown column 'T1.name' in 'field list'", Kind::Column, "T1.name"),
            ("column \"nme\" does not exist", Kind::Column, "nme"),
            ("column o.nme does not exist", Kind::Column, "o.nme"),
            ("cat: conf/a.yml: No such file or directory", Kind::File, "conf/a.yml"),
            ("FileNotFoundError: [Errno 2] No such file or directory: 'a.csv'", Kind::File, "a.csv"),
            ("error: unexpected argument '--foo' found", Kind::Flag, "--foo"),
            ("error: unrecognized arguments: --bar 3", Kind::Flag, "--bar"),
            ("npm ERR! Missing script: \"tset\"", Kind::Script, "tset"),
            ("ModuleNotFoundError: No module named 'yaml'", Kind::Module, "yaml"),
            ("bash: line 1: foo: command not found", Kind::Command, "foo"),
            ("AttributeError: module 'm' has no attribute 'go'", Kind::Name, "go"),
            ("E: Unable to locate package libfoo", Kind::Package, "libfoo"),
            ("Unable to parse range: Q1!A1:B9", Kind::Sheet, "Q1"),
            ("Error: tool `find_user` does not exist", Kind::Tool, "find_user"),
            ("Cannot GET /v1/users", Kind::Endpoint, "/v1/users"),
            ("ERROR: (gcloud.x) unrecognized arguments: --max=50", Kind::Flag, "--max"),
            ("Cannot query field \"mail\" on type \"Order\".", Kind::Field, "mail"),
            ("Unrecognized name: user_hash; Did you mean user_id?", Kind::Field, "user_hash"),
            ("Error calling service: Entity light.a not found", Kind::Entity, "light.a"),
            ("404 Not Found - GET https://registry.npmjs.org/left-pda - Not found", Kind::Package, "left-pda"),
        ];
        for (error, kind, name) in cases {
            assert_eq!(Missing::read(error), Some(Missing { kind, name }), "{error}");
        }
        for error in [
            "",
            "cannot get the lock",
            "KeyError: 'vat'",
            "syntax error at or near \"form\"",
            "table ",
            "no such table: ",
        ] {
            assert_eq!(Missing::read(error), None, "{error}");
        }
    }
}
