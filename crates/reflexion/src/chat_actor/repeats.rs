//! Noticing that an actor goes in circles.

use std::collections::{HashMap, HashSet};

use reflect_llm::ToolCall;

/// Counts calls that are the same in name, arguments and result. Anything that was not seen before in the attempt starts the
/// count anew: an agent that runs the same failing tests after each of three different edits is not stuck, one that does the
/// same two things in turn is.
pub(super) struct Repeats {
    limit: u32,
    seen: HashSet<Step>,
    since_new: HashMap<Step, u32>,
}

/// Name, arguments, result.
type Step = (String, String, String);

impl Repeats {
    /// Stuck is who does the same thing so often; fewer than two turn this off.
    pub(super) fn new(limit: u32) -> Self {
        Self { limit, seen: HashSet::new(), since_new: HashMap::new() }
    }

    /// Takes in one turn, and says how it is stuck, if it is. The same call twice in one turn counts once.
    pub(super) fn add<'a>(&mut self, turn: impl IntoIterator<Item = (&'a ToolCall, &'a str)>) -> Option<String> {
        if self.limit < 2 {
            return None;
        }
        let steps: HashSet<Step> = turn
            .into_iter()
            .map(|(call, result)| (call.name.clone(), call.arguments.to_string(), result.to_owned()))
            .collect();
        if steps.iter().any(|step| !self.seen.contains(step)) {
            self.since_new.clear();
        }
        let mut stuck: Option<String> = None;
        for step in steps {
            let count = self.since_new.entry(step.clone()).or_default();
            *count += 1;
            if *count >= self.limit {
                let why = format!(
                    "`{}` was called {count} times with the same arguments and gave the same result, with nothing new in between",
                    step.0
                );
                // Of several, the first by name: the set has no order of its own.
                stuck = Some(stuck.map_or(why.clone(), |other| other.min(why)));
            }
            self.seen.insert(step);
        }
        stuck
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(name: &str, argument: u32) -> ToolCall {
        ToolCall { id: format!("{name}{argument}"), name: name.into(), arguments: json!({"n": argument}) }
    }

    /// After which turn it was stuck, from 1; each turn is one call with its argument and result.
    fn stuck_after(limit: u32, turns: &[(&str, u32, &str)]) -> Option<usize> {
        let mut repeats = Repeats::new(limit);
        let turn = |(name, argument, result): &(&str, u32, &str)| {
            let call = call(name, *argument);
            repeats.add([(&call, *result)]).is_some()
        };
        turns.iter().map(turn).position(|stuck| stuck).map(|index| index + 1)
    }

    #[test]
    fn the_same_call_arguments_and_result_again_and_again_is_stuck() {
        assert_eq!(stuck_after(3, &[("look", 1, "dark"); 4]), Some(3));
        assert_eq!(stuck_after(2, &[("look", 1, "dark"); 4]), Some(2));
    }

    #[test]
    fn other_arguments_or_another_result_is_not() {
        let turns = [("look", 1, "dark"), ("look", 2, "dark"), ("look", 1, "light"), ("go", 1, "dark")];
        assert_eq!(stuck_after(2, &turns), None);
    }

    #[test]
    fn something_new_in_between_starts_anew() {
        let turns = [
            ("edit", 1, "ok"),
            ("test", 0, "red"),
            ("edit", 2, "ok"),
            ("test", 0, "red"),
            ("edit", 3, "ok"),
            ("test", 0, "red"),
        ];
        assert_eq!(stuck_after(3, &turns), None);
    }

    #[test]
    fn a_circle_of_two_is_found() {
        let circle: Vec<_> = [("open", 1, "locked"), ("knock", 1, "silence")].repeat(4);
        assert_eq!(stuck_after(3, &circle), Some(6));
    }

    #[test]
    fn below_two_it_is_off_and_twice_in_one_turn_counts_once() {
        assert_eq!(stuck_after(0, &[("look", 1, "dark"); 9]), None);
        assert_eq!(stuck_after(1, &[("look", 1, "dark"); 9]), None);
        let (mut repeats, same) = (Repeats::new(2), call("look", 1));
        assert_eq!(repeats.add([(&same, "dark"), (&same, "dark")]), None);
        assert!(repeats.add([(&same, "dark")]).is_some());
    }
}
