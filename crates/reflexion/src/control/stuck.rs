//! Noticing that a run goes in circles.

use std::collections::HashMap;

use reflect_llm::ChatMessage;
use serde::{Deserialize, Serialize};

use crate::Trial;

/// When a run counts as stuck; what is unset is not looked at.
///
/// ```
/// use reflexion::{Plateau, StuckDetection};
///
/// let eager = StuckDetection { same_answer: Some(2), plateau: Some(Plateau { trials: 2, least_gain: 0.05 }), ..Default::default() };
/// assert_eq!(eager.repeated_call, Some(3));
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StuckDetection {
    /// So often in a row a trial called the same tool with the same arguments and got the same result. It does not end the run:
    /// a trial that failed is told so in its feedback. 3 by default; at least 2.
    pub repeated_call: Option<u32>,
    /// So many trials in a row gave the same answer, white space aside, and none passed: the run ends. Unset by default, since a
    /// judge may be wrong once; at least 2.
    pub same_answer: Option<u32>,
    /// The score no longer rises: the run ends. Unset by default.
    pub plateau: Option<Plateau>,
}

impl Default for StuckDetection {
    fn default() -> Self {
        Self { repeated_call: Some(3), same_answer: None, plateau: None }
    }
}

impl StuckDetection {
    /// Nothing is looked at.
    pub fn off() -> Self {
        Self { repeated_call: None, same_answer: None, plateau: None }
    }

    /// Whether the run is stuck after these trials, none of which succeeded.
    pub(crate) fn look_at(&self, trials: &[&Trial]) -> Option<StuckReason> {
        if self.same_answer.is_some_and(|times| same_answer(trials, times)) {
            return Some(StuckReason::SameAnswer);
        }
        self.plateau.filter(|plateau| plateau.reached(trials)).map(|_| StuckReason::Plateau)
    }
}

/// A score that no longer rises.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Plateau {
    /// This many trials in a row did not beat the best one before them. At least 1.
    pub trials: u32,
    /// What counts as beating it: a score higher by this much, in [0, 1].
    pub least_gain: f64,
}

impl Plateau {
    fn reached(self, trials: &[&Trial]) -> bool {
        let recent = usize::try_from(self.trials).unwrap_or(usize::MAX);
        let Some((before, after)) = trials.len().checked_sub(recent).and_then(|at| trials.split_at_checked(at)) else {
            return false;
        };
        let best = |some: &[&Trial]| some.iter().filter_map(|trial| trial.evaluation.score).max_by(f64::total_cmp);
        let scored = after.iter().all(|trial| trial.evaluation.score.is_some());
        match (best(before), best(after)) {
            (Some(old), Some(new)) if scored => new <= old || new - old < self.least_gain,
            _ => false,
        }
    }
}

/// How a run is stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StuckReason {
    /// The same answer again.
    SameAnswer,
    /// The score no longer rises.
    Plateau,
}

impl std::fmt::Display for StuckReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::SameAnswer => "it gives the same answer again",
            Self::Plateau => "its score no longer rises",
        })
    }
}

fn same_answer(trials: &[&Trial], times: u32) -> bool {
    let times = usize::try_from(times).unwrap_or(usize::MAX);
    let Some(last) = trials.len().checked_sub(times).and_then(|at| trials.get(at..)) else { return false };
    let plain = |trial: &&Trial| trial.answer().split_whitespace().collect::<Vec<_>>().join(" ");
    let Some((first, rest)) = last.split_first() else { return false };
    let first = plain(first);
    rest.iter().all(|trial| plain(trial) == first)
}

/// Says so when messages hold the same call with the same arguments and the same result at least `times` times in a row. For
/// actors, too: one that looks after each turn can end its attempt with [`crate::AttemptEnd::Stuck`].
///
/// ```
/// use reflect_llm::{ChatMessage, ToolCall};
/// use reflexion::repeated_call;
///
/// let look = |id: &str| ToolCall { id: id.into(), name: "look".into(), arguments: serde_json::json!({}) };
/// let turn = |id: &str| [ChatMessage::assistant_calling("", vec![look(id)]), ChatMessage::tool(id, "a locked door")];
/// let messages = [turn("1"), turn("2"), turn("3")].concat();
/// assert!(repeated_call(&messages, 3).is_some_and(|why| why.contains("`look`")));
/// assert_eq!(repeated_call(&messages, 4), None);
/// ```
pub fn repeated_call(messages: &[ChatMessage], times: u32) -> Option<String> {
    let results: HashMap<&str, &str> =
        messages.iter().filter_map(|message| Some((message.tool_call_id.as_deref()?, message.text.as_str()))).collect();
    let mut last = None;
    let mut in_a_row = 0_u32;
    for call in messages.iter().flat_map(|message| &message.tool_calls) {
        // A call that nothing answered has shown nothing yet.
        let Some(result) = results.get(call.id.as_str()) else { continue };
        let this = (call.name.as_str(), &call.arguments, *result);
        in_a_row = if last == Some(this) { in_a_row + 1 } else { 1 };
        if in_a_row >= times {
            return Some(format!(
                "`{}` was called {in_a_row} times in a row with the same arguments and the same result",
                call.name
            ));
        }
        last = Some(this);
    }
    None
}
