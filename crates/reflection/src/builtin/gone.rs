//! What is not there any more because the run removed it: that it is not found is the proof, and no failure.

use super::{
    arguments::{fields, value_text},
    call::Request,
    outcome::CallOutcome,
    steps::Step,
};

/// How many calls that remove something are kept in mind.
const REMOVALS: usize = 32;

/// Takes back the failures of calls that asked for what an earlier one had removed.
pub(super) fn settle(steps: &mut [Step]) {
    let mut removed: Vec<Vec<String>> = Vec::new();
    for step in steps {
        if step.failure().is_some() && is_not_found(step) {
            let named = named(step);
            let is_gone = |removed: &Vec<String>| !named.is_empty() && named.iter().all(|name| removed.contains(name));
            if removed.iter().any(is_gone) {
                step.outcome = CallOutcome::Unknown;
            }
        } else if step.failure().is_none() && removes(step) && removed.len() < REMOVALS {
            removed.push(named(step));
        }
    }
}

fn is_not_found(step: &Step) -> bool {
    const SIGNS: [&str; 8] =
        ["404", "410", "not found", "not_found", "no such", "does not exist", "doesn't exist", "missing"];
    let start: String = step.printed.chars().take(2_000).collect::<String>().to_lowercase();
    SIGNS.iter().any(|sign| start.contains(sign))
}

/// Whether a call removes something: by its tool's name, its method, or its command.
fn removes(step: &Step) -> bool {
    const VERBS: [&str; 6] = ["delete", "remove", "destroy", "drop", "purge", "unlink"];
    let is_verb = |text: &str| VERBS.contains(&text.to_lowercase().as_str());
    match &step.request {
        Request::Command(command) => {
            let has_method = step.arguments.contains("-X DELETE") || step.arguments.contains("--request DELETE");
            matches!(command.program(), "rm" | "rmdir") || is_verb(command.subcommand()) || has_method
        }
        Request::Statement(statement) => statement.text().split(' ').next().is_some_and(is_verb),
        _ => {
            let method = fields(step.arguments)
                .is_some_and(|fields| fields.values().any(|raw| raw.get().eq_ignore_ascii_case("\"delete\"")));
            method || step.tool.split(|letter: char| !letter.is_alphabetic()).any(is_verb)
        }
    }
}

/// What a call names: the values of its fields, or the words of its command that are paths, addresses or ids.
fn named(step: &Step) -> Vec<String> {
    const METHODS: [&str; 5] = ["get", "head", "delete", "post", "options"];
    let is_id = |word: &str| word.len() > 3 && word.contains(|letter: char| letter.is_ascii_digit() || letter == '/');
    match (&step.request, fields(step.arguments)) {
        (Request::Command(command), _) => {
            let words = command.shown().split_whitespace().map(|word| word.trim_matches(['"', '\'']));
            words
                .filter(|word| is_id(word) && !word.starts_with(['-', '%']) && *word != "/dev/null")
                .map(str::to_owned)
                .collect()
        }
        (Request::Statement(statement), _) => statement.tables().into_iter().map(str::to_owned).collect(),
        (_, Some(fields)) => {
            let values = fields.values().map(|raw| value_text(raw));
            values.filter(|value| value.len() > 1 && !METHODS.contains(&value.to_lowercase().as_str())).collect()
        }
        (_, None) => Some(step.arguments.trim().to_owned()).filter(|text| !text.is_empty()).into_iter().collect(),
    }
}

#[cfg(test)]
mod tests {
    use reflect_core::{Message, ToolCall, ToolResult};

    use super::super::steps;

    fn failures(calls: &[(&str, &str, &str)]) -> usize {
        let messages: Vec<Message> = calls
            .iter()
            .map(|(tool, arguments, text)| Message {
                tool_calls: vec![ToolCall {
                    name: (*tool).into(),
                    arguments: (*arguments).into(),
                    ..ToolCall::default()
                }],
                tool_results: vec![ToolResult { name: (*tool).into(), text: (*text).into(), ..ToolResult::default() }],
                ..Message::default()
            })
            .collect();
        steps::read(&messages).iter().filter(|step| step.failure().is_some()).count()
    }

    #[test]
    fn what_the_run_removed_may_be_missing() {
        let missing = r#"{"status": 404, "body": {"message": "No such hook"}}"#;
        let delete = ("http", r#"{"method": "DELETE", "url": "https://a.example/hooks/7"}"#, r#"{"status": 204}"#);
        let get = ("http", r#"{"method": "GET", "url": "https://a.example/hooks/7"}"#, missing);
        let other = ("http", r#"{"method": "GET", "url": "https://a.example/hooks/8"}"#, missing);
        assert_eq!(failures(&[delete, get]), 0);
        assert_eq!(failures(&[get, delete]), 1);
        assert_eq!(failures(&[delete, other]), 1);
        assert_eq!(failures(&[("delete_hook", r#"{"id": 17}"#, "ok"), ("get_hook", r#"{"id": 17}"#, missing)]), 0);
    }
}
