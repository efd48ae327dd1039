//! The options of every call, handed on to the builders of the async client.

use std::time::Duration;

use reflect_core::{Direction, Environment, Match, MemoryOrder, MemoryStatus};
use serde_json::Value;
use uuid::Uuid;

use crate::{
    AugmentTask, AugmentedTask, AuthoredReflection, Bootstrap, BulkReview, CreateAndWait, CreateKey, CreateTrace,
    IngestStatus, IntoOutcome, ListMemories, ListTraces, QueryMemories, ReviewStatus, ReviewTrace, ReviewTraces,
    Timestamp, TraceScope, WaitForTrace,
};

use super::Call;

/// Hands options on.
macro_rules! options {
    ($($builder:ident {
        $($option:ident($($argument:ident: $type:ty),*);)+
    })+) => {
        $(impl Call<$builder> {
            $(
                #[doc = concat!("As [`", stringify!($builder), "::", stringify!($option), "`](crate::", stringify!($builder), "::", stringify!($option), ").")]
                pub fn $option(self $(, $argument: $type)*) -> Self {
                    self.map(|builder| builder.$option($($argument),*))
                }
            )+
        })+
    };
}

/// Hands the options of a query on, which several calls have.
macro_rules! query_options {
    ($($builder:ident),+) => {
        options! {
            $($builder {
                limit(limit: u32);
                lambda(lambda: f64);
                mmr_lambda(mmr_lambda: f64);
                match_by(matching: Match);
                similarity_threshold(threshold: f64);
                sitting_out(most: f64);
                metadata(key: impl Into<String>, value: impl Into<Value>);
                explain(explain: bool);
                idempotency_key(key: impl Into<String>);
            })+
        }
    };
}

query_options!(QueryMemories, AugmentTask, TraceScope);

options! {
    TraceScope {
        blocking(blocking: bool);
        auto_fail(auto_fail: bool);
        wait_timeout(timeout: Duration);
    }
    CreateTrace {
        final_response(final_response: impl Into<String>);
        memories(augmented: &AugmentedTask);
        retrieved_memory_ids(ids: impl IntoIterator<Item = impl ToString>);
        retrieval_id(retrieval_id: Uuid);
        model(model: impl Into<String>);
        metadata(key: impl Into<String>, value: impl Into<Value>);
        reference_context(reference_context: impl Into<String>);
        result(result: impl IntoOutcome);
        passed();
        failed(feedback: impl Into<String>);
        feedback(feedback: impl Into<String>);
        score(score: f64);
        alpha(alpha: f64);
        reflection(reflection: AuthoredReflection);
        idempotency_key(key: impl Into<String>);
    }
    CreateAndWait {
        poll_interval(interval: Duration);
        wait_timeout(timeout: Duration);
    }
    WaitForTrace {
        poll_interval(interval: Duration);
        wait_timeout(timeout: Duration);
        require_reviewed(require: bool);
    }
    ReviewTrace {
        feedback(feedback: impl Into<String>);
        score(score: f64);
        alpha(alpha: f64);
        reflection(reflection: AuthoredReflection);
        supersedes();
        idempotency_key(key: impl Into<String>);
    }
    ReviewTraces {
        passed(trace_id: Uuid);
        failed(trace_id: Uuid, feedback: impl Into<String>);
        result(trace_id: Uuid, result: impl IntoOutcome);
        review(review: BulkReview);
        idempotency_key(key: impl Into<String>);
    }
    ListTraces {
        review_status(status: ReviewStatus);
        ingest_status(status: IngestStatus);
        result(result: impl IntoOutcome);
        passed();
        failed();
        model(model: impl Into<String>);
        text(text: impl Into<String>);
        memory(memory_id: Uuid);
        metadata(key: impl Into<String>, value: impl Into<String>);
        since(since: Timestamp);
        until(until: Timestamp);
        summaries();
        page_size(limit: u32);
    }
    ListMemories {
        retired();
        distinct();
        same_as(memory_id: Uuid);
        status(status: MemoryStatus);
        text(text: impl Into<String>);
        order(order: MemoryOrder, direction: Direction);
        page_size(limit: u32);
    }
    Bootstrap {
        key_label(key_label: impl Into<String>);
        environment(environment: Environment);
    }
    CreateKey {
        expires_in(time: Duration);
        environment(environment: Environment);
        idempotency_key(key: impl Into<String>);
    }
}
