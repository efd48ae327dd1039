//! A terminal's log: commands behind prompts, and what each printed.

use super::{Entry, labelled, repl};

/// What the calls of a log are called: which shell it was, the log does not say.
const TOOL: &str = "terminal";

/// The commands of a log. It begins with a prompt, but for a note in brackets or what somebody says, and has at least two of the same kind.
pub(super) fn read<'a>(text: &'a str) -> Vec<Entry<'a>> {
    let is_before = |line: &&str| line.trim().is_empty() || is_note(line) || labelled::is_speech(line);
    let before = text.lines().take_while(is_before);
    let has_speech = before.clone().any(labelled::is_speech);
    let Some((kind, _)) = text.lines().nth(before.count()).and_then(prompt) else { return Vec::new() };
    let mut commands: Vec<(usize, usize, &str)> = Vec::new();
    let mut lines = super::lines(text).peekable();
    while let Some((at, line)) = lines.next() {
        let Some((_, command)) = prompt(line).filter(|(other, _)| *other == kind) else { continue };
        let start = at + line.len() - command.len();
        let mut end = at + line.len();
        // A command goes on behind a backslash, and to the end of its here-document.
        let mark = document_mark(command);
        while let Some((next, more)) = lines.peek().copied() {
            let goes_on = text.get(start..end).is_some_and(|so_far| so_far.ends_with('\\'));
            let is_open = mark.is_some_and(|mark| !text.get(start..end).is_some_and(|so_far| is_closed(so_far, mark)));
            if !(goes_on || is_open) || prompt(more).is_some_and(|(other, _)| other == kind) {
                break;
            }
            end = next + more.len();
            lines.next();
        }
        commands.push((at, end, text.get(start..end).unwrap_or_default().trim()));
    }
    let ends = commands.iter().skip(1).map(|(start, ..)| *start).chain([text.len()]);
    let entries = commands.iter().zip(ends).map(|((_, end, command), until)| {
        let printed = text.get(*end..until).unwrap_or_default();
        let printed = if has_speech { before_speech(printed) } else { printed };
        Entry { tool: TOOL, arguments: command, printed: printed.trim_matches(['\n', '\r']) }
    });
    let with_statements = |entry: Entry<'a>| {
        let statements = repl::read(entry.arguments, entry.printed);
        // What the client printed are the answers to these.
        let printed = if statements.is_empty() { entry.printed } else { "" };
        std::iter::once(Entry { printed, ..entry }).chain(statements)
    };
    let entries: Vec<Entry> = entries
        .filter(|entry| !is_comment(entry.arguments) && entry.arguments != "exit")
        .flat_map(with_statements)
        .collect();
    if entries.len() < 2 && commands.len() < 2 { Vec::new() } else { entries }
}

/// `[terminal opened: fish]`.
fn is_note(line: &str) -> bool {
    line.starts_with('[') && line.ends_with(']')
}

/// What was printed before somebody spoke.
fn before_speech(printed: &str) -> &str {
    let spoken = super::lines(printed).find(|(_, line)| labelled::is_speech(line));
    spoken.and_then(|(at, _)| printed.get(..at)).unwrap_or(printed)
}

/// Whether a line has nothing that a shell would run.
fn is_comment(command: &str) -> bool {
    command.lines().all(|line| line.trim().is_empty() || line.trim().starts_with('#'))
}

/// How a prompt looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Prompt {
    /// `$ `.
    Bare,
    /// `agent@host:~/app$ `, `[agent@host app]$ `.
    Named,
    /// `PS C:\app> `.
    Power,
    /// `agent@host ~/app> `.
    Fish,
}

/// The prompt that a line begins with, and the command behind it.
fn prompt(line: &str) -> Option<(Prompt, &str)> {
    // A virtual environment writes its name first.
    let line = match line.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
        Some((name, rest)) if !name.contains(' ') => rest,
        _ => line,
    };
    if let Some(command) = line.strip_prefix("$ ") {
        return Some((Prompt::Bare, command.trim()));
    }
    if let Some((place, command)) = line.strip_prefix("PS ").and_then(|rest| rest.split_once("> ")) {
        return place.contains([':', '/']).then_some((Prompt::Power, command.trim()));
    }
    let (at, sign) = line.char_indices().find(|(at, letter)| {
        matches!(letter, '$' | '#' | '%' | '>')
            && line.get(at + 1..).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    })?;
    let (name, command) = (line.get(..at)?.trim_end(), line.get(at + sign.len_utf8()..)?);
    let is_bracketed = name.starts_with('[') && name.ends_with(']');
    let (user, host) = name.trim_matches(['[', ']']).split_once('@')?;
    let is_word =
        |text: &str| !text.is_empty() && text.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter));
    let machine = host.split([':', ' ']).next().unwrap_or_default();
    let is_named = is_word(user) && is_word(machine) && (is_bracketed || host.contains(':') || sign == '%');
    if sign == '>' {
        let is_of_fish = is_word(user) && is_word(machine) && (host.contains(" ~") || host.contains(" /"));
        return is_of_fish.then_some((Prompt::Fish, command.trim()));
    }
    is_named.then_some((Prompt::Named, command.trim()))
}

/// The word that ends the here-document of a command.
fn document_mark(command: &str) -> Option<&str> {
    let (_, after) = command.split_once("<<")?;
    let mark = after.trim_start_matches(['-', '~', ' ', '\'', '"', '\\']);
    let end = mark.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(mark.len());
    mark.get(..end).filter(|mark| !mark.is_empty())
}

fn is_closed(command: &str, mark: &str) -> bool {
    command.lines().skip(1).any(|line| line.trim_start_matches("> ").trim() == mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(text: &str) -> Vec<(&str, &str)> {
        read(text).into_iter().map(|entry| (entry.arguments, entry.printed)).collect()
    }

    #[test]
    fn commands_stand_behind_prompts_of_one_kind() {
        assert_eq!(commands("$ ls\na\nb\n$ make\n"), [("ls", "a\nb"), ("make", "")]);
        assert_eq!(
            commands("(.venv) a@box:~/x$ yarn build\n$ tsc -p .\nDone\n(.venv) a@box:~/x$ exit\n"),
            [("yarn build", "$ tsc -p .\nDone")]
        );
        assert_eq!(commands("$ ls\na\n$ # two files, none failed\n$ pwd\n/x"), [("ls", "a"), ("pwd", "/x")]);
        assert_eq!(commands("[root@db1 ~]# id\nuid=0\n[root@db1 ~]# pwd\n/root"), [("id", "uid=0"), ("pwd", "/root")]);
        assert_eq!(
            commands("$ cat > a <<EOF\nx\nEOF\n$ gcc \\\n  a.c\nok"),
            [("cat > a <<EOF\nx\nEOF", ""), ("gcc \\\n  a.c", "ok")]
        );
    }

    #[test]
    fn a_note_and_speech_may_stand_before_the_first_prompt() {
        let text = "[terminal opened: fish]\n\nassistant: I look.\n\na@box ~/x> ls\nb > c\n\nassistant: One more.\na@box ~/x> pwd\n/x";
        assert_eq!(commands(text), [("ls", "b > c"), ("pwd", "/x")]);
    }

    #[test]
    fn prose_is_no_log() {
        for text in [
            "Run this:\n$ npm ci\n$ npm test",
            "$ 5 is the price.",
            "",
            "a@b.example costs 3 $ a day\nmore",
            "a@b.example says > yes",
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
    }
}
