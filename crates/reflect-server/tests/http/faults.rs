//! What becomes of everything that a model is asked for when its provider misbehaves, over a real connection and through all that
//! the binary puts around a model: retries, a limit on concurrent calls, prices, the meter.

use std::{sync::Arc, time::Duration};

use reflect_engine::{EngineSettings, ModelParts};
use reflect_llm::{
    ChatModel, HttpClient, Limited, Meter, Metered, Price, Prices, ProviderSettings, RetrySettings, Retrying,
    connect_with,
};
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use crate::{
    client::{reviewed_run, run, text},
    fakes::{FakeClock, FixedEntropy},
    faulty_provider::{FaultyProvider, Manner},
    test_app::{Setup, TestApp},
};

/// Tries in all. Waits between them are short, so that the tests are.
const TRIES: u32 = 2;

/// A server whose model is this provider's, put together as the binary does it.
fn served_by(provider: &FaultyProvider) -> TestApp {
    let http = HttpClient::new().unwrap();
    let settings =
        ProviderSettings::new(http, Arc::new(FakeClock::new())).base_url(format!("http://{}/v1", provider.address));
    let prices = Arc::new(Prices::none().with("openai/tester", Price { input: 10.0, output: 10.0 }));
    let model = connect_with("openai/tester", &settings).unwrap();
    let model: Arc<dyn ChatModel> = Arc::new(Metered::new(model, Arc::clone(&prices), Meter::default()));
    let retry = RetrySettings {
        attempts: TRIES,
        first_wait: Duration::from_millis(2),
        longest_wait: Duration::from_millis(20),
    };
    let places = Arc::new(Semaphore::new(2));
    let models = ModelParts {
        listed: vec![model],
        with_retries: Some(Arc::new(move |model| {
            let in_turn = Limited::sharing(model, Arc::clone(&places));
            Arc::new(Retrying::new(in_turn, retry, Arc::new(FixedEntropy::new())))
        })),
        reflector: Some("openai/tester".into()),
        judge: Some("openai/tester".into()),
        call_timeout: Some(Duration::from_secs(2)),
        prices,
        daily_limit_usd: Some(1_000.0),
        ..ModelParts::default()
    };
    let seconds = Duration::from_secs;
    let settings =
        EngineSettings { review_deadline: seconds(12), attempt_timeout: seconds(9), ..EngineSettings::default() };
    Setup { models, settings, ..Setup::default() }.start()
}

/// What `/metrics` shows.
async fn metrics(app: &TestApp) -> String {
    text(&app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok())
}

fn counted(metrics: &str, row: &str) -> f64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix(row)?.strip_prefix(' '));
    line.map_or(0.0, |value| value.parse().unwrap())
}

/// How a role's calls ended, as `/metrics` shows it, and that money was charged where it may have been spent.
#[track_caller]
fn assert_calls(metrics: &str, manner: Manner, role: &str, outcome: &str, at_least: u32) {
    let calls = format!("reflect_llm_calls_total{{model=\"openai/tester\",role=\"{role}\",outcome=\"{outcome}\"}}");
    assert!(counted(metrics, &calls) >= f64::from(at_least), "{manner:?}: {calls} is not {at_least} in\n{metrics}");
    let cost = counted(metrics, &format!("reflect_llm_cost_usd_total{{model=\"openai/tester\",role=\"{role}\"}}"));
    let nothing_done = matches!(manner, Manner::RateLimited | Manner::Broken);
    assert_eq!(cost == 0.0, nothing_done, "{manner:?}: {role} was charged {cost}");
}

/// How often a provider of this manner is asked for one answer: again where it did not answer, and again where the answer was of
/// no use and the role sends it back.
fn asked_for_one(outcome: &str, sends_back: bool) -> u32 {
    if outcome != "answered" || sends_back { TRIES } else { 1 }
}

/// Everything that a model does, while the provider misbehaves in this manner and its calls end so, and once it is well again.
async fn lives_through(manner: Manner, outcome: &str) {
    lessons_live_through(manner, outcome).await;
    judging_lives_through(manner, outcome).await;
    queries_live_through(manner, outcome).await;
    skills_live_through(manner, outcome).await;
}

/// Reviews one run inline and one afterwards.
async fn lessons_live_through(manner: Manner, outcome: &str) {
    let provider = FaultyProvider::start(manner).await;
    let app = served_by(&provider);
    let inline =
        app.create(reviewed_run("Refund order 7", json!({"result": "fail", "feedback_text": "paid twice"}))).await;
    app.drain().await;
    let deferred = app.create(run("Refund order 8")).await;
    app.review(&deferred, json!({"result": "pass"})).await.ok();
    let mut memory_ids = Vec::new();
    for trace_id in [&inline, &deferred] {
        let trace = app.trace(trace_id).await;
        assert_eq!(
            (&trace["review_status"], &trace["ingest_status"]),
            (&json!("reviewed"), &json!("completed")),
            "{manner:?}"
        );
        let memory = app.memory(&text(&trace["created_memory_id"])).await;
        assert_stands_in(&memory["written_by"]);
        assert!(!text(&memory["summary"]).is_empty(), "{manner:?}: {memory}");
        memory_ids.push(text(&memory["id"]));
    }
    let feedback = app.memory(&memory_ids[0]).await;
    assert!(feedback.to_string().contains("Paid twice"), "an honest lesson holds what the reviewer said: {feedback}");
    let shown = app.query_ids(json!({"task": "Refund order 7"})).await;
    assert!(shown.contains(&memory_ids[0]), "{manner:?}");
    let during = metrics(&app).await;
    assert_calls(&during, manner, "reflector", outcome, 2 * asked_for_one(outcome, true));
    assert_eq!(counted(&during, "reflect_stand_ins_total{outcome=\"stored\"}"), 2.0, "{manner:?}\n{during}");

    provider.set(Manner::Fine);
    let asked = provider.times_asked();
    for _ in 0..4 {
        app.clock.turn_seconds(60);
        app.drain().await;
    }
    assert!(provider.times_asked() > asked);
    for memory_id in &memory_ids {
        let memory = app.memory(memory_id).await;
        assert_eq!((&memory["written_by"]["reflector"], &memory["revision"]), (&json!("llm"), &json!(2)), "{manner:?}");
        assert_eq!(memory["summary"], "The refund went through.");
    }
    let after = metrics(&app).await;
    assert_eq!(counted(&after, "reflect_stand_ins_total{outcome=\"replaced\"}"), 2.0, "{manner:?}\n{after}");
}

#[track_caller]
fn assert_stands_in(written_by: &Value) {
    let says = (&written_by["reflector"], &written_by["stands_in_for"]);
    assert_eq!(says, (&json!("builtin"), &json!("openai/tester")));
}

/// Leaves a run to the judge.
async fn judging_lives_through(manner: Manner, outcome: &str) {
    let provider = FaultyProvider::start(manner).await;
    let app = served_by(&provider);
    let trace_id = app.create(run("Refund order 7")).await;
    app.clock.turn_seconds(3_600);
    assert_eq!(app.engine.judge_due_traces().await.unwrap(), 1);
    let trace = app.trace(&trace_id).await;
    assert_eq!((&trace["review_status"], &trace["review"]), (&json!("pending"), &Value::Null), "{manner:?}");
    let during = metrics(&app).await;
    assert_calls(&during, manner, "judge", outcome, asked_for_one(outcome, true));
    let verdict = if outcome == "answered" { "unknown" } else { "failed" };
    let verdicts = format!("reflect_judge_verdicts_total{{verdict=\"{verdict}\"}}");
    assert_eq!(counted(&during, &verdicts), 1.0, "{manner:?}\n{during}");

    provider.set(Manner::Fine);
    // An answer without a verdict is asked for again after a day.
    app.clock.turn_seconds(90_000);
    assert_eq!(app.engine.judge_due_traces().await.unwrap(), 1, "{manner:?}");
    app.drain().await;
    let trace = app.trace(&trace_id).await;
    assert_eq!((&trace["review_status"], &trace["review"]["source"]), (&json!("reviewed"), &json!("judge")));
    let memory = app.memory(&text(&trace["created_memory_id"])).await;
    assert_eq!(memory["written_by"]["reflector"], "llm", "{manner:?}");
}

/// A memory by hand: no model is asked for it.
async fn taught(app: &TestApp, task: &str) -> String {
    let review =
        json!({"result": "pass", "reflection": {"summary": "It worked.", "guidance": format!("Mind: {task}.")}});
    let trace_id = app.create(reviewed_run(task, review)).await;
    text(&app.trace(&trace_id).await["created_memory_id"])
}

/// Searches by a conversation.
async fn queries_live_through(manner: Manner, outcome: &str) {
    let provider = FaultyProvider::start(manner).await;
    let app = served_by(&provider);
    let memory_id = taught(&app, "Refund an order that arrived broken").await;
    let query = json!({"messages": [{"role": "user", "content": "Please refund order 4411, it arrived broken."}]});
    let answer = app.post("/memory/query", query.clone()).await.ok();
    assert_eq!(answer["distilled_by"], "builtin", "{manner:?}");
    assert!(text(&answer["intent"]).contains("refund order 4411"), "{manner:?}: {answer}");
    assert_eq!(answer["memories"][0]["id"], json!(memory_id), "{manner:?}");
    let during = metrics(&app).await;
    assert_calls(&during, manner, "distiller", outcome, asked_for_one(outcome, false));
    let reason = match outcome {
        "answered" => "unusable",
        "timeout" => "deadline",
        kind => kind,
    };
    let fallbacks = format!("reflect_llm_fallbacks_total{{role=\"distiller\",reason=\"{reason}\"}}");
    assert_eq!(counted(&during, &fallbacks), 1.0, "{manner:?}\n{during}");

    provider.set(Manner::Fine);
    let answer = app.post("/memory/query", query).await.ok();
    let said = (&answer["distilled_by"], &answer["intent"]);
    assert_eq!(said, (&json!("openai/tester"), &json!("refund a broken order")), "{manner:?}");
}

/// Asks for a skill.
async fn skills_live_through(manner: Manner, outcome: &str) {
    let provider = FaultyProvider::start(manner).await;
    let app = served_by(&provider);
    for number in 0..5 {
        taught(&app, &format!("Refund order {number}")).await;
    }
    let skill = app.post("/skill/create", json!({})).await.ok();
    assert_stands_in(&skill["written_by"]);
    assert_eq!((&skill["version"], &skill["n_passed"]), (&json!(1), &json!(5)), "{manner:?}");
    let during = metrics(&app).await;
    assert_calls(&during, manner, "skill_writer", outcome, asked_for_one(outcome, false));
    let reason = if outcome == "answered" { "unusable" } else { outcome };
    let fallbacks = format!("reflect_llm_fallbacks_total{{role=\"skill_writer\",reason=\"{reason}\"}}");
    assert_eq!(counted(&during, &fallbacks), 1.0, "{manner:?}\n{during}");

    provider.set(Manner::Fine);
    let skill = app.post("/skill/create", json!({})).await.ok();
    let says = (&skill["written_by"]["reflector"], &skill["written_by"]["stands_in_for"]);
    assert_eq!(says, (&json!("llm"), &Value::Null), "{manner:?}");
}

#[tokio::test]
async fn a_provider_that_limits_its_rate() {
    lives_through(Manner::RateLimited, "rate_limited").await;
}

#[tokio::test]
async fn a_provider_that_fails() {
    lives_through(Manner::Broken, "unavailable").await;
}

#[tokio::test]
async fn a_provider_that_hangs() {
    lives_through(Manner::Hanging, "timeout").await;
}

#[tokio::test]
async fn a_provider_that_is_cut_off() {
    lives_through(Manner::Cut, "unavailable").await;
}

#[tokio::test]
async fn a_provider_that_answers_nothing() {
    lives_through(Manner::Empty, "malformed").await;
}

#[tokio::test]
async fn a_provider_that_answers_a_web_page() {
    lives_through(Manner::Html, "malformed").await;
}

#[tokio::test]
async fn a_provider_that_answers_json_of_another_protocol() {
    lives_through(Manner::OtherJson, "malformed").await;
}

#[tokio::test]
async fn a_model_that_answers_json_of_another_shape() {
    lives_through(Manner::OtherShape, "answered").await;
}

#[tokio::test]
async fn a_model_that_answers_no_words() {
    lives_through(Manner::NoWords, "answered").await;
}

#[tokio::test]
async fn a_provider_that_is_well() {
    let provider = FaultyProvider::start(Manner::Fine).await;
    let app = served_by(&provider);
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.drain().await;
    let memory = app.memory(&text(&app.trace(&trace_id).await["created_memory_id"])).await;
    let written_by = &memory["written_by"];
    assert_eq!(memory["summary"], "The refund went through.");
    assert_eq!((&written_by["reflector"], &written_by["stands_in_for"]), (&json!("llm"), &Value::Null));
    assert_eq!((&written_by["input_tokens"], &written_by["output_tokens"]), (&json!(321), &json!(45)));
}

#[tokio::test]
async fn nobody_is_there_at_all() {
    let provider = FaultyProvider::start(Manner::Fine).await;
    let app = served_by(&provider);
    drop(provider);
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.drain().await;
    assert_eq!(app.trace(&trace_id).await["review_status"], "reviewed");
    assert!(metrics(&app).await.contains("outcome=\"unavailable\""));
}
