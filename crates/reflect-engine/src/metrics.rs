//! Counts and durations of what happens, in the text format that Prometheus reads.
//!
//! A handful of families need no registry crate: a family is a name, a help text and its labels, and its rows are a sorted
//! map behind one lock. Label values come from fixed lists or from the operator's settings, never from requests, so the
//! number of rows is bounded.

use std::{
    collections::BTreeMap,
    fmt::Write,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// The upper bounds of a histogram's buckets, in seconds: from an answer out of the cache to a model that thinks for minutes.
const BUCKETS: [f64; 15] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0];

/// Rows of one kind.
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

    const fn histogram(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Self {
        Self { name, help, labels, kind: "histogram" }
    }

    pub(crate) const fn gauge(name: &'static str, labels: &'static [&'static str], help: &'static str) -> Self {
        Self { name, help, labels, kind: "gauge" }
    }
}

/// Requests that were answered.
pub static HTTP_REQUESTS: Family =
    Family::counter("reflect_http_requests_total", &["method", "path", "status"], "Requests that were answered.");
/// How long they took.
pub static HTTP_SECONDS: Family =
    Family::histogram("reflect_http_request_seconds", &["method", "path"], "How long it took to answer requests.");
pub(crate) static JOBS: Family =
    Family::counter("reflect_jobs_total", &["kind", "outcome"], "Attempts at jobs, by how they ended.");
pub(crate) static JOB_SECONDS: Family =
    Family::histogram("reflect_job_seconds", &["kind"], "How long attempts at jobs took.");
pub(crate) static LLM_CALLS: Family = Family::counter(
    "reflect_llm_calls_total",
    &["model", "role", "outcome"],
    "Calls to models, retries included, by how they ended.",
);
pub(crate) static LLM_SECONDS: Family = Family::histogram(
    "reflect_llm_call_seconds",
    &["model", "role"],
    "How long calls to models took, each retry by itself, those that were given up included.",
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

pub(crate) static EMBEDDER_BUSY: Family =
    Family::counter("reflect_embedder_busy_total", &["embedder"], "Requests that an embedder was too busy for.");

pub(crate) static FORGOTTEN: Family = Family::counter(
    "reflect_traces_without_memory_ids_total",
    &[],
    "Runs that were shown memories and did not say so.",
);

static COUNTERS: &[&Family] = &[
    &HTTP_REQUESTS,
    &JOBS,
    &LLM_CALLS,
    &LLM_TOKENS,
    &LLM_COST,
    &LLM_ESTIMATED_COST,
    &FALLBACKS,
    &STAND_INS,
    &JUDGE,
    &EMBEDDER_BUSY,
    &FORGOTTEN,
];

static HISTOGRAMS: &[&Family] = &[&HTTP_SECONDS, &JOB_SECONDS, &LLM_SECONDS];

/// Rows of all families, by a family's name and a row's labels.
type Rows<T> = BTreeMap<&'static str, BTreeMap<Vec<String>, T>>;

/// How many durations fell between each bound and the one before, and their sum.
#[derive(Debug, Clone, Copy, Default)]
struct Histogram {
    counts: [u64; BUCKETS.len()],
    /// Those beyond the last bound.
    longer: u64,
    sum: f64,
}

impl Histogram {
    fn observe(&mut self, seconds: f64) {
        let bucket = BUCKETS.iter().position(|bound| seconds <= *bound);
        match bucket.and_then(|bucket| self.counts.get_mut(bucket)) {
            Some(count) => *count += 1,
            None => self.longer += 1,
        }
        self.sum += seconds;
    }
}

/// A gauge as it stands at the time of asking.
pub(crate) struct Gauge {
    pub(crate) family: &'static Family,
    pub(crate) labels: Vec<String>,
    pub(crate) value: f64,
}

/// Everything that is counted and measured.
#[derive(Default)]
pub struct Metrics {
    counters: Mutex<Rows<f64>>,
    histograms: Mutex<Rows<Histogram>>,
}

impl Metrics {
    /// Adds to a counter. The labels are in the order of the family's.
    pub fn add(&self, family: &'static Family, labels: &[&str], amount: f64) {
        *row_of(&mut lock(&self.counters), family, labels) += amount;
    }

    /// Counts one.
    pub fn count(&self, family: &'static Family, labels: &[&str]) {
        self.add(family, labels, 1.0);
    }

    /// Puts a duration into a histogram.
    pub fn observe(&self, family: &'static Family, labels: &[&str], took: Duration) {
        row_of(&mut lock(&self.histograms), family, labels).observe(took.as_secs_f64());
    }

    /// All counters, then the histograms, then these gauges, as text.
    pub(crate) fn render(&self, gauges: &[Gauge]) -> String {
        let mut text = String::new();
        let counters = lock(&self.counters);
        for family in COUNTERS {
            let Some(rows) = counters.get(family.name) else { continue };
            head(&mut text, family);
            rows.iter().for_each(|(labels, value)| row(&mut text, family.name, &pairs(family, labels), *value));
        }
        let histograms = lock(&self.histograms);
        for family in HISTOGRAMS {
            let Some(rows) = histograms.get(family.name) else { continue };
            head(&mut text, family);
            rows.iter().for_each(|(labels, histogram)| histogram_rows(&mut text, family, labels, histogram));
        }
        let mut last = "";
        for gauge in gauges {
            if gauge.family.name != last {
                head(&mut text, gauge.family);
                last = gauge.family.name;
            }
            row(&mut text, gauge.family.name, &pairs(gauge.family, &gauge.labels), gauge.value);
        }
        text
    }
}

fn lock<T>(rows: &Mutex<T>) -> MutexGuard<'_, T> {
    rows.lock().unwrap_or_else(PoisonError::into_inner)
}

fn row_of<'a, T: Default>(rows: &'a mut Rows<T>, family: &'static Family, labels: &[&str]) -> &'a mut T {
    let labels: Vec<String> = labels.iter().map(|&label| label.to_owned()).collect();
    rows.entry(family.name).or_default().entry(labels).or_default()
}

// Writing to a `String` cannot fail.
fn head(text: &mut String, family: &Family) {
    let Family { name, help, kind, .. } = family;
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

/// A row for each bucket that counts all durations up to its bound, then their sum and how many there were.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
fn histogram_rows(text: &mut String, family: &Family, labels: &[String], histogram: &Histogram) {
    let pairs = pairs(family, labels);
    let bucket = format!("{}_bucket", family.name);
    let mut count = 0;
    for (bound, in_bucket) in BUCKETS.iter().zip(histogram.counts) {
        count += in_bucket;
        row(text, &bucket, &with_bound(&pairs, &bound.to_string()), count as f64);
    }
    count += histogram.longer;
    row(text, &bucket, &with_bound(&pairs, "+Inf"), count as f64);
    row(text, &format!("{}_sum", family.name), &pairs, histogram.sum);
    row(text, &format!("{}_count", family.name), &pairs, count as f64);
}

fn with_bound(pairs: &[String], bound: &str) -> Vec<String> {
    pairs.iter().cloned().chain([format!("le=\"{bound}\"")]).collect()
}

fn pairs(family: &Family, labels: &[String]) -> Vec<String> {
    family.labels.iter().zip(labels).map(|(name, value)| format!("{name}=\"{}\"", escaped(value))).collect()
}

fn row(text: &mut String, name: &str, pairs: &[String], value: f64) {
    let pairs = if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(",")) };
    let _ = writeln!(text, "{name}{pairs} {value}");
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

    #[test]
    fn durations_are_counted_in_every_bucket_that_holds_them() {
        let metrics = Metrics::default();
        for millis in [0, 1, 2, 40, 50, 31_000, 600_000] {
            metrics.observe(&JOB_SECONDS, &["lesson"], Duration::from_millis(millis));
        }
        let text = metrics.render(&[]);
        let buckets: Vec<(&str, u64)> = text
            .lines()
            .filter_map(|line| line.strip_prefix("reflect_job_seconds_bucket{kind=\"lesson\",le=\""))
            .map(|line| line.split_once("\"} ").unwrap())
            .map(|(bound, count)| (bound, count.parse().unwrap()))
            .collect();
        assert_eq!(buckets.len(), BUCKETS.len() + 1);
        assert!(buckets.is_sorted_by_key(|(_, count)| *count), "each bucket holds those before it");
        for expected in [("0.001", 2), ("0.0025", 3), ("0.025", 3), ("0.05", 5), ("30", 5), ("120", 6), ("+Inf", 7)] {
            assert!(buckets.contains(&expected), "{expected:?} is not in {buckets:?}");
        }
        assert!(text.starts_with("# HELP reflect_job_seconds "), "{text}");
        assert!(text.contains("# TYPE reflect_job_seconds histogram\n"), "{text}");
        assert!(
            text.ends_with(
                "reflect_job_seconds_sum{kind=\"lesson\"} 631.093\nreflect_job_seconds_count{kind=\"lesson\"} 7\n"
            ),
            "{text}"
        );
    }
}
