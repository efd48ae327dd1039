//! The run as steps: each tool call with the result that answers it.

use std::{
    borrow::Cow,
    collections::{HashMap, VecDeque},
};

use reflect_core::{Message, ToolResult};

use super::{
    call::{self, Request},
    gone, memories,
    outcome::{self, Answer, CallOutcome, Failure, ReadResult, Sign},
    transcript::{self, Entry},
    words,
};

/// One call of a tool and how it went, or a result that answers no recorded call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step<'a> {
    pub(super) place: Place,
    /// The tool's name; may be empty.
    pub(super) tool: &'a str,
    /// As they stood in the call; empty where there is no call.
    pub(super) arguments: &'a str,
    /// What the call asked for.
    pub(super) request: Request,
    /// The same for all calls that ask for the same.
    pub(super) key: String,
    pub(super) outcome: CallOutcome,
    /// What the tool printed; empty where no result is recorded.
    pub(super) printed: Cow<'a, str>,
}

/// Where in the run a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// Among the calls.
    Call,
    /// A result without its call.
    Result,
}

impl Step<'_> {
    /// The tool's name in backticks, or what to say when it has none.
    pub(super) fn tool_name(&self) -> String {
        match words::code(self.tool, NAME_LIMIT) {
            name if name.is_empty() => "an unnamed tool".into(),
            name => name,
        }
    }

    pub(super) fn failure(&self) -> Option<&Failure> {
        self.outcome.failure()
    }

    /// Whether nothing says that it did not work.
    pub(super) fn may_have_worked(&self) -> bool {
        matches!(self.outcome, CallOutcome::Succeeded | CallOutcome::Unknown)
    }

    pub(super) fn has_succeeded(&self) -> bool {
        self.outcome == CallOutcome::Succeeded
    }

    /// Whether it succeeded, by itself or by what a failure of the same tool shows: one that marks what fails has not marked this one.
    pub(super) fn has_worked_beside(&self, failed: &Step) -> bool {
        let marks = self.tool == failed.tool && failed.failure().is_some_and(|failure| failure.by == Sign::Frame);
        let has_own_code = match &self.request {
            Request::Command(command) => command.has_own_code(),
            _ => true,
        };
        let is_unmarked = self.outcome == CallOutcome::Unknown && has_own_code && !self.printed.trim().is_empty();
        self.has_succeeded() || (marks && is_unmarked)
    }

    /// Whether it left everything as it was.
    pub(super) fn is_a_look(&self) -> bool {
        self.request.is_a_look(self.tool)
    }

    /// Whether its failure says more than that something was not where it was looked for: not so of looks, and of edits that missed.
    pub(super) fn does_something(&self) -> bool {
        match &self.request {
            Request::Command(command) => !command.is_reading(),
            Request::Look | Request::Edit(_) => false,
            Request::Statement(_) | Request::Other => true,
        }
    }

    /// Whether an editor refused it, and did not merely miss the place.
    pub(super) fn is_refused_edit(&self) -> bool {
        let is_refusal = |failure: &Failure| outcome::is_refusal_of_edit(&failure.error);
        matches!(self.request, Request::Edit(_)) && self.failure().is_some_and(is_refusal)
    }

    /// Whether it was a test run, a build or another check.
    pub(super) fn is_a_check(&self) -> bool {
        self.request.is_a_check(self.tool)
    }
}

/// The most characters of a tool's name that are shown.
pub(super) const NAME_LIMIT: usize = 60;

/// Roles that frameworks give to what a tool or the world answered, as plain text.
const OBSERVING_ROLES: [&str; 6] = ["observation", "environment", "ipython", "terminal", "tool_response", "executor"];

/// The steps in the order of their calls. Calls of the memory's own tools are left out.
pub(super) fn read(messages: &[Message]) -> Vec<Step<'_>> {
    let mut reader = Reader::default();
    // A run that came as one text has no calls of the format's own.
    if let [message] = messages
        && message.tool_calls.is_empty()
        && message.tool_results.is_empty()
    {
        transcript::read(&message.text).into_iter().for_each(|entry| reader.take_entry(entry));
    }
    for message in messages {
        // Some frameworks put a call and its result into one message, so calls come first.
        for call in &message.tool_calls {
            reader.take_call(&call.id, &call.name, &call.arguments);
        }
        for result in &message.tool_results {
            reader.take_result(result);
        }
        if OBSERVING_ROLES.contains(&message.role.as_str()) {
            let printed = memories::without_any(&message.text);
            reader.add_without_call("", outcome::of_observation(&printed), printed);
        }
    }
    reader.steps.retain(|step| !memories::is_memory_tool(step.tool));
    gone::settle(&mut reader.steps);
    reader.steps
}

#[derive(Default)]
struct Reader<'a> {
    steps: Vec<Step<'a>>,
    by_id: HashMap<&'a str, usize>,
    /// Calls without an id that wait for their result, oldest first, by tool.
    waiting: HashMap<&'a str, VecDeque<usize>>,
    waiting_in_order: VecDeque<usize>,
    answered: Vec<bool>,
}

impl<'a> Reader<'a> {
    fn take_call(&mut self, id: &'a str, tool: &'a str, arguments: &'a str) {
        let index = self.steps.len();
        // A task that is handed on to another agent brings its memories along.
        let request = Request::read(tool, &memories::without_any(arguments));
        let key = call::key(tool, arguments, &request);
        let printed = Cow::Borrowed("");
        self.push(Step { place: Place::Call, tool, arguments, request, key, outcome: CallOutcome::Unknown, printed });
        if !id.is_empty() {
            self.by_id.insert(id, index);
        }
        self.waiting.entry(tool).or_default().push_back(index);
        self.waiting_in_order.push_back(index);
    }

    fn take_entry(&mut self, entry: Entry<'a>) {
        self.take_call("", entry.tool, entry.arguments);
        if let Some(step) = self.steps.last_mut().filter(|_| !entry.printed.is_empty()) {
            let answer = Answer { text: entry.printed, is_error: false };
            let ReadResult { outcome, printed } = outcome::read(&step.request, answer);
            (step.outcome, step.printed) = (outcome, printed);
        }
    }

    fn take_result(&mut self, result: &'a ToolResult) {
        let Some(index) = self.call_of(result) else {
            let request = Request::read(&result.name, "");
            let ReadResult { outcome, printed } = outcome::read(&request, result);
            return self.add_without_call(&result.name, outcome, printed);
        };
        if let Some(answered) = self.answered.get_mut(index) {
            *answered = true;
        }
        if let Some(step) = self.steps.get_mut(index) {
            let ReadResult { outcome, printed } = outcome::read(&step.request, result);
            step.outcome = outcome;
            step.printed = printed;
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

    fn add_without_call(&mut self, tool: &'a str, outcome: CallOutcome, printed: Cow<'a, str>) {
        let (request, key) = (Request::Other, String::new());
        self.push(Step { place: Place::Result, tool, arguments: "", request, key, outcome, printed });
    }

    fn push(&mut self, step: Step<'a>) {
        self.answered.push(step.place == Place::Result);
        self.steps.push(step);
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
        shape.map(|step| (step.place, step.tool.to_owned(), step.failure().is_some())).collect()
    }

    #[test]
    fn results_find_their_calls_by_id_in_any_order() {
        let messages = [call("1", "a"), call("2", "b"), result("2", "", true), result("1", "", false)];
        assert_eq!(shape(&messages), [(Place::Call, "a".into(), false), (Place::Call, "b".into(), true)]);
    }

    #[test]
    fn without_ids_the_oldest_call_is_answered() {
        let messages = [call("", "a"), call("", "b"), result("", "b", true), result("", "", false)];
        assert_eq!(shape(&messages), [(Place::Call, "a".into(), false), (Place::Call, "b".into(), true)]);
    }

    #[test]
    fn a_result_without_a_call_stands_alone() {
        let messages = [call("1", "a"), result("9", "", true)];
        assert_eq!(shape(&messages), [(Place::Call, "a".into(), false), (Place::Result, String::new(), true)]);
    }

    #[test]
    fn an_id_used_again_belongs_to_the_latest_call() {
        let messages = [call("1", "a"), result("1", "", true), call("1", "a"), result("1", "", false)];
        assert_eq!(shape(&messages), [(Place::Call, "a".into(), true), (Place::Call, "a".into(), false)]);
    }

    #[test]
    fn memory_tools_are_left_out() {
        let messages = [call("1", "mcp__reflect__retrieve_memories"), call("2", "a")];
        assert_eq!(shape(&messages), [(Place::Call, "a".into(), false)]);
    }
}
