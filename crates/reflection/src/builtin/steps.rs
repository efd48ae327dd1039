//! The run as steps: each tool call with the result that answers it.

use std::collections::{HashMap, VecDeque};

use reflect_core::{Message, ToolResult};

use super::{errors, memories, words};

/// One call of a tool and how it went, or a result that answers no recorded call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step<'a> {
    pub(super) place: Place,
    /// The tool's name; may be empty.
    pub(super) tool: &'a str,
    /// As they stood in the call; empty where there is no call.
    pub(super) arguments: &'a str,
    /// What the error said, where the result is one; may be empty.
    pub(super) error: Option<String>,
}

/// Where in the run a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The number of the call among all calls, from 1.
    Call(usize),
    /// The number of the message, from 1: a result without its call.
    Message(usize),
}

impl Step<'_> {
    /// The tool's name in backticks, or what to say when it has none.
    pub(super) fn tool_name(&self) -> String {
        match words::code(self.tool, NAME_LIMIT) {
            name if name.is_empty() => "an unnamed tool".into(),
            name => name,
        }
    }
}

/// The most characters of a tool's name that are shown.
pub(super) const NAME_LIMIT: usize = 60;

/// Roles that frameworks give to what a tool or the world answered, as plain text.
const OBSERVING_ROLES: [&str; 6] = ["observation", "environment", "ipython", "terminal", "tool_response", "executor"];

/// The steps in the order of their calls. Calls of the memory's own tools are left out but counted.
pub(super) fn read(messages: &[Message]) -> Vec<Step<'_>> {
    let mut reader = Reader::default();
    for (index, message) in messages.iter().enumerate() {
        let place = Place::Message(index + 1);
        // Some frameworks put a call and its result into one message, so calls come first.
        for call in &message.tool_calls {
            reader.take_call(&call.id, &call.name, &call.arguments);
        }
        for result in &message.tool_results {
            reader.take_result(result, place);
        }
        if OBSERVING_ROLES.contains(&message.role.as_str()) {
            reader.add_without_call(place, "", errors::error_in(&memories::without_any(&message.text)));
        }
    }
    reader.steps.retain(|step| !memories::is_memory_tool(step.tool));
    reader.steps
}

#[derive(Default)]
struct Reader<'a> {
    steps: Vec<Step<'a>>,
    calls: usize,
    by_id: HashMap<&'a str, usize>,
    /// Calls without an id that wait for their result, oldest first, by tool.
    waiting: HashMap<&'a str, VecDeque<usize>>,
    waiting_in_order: VecDeque<usize>,
    answered: Vec<bool>,
}

impl<'a> Reader<'a> {
    fn take_call(&mut self, id: &'a str, tool: &'a str, arguments: &'a str) {
        self.calls += 1;
        let index = self.steps.len();
        self.push(Step { place: Place::Call(self.calls), tool, arguments, error: None });
        if !id.is_empty() {
            self.by_id.insert(id, index);
        }
        self.waiting.entry(tool).or_default().push_back(index);
        self.waiting_in_order.push_back(index);
    }

    fn take_result(&mut self, result: &'a ToolResult, place: Place) {
        let error = errors::error_of(result.is_error, &memories::without_any(&result.text));
        match self.call_of(result) {
            Some(index) => {
                if let Some(answered) = self.answered.get_mut(index) {
                    *answered = true;
                }
                if let Some(step) = self.steps.get_mut(index) {
                    step.error = error;
                }
            }
            None => self.add_without_call(place, &result.name, error),
        }
    }

    /// By its id; where it names none, the oldest call without a result: of its tool, or of any if it names no tool.
    fn call_of(&mut self, result: &ToolResult) -> Option<usize> {
        if !result.call_id.is_empty() {
            return self.by_id.get(result.call_id.as_str()).copied();
        }
        let queue = match result.name.as_str() {
            "" => &mut self.waiting_in_order,
            name => self.waiting.get_mut(name)?,
        };
        while let Some(index) = queue.pop_front() {
            if self.answered.get(index) == Some(&false) {
                return Some(index);
            }
        }
        None
    }

    fn add_without_call(&mut self, place: Place, tool: &'a str, error: Option<String>) {
        self.push(Step { place, tool, arguments: "", error });
    }

    fn push(&mut self, step: Step<'a>) {
        let is_call = matches!(step.place, Place::Call(_));
        self.steps.push(step);
        self.answered.push(!is_call);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reflect_core::ToolCall;

    fn call(id: &str, name: &str) -> Message {
        let call = ToolCall { id: id.into(), name: name.into(), arguments: "{}".into() };
        Message { tool_calls: vec![call], ..Message::default() }
    }

    fn result(call_id: &str, name: &str, is_error: bool) -> Message {
        let result = ToolResult { call_id: call_id.into(), name: name.into(), text: "x".into(), is_error };
        Message { tool_results: vec![result], ..Message::default() }
    }

    fn shape(messages: &[Message]) -> Vec<(Place, String, bool)> {
        let steps = read(messages);
        let shape = steps.iter();
        shape.map(|step| (step.place, step.tool.to_owned(), step.error.is_some())).collect()
    }

    #[test]
    fn results_find_their_calls_by_id_in_any_order() {
        let messages = [call("1", "a"), call("2", "b"), result("2", "", true), result("1", "", false)];
        assert_eq!(shape(&messages), [(Place::Call(1), "a".into(), false), (Place::Call(2), "b".into(), true)]);
    }

    #[test]
    fn without_ids_the_oldest_call_is_answered() {
        let messages = [call("", "a"), call("", "b"), result("", "b", true), result("", "", false)];
        assert_eq!(shape(&messages), [(Place::Call(1), "a".into(), false), (Place::Call(2), "b".into(), true)]);
    }

    #[test]
    fn a_result_without_a_call_stands_alone() {
        let messages = [call("1", "a"), result("9", "", true)];
        assert_eq!(shape(&messages), [(Place::Call(1), "a".into(), false), (Place::Message(2), String::new(), true)]);
    }

    #[test]
    fn an_id_used_again_belongs_to_the_latest_call() {
        let messages = [call("1", "a"), result("1", "", true), call("1", "a"), result("1", "", false)];
        assert_eq!(shape(&messages), [(Place::Call(1), "a".into(), true), (Place::Call(2), "a".into(), false)]);
    }

    #[test]
    fn memory_tools_are_counted_and_left_out() {
        let messages = [call("1", "mcp__reflect__retrieve_memories"), call("2", "a")];
        assert_eq!(shape(&messages), [(Place::Call(2), "a".into(), false)]);
    }
}
