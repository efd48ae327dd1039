//! What was reflected so far.

use std::collections::{BTreeMap, VecDeque};

use serde::{Deserialize, Serialize};

use crate::{ReflectionResult, ReflectionType};

/// Reflections in the order they came, with counts.
///
/// Counts cover everything that was ever added; a bound limits only how many results are kept to be read again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ReflectionHistory {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    capacity: Option<usize>,
    counts: BTreeMap<ReflectionType, usize>,
    results: VecDeque<ReflectionResult>,
}

/// What [`ReflectionHistory::summarize`] answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HistorySummary {
    /// How many were added.
    pub total: usize,
    /// How many of them were about a success.
    pub success: usize,
    /// How many of them were about a failure.
    pub failure: usize,
    /// How many there are of each type; all five are listed, those without any as 0.
    pub types: BTreeMap<ReflectionType, usize>,
}

impl ReflectionHistory {
    /// How many recent reflections one looks at when nothing says how many.
    pub const DEFAULT_RECENT: usize = 5;

    /// An empty history that keeps everything.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty history that keeps the newest `capacity` results; 0 keeps none and only counts.
    pub fn bounded(capacity: usize) -> Self {
        Self { capacity: Some(capacity), ..Self::default() }
    }

    /// Adds a result at the end; the oldest one goes if the bound asks for it.
    pub fn add(&mut self, result: ReflectionResult) {
        *self.counts.entry(result.reflection_type()).or_default() += 1;
        self.results.push_back(result);
        if self.capacity.is_some_and(|capacity| self.results.len() > capacity) {
            self.results.pop_front();
        }
    }

    /// How many were added.
    pub fn total_count(&self) -> usize {
        self.counts.values().sum()
    }

    /// How many of them were of type [`ReflectionType::Success`].
    pub fn success_count(&self) -> usize {
        self.count(ReflectionType::Success)
    }

    /// How many of them were of type [`ReflectionType::Failure`].
    pub fn failure_count(&self) -> usize {
        self.count(ReflectionType::Failure)
    }

    /// Those that are kept, oldest first.
    pub fn iter(&self) -> std::collections::vec_deque::Iter<'_, ReflectionResult> {
        self.results.iter()
    }

    /// The newest `n` that are kept, oldest first. 0 gives none; more than there are gives all.
    pub fn get_recent(&self, n: usize) -> Vec<&ReflectionResult> {
        self.results.iter().skip(self.results.len().saturating_sub(n)).collect()
    }

    /// The newest [`Self::DEFAULT_RECENT`].
    pub fn recent(&self) -> Vec<&ReflectionResult> {
        self.get_recent(Self::DEFAULT_RECENT)
    }

    /// Those kept of one type, oldest first.
    pub fn get_by_type(&self, reflection_type: ReflectionType) -> Vec<&ReflectionResult> {
        self.results.iter().filter(|result| result.reflection_type() == reflection_type).collect()
    }

    /// The counts.
    pub fn summarize(&self) -> HistorySummary {
        HistorySummary {
            total: self.total_count(),
            success: self.success_count(),
            failure: self.failure_count(),
            types: ReflectionType::ALL.iter().map(|kind| (*kind, self.count(*kind))).collect(),
        }
    }

    fn count(&self, reflection_type: ReflectionType) -> usize {
        self.counts.get(&reflection_type).copied().unwrap_or_default()
    }
}

impl IntoIterator for ReflectionHistory {
    type Item = ReflectionResult;
    type IntoIter = std::collections::vec_deque::IntoIter<ReflectionResult>;

    fn into_iter(self) -> Self::IntoIter {
        self.results.into_iter()
    }
}

impl<'a> IntoIterator for &'a ReflectionHistory {
    type Item = &'a ReflectionResult;
    type IntoIter = std::collections::vec_deque::Iter<'a, ReflectionResult>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ReflectionLevel;

    fn result(reflection_type: ReflectionType, summary: &str) -> ReflectionResult {
        ReflectionResult::new(reflection_type, ReflectionLevel::Medium, summary)
    }

    fn summaries(results: &[&ReflectionResult]) -> Vec<String> {
        results.iter().map(|result| result.summary().to_owned()).collect()
    }

    #[test]
    fn an_empty_history_has_nothing() {
        let history = ReflectionHistory::new();
        assert_eq!((history.total_count(), history.success_count(), history.failure_count()), (0, 0, 0));
        assert!(history.recent().is_empty());
    }

    #[test]
    fn only_successes_and_failures_have_counters_of_their_own() {
        let mut history = ReflectionHistory::new();
        for kind in [ReflectionType::Success, ReflectionType::Success, ReflectionType::Failure, ReflectionType::Insight]
        {
            history.add(result(kind, "x"));
        }
        assert_eq!((history.total_count(), history.success_count(), history.failure_count()), (4, 2, 1));
        assert_eq!(history.get_by_type(ReflectionType::Success).len(), 2);
        assert_eq!(history.get_by_type(ReflectionType::Failure).len(), 1);
        assert_eq!(history.get_by_type(ReflectionType::Pattern).len(), 0);
    }

    #[test]
    fn recent_ones_come_oldest_first() {
        let mut history = ReflectionHistory::new();
        (0..10).for_each(|n| history.add(result(ReflectionType::Insight, &n.to_string())));
        assert_eq!(summaries(&history.get_recent(3)), ["7", "8", "9"]);
        assert_eq!(history.recent().len(), ReflectionHistory::DEFAULT_RECENT);
        assert_eq!(history.get_recent(99).len(), 10);
    }

    /// Fixed: in the reference, asking for none answered all, and a negative number all but the first few. Here 0 is
    /// none, and the type has no negative numbers.
    #[test]
    fn asking_for_none_gives_none() {
        let mut history = ReflectionHistory::new();
        history.add(result(ReflectionType::Insight, "x"));
        assert!(history.get_recent(0).is_empty());
    }

    #[test]
    fn summaries_list_types_without_any() {
        let mut history = ReflectionHistory::new();
        history.add(result(ReflectionType::Failure, "x"));
        let summary = serde_json::to_value(history.summarize()).unwrap();
        assert_eq!(
            summary,
            serde_json::json!({"total": 1, "success": 0, "failure": 1, "types":
                {"success": 0, "failure": 1, "optimization": 0, "pattern": 0, "insight": 0}})
        );
    }

    #[test]
    fn a_bound_drops_the_oldest_and_still_counts_them() {
        let mut history = ReflectionHistory::bounded(2);
        (0..3).for_each(|n| history.add(result(ReflectionType::Success, &n.to_string())));
        assert_eq!(summaries(&history.recent()), ["1", "2"]);
        assert_eq!((history.total_count(), history.success_count()), (3, 3));
        let mut none = ReflectionHistory::bounded(0);
        none.add(result(ReflectionType::Success, "x"));
        assert!(none.recent().is_empty());
        assert_eq!(none.total_count(), 1);
    }

    #[test]
    fn a_history_is_gone_through_oldest_first() {
        let mut history = ReflectionHistory::bounded(2);
        (0..3).for_each(|n| history.add(result(ReflectionType::Success, &n.to_string())));
        let mut seen = Vec::new();
        for result in &history {
            seen.push(result.summary().to_owned());
        }
        assert_eq!(seen, ["1", "2"]);
        assert!(history.iter().rev().map(ReflectionResult::summary).eq(["2", "1"]));
        assert!(history.into_iter().map(|result| result.summary().to_owned()).eq(["1", "2"]));
    }

    #[test]
    fn a_history_can_be_written_down_and_goes_on_from_there() {
        let mut history = ReflectionHistory::bounded(2);
        (0..3).for_each(|n| history.add(result(ReflectionType::Failure, &n.to_string())));
        let written = serde_json::to_value(&history).unwrap();
        assert_eq!((&written["capacity"], &written["counts"]), (&2.into(), &serde_json::json!({"failure": 3})));
        assert_eq!(written["results"][0]["summary"], "1");
        let mut read: ReflectionHistory = serde_json::from_value(written).unwrap();
        assert_eq!(read, history);
        read.add(result(ReflectionType::Success, "3"));
        assert_eq!((summaries(&read.recent()), read.total_count()), (vec!["2".into(), "3".into()], 4));
    }
}
