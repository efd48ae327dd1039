//! How well memories are found by their tasks, by what they say, and by both; with lessons written by hand and by the built-in reflector.

use std::path::Path;

use reflect_core::{Message, Outcome, ReviewSource};
use reflect_embed::Embedder;
use reflection::{BuiltinReflector, ReviewedRun, RunReflector};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::{figures, lines, write_vectors};
use crate::say;

const KINDS: [&str; 5] = ["easy", "hard", "as it was", "vague", "utterances"];
const WAYS: [&str; 5] = ["task", "lesson", "both", "both, no handicap", "both, the mean"];

/// Prints task, lesson and both for plain, hard and vague tasks and for utterances.
pub(super) fn run(runtime: &Runtime, embedders: &[(&str, &dyn Embedder)], folder: &Path) -> anyhow::Result<()> {
    let written = folder.join("lessons.jsonl");
    std::fs::write(&written, runtime.block_on(by_the_builtin_reflector())?)?;
    let written = written.display().to_string();
    for (author, options) in [("by hand", [].as_slice()), ("by the built-in reflector", &["--lessons", &written])] {
        say(format_args!("\nlessons {author}: recall@1 / @5 / MRR"));
        say(format_args!("{:<28}{:<20}{}", "", "match", KINDS.map(|kind| format!("{kind:<24}")).concat()));
        print("the original, in Python", &figures(&[&["original-lessons"], options].concat())?);
        let texts = lines(&[&["texts-lessons"], options].concat())?;
        for (name, embedder) in embedders {
            let vectors = runtime.block_on(write_vectors(*embedder, &texts, folder))?;
            let found = figures(&["score-lessons", &vectors])?;
            print(name, &found);
            floors(&found);
        }
    }
    Ok(())
}

/// A lesson for every memory of the set, as the built-in reflector writes it when a run passed and nothing else is known: one a line.
async fn by_the_builtin_reflector() -> anyhow::Result<String> {
    let mut written = String::new();
    for task in lines(&["tasks"])? {
        let message = |role: &str, text: &str| Message { role: role.into(), text: text.into(), ..Message::default() };
        let run = ReviewedRun {
            messages: vec![message("user", &task), message("assistant", "Done.")],
            task,
            final_response: "Done.".into(),
            outcome: Outcome::Pass,
            feedback_text: None,
            review_source: ReviewSource::Api,
            reference_context: None,
            shown_lessons: Vec::new(),
        };
        let lesson = BuiltinReflector.reflect_run(&run).await?.written.lesson;
        written += &serde_json::to_string(&lesson.words())?;
        written.push('\n');
    }
    Ok(written)
}

fn print(name: &str, figures: &Value) {
    for (way, name) in WAYS.into_iter().zip(std::iter::once(name).chain(std::iter::repeat(""))) {
        let of = |kind: &str, figure: &str| {
            let found = figures.get(way).and_then(|way| way.get(kind)?.get(figure)?.as_f64());
            found.unwrap_or(f64::NAN)
        };
        let row = KINDS.map(|kind| {
            let [first, five, mrr] = ["recall_at_1", "recall_at_5", "mrr"].map(|figure| of(kind, figure));
            format!("{:<24}", format!("{first:.3} / {five:.3} / {mrr:.3}"))
        });
        say(format_args!("{name:<28}{way:<20}{}", row.concat()));
    }
}

/// What a floor of 0.40 or 0.30 keeps and leaves empty, by task and by both.
fn floors(figures: &Value) {
    for way in ["task", "both"] {
        let floors = figures.get(way).and_then(|way| way.get("floors")?.as_array()).cloned().unwrap_or_default();
        let share = |floor: &Value, name: &str| floor.get(name).and_then(Value::as_f64).unwrap_or(f64::NAN) * 100.0;
        let shown = floors.iter().filter(|floor| [30.0, 35.0, 40.0].contains(&share(floor, "floor").round()));
        let shown = shown.map(|floor| {
            format!(
                "{:.2}: {:.1} % / {:.1} % / {:.1} %",
                share(floor, "floor") / 100.0,
                share(floor, "right_memories_kept"),
                share(floor, "vague_memories_kept"),
                share(floor, "nothing_fits_left_empty")
            )
        });
        say(format_args!(
            "  {way}, floor: right memories kept / vague ones / queries without a match left empty: {}",
            shown.collect::<Vec<_>>().join("; ")
        ));
    }
}
