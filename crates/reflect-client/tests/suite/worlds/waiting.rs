//! Waiting for lessons, and lessons that fail.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use reflect_client::{Error, IngestStatus, ReflectClient};
use reflect_core::WrittenBy;
use reflection::{ReflectError, Reflected, ReviewedRun, RunReflector};
use tokio::sync::Semaphore;

use crate::worlds::harness::{HttpWorld, embedded, in_both_worlds};

/// Writes no lesson before it is let, and then none that can be used.
struct Held {
    gate: Arc<Semaphore>,
}

#[async_trait]
impl RunReflector for Held {
    fn written_by(&self) -> WrittenBy {
        WrittenBy::new("held", "1")
    }

    async fn reflect_run(&self, _: &ReviewedRun) -> Result<Reflected, ReflectError> {
        let _permit = self.gate.acquire().await;
        Err(ReflectError::Permanent("this one never works".into()))
    }
}

async fn in_each_world<Fut: Future<Output = ()>>(case: impl Fn(ReflectClient, Arc<Semaphore>) -> Fut) {
    let held = || {
        let gate = Arc::new(Semaphore::new(0));
        (Arc::new(Held { gate: Arc::clone(&gate) }), gate)
    };
    let (reflector, gate) = held();
    let server = HttpWorld::start(reflector).await;
    case(server.client(), gate).await;
    let (reflector, gate) = held();
    let (client, _folder) = embedded(reflector).await;
    case(client, gate).await;
}

#[tokio::test]
async fn waiting_ends_at_its_deadline_and_a_failure_is_told() {
    in_each_world(|client, gate| async move {
        let submission = client.create_trace("t", "x").passed().await.unwrap();
        let patience = client.wait_for_trace(submission.trace_id).wait_timeout(Duration::from_millis(50));
        let error = patience.poll_interval(Duration::from_millis(5)).await.unwrap_err();
        assert!(matches!(error, Error::WaitedTooLong { .. }), "{error}");
        gate.add_permits(1_000);
        let error = client.wait_for_trace(submission.trace_id).await.unwrap_err();
        assert!(matches!(&error, Error::IngestFailed { problem, .. } if problem.contains("never works")), "{error}");
        let trace = client.retry_trace(submission.trace_id).await.unwrap();
        assert_ne!(trace.ingest_status, IngestStatus::Completed);
    })
    .await;
}

in_both_worlds! {
    async fn a_trace_without_a_review_is_ready_at_once(client) {
        let trace = client.create_trace("t", "x").and_wait().await.unwrap();
        assert!(trace.review.is_none());
        let unreviewed = client.wait_for_trace(trace.id).require_reviewed(true).wait_timeout(Duration::from_millis(30));
        assert!(matches!(unreviewed.await.unwrap_err(), Error::WaitedTooLong { .. }));
    }
}
