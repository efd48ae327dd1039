//! What the server says it has.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::Value;

use super::{PROJECT, client::Client};
use crate::http::Http;

/// How many of a memory's newest credits an answer shows.
const SHOWN_CREDITS: usize = 100;

#[derive(Debug)]
pub(super) struct SeenTrace {
    pub(super) id: String,
    pub(super) task: String,
    pub(super) review: Value,
    retrieved_memory_ids: HashSet<String>,
    created_memory_id: Option<String>,
    review_status: String,
    ingest_status: String,
}

/// A credit that must be there, once, or that is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ExpectedCredit {
    pub(super) review_id: String,
    pub(super) trace_id: String,
    pub(super) result: String,
    pub(super) alpha: String,
}

/// All traces of the project at one moment.
pub(super) struct ServerView {
    pub(super) traces: Vec<SeenTrace>,
    pub(super) by_task: HashMap<String, usize>,
}

impl ServerView {
    /// Reads the whole list. Two traces with the same task are one request that was carried out twice.
    pub(super) fn read(http: &Http) -> Self {
        let list = http.get(&format!("{PROJECT}/traces?view=summary")).unwrap().good();
        let traces: Vec<SeenTrace> = list.as_array().unwrap().iter().map(seen_trace).collect();
        assert!(traces.len() < 10_000, "the list is at its cap, so it may not be whole");
        let mut by_task = HashMap::new();
        for (index, trace) in traces.iter().enumerate() {
            let twice = by_task.insert(trace.task.clone(), index);
            assert!(twice.is_none(), "created twice: {trace:?}");
        }
        Self { traces, by_task }
    }

    /// Memories that exist.
    pub(super) fn memory_ids(&self) -> Vec<String> {
        self.traces.iter().filter_map(|trace| trace.created_memory_id.clone()).collect()
    }

    /// Nothing is there that nobody sent.
    pub(super) fn assert_nothing_else(&self, clients: &[Client]) {
        let sent: HashSet<&str> =
            clients.iter().flat_map(|client| client.book.runs.iter().map(|run| run.task.as_str())).collect();
        for trace in &self.traces {
            assert!(sent.contains(trace.task.as_str()) || trace.task.starts_with("seed "), "{trace:?}");
        }
    }

    /// No trace is stuck or has failed, and each is what its review says.
    pub(super) fn assert_all_ended_well(&self) {
        for trace in &self.traces {
            let reviewed = !trace.review.is_null();
            assert_eq!(trace.ingest_status, "completed", "{trace:?}");
            assert_eq!(trace.review_status, if reviewed { "reviewed" } else { "pending" }, "{trace:?}");
            assert_eq!(trace.created_memory_id.is_some(), reviewed, "{trace:?}");
        }
    }

    /// The credits that a memory must have: one for every review of a run that was shown it.
    pub(super) fn expected_credits(&self) -> BTreeMap<String, Vec<ExpectedCredit>> {
        let mut expected: BTreeMap<String, Vec<ExpectedCredit>> = BTreeMap::new();
        for trace in self.traces.iter().filter(|trace| !trace.review.is_null()) {
            for memory_id in &trace.retrieved_memory_ids {
                expected.entry(memory_id.clone()).or_default().push(ExpectedCredit {
                    review_id: text(&trace.review["id"]),
                    trace_id: trace.id.clone(),
                    result: text(&trace.review["result"]),
                    alpha: trace.review["alpha"].to_string(),
                });
            }
        }
        expected.values_mut().for_each(|credits| credits.sort());
        expected
    }

    /// Asks for every memory and holds its ledger and its counts against the reviews.
    pub(super) fn assert_credits_over_http(&self, http: &Http) {
        let mut expected = self.expected_credits();
        for memory_id in self.memory_ids() {
            let memory = http.get(&format!("{PROJECT}/memories/{memory_id}")).unwrap().good();
            let expected = expected.remove(&memory_id).unwrap_or_default();
            assert_eq!(memory["uses"], expected.len(), "{memory}");
            let passes = expected.iter().filter(|credit| credit.result == "pass").count();
            assert_eq!((&memory["passes"], &memory["fails"]), (&passes.into(), &(expected.len() - passes).into()));
            assert_credits(memory["credits"].as_array().unwrap(), &expected);
        }
    }
}

fn assert_credits(credits: &[Value], expected: &[ExpectedCredit]) {
    assert_eq!(credits.len(), expected.len().min(SHOWN_CREDITS));
    let newest_first = |pair: &[Value]| pair[0]["position"].as_i64() > pair[1]["position"].as_i64();
    assert!(credits.windows(2).all(newest_first), "two credits share a place: {credits:?}");
    let mut found: Vec<ExpectedCredit> = credits
        .iter()
        .map(|credit| ExpectedCredit {
            review_id: text(&credit["review_id"]),
            trace_id: text(&credit["trace_id"]),
            result: text(&credit["result"]),
            alpha: credit["alpha"].to_string(),
        })
        .collect();
    found.sort();
    if expected.len() <= SHOWN_CREDITS {
        assert_eq!(found, expected);
    }
    assert!(found.windows(2).all(|pair| pair[0] != pair[1]));
    assert!(found.iter().all(|credit| expected.binary_search(credit).is_ok()));
}

fn seen_trace(trace: &Value) -> SeenTrace {
    SeenTrace {
        id: text(&trace["id"]),
        task: text(&trace["task"]),
        review: trace["review"].clone(),
        retrieved_memory_ids: trace["retrieved_memory_ids"].as_array().unwrap().iter().map(text).collect(),
        created_memory_id: trace["created_memory_id"].as_str().map(str::to_owned),
        review_status: text(&trace["review_status"]),
        ingest_status: text(&trace["ingest_status"]),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}
