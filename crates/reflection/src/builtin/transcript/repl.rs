//! Statements that were typed into a database's client, behind its own prompt.

use super::Entry;

/// The statements in what a command printed, each with its answer; the client's name is their tool. None where the command opened no client.
pub(super) fn read<'a>(command: &str, printed: &'a str) -> Vec<Entry<'a>> {
    let Some(tool) = client(command) else { return Vec::new() };
    let mut statements: Vec<(usize, usize, &str)> = Vec::new();
    let mut is_open = false;
    for (at, line) in super::lines(printed) {
        match statement(tool, line) {
            Some(statement) => {
                let start = at + line.len() - statement.len();
                statements.push((at, start + statement.len(), statement));
                is_open = !is_whole(statement);
            }
            None if is_open && goes_on(line) => {
                if let Some((start, end, statement)) = statements.last_mut() {
                    *end = at + line.len();
                    let first = line_start(printed, *start, statement);
                    *statement = printed.get(first..*end).unwrap_or(statement);
                    is_open = !is_whole(statement);
                }
            }
            None => is_open = false,
        }
    }
    let ends = statements.iter().skip(1).map(|(start, ..)| *start).chain([printed.len()]);
    let entries = statements.iter().zip(ends).map(|((_, end, statement), until)| Entry {
        tool,
        arguments: statement,
        printed: printed.get(*end..until).unwrap_or_default().trim_matches(['\n', '\r']),
    });
    entries.filter(|entry| !is_farewell(entry.arguments)).collect()
}

/// The client that a command opens, by its name.
fn client(command: &str) -> Option<&'static str> {
    let mut words = command.split_whitespace().map(|word| word.rsplit('/').next().unwrap_or(word));
    words.find_map(|word| ["mysql", "mariadb", "psql", "sqlite3", "duckdb"].into_iter().find(|client| *client == word))
}

/// What stands behind a client's prompt: `mysql> `, `MariaDB [shop]> `, `sqlite> `, `shop=# `.
fn statement<'a>(tool: &str, line: &'a str) -> Option<&'a str> {
    let (prompt, statement) = match tool {
        "psql" => line.split_once("=# ").or_else(|| line.split_once("=> "))?,
        _ => line.split_once("> ")?,
    };
    let is_prompt = match tool {
        "psql" => !prompt.is_empty() && prompt.chars().all(|letter| letter.is_alphanumeric() || "_-".contains(letter)),
        "mysql" | "mariadb" => prompt == "mysql" || (prompt.starts_with("MariaDB [") && prompt.ends_with(']')),
        "sqlite3" => prompt == "sqlite",
        _ => prompt == "D" || prompt == "duckdb",
    };
    (is_prompt && !statement.trim().is_empty()).then_some(statement.trim())
}

/// Whether a statement is at its end. Commands of the client's own have one line.
fn is_whole(statement: &str) -> bool {
    statement.ends_with(';')
        || statement.ends_with("\\G")
        || statement.starts_with(['.', '\\'])
        || is_farewell(statement)
}

/// Whether a line goes on with a statement: `    -> from a;`, `   ...> from a;`, `shop-# from a;`.
fn goes_on(line: &str) -> bool {
    let bare = line.trim_start();
    bare.starts_with("-> ") || bare.starts_with("...> ") || bare.contains("-# ") || bare.contains("-> ")
}

fn line_start(printed: &str, line: usize, statement: &str) -> usize {
    printed.get(line..).and_then(|rest| rest.find(statement)).map_or(line, |at| line + at)
}

fn is_farewell(statement: &str) -> bool {
    matches!(statement.trim_end_matches(';'), "exit" | "quit" | "\\q" | ".quit" | ".exit")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_stand_behind_the_prompt_of_their_client() {
        let printed = "Welcome\nmysql> SHOW TABLES;\n| a |\n\nmysql> SELECT 1\n    -> FROM a;\n| 1 |\nmysql> exit\nBye";
        let entry = |arguments, printed| Entry { tool: "mysql", arguments, printed };
        assert_eq!(
            read("sudo mysql -u root shop", printed),
            [entry("SHOW TABLES;", "| a |"), entry("SELECT 1\n    -> FROM a;", "| 1 |")]
        );
        assert_eq!(read("psql shop", "shop=# \\dt\n a\nshop=# \\q").len(), 1);
        assert!(read("cat log", printed).is_empty() && read("mysql shop", "no prompt").is_empty());
    }
}
