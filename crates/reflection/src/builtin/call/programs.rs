//! What is known of programs: which only show something, which check something, and which are neither.

use super::pieces;
use crate::builtin::reading;

const READERS: &str = "[ [[ command grep egrep fgrep rg ag ack cat head tail less more bat ls ll dir tree find fd locate which whereis \
    file stat wc du df diff cmp sort uniq cut nl tac strings hexdump xxd od printenv env history man date whoami id uname ps \
    top free uptime lsof netstat ss dmesg journalctl zcat zgrep md5sum sha256sum jq yq column pwd type hostname awk sed tr \
    echo printf basename dirname realpath readlink seq test true sleep";

/// Programs that take a text in and let some of it through.
const FILTERS: &str = "tail head grep egrep fgrep rg less more cat tee sed awk sort uniq wc cut tr column jq nl tac xxd od \
    fold strings";

/// Of these an exit code of 1 says that nothing was found, or that two things differ.
const FINDERS: &str = "[ [[ command grep egrep fgrep rg ag ack diff cmp test zgrep which pgrep";

/// Subcommands that only show something.
const LOOKS: [(&str, &str); 16] = [
    ("git", "log show diff status blame grep ls-files rev-parse describe reflog shortlog cat-file ls-tree ls-remote"),
    ("kubectl", "logs get describe top explain events version api-resources"),
    ("docker", "logs ps images inspect stats version info"),
    ("podman", "logs ps images inspect"),
    ("oc", "logs get describe"),
    ("systemctl", "status list-units show cat is-active is-enabled is-failed"),
    ("cargo", "tree metadata search"),
    ("npm", "ls list view info search outdated"),
    ("yarn", "list info why"),
    ("pnpm", "ls list why"),
    ("pip", "list show freeze index"),
    ("pip3", "list show freeze index"),
    ("apt-cache", "search show policy"),
    ("brew", "list info search"),
    ("heroku", "logs ps config"),
    ("helm", "list ls status get history show search"),
];

const CHECKERS: &str = "pytest py.test tox nox unittest jest vitest mocha ava karma playwright cypress tsc eslint prettier ruff \
    mypy pyright flake8 pylint black isort make cmake ninja ctest bazel gradle gradlew mvn mvnw sbt xcodebuild rspec rubocop \
    phpunit gcc g++ cc clang clang++ javac rustc ghc stack cabal zig shellcheck hadolint";

const CHECKS: [(&str, &str); 15] = [
    ("cargo", "test build check clippy nextest bench doc fmt run"),
    ("go", "test build vet run"),
    ("npm", "test run t run-script"),
    ("yarn", "test run build lint"),
    ("pnpm", "test run build lint"),
    ("bun", "test run build"),
    ("deno", "test check lint"),
    ("dotnet", "test build"),
    ("swift", "test build"),
    ("mix", "test compile"),
    ("rake", "test spec"),
    ("rails", "test"),
    ("composer", "test"),
    ("terraform", "validate plan"),
    ("dart", "test analyze"),
];

/// A program and the first word after it that is no flag.
#[derive(Debug, Clone, Copy)]
pub(super) struct Program<'a> {
    pub(super) name: &'a str,
    pub(super) subcommand: &'a str,
}

impl<'a> Program<'a> {
    /// The program of a command's words.
    pub(super) fn of(words: &'a [String]) -> Self {
        let mut words = without_wrappers(words);
        while let [sudo, rest @ ..] = words
            && sudo == "sudo"
        {
            words = without_wrappers(without_flags_of_sudo(rest));
        }
        let Some((first, rest)) = words.split_first() else { return Self { name: "", subcommand: "" } };
        let name = first.rsplit('/').next().unwrap_or(first);
        Self { name, subcommand: subcommand(name, rest) }
    }

    fn is_in(&self, list: &[(&str, &str)]) -> bool {
        list.iter().any(|(program, words)| self.name == *program && reading::lists(words, self.subcommand))
    }

    pub(super) fn is_reader(&self) -> bool {
        reading::lists(READERS, self.name) || self.is_in(&LOOKS)
    }

    pub(super) fn is_filter(&self) -> bool {
        reading::lists(FILTERS, self.name)
    }

    pub(super) fn is_finder(&self) -> bool {
        reading::lists(FINDERS, self.name) || (self.name == "git" && matches!(self.subcommand, "grep" | "diff"))
    }

    pub(super) fn is_checker(&self) -> bool {
        reading::lists(CHECKERS, self.name) || self.is_in(&CHECKS)
    }

    /// Whether it says nothing where it finds nothing.
    pub(super) fn is_silent_checker(&self) -> bool {
        const SILENT: &str = "tsc eslint gcc g++ cc clang clang++ javac rustc shellcheck flake8";
        reading::lists(SILENT, self.name) || (self.name == "go" && matches!(self.subcommand, "build" | "vet"))
    }

    /// Whether its last lines say so where it fails, and nothing of the kind where it does not.
    pub(super) fn tells_of_failure(&self) -> bool {
        reading::lists("make ninja gcc g++ cc clang clang++ rustc javac tsc", self.name)
            || (self.name == "cargo" && self.subcommand == "build")
    }

    pub(super) fn is_sql_client(&self) -> bool {
        matches!(self.name, "psql" | "mysql" | "mariadb" | "sqlite3" | "duckdb" | "clickhouse-client" | "sqlcmd")
    }
}

/// The first word that is neither a flag nor the value of one that may stand before it: `kubectl -n data get`.
fn subcommand<'a>(name: &str, words: &'a [String]) -> &'a str {
    const WITH_VALUE: &str = "-n --namespace --context --kubeconfig -C --git-dir --work-tree -H --host -R --repo --profile --region \
        --endpoint-url --prefix -f --file --project -c";
    let takes_values =
        reading::lists("kubectl oc helm git docker docker-compose podman gh aws gcloud npm pnpm flux argocd", name);
    let mut is_value = false;
    let found = words.iter().find(|word| {
        let is_skipped = std::mem::replace(&mut is_value, takes_values && reading::lists(WITH_VALUE, word));
        !is_skipped && !word.starts_with('-')
    });
    found.map(String::as_str).unwrap_or_default()
}

/// `-E`, `-u postgres` before the command.
fn without_flags_of_sudo(words: &[String]) -> &[String] {
    let mut rest = words;
    while let [flag, after @ ..] = rest
        && flag.starts_with('-')
    {
        let has_value = matches!(flag.as_str(), "-u" | "-g" | "-h" | "-p" | "-C" | "-D" | "-R" | "-T");
        rest = after.get(usize::from(has_value)..).unwrap_or_default();
    }
    rest
}

/// The code by which a command says that there are changes, or something newer, and not that it failed.
pub(super) fn answer(words: &[String]) -> Option<u8> {
    let program = Program::of(words);
    let is_detailed = words.iter().any(|word| word.trim_start_matches('-') == "detailed-exitcode");
    match (program.name, program.subcommand) {
        (_, _) if is_detailed => Some(2),
        ("kubectl" | "oc", "diff") | ("npm" | "pnpm" | "yarn", "outdated") => Some(1),
        ("dnf" | "yum", "check-update") => Some(100),
        ("systemctl", "is-active" | "status") => Some(3),
        _ => None,
    }
}

/// Whether a program that does other things as well is asked what there is: `aws s3 ls`, `gcloud sql instances list`, `npm --help`.
pub(super) fn lists(words: &[String]) -> bool {
    const VERBS: &str = "ls list describe show get history search status --help help --version";
    let is_verb = |word: &String| {
        reading::lists(VERBS, word) || ["describe-", "list-", "head-"].iter().any(|verb| word.starts_with(verb))
    };
    let bare = words.iter().skip(1).filter(|word| !word.starts_with('-'));
    bare.take(3).any(is_verb) || words.iter().any(|word| word == "--help")
}

/// Whether a checker is told to mend what it finds, or is a formatter.
pub(super) fn mends(words: &[String]) -> bool {
    let program = Program::of(words);
    let has = |flags: &[&str]| words.iter().any(|word| flags.contains(&word.as_str()));
    let formats = matches!(program.name, "black" | "isort" | "prettier")
        || (program.subcommand == "fmt" && program.name == "cargo")
        || (program.subcommand == "format" && program.name == "ruff");
    has(&["--fix", "--write", "--autocorrect", "-A", "--fix-dry-run", "--unsafe-fixes"])
        || (formats && !has(&["--check", "-c", "--diff"]))
}

/// A checker's name, with the subcommand of a program that does other things as well.
pub(super) fn check_name(name: &str, subcommand: &str) -> String {
    match reading::lists(CHECKERS, name) {
        true => name.to_owned(),
        false => format!("{name} {subcommand}"),
    }
}

/// The words without what only says how a command is started: variables, a time limit, an environment of a language.
pub(super) fn without_wrappers(words: &[String]) -> &[String] {
    let mut rest = words;
    loop {
        let texts: Vec<&str> = rest.iter().take(3).map(String::as_str).collect();
        let skipped = match texts.as_slice() {
            // `command -v` asks whether there is such a program.
            ["command", "-v" | "-V", ..] => return rest,
            ["time" | "nice" | "nohup" | "env" | "command" | "npx" | "bunx" | "winpty", ..] => 1,
            ["timeout", first, ..] if first.starts_with('-') => 3,
            ["timeout", ..] => 2,
            ["poetry" | "uv" | "pipenv" | "pdm" | "hatch" | "rye", "run", ..] => 2,
            ["bundle" | "pnpm" | "yarn", "exec", ..] => 2,
            ["pnpm" | "yarn" | "bun", program, ..] if reading::lists(CHECKERS, program) => 1,
            ["python" | "python3" | "py", "-m", ..] => 2,
            [first, ..] if is_variable(first) => 1,
            _ => return rest,
        };
        match rest.get(skipped..) {
            Some(left) if !left.is_empty() => rest = left,
            _ => return rest,
        }
    }
}

/// The variables that are set before a command, but for those that only say how much it prints; of a secret only the name.
pub(super) fn variables(command: &str) -> Vec<String> {
    const MANNERS: [&str; 5] = ["BACKTRACE", "COLOR", "LOG", "DEBUG", "VERBOSE"];
    const SECRETS: [&str; 6] = ["PASS", "PWD", "SECRET", "TOKEN", "KEY", "CREDENTIAL"];
    if !command.contains('=') {
        return Vec::new();
    }
    let words = pieces::words(command);
    let set = words.iter().skip_while(|word| *word == "env").take_while(|word| is_variable(word));
    let told = set.filter_map(|word| {
        let name = word.split('=').next().unwrap_or_default().to_uppercase();
        let has = |signs: &[&str]| signs.iter().any(|sign| name.contains(sign));
        (!has(&MANNERS)).then(|| if has(&SECRETS) { name.clone() } else { word.clone() })
    });
    told.collect()
}

/// `NAME=value` before a command.
fn is_variable(word: &str) -> bool {
    word.split_once('=').is_some_and(|(name, _)| {
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
    })
}
