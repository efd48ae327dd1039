//! The options of every call, handed on to the builders of the async client.

use std::time::Duration;

use reflect_core::{Environment, MemoryStatus};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    AugmentTask, AugmentedTask, AuthoredReflection, Bootstrap, BulkReview, CreateAndWait, CreateKey, CreateTrace,
    IngestStatus, IntoOutcome, ListMemories, ListTraces, QueryMemories, ReviewStatus, ReviewTrace, ReviewTraces,
    Timestamp, TraceScope, WaitForTrace,
};

use super::Call;

/// Hands options on. Each has its part of an example, which stands between the start and the end given for its builder.
macro_rules! options {
    ($($builder:ident {
        $start:literal .. $end:literal;
        $($option:ident($($argument:ident: $type:ty),*) $example:literal;)+
    })+) => {
        $(impl Call<$builder> {
            $(
                #[doc = concat!("As [`", stringify!($builder), "::", stringify!($option), "`](crate::", stringify!($builder), "::", stringify!($option), ").")]
                ///
                /// ```no_run
                /// # use std::time::Duration;
                /// # use reflect_client::{AuthoredReflection, Bootstrap, BulkReview, Environment, IngestStatus, MemoryStatus};
                /// # use reflect_client::{Outcome, ReviewStatus, Scope, blocking::ReflectClient};
                /// # fn example(client: ReflectClient, id: uuid::Uuid) -> anyhow::Result<()> {
                #[doc = concat!($start, ".", $example, ".", $end, ";")]
                /// # Ok(()) }
                /// ```
                pub fn $option(self $(, $argument: $type)*) -> Self {
                    self.map(|builder| builder.$option($($argument),*))
                }
            )+
        })+
    };
}

/// Hands the options of a query on, which several calls have.
macro_rules! query_options {
    ($($builder:ident $start:literal .. $end:literal;)+) => {
        options! {
            $($builder {
                $start .. $end;
                limit(limit: u32) "limit(5)";
                lambda(lambda: f64) "lambda(0.3)";
                mmr_lambda(mmr_lambda: f64) "mmr_lambda(0.7)";
                similarity_threshold(threshold: f64) "similarity_threshold(0.5)";
                metadata(key: impl Into<String>, value: impl Into<Value>) r#"metadata("tenant", "acme")"#;
                explain(explain: bool) "explain(true)";
            })+
        }
    };
}

query_options! {
    QueryMemories r#"let found = client.query("Refund order A-17")"# .. "send()?";
    AugmentTask r#"let augmented = client.augment_with_memories("Refund order A-17")"# .. "send()?";
    TraceScope r#"let guard = client.trace("Refund order A-17")"# .. "start()?";
}

options! {
    TraceScope {
        r#"let guard = client.trace("Refund order A-17")"# .. "start()?";
        blocking(blocking: bool) "blocking(true)";
        auto_fail(auto_fail: bool) "auto_fail(false)";
        wait_timeout(timeout: Duration) "blocking(true).wait_timeout(Duration::from_secs(10))";
    }
    CreateTrace {
        r#"let stored = client.create_trace("Refund order A-17", "…")"# .. "send()?";
        final_response(final_response: impl Into<String>) r#"final_response("It is refunded.")"#;
        memories(augmented: &AugmentedTask) r#"memories(&client.augment_with_memories("Refund order A-17").send()?)"#;
        retrieved_memory_ids(ids: impl IntoIterator<Item = impl ToString>) "retrieved_memory_ids([id])";
        retrieval_id(retrieval_id: Uuid) "retrieval_id(id)";
        model(model: impl Into<String>) r#"model("gpt-5.4-mini")"#;
        metadata(key: impl Into<String>, value: impl Into<Value>) r#"metadata("tenant", "acme")"#;
        reference_context(reference_context: impl Into<String>) r#"reference_context("Refunds take a receipt.")"#;
        result(result: impl IntoOutcome) r#"result("pass")"#;
        passed() "passed()";
        failed(feedback: impl Into<String>) r#"failed("Refunded it twice")"#;
        feedback(feedback: impl Into<String>) r#"passed().feedback("Asked for the receipt first")"#;
        alpha(alpha: f64) "passed().alpha(0.1)";
        reflection(reflection: AuthoredReflection)
            r#"passed().reflection(AuthoredReflection { guidance: Some("Look first.".into()), ..Default::default() })"#;
        idempotency_key(key: impl Into<String>) r#"idempotency_key("run-17")"#;
    }
    CreateAndWait {
        r#"let trace = client.create_trace("Refund order A-17", "…").passed().and_wait()"# .. "send()?";
        poll_interval(interval: Duration) "poll_interval(Duration::from_secs(1))";
        wait_timeout(timeout: Duration) "wait_timeout(Duration::from_secs(10))";
    }
    WaitForTrace {
        "let trace = client.wait_for_trace(id)" .. "send()?";
        poll_interval(interval: Duration) "poll_interval(Duration::from_secs(1))";
        wait_timeout(timeout: Duration) "wait_timeout(Duration::from_secs(10))";
        require_reviewed(require: bool) "require_reviewed(true)";
    }
    ReviewTrace {
        r#"let trace = client.review_trace(id, "fail")"# .. "send()?";
        feedback(feedback: impl Into<String>) r#"feedback("Refunded it twice")"#;
        alpha(alpha: f64) "alpha(0.1)";
        reflection(reflection: AuthoredReflection)
            r#"reflection(AuthoredReflection { guidance: Some("Look first.".into()), ..Default::default() })"#;
        supersedes() "supersedes()";
        idempotency_key(key: impl Into<String>) r#"idempotency_key("review-17")"#;
    }
    ReviewTraces {
        "let answer = client.review_traces()" .. "send()?";
        passed(trace_id: Uuid) "passed(id)";
        failed(trace_id: Uuid, feedback: impl Into<String>) r#"failed(id, "Refunded it twice")"#;
        result(trace_id: Uuid, result: impl IntoOutcome) r#"result(id, "fail")"#;
        review(review: BulkReview)
            "review(BulkReview { trace_id: id.to_string(), result: Some(Outcome::Pass), ..Default::default() })";
        idempotency_key(key: impl Into<String>) r#"passed(id).idempotency_key("reviews-17")"#;
    }
    ListTraces {
        "let traces = client.list_traces()" .. "send()?";
        review_status(status: ReviewStatus) "review_status(ReviewStatus::Pending)";
        ingest_status(status: IngestStatus) "ingest_status(IngestStatus::Failed)";
        result(result: impl IntoOutcome) r#"result("fail")"#;
        passed() "passed()";
        failed() "failed()";
        model(model: impl Into<String>) r#"model("gpt-5.4-mini")"#;
        text(text: impl Into<String>) r#"text("refund")"#;
        metadata(key: impl Into<String>, value: impl Into<String>) r#"metadata("tenant", "acme")"#;
        since(since: Timestamp) r#"since("2026-11-01T00:00:00Z".parse()?)"#;
        until(until: Timestamp) r#"until("2026-12-01T00:00:00Z".parse()?)"#;
        summaries() "summaries()";
        page_size(limit: u32) "page_size(500)";
    }
    ListMemories {
        "let memories = client.list_memories()" .. "send()?";
        status(status: MemoryStatus) "status(MemoryStatus::Disabled)";
        page_size(limit: u32) "page_size(500)";
    }
    Bootstrap {
        r#"let made = client.bootstrap("the token", "me")"# .. "send()?";
        key_label(key_label: impl Into<String>) r#"key_label("laptop")"#;
        environment(environment: Environment) "environment(Environment::Test)";
    }
    CreateKey {
        r#"let made = client.create_key("reader", [Scope::MemoryRead])"# .. "send()?";
        environment(environment: Environment) "environment(Environment::Test)";
        idempotency_key(key: impl Into<String>) r#"idempotency_key("reader-1")"#;
    }
}
