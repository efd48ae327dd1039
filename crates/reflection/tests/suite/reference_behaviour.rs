//! The framework's behaviour, case by case as the reference implementation tests its own: each test says whether ours does the
//! same, or what it fixes and why. How replies are read is in `reference_parsing.rs`. Beside the code are the cases about
//!
//! - the five types and four levels, which equal their names (`kinds.rs`; same as the reference),
//! - a result's defaults, its fields, and that nothing changes it (`result.rs`; same, and here the compiler says so),
//! - a history's counters, types and summary (`history.rs`; same), and what asking it for none gives (fixed there),
//! - a reflector without its first step, which does not compile (`reflector.rs`; the reference fails when one is made).

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "in tests a failure is the message")]

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use async_trait::async_trait;
use reflection::{
    Analysis, Context, Derived, GeneralReflector, ReflectError, ReflectionHistory, ReflectionLevel, ReflectionType,
    Reflector, ReflectorConfig,
};
use serde_json::json;

/// Implements the one step that has no default; the trait cannot be implemented with less.
struct Plain;

#[async_trait]
impl Reflector for Plain {
    async fn analyze(&self, context: &Context<'_>) -> Result<Analysis, ReflectError> {
        Ok(Analysis {
            summary: format!("saw {}", context.text("input").unwrap_or_default()),
            key_findings: vec!["f".into()],
            insights: vec!["i".into()],
            suggestions: vec!["s".into()],
            ..Analysis::default()
        })
    }
}

/// Same as the reference.
#[tokio::test]
async fn the_steps_after_the_first_pass_on_what_it_found() {
    let result = Plain.reflect(&Context::new().with("input", "x")).await.unwrap();
    assert_eq!(result.summary(), "saw x");
    assert_eq!(
        (result.key_findings(), result.insights(), result.suggestions()),
        (&["f".to_owned()][..], &["i".to_owned()][..], &["s".to_owned()][..])
    );
    assert_eq!(json!(result.metadata()), json!({"reflector": "reflector"}));
}

/// Same as the reference.
#[test]
fn a_reflector_has_a_name_a_type_and_a_level() {
    let config = Plain.config();
    assert_eq!(config.name, "reflector");
    assert_eq!((config.reflection_type, config.level), (ReflectionType::Insight, ReflectionLevel::Medium));
}

/// Overrides everything.
struct Own;

#[async_trait]
impl Reflector for Own {
    fn config(&self) -> ReflectorConfig {
        ReflectorConfig { name: "own".into(), reflection_type: ReflectionType::Pattern, level: ReflectionLevel::Deep }
    }

    async fn analyze(&self, _: &Context<'_>) -> Result<Analysis, ReflectError> {
        Ok(Analysis { summary: "s".into(), root_causes: vec!["c".into()], ..Analysis::default() })
    }

    async fn insight(&self, analysis: &Analysis) -> Result<Derived, ReflectError> {
        Ok(Derived { insights: vec![format!("because {}", analysis.root_causes[0])], ..Derived::default() })
    }

    async fn suggest(&self, analysis: &Analysis, derived: &Derived) -> Result<Vec<String>, ReflectError> {
        Ok(vec![format!("{} so mend {}", derived.insights[0], analysis.root_causes[0])])
    }
}

/// Same as the later version of the reference: the third step sees what the second derived. It sees the analysis as well, so
/// that a step written for the first version still works.
#[tokio::test]
async fn suggestions_follow_from_insights_and_the_analysis() {
    let result = Own.reflect(&Context::new()).await.unwrap();
    assert_eq!(result.insights(), ["because c"]);
    assert_eq!(result.suggestions(), ["because c so mend c"]);
    assert_eq!((result.reflection_type(), result.level()), (ReflectionType::Pattern, ReflectionLevel::Deep));
    assert_eq!(result.metadata()["reflector"], "own");
}

const FULL: &str =
    r#"{"summary": "s", "key_findings": ["f"], "root_causes": ["c"], "insights": ["i"], "suggestions": ["x"]}"#;

fn answering(reply: &'static str) -> (GeneralReflector, Arc<Mutex<Vec<String>>>) {
    let prompts = Arc::new(Mutex::new(Vec::new()));
    let seen = prompts.clone();
    let reflector = GeneralReflector::new().with_judge(move |prompt| {
        seen.lock().unwrap().push(prompt);
        async move { Ok::<_, String>(reply.to_owned()) }
    });
    (reflector, prompts)
}

/// Same as the reference.
#[test]
fn the_general_reflector_has_defaults_and_takes_others() {
    let config = GeneralReflector::new().config();
    assert_eq!(config.name, "general_reflector");
    assert_eq!((config.reflection_type, config.level), (ReflectionType::Insight, ReflectionLevel::Deep));
    let own = GeneralReflector::new()
        .with_name("mine")
        .with_type(ReflectionType::Optimization)
        .with_level(ReflectionLevel::Shallow)
        .with_system_prompt("Judge gently.");
    assert_eq!(own.config().name, "mine");
    assert_eq!(
        (own.config().reflection_type, own.config().level),
        (ReflectionType::Optimization, ReflectionLevel::Shallow)
    );
    assert!(own.prompt(&Context::new().with("input", "x")).starts_with("Judge gently.\n\n[Input]\nx"));
}

/// Same as the reference: an empty system prompt is as good as none.
#[test]
fn an_empty_system_prompt_counts_as_unset() {
    let empty = GeneralReflector::new().with_system_prompt("").prompt(&Context::new());
    assert_eq!(empty, GeneralReflector::new().prompt(&Context::new()));
    for key in ["summary", "key_findings", "root_causes", "insights", "suggestions"] {
        assert!(empty.contains(key), "{key}");
    }
}

/// Same as the reference, and fixed: the summary says so, and the result now carries the error flag that the reference dropped.
#[tokio::test]
async fn without_a_judge_the_summary_says_so() {
    let result = GeneralReflector::new().reflect(&Context::new().with("input", "x")).await.unwrap();
    assert!(result.summary().contains("no judge"), "{}", result.summary());
    assert!(result.is_degraded());
    assert_eq!(result.metadata()["error"], "no judge was given");
}

/// Same as the reference.
#[tokio::test]
async fn all_five_sections_of_an_answer_are_mapped() {
    let (reflector, _) = answering(FULL);
    let result = reflector.reflect(&Context::new().with("input", "x")).await.unwrap();
    assert_eq!(result.summary(), "s");
    assert_eq!(
        [result.key_findings(), result.root_causes(), result.insights(), result.suggestions()].concat(),
        ["f", "c", "i", "x"]
    );
}

/// Same as the reference.
#[tokio::test]
async fn an_error_reaches_the_prompt_and_the_type_is_kept() {
    let (reflector, prompts) = answering(FULL);
    let context = Context::new()
        .with("input", "Process null")
        .with("output", "Error: no attribute")
        .with("error", "AttributeError")
        .with("iteration", 5);
    let result = reflector.with_type(ReflectionType::Failure).reflect(&context).await.unwrap();
    assert_eq!(result.reflection_type(), "failure");
    let prompt = prompts.lock().unwrap()[0].clone();
    for part in ["[Input]\nProcess null", "[Output]\nError: no attribute", "[Error]\nAttributeError", "[Iteration] 5"] {
        assert!(prompt.contains(part), "{part}");
    }
}

/// Fixed: the reference showed four keys and ignored all others, scores and success among them.
#[tokio::test]
async fn every_other_key_reaches_the_prompt() {
    let (reflector, prompts) = answering(FULL);
    let context =
        Context::new().with("scores", json!({"accuracy": 0.25})).with("success", false).with("task", "Sum it");
    reflector.reflect(&context).await.unwrap();
    let prompt = prompts.lock().unwrap()[0].clone();
    for part in ["[Scores]\n{\"accuracy\":0.25}", "[Success]\nfalse", "[Task]\nSum it"] {
        assert!(prompt.contains(part), "{part}");
    }
}

/// Same as the reference: what is there is shown, even when it is nothing.
#[test]
fn a_null_is_shown_as_none() {
    let prompt = GeneralReflector::new().prompt(&Context::new().with("input", None::<String>));
    assert!(prompt.ends_with("[Input]\n(none)"), "{prompt}");
}

/// Same as the reference.
#[tokio::test]
async fn a_reply_without_json_becomes_the_summary_and_missing_lists_are_empty() {
    let (reflector, _) = answering("It was slow.");
    let result = reflector.reflect(&Context::new()).await.unwrap();
    assert!(result.summary().contains("It was slow."));
    let (reflector, _) = answering(r#"{"summary": "partly"}"#);
    let result = reflector.reflect(&Context::new()).await.unwrap();
    assert_eq!(result.summary(), "partly");
    assert!(result.insights().is_empty() && result.suggestions().is_empty());
}

/// Same as the reference: what is nested stays nested, and is there for whoever wants it.
#[tokio::test]
async fn words_before_and_after_the_object_and_objects_inside_it_do_no_harm() {
    let (reflector, _) =
        answering("Here:\n{\"summary\": \"s\", \"detail\": {\"nested\": {\"x\": 1}}, \"insights\": [\"i\"]}\nDone.");
    let result = reflector.reflect(&Context::new()).await.unwrap();
    assert_eq!((result.summary(), result.insights()), ("s", &["i".to_owned()][..]));
    assert!(result.metadata()["raw"].as_str().unwrap().contains(r#"{"nested": {"x": 1}}"#));
}

/// Same as the reference.
#[tokio::test]
async fn reflections_add_up_in_a_history() {
    let mut history = ReflectionHistory::new();
    for kind in [ReflectionType::Success, ReflectionType::Optimization] {
        let (reflector, _) = answering(FULL);
        history.add(reflector.with_type(kind).reflect(&Context::new()).await.unwrap());
    }
    assert_eq!(
        (history.success_count(), history.get_recent(1)[0].reflection_type()),
        (1, ReflectionType::Optimization)
    );
    let types = history.summarize().types;
    assert_eq!(
        (types[&ReflectionType::Success], types[&ReflectionType::Optimization], types[&ReflectionType::Pattern]),
        (1, 1, 0)
    );
}

/// Same as the later version of the reference, whose zero is no timeout as well.
#[tokio::test(start_paused = true)]
async fn a_slow_judge_runs_into_the_timeout_and_a_fast_one_does_not() {
    let after = |pause: u64| {
        GeneralReflector::new().with_timeout(Duration::from_secs(5)).with_judge(move |_| async move {
            tokio::time::sleep(Duration::from_secs(pause)).await;
            Ok::<_, String>(FULL.to_owned())
        })
    };
    assert_eq!(after(9).reflect(&Context::new()).await, Err(ReflectError::TimedOut(Duration::from_secs(5))));
    assert_eq!(after(1).reflect(&Context::new()).await.unwrap().summary(), "s");
    let unbounded = after(9).with_timeout(Duration::ZERO);
    assert_eq!(unbounded.reflect(&Context::new()).await.unwrap().summary(), "s");
}

/// Same as the reference, unless another policy is asked for.
#[tokio::test]
async fn an_error_of_the_judge_surfaces() {
    let reflector = GeneralReflector::new().with_judge(|_| async { Err::<String, _>("out of order") });
    let error = reflector.reflect(&Context::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "out of order");
}

/// Fails in the step of this number.
struct FailsIn(u8);

impl FailsIn {
    fn step(&self, number: u8) -> Result<(), ReflectError> {
        if self.0 == number { Err(ReflectError::Permanent(format!("step {number}"))) } else { Ok(()) }
    }
}

#[async_trait]
impl Reflector for FailsIn {
    async fn analyze(&self, _: &Context<'_>) -> Result<Analysis, ReflectError> {
        self.step(1).map(|()| Analysis::default())
    }

    async fn insight(&self, _: &Analysis) -> Result<Derived, ReflectError> {
        self.step(2).map(|()| Derived::default())
    }

    async fn suggest(&self, _: &Analysis, _: &Derived) -> Result<Vec<String>, ReflectError> {
        self.step(3).map(|()| Vec::new())
    }
}

/// Same as the reference: an error in any step is the reflection's.
#[tokio::test]
async fn an_error_in_any_step_surfaces() {
    for number in 1..=3 {
        let error = FailsIn(number).reflect(&Context::new()).await.unwrap_err();
        assert_eq!(error, ReflectError::Permanent(format!("step {number}")));
    }
}
