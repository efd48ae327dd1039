//! How long one embedding takes, on one thread: our code with both models beside onnxruntime with int8, in alternating rounds.

use std::{
    hint::black_box,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::Context;
use reflect_core::Kernel;
use reflect_embed::{Model, ModelEmbedder};
use serde_json::Value;

use crate::{python, quality::install_full, say};

/// Rounds of each; the best of all rounds counts, since whatever else the machine does only makes it slower.
const ROUNDS: usize = 5;

/// How long each figure of a round is measured.
const SECONDS: f64 = 0.5;

pub(crate) fn run() -> anyhow::Result<()> {
    let builtin = Model::read(ModelEmbedder::BUILTIN)?;
    let folder = tempfile::tempdir()?;
    let full = Model::read(&install_full(folder.path())?)?;

    let mut best: Vec<Row> = Vec::new();
    let (mut cold_start, mut onnx_cold_start) = (f64::INFINITY, f64::INFINITY);
    for round in 1..=ROUNDS {
        say(format_args!("round {round} of {ROUNDS} …"));
        let report = onnxruntime(|_| ())?;
        onnx_cold_start = onnx_cold_start.min(number(&report, "/cold_start_ms")?);
        cold_start = cold_start.min(cold_start_in_a_new_process()?);
        for (place, task) in report.pointer("/tasks").and_then(Value::as_array).into_iter().flatten().enumerate() {
            let text = task.pointer("/text").and_then(Value::as_str).context("a task has its text")?;
            let row = Row {
                tokens: number(task, "/tokens")?,
                onnx: number(task, "/with_tokens/processor_ms/p50")?,
                full: processor_millis(&full, text)?,
                builtin: processor_millis(&builtin, text)?,
            };
            match best.get_mut(place) {
                Some(known) => known.take_better(&row),
                None => best.push(row),
            }
        }
    }

    say(format_args!(
        "\none thread, text to vector, processor time in the best of {ROUNDS} rounds; our kernel is {}",
        Kernel::in_use().name()
    ));
    say(format_args!(
        "{:>7}{:>22}{:>22}{:>14}{:>14}",
        "tokens", "onnxruntime int8, ms", "full model, ours, ms", "built-in, ms", ""
    ));
    for row in &best {
        say(format_args!(
            "{:>7}{:>22.2}{:>22.2}{:>14.2}   the full model is {:.1} ×, the built-in {:.1} × as fast as onnxruntime",
            row.tokens,
            row.onnx,
            row.full,
            row.builtin,
            row.onnx / row.full,
            row.onnx / row.builtin
        ));
    }
    say(format_args!(
        "cold start, from bytes to the first vector: built-in {cold_start:.1} ms, onnxruntime {onnx_cold_start:.1} ms"
    ));
    Ok(())
}

/// Prints how many milliseconds a process that has done nothing yet takes until its first vector.
pub(crate) fn print_cold_start() -> anyhow::Result<()> {
    let began = Instant::now();
    black_box(Model::read(ModelEmbedder::BUILTIN)?.embed(&["warm"]));
    say(format_args!("{}", began.elapsed().as_secs_f64() * 1e3));
    Ok(())
}

fn cold_start_in_a_new_process() -> anyhow::Result<f64> {
    let output = Command::new(std::env::current_exe()?).arg("cold-start").output()?;
    Ok(String::from_utf8(output.stdout)?.trim().parse()?)
}

struct Row {
    tokens: f64,
    onnx: f64,
    full: f64,
    builtin: f64,
}

impl Row {
    fn take_better(&mut self, other: &Self) {
        self.onnx = self.onnx.min(other.onnx);
        self.full = self.full.min(other.full);
        self.builtin = self.builtin.min(other.builtin);
    }
}

/// What onnxruntime reports in the environment that `prepare` leaves it.
pub(crate) fn onnxruntime(prepare: impl FnOnce(&mut Command)) -> anyhow::Result<Value> {
    let mut python = python()?;
    prepare(&mut python);
    let output = python.args(["benches/python/onnx_embed.py", "--seconds", &SECONDS.to_string()]).output()?;
    anyhow::ensure!(output.status.success(), "onnx_embed.py: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

pub(crate) fn number(report: &Value, pointer: &str) -> anyhow::Result<f64> {
    report.pointer(pointer).and_then(Value::as_f64).with_context(|| format!("onnx_embed.py reports no `{pointer}`"))
}

/// The processor time of one embedding, on average: what else the machine does is not in it.
pub(crate) fn processor_millis(model: &Model, text: &str) -> anyhow::Result<f64> {
    for _ in 0..20 {
        black_box(model.embed(&[text]));
    }
    let end = Instant::now() + Duration::from_secs_f64(SECONDS);
    let (before, mut count) = (thread_nanos()?, 0);
    while Instant::now() < end {
        black_box(model.embed(&[text]));
        count += 1;
    }
    Ok((thread_nanos()? - before) / 1e6 / f64::from(count))
}

/// How long this thread has run, as the kernel counts it.
fn thread_nanos() -> anyhow::Result<f64> {
    let line = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    Ok(line.split_whitespace().next().context("schedstat has three numbers")?.parse()?)
}
