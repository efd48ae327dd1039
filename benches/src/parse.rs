//! The JSON extraction: how much of the corpus it reads in a second, and how its time grows with unmatched braces beside the scan that
//! is commonly used, which counts braces from every `{` and tries to parse what lies between.

use std::{
    hint::black_box,
    path::Path,
    time::{Duration, Instant},
};

use anyhow::Context;
use reflect_llm::{Kind, Shape, extract_json};
use serde_json::Value;

use crate::say;

/// Runs the benchmark.
pub(crate) fn run(options: &[&str]) -> anyhow::Result<()> {
    anyhow::ensure!(options.is_empty(), "usage: reflect-bench parse");
    let shape = lesson();
    corpus(&shape)?;
    braces(&shape);
    Ok(())
}

fn lesson() -> Shape {
    let lists = ["key_findings", "root_causes", "insights", "suggestions"];
    lists.iter().fold(Shape::any().required("summary", Kind::Text), |shape, key| shape.optional(*key, Kind::TextList))
}

fn corpus(shape: &Shape) -> anyhow::Result<()> {
    let replies = replies()?;
    let bytes: usize = replies.iter().map(String::len).sum();
    say(format_args!("corpus: {} replies, {bytes} bytes", replies.len()));
    let ours = time_of(|| replies.iter().filter(|reply| extract_json(reply, shape).value.is_some()).count());
    let naive = time_of(|| replies.iter().filter(|reply| first_parsable(reply).is_some()).count());
    for (name, (time, found)) in [("extract_json", ours), ("brace count and reparse", naive)] {
        let rate = bytes as f64 / time.as_secs_f64() / 1e6;
        let each = time.as_secs_f64() * 1e6 / replies.len() as f64;
        say(format_args!("{name:>24}: {rate:7.1} MB/s, {each:6.2} µs a reply, {found} gave an object"));
    }
    let long = format!(
        "{{\"summary\": \"x\", \"insights\": [{}\"y\"]}}",
        "\"a text of some length, as they are\", ".repeat(30_000)
    );
    let (ours, _) = time_of(|| usize::from(extract_json(&long, shape).value.is_some()));
    let (serde, _) = time_of(|| usize::from(serde_json::from_str::<Value>(&long).is_ok()));
    let rate = |time: Duration| long.len() as f64 / time.as_secs_f64() / 1e6;
    say(format_args!(
        "one valid reply of {} bytes: {:.0} MB/s; serde_json, which mends nothing: {:.0} MB/s",
        long.len(),
        rate(ours),
        rate(serde)
    ));
    Ok(())
}

fn braces(shape: &Shape) {
    say(format_args!("\nunmatched braces      extract_json        brace count and reparse     ratio"));
    let mut before: Option<(Duration, Duration)> = None;
    for count in [1_000, 2_000, 4_000, 8_000, 16_000] {
        let reply = "{".repeat(count);
        let (ours, _) = time_of(|| usize::from(extract_json(&reply, shape).value.is_some()));
        let (naive, _) = time_of(|| usize::from(first_parsable(&reply).is_some()));
        let growth = |now: Duration, before: Option<Duration>| {
            before.map_or_else(String::new, |before| format!("(x{:.1})", now.as_secs_f64() / before.as_secs_f64()))
        };
        say(format_args!(
            "{count:>16} {:>10.3} ms {:<7} {:>14.3} ms {:<7} {:>12.0}",
            ours.as_secs_f64() * 1e3,
            growth(ours, before.map(|(ours, _)| ours)),
            naive.as_secs_f64() * 1e3,
            growth(naive, before.map(|(_, naive)| naive)),
            naive.as_secs_f64() / ours.as_secs_f64()
        ));
        before = Some((ours, naive));
    }
}

/// The replies of the corpus that are written as they are; those with repeated pieces would drown the others.
fn replies() -> anyhow::Result<Vec<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/reflect-llm/tests/corpus");
    let mut replies = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("reading `{}`", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "txt") {
            let text = std::fs::read_to_string(&path)?;
            let bodies = text.split("\n<<<\n").skip(1).filter_map(|rest| rest.split("\n>>>\n").next());
            replies.extend(bodies.map(str::to_owned));
        }
    }
    Ok(replies)
}

/// The best of several runs, so that what else the machine does is left out.
fn time_of(mut work: impl FnMut() -> usize) -> (Duration, usize) {
    let mut best = Duration::MAX;
    let mut result = 0;
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(500) || best == Duration::MAX {
        let begin = Instant::now();
        result = black_box(work());
        best = best.min(begin.elapsed());
    }
    (best, result)
}

/// From each `{` on, counts braces to the one that matches, and parses what lies between; the first that parses wins.
fn first_parsable(text: &str) -> Option<Value> {
    for (start, _) in text.match_indices('{') {
        let rest = text.get(start..)?;
        let mut depth = 0_i64;
        for (at, byte) in rest.bytes().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                if let Ok(value) = serde_json::from_str(rest.get(..=at)?) {
                    return Some(value);
                }
                break;
            }
        }
    }
    None
}
