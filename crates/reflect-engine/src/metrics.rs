//! Counts of what happens, in the text format that Prometheus reads.
//!
//! A handful of counters need no registry crate: a family is a name, a help text and its labels, and its rows are a sorted
//! map behind one lock. Label values come from fixed lists or from the operator's settings, never from requests, so the
//! number of rows is bounded.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{Mutex, PoisonError},
};

/// Counters of one kind.
#[derive(Debug)]
pub struct Family {
    name: &'static str,
    help: &'static str,
    labels: &'static [&'static str],
    kind: &'static str,
}

impl Family {
    const fn counter(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Self {
        Self { name, help, labels, kind: "counter" }
    }

    pub(crate) const fn gauge(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Self {
        Self { name, help, labels, kind: "gauge" }
    }
}

/// Requests that were answered.
pub static HTTP_REQUESTS: Family =
    Family::counter("reflect_http_requests_total", &["method", "path", "status"], "Requests that were answered.");
/// Seconds spent on them.
pub static HTTP_SECONDS: Family =
    Family::counter("reflect_http_request_seconds_total", &["method", "path"], "Seconds spent on answering requests.");
pub(crate) static JOBS: Family =
    Family::counter("reflect_jobs_total", &["kind", "outcome"], "Attempts at jobs, by how they ended.");
pub(crate) static LLM_CALLS: Family = Family::counter(
    "reflect_llm_calls_total",
    &["model", "role", "outcome"],
    "Calls to models, retries included, by how they ended.",
);
pub(crate) static LLM_TOKENS: Family =
    Family::counter("reflect_llm_tokens_total", &["model", "role", "direction"], "Tokens to and from models.");
pub(crate) static LLM_COST: Family =
    Family::counter("reflect_llm_cost_usd_total", &["model", "role"], "What calls to models cost, in US dollars.");
pub(crate) static LLM_ESTIMATED_COST: Family = Family::counter(
    "reflect_llm_estimated_cost_usd_total",
    &["model", "role"],
    "How much of that was estimated, for calls that ended without saying what they used.",
);
pub(crate) static FALLBACKS: Family =
    Family::counter("reflect_llm_fallbacks_total", &["role", "reason"], "How often rules did a model's work, and why.");
pub(crate) static STAND_INS: Family = Family::counter(
    "reflect_stand_ins_total",
    &["outcome"],
    "Lessons by rules that stood in for a model's, by what became of them.",
);
pub(crate) static JUDGE: Family =
    Family::counter("reflect_judge_verdicts_total", &["verdict"], "Runs that the judge was asked about.");

static COUNTERS: &[&Family] = &[
    &HTTP_REQUESTS,
    &HTTP_SECONDS,
    &JOBS,
    &LLM_CALLS,
    &LLM_TOKENS,
    &LLM_COST,
    &LLM_ESTIMATED_COST,
    &FALLBACKS,
    &STAND_INS,
    &JUDGE,
];

/// A gauge as it stands at the time of asking.
pub(crate) struct Gauge {
    pub(crate) family: &'static Family,
    pub(crate) labels: Vec<String>,
    pub(crate) value: f64,
}

/// Everything that is counted.
#[derive(Default)]
pub struct Metrics {
    rows: Mutex<BTreeMap<&'static str, BTreeMap<Vec<String>, f64>>>,
}

impl Metrics {
    /// Adds to a counter. The labels are in the order of the family's.
    pub fn add(&self, family: &'static Family, labels: &[&str], amount: f64) {
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
        *rows.entry(family.name).or_default().entry(labels).or_default() += amount;
    }

    /// Counts one.
    pub fn count(&self, family: &'static Family, labels: &[&str]) {
        self.add(family, labels, 1.0);
    }

    /// All counters, then these gauges, as text.
    pub(crate) fn render(&self, gauges: &[Gauge]) -> String {
        let rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = String::new();
        for family in COUNTERS {
            let Some(rows) = rows.get(family.name) else { continue };
            head(&mut text, family);
            rows.iter().for_each(|(labels, value)| row(&mut text, family, labels, *value));
        }
        let mut last = "";
        for gauge in gauges {
            if gauge.family.name != last {
                head(&mut text, gauge.family);
                last = gauge.family.name;
            }
            row(&mut text, gauge.family, &gauge.labels, gauge.value);
        }
        text
    }
}

// Writing to a `String` cannot fail.
fn head(text: &mut String, family: &Family) {
    let Family { name, help, kind, .. } = family;
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

fn row(text: &mut String, family: &Family, labels: &[String], value: f64) {
    let pairs: Vec<String> =
        family.labels.iter().zip(labels).map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect();
    let pairs = if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) };
    let _ = writeln!(text, "{}{pairs} {value}", family.name);
}

fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_add_up_and_are_printed_as_prometheus_reads_them() {
        static DEPTH: Family = Family::gauge("depth", &["kind"], "How deep.");
        let metrics = Metrics::default();
        metrics.count(&JOBS, &["lesson", "done"]);
        metrics.count(&JOBS, &["lesson", "done"]);
        metrics.add(&LLM_COST, &["a \"b\"\\\n", "judge"], 0.25);
        let gauge = |kind: &str, value| Gauge { family: &DEPTH, labels: vec![kind.into()], value };
        assert_eq!(
            metrics.render(&[gauge("lesson", 3.0), gauge("follow_up", 0.5)]),
            "# HELP reflect_jobs_total Attempts at jobs, by how they ended.\n\
             # TYPE reflect_jobs_total counter\n\
             reflect_jobs_total{kind=\"lesson\",outcome=\"done\"} 2\n\
             # HELP reflect_llm_cost_usd_total What calls to models cost, in US dollars.\n\
             # TYPE reflect_llm_cost_usd_total counter\n\
             reflect_llm_cost_usd_total{model=\"a \\\"b\\\"\\\\\\n\",role=\"judge\"} 0.25\n\
             # HELP depth How deep.\n\
             # TYPE depth gauge\n\
             depth{kind=\"lesson\"} 3\n\
             depth{kind=\"follow_up\"} 0.5\n"
        );
    }
}
