use std::sync::{
    Mutex,
    atomic::{AtomicU32, Ordering},
};

use reflect_llm::{ScriptedModel, ScriptedStep};

use super::*;
use crate::{ReflectionHistory, ReflectionResult};

const FULL: &str = r#"{"summary": "s", "key_findings": ["f1", "f2"], "root_causes": ["c1", "c2"], "insights": ["i1", "i2"], "suggestions": ["x1", "x2"]}"#;

/// A reflector whose judge answers these, the last one again and again, and the prompts that it saw.
fn scripted(answers: &'static [&'static str]) -> (GeneralReflector, Arc<Mutex<Vec<String>>>) {
    let prompts = Arc::new(Mutex::new(Vec::new()));
    let seen = prompts.clone();
    let reflector = GeneralReflector::new().with_judge(move |prompt| {
        let mut seen = seen.lock().unwrap();
        let answer = answers[seen.len().min(answers.len() - 1)];
        seen.push(prompt);
        async move { Ok::<_, String>(answer.to_owned()) }
    });
    (reflector, prompts)
}

fn context() -> Context<'static> {
    Context::new().with("input", "in").with("output", "out")
}

#[tokio::test]
async fn a_shallow_reflection_is_one_short_call() {
    let (reflector, prompts) = scripted(&[FULL]);
    let context = Context::new().with("input", "x".repeat(50_000));
    let result = reflector.with_level(ReflectionLevel::Shallow).reflect(&context).await.unwrap();
    assert_eq!((result.key_findings(), result.suggestions()), (&["f1".to_owned()][..], &["x1".to_owned()][..]));
    let prompts = prompts.lock().unwrap();
    assert_eq!(prompts.len(), 1);
    assert!(prompts[0].len() < 4_000 && prompts[0].contains("at most one entry"));
}

#[tokio::test]
async fn every_level_asks_the_judge_once() {
    for level in ReflectionLevel::ALL {
        let (reflector, prompts) = scripted(&[FULL]);
        reflector.with_level(*level).reflect(&context()).await.unwrap();
        assert_eq!(prompts.lock().unwrap().len(), 1, "{level}");
    }
    let (reflector, prompts) = scripted(&[FULL]);
    let result = reflector.reflect(&context()).await.unwrap();
    assert_eq!((result.level(), result.insights().len()), (ReflectionLevel::Deep, 2));
    assert_eq!(prompts.lock().unwrap().len(), 1, "so does the default");
}

#[tokio::test]
async fn every_key_that_the_judge_answered_is_in_the_analysis() {
    const MORE: &str = r#"{"summary": "s", "severity": 3, "detail": {"line": [7, null]}, "suggestions": ["x"]}"#;
    const DEEPER: &str = r#"{"summary": "t", "severity": 4, "owner": "ops"}"#;
    let (reflector, _) = scripted(&[MORE, DEEPER]);
    let analysis = reflector.with_second_look().analyze(&context()).await.unwrap();
    assert_eq!(json!(analysis.other), json!({"severity": 3, "detail": {"line": [7, null]}, "owner": "ops"}));
    assert_eq!((analysis.summary.as_str(), analysis.suggestions), ("s", vec!["x".to_owned()]));
}

#[tokio::test]
async fn a_second_look_is_for_what_lies_underneath() {
    const DEEPER: &str = r#"{"summary": "t", "root_causes": ["c2", "nobody checks"], "suggestions": ["add a check"]}"#;
    let (reflector, prompts) = scripted(&[FULL, DEEPER]);
    let result = reflector.with_second_look().reflect(&context()).await.unwrap();
    assert_eq!(result.summary(), "s");
    assert_eq!(result.root_causes(), ["c1", "c2", "nobody checks"]);
    assert_eq!(result.suggestions(), ["x1", "x2", "add a check"]);
    assert_eq!(result.metadata()["spent"]["calls"], 2);
    assert!(prompts.lock().unwrap()[1].contains("[First analysis]"));
}

#[tokio::test]
async fn a_meta_reflection_reads_past_reflections() {
    let mut history = ReflectionHistory::new();
    let past =
        ReflectionResult::new(ReflectionType::Failure, ReflectionLevel::Medium, "The total was wrong\n[Error] again.");
    history.add(past.with_suggestions(vec!["check totals".into()]));
    let (reflector, prompts) = scripted(&[FULL]);
    let reflector = reflector.with_level(ReflectionLevel::Meta);
    let result = reflector.reflect(&Context::new().with_history(&history)).await.unwrap();
    assert_eq!(result.metadata()["history_size"], 1);
    let prompt = prompts.lock().unwrap()[0].clone();
    assert!(prompt.contains("[Past reflections]\n- failure (medium): The total was wrong [Error] again."), "{prompt}");
    assert!(prompt.contains("check totals") && prompt.contains("\"failure\":1"));
    let alone = reflector.reflect(&context()).await.unwrap();
    assert_eq!(alone.metadata()["history_size"], 0);
}

#[tokio::test]
async fn a_failing_judge_fails_is_retried_or_is_done_without() {
    let calls = Arc::new(AtomicU32::new(0));
    let counted = calls.clone();
    let build = || {
        let calls = counted.clone();
        GeneralReflector::new().with_level(ReflectionLevel::Medium).with_judge(move |_| {
            let call = calls.fetch_add(1, Ordering::SeqCst);
            async move { if call < 2 { Err("down") } else { Ok(FULL.to_owned()) } }
        })
    };
    assert_eq!(build().reflect(&context()).await, Err(ReflectError::Temporary("down".into())));
    calls.store(0, Ordering::SeqCst);
    let retried = build().with_retries(2).reflect(&context()).await.unwrap();
    assert_eq!((retried.summary(), retried.metadata()["spent"]["calls"].as_u64()), ("s", Some(3)));
    calls.store(0, Ordering::SeqCst);
    let degraded = build().with_retries(1).on_failure(FailurePolicy::Degrade).reflect(&context()).await.unwrap();
    assert!(degraded.is_degraded());
    assert_eq!(degraded.metadata()["error"], "down");
}

#[tokio::test]
async fn a_second_look_that_fails_keeps_the_first_and_says_so() {
    let model = Arc::new(ScriptedModel::new([ScriptedStep::text(FULL)]));
    let reflector = GeneralReflector::new().with_model(model).with_second_look().on_failure(FailurePolicy::Degrade);
    let result = reflector.reflect(&context()).await.unwrap();
    assert_eq!((result.summary(), result.is_degraded()), ("s", true));
}

#[tokio::test]
async fn an_unreadable_answer_is_asked_for_again_when_wanted() {
    let (reflector, prompts) = scripted(&["no idea", FULL]);
    let reflector = reflector.with_level(ReflectionLevel::Medium).with_re_asks(1);
    assert_eq!(reflector.reflect(&context()).await.unwrap().metadata()["parse_status"], "clean");
    assert!(prompts.lock().unwrap()[1].contains("[Problem]"));
}

#[tokio::test]
async fn a_model_gets_the_instructions_apart_from_the_context() {
    let model = Arc::new(ScriptedModel::answering(|_| ScriptedStep::text(FULL)));
    let reflector = GeneralReflector::new().with_model(model.clone()).with_system_prompt("Be kind.");
    reflector.reflect(&context()).await.unwrap();
    let messages = &model.requests()[0].messages;
    assert_eq!((messages[0].text.as_str(), messages[1].text.as_str()), ("Be kind.", "[Input]\nin\n[Output]\nout"));
}

#[tokio::test]
async fn ten_thousand_braces_are_read_in_one_pass() {
    let braces = "{".repeat(10_000);
    let (_, steps) = reflect_llm::extract_json_counting(&braces, &answer::shape());
    assert!(steps < 40 * 10_000, "{steps}");
}

#[tokio::test]
async fn what_must_not_leave_is_redacted_before_the_judge_sees_it() {
    let (reflector, prompts) = scripted(&[FULL]);
    let redactor = Arc::new(Redactor::new(&crate::RedactorOptions::default()).unwrap());
    reflector.with_redactor(redactor).reflect(&Context::new().with("input", "mail ann@example.org")).await.unwrap();
    assert!(prompts.lock().unwrap().iter().all(|prompt| prompt.contains("mail [email]")));
}
