//! `client.trace(…).start()`.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use reflect_client::{Message, Outcome, ReflectClient, ReviewStatus, TraceGuard, TraceOutput};

use crate::patterns::support::{
    self, AFTER_FAIL, AFTER_PASS, TASK, in_both_worlds, lesson, only_review, runs, utility,
};

const BROKE_OFF: &str = "the run broke off before it was finished";

fn output(guard: &TraceGuard) -> TraceOutput {
    TraceOutput::new([Message::user(guard.augmented_task()), Message::assistant("Done.")])
}

in_both_worlds! {
    async fn a_finished_guard_has_submitted(client: ReflectClient) {
        let memory_id = lesson(&client).await;
        let guard = client.trace(TASK).blocking(true).start().await.unwrap();
        let ctx = guard.context().clone();
        guard.set_output(output(&guard).passed());
        let trace_id = guard.finish().await.unwrap().unwrap();
        assert_eq!(ctx.trace_id(), Some(trace_id));
        let trace = client.get_trace(trace_id).await.unwrap();
        assert_eq!(trace.review_status, ReviewStatus::Reviewed);
        assert_eq!(trace.retrieved_memory_ids, [memory_id.to_string()]);
        assert!((utility(&client, memory_id).await - AFTER_PASS).abs() < 1e-9);
        client.flush().await;
        assert_eq!(runs(&client).await.len(), 1);
    }

    async fn a_failed_guard_says_what_was_wrong(client: ReflectClient) {
        let memory_id = lesson(&client).await;
        let guard = client.trace(TASK).start().await.unwrap();
        guard.set_output(output(&guard).passed());
        guard.fail("the order does not exist").await.unwrap().unwrap();
        assert_eq!(only_review(&client).await, (Outcome::Fail, Some("the order does not exist".into())));
        assert!((utility(&client, memory_id).await - AFTER_FAIL).abs() < 1e-9);
    }

    async fn a_guard_that_was_told_nothing_submits_nothing(client: ReflectClient) {
        assert_eq!(client.trace(TASK).start().await.unwrap().finish().await.unwrap(), None);
        assert_eq!(client.trace(TASK).start().await.unwrap().fail("no").await.unwrap(), None);
        drop(client.trace(TASK).start().await.unwrap());
        client.flush().await;
        assert!(runs(&client).await.is_empty());
    }

    async fn an_early_return_is_a_fail_in_the_background(client: ReflectClient) {
        async fn count(client: &ReflectClient) -> anyhow::Result<u32> {
            let guard = client.trace(TASK).start().await?;
            guard.set_output(output(&guard).passed());
            let rows = "forty-two".parse()?;
            guard.finish().await?;
            Ok(rows)
        }
        let memory_id = lesson(&client).await;
        assert!(count(&client).await.is_err());
        client.flush().await;
        assert_eq!(only_review(&client).await, (Outcome::Fail, Some(BROKE_OFF.into())));
        assert!((utility(&client, memory_id).await - AFTER_FAIL).abs() < 1e-9);
    }

    async fn without_auto_fail_a_dropped_guard_submits_nothing(client: ReflectClient) {
        let guard = client.trace(TASK).auto_fail(false).start().await.unwrap();
        guard.set_output(output(&guard).passed());
        drop(guard);
        client.flush().await;
        assert!(runs(&client).await.is_empty());
    }

    async fn a_panic_is_a_fail_in_the_background(client: ReflectClient) {
        let work = async {
            let guard = client.trace(TASK).start().await.unwrap();
            guard.set_output(output(&guard).passed());
            panic!("the order exists");
        };
        assert!(AssertUnwindSafe(work).catch_unwind().await.is_err());
        client.flush().await;
        assert_eq!(only_review(&client).await, (Outcome::Fail, Some("the run panicked".into())));
    }

    async fn a_guard_can_be_dropped_on_a_thread_without_a_runtime(client: ReflectClient) {
        let guard = client.trace(TASK).start().await.unwrap();
        guard.set_output(output(&guard));
        std::thread::spawn(move || drop(guard)).join().unwrap();
        client.flush().await;
        assert_eq!(only_review(&client).await, (Outcome::Fail, Some(BROKE_OFF.into())));
    }

    async fn finishing_that_is_given_up_goes_on_in_the_background(client: ReflectClient) {
        let guard = client.trace(TASK).start().await.unwrap();
        guard.set_output(output(&guard).passed());
        // Polled once, which sends it or not, and given up.
        assert!(guard.finish().now_or_never().is_none());
        client.flush().await;
        assert_eq!(only_review(&client).await, (Outcome::Pass, None));
    }

    async fn closing_waits_for_what_was_left_behind(client: ReflectClient) {
        let guard = client.trace(TASK).start().await.unwrap();
        let ctx = guard.context().clone();
        guard.set_output(output(&guard));
        drop(guard);
        client.close().await;
        assert!(ctx.trace_id().is_some());
    }
}

#[test]
fn a_guard_can_outlive_its_runtime() {
    let world = support::over_http();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let guard = runtime.block_on(async { world.client.trace(TASK).start().await.unwrap() });
    guard.set_output(output(&guard).passed());
    drop(runtime);
    drop(guard);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        world.client.flush().await;
        assert!(runs(&world.client).await.is_empty());
    });
}
