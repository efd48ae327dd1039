//! A server that misbehaves: what is repeated, how often, and that nothing is done twice.
#![expect(clippy::unwrap_used, reason = "in tests a failure is the message")]

mod stand_in;

use std::time::Duration;

use reflect_client::{Error, ErrorCode, ReflectClient};
use stand_in::{Reply, StandIn};
use uuid::Uuid;

const SUBMITTED: &str = r#"{"trace_id": "00000000-0000-0000-0000-000000000001", "ingest_status": "completed"}"#;

fn refusal(status: u16, code: &str) -> Reply {
    let body = format!(r#"{{"error": {{"code": "{code}", "message": "no", "request_id": "r1"}}}}"#);
    Reply::Answer { status, headers: String::new(), body }
}

fn client(server: &StandIn, retries: u32) -> ReflectClient {
    ReflectClient::builder()
        .base_url(server.url())
        .api_key("rf_live_x_y")
        .retries(retries)
        .retry_pause(Duration::from_millis(1))
        .timeout(Duration::from_secs(2))
        .build()
        .unwrap()
}

#[tokio::test]
async fn what_may_pass_is_repeated_under_one_name() {
    let faults = [
        Reply::Cut,
        refusal(500, "internal"),
        refusal(503, "backlogged"),
        refusal(429, "too_many_failures"),
        Reply::Hang,
        Reply::Answer { status: 502, headers: String::new(), body: "<html>bad gateway</html>".into() },
        Reply::CutInTheBody,
    ];
    for fault in faults {
        let server = StandIn::start([fault.clone(), Reply::json(SUBMITTED)]).await;
        client(&server, 1).create_trace("t", "x").passed().await.unwrap();
        let names: Vec<Option<String>> =
            server.requests().into_iter().map(|request| request.header("idempotency-key")).collect();
        assert_eq!(names.len(), 2, "{fault:?}");
        assert!(names.iter().all(|name| name.is_some() && *name == names.first().unwrap().clone()), "{names:?}");
    }
}

#[tokio::test]
async fn a_query_is_repeated_under_one_name_too() {
    let server = StandIn::start([Reply::Cut, Reply::json("[]"), Reply::json("[]"), Reply::json("[]")]).await;
    let client = client(&server, 1);
    client.query("t").await.unwrap();
    client.query("t").await.unwrap();
    client.query("t").idempotency_key("mine").await.unwrap();
    let names: Vec<Option<String>> =
        server.requests().into_iter().map(|request| request.header("idempotency-key")).collect();
    let [first, again, next, mine] = names.as_slice() else { panic!("{names:?}") };
    assert!(first.is_some() && first == again && next.is_some() && next != first, "{names:?}");
    assert_eq!(mine.as_deref(), Some("mine"));
}

#[tokio::test]
async fn repetitions_end_as_configured() {
    for retries in [0, 1, 3] {
        let server = StandIn::start(std::iter::repeat_n(refusal(500, "internal"), 9)).await;
        let error = client(&server, retries).get_trace(Uuid::nil()).await.unwrap_err();
        assert_eq!(error.code(), Some(ErrorCode::Internal));
        assert_eq!(server.requests().len(), retries as usize + 1);
    }
}

#[tokio::test]
async fn what_may_have_been_done_and_has_no_name_is_not_sent_again() {
    for fault in [Reply::Cut, Reply::Hang, refusal(500, "internal")] {
        let server = StandIn::start([fault, Reply::json("{}")]).await;
        assert!(client(&server, 3).retry_trace(Uuid::nil()).await.is_err());
        assert_eq!(server.requests().len(), 1);
    }
    let server = StandIn::start([refusal(503, "backlogged"), refusal(404, "not_found")]).await;
    assert!(client(&server, 3).retry_trace(Uuid::nil()).await.is_err());
    assert_eq!(server.requests().len(), 2, "turned away is not done");
}

#[tokio::test]
async fn refusals_are_not_repeated_and_keep_what_the_server_said() {
    let body = r#"{"error": {"code": "brand_new_code", "message": "no way", "request_id": "r7", "path": "task"}}"#;
    let server = StandIn::start([Reply::Answer { status: 422, headers: String::new(), body: body.into() }]).await;
    let error = client(&server, 3).query("t").await.unwrap_err();
    assert_eq!(error.code(), None, "newer than this client");
    let Error::Refused(refused) = error else { panic!("{error}") };
    assert_eq!((refused.code.as_str(), refused.status, refused.path.as_deref()), ("brand_new_code", 422, Some("task")));
    assert_eq!(refused.request_id.as_deref(), Some("r7"));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn the_server_says_when_to_come_back() {
    let later = Reply::Answer {
        status: 503,
        headers: "retry-after: 3600\r\n".into(),
        body: r#"{"error": {"code": "backlogged", "message": "later", "request_id": "r"}}"#.into(),
    };
    let server = StandIn::start([later, Reply::json("[]")]).await;
    let error = client(&server, 3).query("t").await.unwrap_err();
    let Error::Refused(refused) = error else { panic!("{error}") };
    assert_eq!(refused.retry_after, Some(Duration::from_secs(3_600)), "an hour is for the caller to decide");
}

#[tokio::test]
async fn a_server_that_restarts_is_waited_for() {
    let away = || Reply::Cut;
    let trace = Reply::json(include_str!("trace.json"));
    let server = StandIn::start([Reply::json(SUBMITTED), away(), away(), refusal(503, "unavailable"), trace]).await;
    let waited = client(&server, 0).create_trace("t", "x").and_wait().poll_interval(Duration::from_millis(2)).await;
    assert_eq!(waited.unwrap().task, "t");
    assert_eq!(server.requests().len(), 5, "one submission, and looks until it was back");
}

#[tokio::test]
async fn a_trace_that_is_lost_from_sight_is_named() {
    let server = StandIn::start([Reply::json(SUBMITTED), refusal(401, "unauthorized")]).await;
    let error = client(&server, 0).create_trace("t", "x").and_wait().await.unwrap_err();
    assert_eq!((error.trace_id(), error.code()), (Some(Uuid::from_u128(1)), Some(ErrorCode::Unauthorized)));
}

#[tokio::test]
async fn what_a_proxy_says_is_no_proof_that_nothing_was_done() {
    let proxy = Reply::Answer { status: 503, headers: String::new(), body: "upstream reset".into() };
    let server = StandIn::start([proxy, Reply::json("{}")]).await;
    assert!(client(&server, 3).retry_trace(Uuid::nil()).await.is_err());
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn a_server_that_is_down_is_named() {
    let server = StandIn::start([]).await;
    let url = server.url();
    drop(server);
    let client = ReflectClient::builder().base_url(&url).api_key("k").retries(1).retry_pause(Duration::from_millis(1));
    let error = client.build().unwrap().health().await.unwrap_err();
    assert!(matches!(&error, Error::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains(&url), "{error}");
}

#[tokio::test]
async fn answers_of_another_program_are_not_understood() {
    let server = StandIn::start([Reply::json("<html>hello</html>")]).await;
    assert!(matches!(client(&server, 0).health().await.unwrap_err(), Error::NotUnderstood { .. }));
    let moved =
        Reply::Answer { status: 301, headers: "location: https://other.example\r\n".into(), body: String::new() };
    let server = StandIn::start([moved]).await;
    let error = client(&server, 3).health().await.unwrap_err();
    assert!(error.to_string().contains("https://other.example"), "{error}");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn waiting_ends_at_its_deadline_though_the_server_hangs() {
    let server = StandIn::start(std::iter::repeat_n(Reply::Hang, 9)).await;
    let client = ReflectClient::builder().base_url(server.url()).api_key("k").timeout(Duration::from_secs(600)).build();
    let waiting = client.unwrap().wait_for_trace(Uuid::nil()).wait_timeout(Duration::from_millis(80));
    assert!(matches!(waiting.await.unwrap_err(), Error::WaitedTooLong { .. }));
}

#[tokio::test]
async fn a_trace_that_is_not_there_yet_is_waited_for() {
    let trace = include_str!("trace.json");
    let server = StandIn::start([refusal(404, "not_found"), refusal(404, "not_found"), Reply::json(trace)]).await;
    let trace = client(&server, 0).wait_for_trace(Uuid::nil()).await.unwrap();
    assert_eq!(trace.task, "t");
}

#[tokio::test]
async fn without_a_key_nothing_is_sent() {
    let server = StandIn::start([]).await;
    let client = ReflectClient::builder().base_url(server.url()).retry_pause(Duration::from_secs(30)).build().unwrap();
    let asked = tokio::time::timeout(Duration::from_secs(10), client.query("t").into_future());
    let error = asked.await.expect("there is nothing to wait for").unwrap_err();
    assert!(error.to_string().contains("REFLECT_API_KEY"), "{error}");
    assert!(server.requests().is_empty());
}

#[test]
fn a_wrong_url_is_refused_at_once() {
    for url in ["", "localhost:8000", "ftp://localhost", "http://", "http://localhost?x=1", "http://me:pass@localhost"]
    {
        let error = ReflectClient::builder().base_url(url).build().unwrap_err();
        assert!(!error.to_string().contains("pass@"), "{error}");
    }
}

#[test]
fn a_key_is_never_printed() {
    let client = ReflectClient::builder().api_key("rf_live_x_secret").build().unwrap();
    assert!(!format!("{client:?}").contains("secret"));
}
