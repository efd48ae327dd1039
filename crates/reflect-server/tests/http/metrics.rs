//! `GET /metrics`.

use axum::http::Method;
use reflect_core::Outcome;
use reflect_server::MetricsAccess;

use crate::{
    answer::Answer,
    client::Client,
    test_app::{Setup, TestApp},
};

async fn metrics(client: &Client) -> Answer {
    client.send(Method::GET, "/metrics", None, &[]).await
}

#[tokio::test]
async fn requests_and_jobs_are_counted() {
    let app = TestApp::new();
    app.reviewed_trace(Outcome::Pass).await;
    app.get("/traces/no-such-trace").await.assert_code("not_found");
    app.send(Method::GET, "/nowhere", None, &[]).await.assert_code("not_found");
    let answer = metrics(&app).await;
    assert!(answer.header("content-type").starts_with("text/plain; version=0.0.4"));
    let text = answer.ok();
    let text = text.as_str().unwrap();
    for line in [
        "# TYPE reflect_http_requests_total counter",
        "reflect_http_requests_total{method=\"POST\",path=\"/v1/projects/{project_id}/traces\",status=\"200\"} 1",
        "reflect_http_requests_total{method=\"GET\",path=\"/v1/projects/{project_id}/traces/{trace_id}\",status=\"404\"} 1",
        "reflect_http_requests_total{method=\"GET\",path=\"none\",status=\"404\"} 1",
        "# TYPE reflect_http_request_seconds histogram",
        "reflect_http_request_seconds_bucket{method=\"POST\",path=\"/v1/projects/{project_id}/traces\",le=\"+Inf\"} 1",
        "reflect_http_request_seconds_count{method=\"POST\",path=\"/v1/projects/{project_id}/traces\"} 1",
        "reflect_jobs_total{kind=\"lesson\",outcome=\"done\"} 1",
        "reflect_job_seconds_count{kind=\"lesson\"} 1",
        "reflect_llm_spent_today_usd 0",
    ] {
        assert!(text.contains(line), "{line} is not in\n{text}");
    }
}

#[tokio::test]
async fn the_queue_is_measured() {
    let app = TestApp::new();
    app.create(crate::client::reviewed_run("Refund order 7", serde_json::json!({"result": "pass"}))).await;
    app.clock.turn_seconds(7);
    let text = metrics(&app).await.ok();
    let text = text.as_str().unwrap();
    assert!(text.contains("reflect_queue_depth{kind=\"lesson\",state=\"live\"} 1"), "{text}");
    assert!(text.contains("reflect_queue_oldest_seconds{kind=\"lesson\"} 7"), "{text}");
}

#[tokio::test]
async fn an_empty_queue_is_there_and_zero() {
    let app = TestApp::new();
    let text = metrics(&app).await.ok();
    let text = text.as_str().unwrap();
    for kind in ["lesson", "follow_up"] {
        for state in ["live", "failed"] {
            let line = format!("reflect_queue_depth{{kind=\"{kind}\",state=\"{state}\"}} 0\n");
            assert!(text.contains(&line), "{line} is not in\n{text}");
        }
        let line = format!("reflect_queue_oldest_seconds{{kind=\"{kind}\"}} 0\n");
        assert!(text.contains(&line), "{line} is not in\n{text}");
    }
}

#[tokio::test]
async fn nobody_needs_a_key_unless_the_operator_says_so() {
    let open = TestApp::new();
    metrics(&open.with_key("")).await.assert_status(200);
    let keyed = Setup { metrics: MetricsAccess::MasterKey, ..Setup::default() }.start();
    metrics(&keyed.with_key("")).await.assert_code("unauthorized");
    metrics(&keyed.holding(&["trace:read"]).await).await.assert_code("forbidden");
    metrics(&keyed).await.assert_status(200);
    let off = Setup { metrics: MetricsAccess::Off, ..Setup::default() }.start();
    metrics(&off).await.assert_code("not_found");
}
