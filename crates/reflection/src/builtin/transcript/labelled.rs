//! Calls and results under headings: `### tool_call: shell`, `Tool call [execute]: …`, `[tool:sh] …`, `Tool call: find({…})`.

use super::Entry;

/// What a line opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Label {
    Call,
    Result,
    /// Somebody speaks.
    Speech,
}

const CALLS: [&str; 6] = ["tool_call", "tool call", "tool_use", "tool use", "function_call", "function call"];
const RESULTS: [&str; 8] = [
    "tool_output",
    "tool output",
    "tool_result",
    "tool result",
    "tool_response",
    "tool response",
    "function_result",
    "function result",
];
const SPEAKERS: [&str; 5] = ["assistant", "user", "human", "system", "agent"];

/// A label with the name behind it and the rest of its line.
struct Heading<'a> {
    label: Label,
    name: &'a str,
    rest: &'a str,
}

/// The calls of a text whose first line is a label, and that has at least one call of a named tool.
pub(super) fn read(text: &str) -> Vec<Entry<'_>> {
    let mut sections: Vec<(Heading, usize, usize)> = Vec::new();
    for (at, line) in super::lines(text) {
        match heading(line) {
            Some(heading) => sections.push((heading, at, at + line.len())),
            None if sections.is_empty() && !line.trim().is_empty() => return Vec::new(),
            None => {}
        }
    }
    let ends: Vec<usize> = sections.iter().skip(1).map(|(_, start, _)| *start).chain([text.len()]).collect();
    let mut entries: Vec<Entry> = Vec::new();
    let mut is_open = false;
    for ((heading, _, line_end), end) in sections.iter().zip(ends) {
        let rest_at = line_end - heading.rest.len();
        let body = text.get(rest_at..end).unwrap_or_default().trim();
        match heading.label {
            Label::Call => {
                let (call, printed) = split(heading, body);
                entries.extend(call.map(|(tool, arguments)| Entry { tool, arguments, printed }));
                is_open = !entries.is_empty();
            }
            Label::Result => {
                if let Some(entry) = entries.last_mut().filter(|_| is_open) {
                    entry.printed = body;
                }
                is_open = false;
            }
            Label::Speech => is_open = false,
        }
    }
    entries
}

/// Whether somebody speaks in the line: `assistant: I look at the log.`
pub(super) fn is_speech(line: &str) -> bool {
    heading(line).is_some_and(|heading| heading.label == Label::Speech)
}

fn heading(line: &str) -> Option<Heading<'_>> {
    let bare = line.trim_start_matches('#').trim_start().trim_start_matches("**");
    let is_bracket = bare.starts_with('[');
    let bare = bare.trim_start_matches(['[', '<']);
    let small = bare.get(..24.min(bare.len())).unwrap_or(line).to_ascii_lowercase();
    let known = |words: &[&str]| words.iter().find(|word| small.starts_with(**word)).map(|word| word.len());
    let (label, length) = match (known(&CALLS), known(&RESULTS), known(&SPEAKERS)) {
        (Some(length), ..) => (Label::Call, length),
        (_, Some(length), _) => (Label::Result, length),
        (.., Some(length)) => (Label::Speech, length),
        // `[tool:sh] make` is a call, `<tool name="sh">` as well, and `Tool: done` a result.
        _ if small.starts_with("tool:") && is_bracket => (Label::Call, 4),
        _ if line.starts_with("<tool name=") => (Label::Call, 4),
        _ if small.starts_with("tool:") => (Label::Result, 4),
        _ => return None,
    };
    let after = bare.get(length..)?;
    let is_marked = line.starts_with('#') || after.starts_with([':', ']', ' ', '>']) || after.is_empty();
    if !is_marked || (label == Label::Speech && !(line.starts_with('#') || after.starts_with([':', ']']))) {
        return None;
    }
    let is_opened = is_bracket || after.starts_with(" [");
    let (name, rest) = match is_opened {
        true => after.trim_start_matches([' ', '[', ':']).split_once(']')?,
        false if label == Label::Call && line.starts_with('#') => (after, ""),
        false => ("", after),
    };
    let is_frame = is_bracket && rest.trim_start().starts_with("exit") && !rest.trim().contains(' ');
    let name = name.trim_matches([' ', ':', '*', '`']);
    (!is_frame).then_some(Heading { label, name, rest: rest.trim_start_matches([':', ' ', '*']) })
}

/// The tool and the arguments of a call, and what came back where that stands right under it.
fn split<'a>(heading: &Heading<'a>, body: &'a str) -> (Option<(&'a str, &'a str)>, &'a str) {
    if let Some(rest) = body.strip_prefix("name=\"") {
        let call =
            rest.split_once("\">").map(|(name, rest)| (name, rest.split("</tool").next().unwrap_or(rest).trim()));
        return (call, "");
    }
    if heading.name.is_empty() {
        let opening = body.find(['(', '{', ' ', '\n']).unwrap_or(body.len());
        let (name, arguments) = body.split_at(opening);
        let arguments = arguments.trim();
        let arguments = arguments.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')).unwrap_or(arguments);
        return (is_name(name).then_some((name, arguments)), "");
    }
    // `[tool:sh] make` has what it printed on the next lines.
    let (first, printed) =
        if heading.rest.is_empty() { (body, "") } else { body.split_once('\n').unwrap_or((body, "")) };
    (is_name(heading.name).then_some((heading.name, first.trim())), printed.trim())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|letter| letter.is_alphanumeric() || "_-.".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry<'a>(tool: &'a str, arguments: &'a str, printed: &'a str) -> Entry<'a> {
        Entry { tool, arguments, printed }
    }

    #[test]
    fn calls_are_read_under_headings() {
        let text = "### user\nBuild it.\n\n### tool_call: shell\nmake\n\n### tool_output\nok\n\n### assistant\nDone.";
        assert_eq!(read(text), [entry("shell", "make", "ok")]);
        let text = "User: go\n\nTool call [execute]: pytest -q\nTool result:\n2 passed\n\nAssistant: Done.";
        assert_eq!(read(text), [entry("execute", "pytest -q", "2 passed")]);
        let text = "[assistant] Look.\n[tool:sh] ls\na\nb\n[tool:sh] exit=0\n[assistant] Two files.";
        assert_eq!(read(text), [entry("sh", "ls", "a\nb\n[tool:sh] exit=0")]);
        let text = "User: x\nTool call: find({\"id\": 7})\nTool: {\"name\": \"a\"}\nAssistant: a";
        assert_eq!(read(text), [entry("find", "{\"id\": 7}", "{\"name\": \"a\"}")]);
        let text = "### Assistant\n<tool name=\"book\">\n{\"id\": 7}\n</tool>\n\n### Tool result\nbooked";
        assert_eq!(read(text), [entry("book", "{\"id\": 7}", "booked")]);
    }

    #[test]
    fn what_is_only_said_is_no_call() {
        for text in [
            "Tool calls are explained below.",
            "User: hello\nAssistant: Hi! A tool call costs 3 cents.",
            "# Tools\nuse them",
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
    }
}
