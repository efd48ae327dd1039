//! The limit on what models may cost in a day.

use std::{sync::Arc, time::Duration};

use reflect_engine::{EngineSettings, ModelParts};
use reflect_llm::{ChatModel, Price, Prices, ScriptedModel, ScriptedStep};
use serde_json::{Value, json};

use crate::{
    client::{Client, reviewed_run, text},
    fakes::{down, lesson_step},
    test_app::{Setup, TestApp},
};

/// A server whose model costs a cent a lesson, and which may spend two and a half a day.
fn app() -> (TestApp, Arc<ScriptedModel>) {
    let model = Arc::new(ScriptedModel::answering(|_| lesson_step("Paid for.")).named("openai/tester"));
    let setup = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>);
    let models = ModelParts { daily_limit_usd: Some(0.025), ..setup.models.clone() };
    (Setup { models, ..setup }.start(), model)
}

async fn reflector(app: &Client) -> (Value, String) {
    let trace_id = app.create(reviewed_run("Refund order 7", json!({"result": "pass"}))).await;
    app.drain().await;
    let trace = app.trace(&trace_id).await;
    assert_eq!(trace["review_status"], "reviewed");
    let memory_id = text(&trace["created_memory_id"]);
    (app.memory(&memory_id).await["written_by"]["reflector"].clone(), memory_id)
}

#[tokio::test]
async fn once_the_days_money_is_spent_rules_write_until_midnight() {
    let (app, model) = app();
    for _ in 0..3 {
        assert_eq!(reflector(&app).await.0, "llm", "the last call may go over by what it costs");
    }
    let (by, memory_id) = reflector(&app).await;
    assert_eq!(by, "builtin");
    assert_eq!(model.requests().len(), 3);
    let metrics = app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok();
    for line in [
        "reflect_llm_fallbacks_total{role=\"reflector\",reason=\"budget\"} 1",
        "reflect_llm_spent_today_usd 0.03",
        "reflect_llm_daily_limit_usd 0.025",
        "reflect_llm_tokens_total{model=\"openai/tester\",role=\"reflector\",direction=\"input\"} 3000",
        "reflect_llm_call_seconds_count{model=\"openai/tester\",role=\"reflector\"} 3",
    ] {
        assert!(metrics.as_str().unwrap().contains(line), "{line} is not in\n{metrics}");
    }
    app.clock.turn_seconds(3_600);
    assert_eq!(app.drain().await, 0, "nobody takes what cannot be paid");
    app.clock.turn_seconds(86_400);
    app.drain().await;
    let replaced = app.memory(&memory_id).await;
    assert_eq!((&replaced["written_by"]["reflector"], &replaced["revision"]), (&json!("llm"), &json!(2)));
}

/// A server that may spend two and a half cents a day, with a model for a cent a thousand tokens of either kind.
fn priced(
    step: impl Fn() -> ScriptedStep + Send + Sync + 'static,
    settings: EngineSettings,
) -> (TestApp, Arc<ScriptedModel>) {
    let model = Arc::new(ScriptedModel::answering(move |_| step()).named("openai/tester"));
    let setup = Setup::with_model(Arc::clone(&model) as Arc<dyn ChatModel>);
    let models = ModelParts {
        prices: Arc::new(Prices::none().with("openai/tester", Price { input: 10.0, output: 10.0 })),
        call_timeout: Some(Duration::from_secs(1)),
        daily_limit_usd: Some(0.025),
        ..setup.models.clone()
    };
    (Setup { models, settings, ..setup }.start(), model)
}

async fn metric(app: &Client, name: &str) -> f64 {
    let metrics = app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok();
    let line = metrics.as_str().unwrap().lines().find(|line| line.starts_with(name)).map(str::to_owned);
    line.and_then(|line| line.rsplit_once(' ')?.1.parse().ok()).unwrap_or(0.0)
}

#[tokio::test]
async fn an_answer_that_does_not_say_what_it_used_is_charged_by_its_words() {
    let lesson = json!({"summary": "Paid for.", "guidance": "Call look_up before anything is paid."}).to_string();
    let (app, _) = priced(move || ScriptedStep::text(lesson.clone()), EngineSettings::default());
    assert_eq!(reflector(&app).await.0, "llm");
    let spent = metric(&app, "reflect_llm_spent_today_usd").await;
    // The instructions alone are some 900 tokens.
    assert!((0.005..0.02).contains(&spent), "{spent}");
    assert_eq!(metric(&app, "reflect_llm_estimated_cost_usd_total").await, spent);
    assert!((metric(&app.restart(), "reflect_llm_spent_today_usd").await - spent).abs() < 1e-9);
}

#[tokio::test]
async fn a_call_that_times_out_is_charged_as_far_as_it_may_have_gone() {
    let (app, model) = priced(ScriptedStep::hang, EngineSettings::default());
    assert_eq!(reflector(&app).await.0, "builtin");
    let spent = metric(&app, "reflect_llm_spent_today_usd").await;
    // 2,000 tokens may have been written.
    assert!((0.025..0.05).contains(&spent), "{spent}");
    assert_eq!(reflector(&app).await.0, "builtin");
    assert_eq!(model.requests().len(), 1, "the day's money is spent");
    let app = app.restart();
    assert!((metric(&app, "reflect_llm_spent_today_usd").await - spent).abs() < 1e-9);
}

#[tokio::test]
async fn a_call_that_is_given_up_is_charged_and_a_restart_does_not_forget_it() {
    let settings = EngineSettings { attempt_timeout: Duration::from_millis(30), ..EngineSettings::default() };
    let (app, model) = priced(ScriptedStep::hang, settings);
    reflector(&app).await;
    let spent = metric(&app, "reflect_llm_spent_today_usd").await;
    assert!((0.025..0.05).contains(&spent), "{spent}");
    assert!(
        metric(&app, "reflect_llm_calls_total{model=\"openai/tester\",role=\"reflector\",outcome=\"cancelled\"}").await
            > 0.0
    );
    let app = app.restart();
    assert!((metric(&app, "reflect_llm_spent_today_usd").await - spent).abs() < 1e-9);
    reflector(&app).await;
    assert_eq!(model.requests().len(), 1);
}

#[tokio::test]
async fn a_provider_that_refuses_is_not_charged() {
    let (app, _) = priced(|| ScriptedStep::error(down()), EngineSettings::default());
    reflector(&app).await;
    assert_eq!(metric(&app, "reflect_llm_spent_today_usd").await, 0.0);
}

#[tokio::test]
async fn a_restart_does_not_forget_what_was_spent() {
    let (app, model) = app();
    for _ in 0..3 {
        reflector(&app).await;
    }
    let app = app.restart();
    assert_eq!(reflector(&app).await.0, "builtin");
    assert_eq!(model.requests().len(), 3);
}

#[tokio::test]
async fn a_provider_that_claims_absurd_counts_breaks_neither_metrics_nor_the_next_start() {
    let usage =
        reflect_llm::Usage { input_tokens: i64::MAX as u64, output_tokens: i64::MAX as u64, cost_usd: Some(0.01) };
    let absurd = move |_: &_| {
        let lesson = json!({"summary": "Paid.", "key_mistake": "", "correct_action": "Look up.", "guidance": "Look up.",
                            "applicable_tools": []});
        ScriptedStep::reply(reflect_llm::ChatReply { usage, ..reflect_llm::ChatReply::text(lesson.to_string()) })
    };
    let model = Arc::new(ScriptedModel::answering(absurd).named("openai/tester"));
    let app = Setup::with_model(model as Arc<dyn ChatModel>).start();
    for _ in 0..3 {
        assert_eq!(reflector(&app).await.0, "llm");
    }
    let app = app.restart();
    assert_eq!(reflector(&app).await.0, "llm");
    let metrics = app.send(axum::http::Method::GET, "/metrics", None, &[]).await.ok();
    assert!(metrics.as_str().unwrap().contains("reflect_llm_spent_today_usd 0.04"), "{metrics}");
}
