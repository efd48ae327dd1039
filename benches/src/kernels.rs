//! How long one embedding takes with each kernel that this machine has, beside onnxruntime held to the same instructions.

use std::process::Command;

use anyhow::Context;
use reflect_core::Kernel;
use reflect_embed::{Model, ModelEmbedder};
use serde_json::Value;

use crate::{
    embed::{number, onnxruntime, processor_millis},
    say,
};

/// Rounds of each; the best of all rounds counts, since whatever else the machine does only makes it slower.
const ROUNDS: usize = 3;

/// One kernel with one text, in milliseconds.
struct Row {
    kernel: Kernel,
    tokens: f64,
    onnx: f64,
    ours: f64,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let mask = Mask::build()?;
    let mut best: Vec<Row> = Vec::new();
    for round in 1..=ROUNDS {
        for kernel in Kernel::available() {
            say(format_args!("round {round} of {ROUNDS}: {} …", kernel.name()));
            let model = Model::read_for(kernel, ModelEmbedder::BUILTIN)?;
            let report = onnxruntime(|python| mask.hide(python, hidden_from_onnx(kernel)))?;
            for task in report.pointer("/tasks").and_then(Value::as_array).into_iter().flatten() {
                let text = task.pointer("/text").and_then(Value::as_str).context("a task has its text")?;
                let onnx = number(task, "/with_tokens/processor_ms/p50")?;
                let row = Row { kernel, tokens: number(task, "/tokens")?, onnx, ours: processor_millis(&model, text)? };
                match best.iter_mut().find(|known| known.kernel == kernel && known.tokens == row.tokens) {
                    Some(known) => (known.onnx, known.ours) = (known.onnx.min(row.onnx), known.ours.min(row.ours)),
                    None => best.push(row),
                }
            }
        }
    }
    say(format_args!("\none thread, text to vector, processor time in the best of {ROUNDS} rounds"));
    say(format_args!("{:<14}{:>7}{:>22}{:>14}", "kernel", "tokens", "onnxruntime int8, ms", "built-in, ms"));
    for Row { kernel, tokens, onnx, ours } in best {
        let hidden = if mask.is_there() { hidden_from_onnx(kernel) } else { "" };
        let note = if hidden.is_empty() { "with all instructions" } else { "without" };
        say(format_args!(
            "{:<14}{tokens:>7}{onnx:>22.2}{ours:>14.2}   {:.1} × as fast as onnxruntime {note} {hidden}",
            kernel.name(),
            onnx / ours
        ));
    }
    Ok(())
}

/// What onnxruntime must not find, so that it has what the kernel has. It has no setting for that.
fn hidden_from_onnx(kernel: Kernel) -> &'static str {
    match kernel {
        Kernel::Avx512 => "vnni",
        Kernel::AvxVnni => "avx512",
        Kernel::Avx2 => "vnni,avx512",
        _ => "",
    }
}

/// A library that hides instructions from whatever it is loaded into; see `benches/c/hide_features.c`.
struct Mask {
    folder: tempfile::TempDir,
}

impl Mask {
    const LIBRARY: &str = "hide_features.so";

    /// Builds it. Where that fails, or the processor cannot hide anything, onnxruntime runs with all that there is.
    fn build() -> anyhow::Result<Self> {
        let mask = Self { folder: tempfile::tempdir()? };
        let library = mask.folder.path().join(Self::LIBRARY);
        let mut compile = Command::new("cc");
        compile.args(["-O2", "-shared", "-fPIC", "benches/c/hide_features.c", "-o"]).arg(&library);
        if compile.output().is_ok_and(|output| output.status.success()) {
            let mut trial = Command::new("true");
            mask.hide(&mut trial, "vnni");
            if !trial.output().is_ok_and(|output| output.status.success()) {
                std::fs::remove_file(&library)?;
            }
        }
        if !mask.is_there() {
            say(format_args!("this machine cannot hide instructions: onnxruntime has all of them in every row"));
        }
        Ok(mask)
    }

    fn is_there(&self) -> bool {
        self.folder.path().join(Self::LIBRARY).exists()
    }

    fn hide(&self, command: &mut Command, features: &str) {
        if self.is_there() && !features.is_empty() {
            command.env("LD_PRELOAD", self.folder.path().join(Self::LIBRARY)).env("HIDE_FEATURES", features);
        }
    }
}
