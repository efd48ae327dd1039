//! A run of the corpus, the lesson that the rules write for it, and what was expected.

use std::path::{Path, PathBuf};

use reflect_core::{Lesson, Outcome, RawJson, ReviewSource, Tells, Trajectory};
use reflection::{BuiltinReflector, ReviewedRun, RunReflector};
use serde::Deserialize;

/// A file: what a client would send, and what is expected of its lesson.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) why: String,
    task: String,
    trajectory: serde_json::Value,
    final_response: Option<String>,
    reference_context: Option<String>,
    #[serde(default, rename = "metadata")]
    _metadata: serde_json::Value,
    review: Review,
    lesson: Expected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Review {
    result: String,
    feedback_text: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    tells: Vec<String>,
    #[serde(default)]
    says: Vec<Piece>,
    #[serde(default)]
    never: Vec<String>,
    rule: Option<String>,
}

/// Words that a lesson has to have, or any of some.
#[derive(Deserialize)]
#[serde(untagged)]
enum Piece {
    One(String),
    AnyOf(Vec<String>),
}

/// How a lesson did: what was expected and is not so, in words.
#[derive(Default)]
pub(crate) struct Held {
    pub(crate) expectations: usize,
    /// What it lacks.
    pub(crate) missed: Vec<String>,
    /// What it says and may not.
    pub(crate) false_statements: Vec<String>,
    /// The reviewer's rule, if it does not stand word for word.
    pub(crate) broken_rule: Option<String>,
}

impl Case {
    pub(crate) fn read(file: &Path) -> Self {
        let text = std::fs::read_to_string(file).unwrap();
        toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    }

    pub(crate) async fn lesson(&self) -> Lesson {
        let trajectory = Trajectory::from_wire(&RawJson::from_value(&self.trajectory), 10_000).unwrap();
        let run = ReviewedRun {
            task: self.task.clone(),
            messages: trajectory.messages(),
            final_response: self.final_response.clone().unwrap_or_else(|| trajectory.last_assistant_text()),
            outcome: if self.review.result == "pass" { Outcome::Pass } else { Outcome::Fail },
            feedback_text: self.review.feedback_text.clone(),
            review_source: ReviewSource::Api,
            reference_context: self.reference_context.clone(),
            shown_lessons: Vec::new(),
        };
        BuiltinReflector.reflect_run(&run).await.unwrap().written.lesson
    }

    pub(crate) fn held_by(&self, lesson: &Lesson) -> Held {
        let said = plain(&said(lesson));
        let mut held = Held::default();
        let mut expect = |is_so: bool, otherwise: String| {
            held.expectations += 1;
            if !is_so {
                held.missed.push(otherwise);
            }
        };
        let told = lesson.tells.map_or("", Tells::as_str);
        let wanted = &self.lesson.tells;
        expect(wanted.iter().any(|kind| kind == told), format!("tells {told}, wanted {}", wanted.join(" or ")));
        for piece in &self.lesson.says {
            let any_of = match piece {
                Piece::One(words) => std::slice::from_ref(words),
                Piece::AnyOf(words) => words,
            };
            expect(any_of.iter().any(|words| said.contains(&plain(words))), format!("lacks {any_of:?}"));
        }
        held.expectations += self.lesson.never.len();
        let false_statements = self.lesson.never.iter().filter(|words| said.contains(&plain(words)));
        held.false_statements = false_statements.cloned().collect();
        held.expectations += usize::from(self.lesson.rule.is_some());
        let is_broken = |rule: &&String| !said.contains(&plain(rule));
        held.broken_rule = self.lesson.rule.as_ref().filter(is_broken).cloned();
        held
    }
}

/// What a reader of the lesson sees, but for the summary: it says how the run ended, and stands only where there is nothing else.
pub(crate) fn said(lesson: &Lesson) -> String {
    let parts = [&lesson.guidance, &lesson.correct_action, &lesson.key_mistake];
    parts.map(String::as_str).join("\n").trim().to_owned()
}

/// Without backticks, and alike in case and white space.
fn plain(text: &str) -> String {
    text.replace('`', "").to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The files of one half, in the order of their names.
pub(crate) fn files(half: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/lessons").join(half);
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}
