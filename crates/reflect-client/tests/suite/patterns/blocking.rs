//! The client without async.

use std::panic::AssertUnwindSafe;

use reflect_client::{
    AuthoredReflection, Error, ErrorCode, Message, Outcome, ReflectClient, ReviewStatus, Scope, TraceOutput,
    blocking::ReflectClient as Blocking,
};

use crate::patterns::support::{self, AFTER_FAIL, AFTER_PASS, TASK, hashing, without_async};

/// One test for each world, on a thread without a runtime, and on one of each kind of runtime.
macro_rules! in_both_worlds {
    ($(fn $name:ident($client:ident: Blocking) $body:block)+) => {
        $(mod $name {
            use super::*;

            fn holds($client: Blocking) $body

            #[test]
            fn over_http() {
                let world = support::over_http();
                holds(without_async(&world));
            }

            #[test]
            fn in_process() {
                let folder = tempfile::tempdir().unwrap();
                holds(ReflectClient::builder().open_blocking(folder.path(), hashing()).unwrap());
            }

            #[tokio::test]
            async fn on_the_only_thread_of_a_runtime() {
                let world = support::over_http();
                world.client.health().await.unwrap();
                holds(without_async(&world));
                let folder = tempfile::tempdir().unwrap();
                holds(ReflectClient::builder().open_blocking(folder.path(), hashing()).unwrap());
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn on_a_thread_of_a_runtime_with_several() {
                let folder = tempfile::tempdir().unwrap();
                holds(ReflectClient::builder().open_blocking(folder.path(), hashing()).unwrap());
            }
        })+
    };
}

fn lesson(client: &Blocking) -> uuid::Uuid {
    let trajectory = [Message::user(TASK), Message::assistant("Refunded.")];
    let trace = client.create_trace(TASK, trajectory).failed("look it up first").and_wait().send().unwrap();
    trace.created_memory_id.unwrap()
}

fn utility(client: &Blocking, memory_id: uuid::Uuid) -> f64 {
    client.get_memory(memory_id).unwrap().q_value
}

in_both_worlds! {
    fn the_explicit_calls_are_the_same(client: Blocking) {
        let memory_id = lesson(&client);
        let augmented = client.augment_with_memories(TASK).limit(3).lambda(0.2).send().unwrap();
        assert_eq!(augmented.memories.len(), 1);
        let submission =
            client.create_trace(TASK, "…").memories(&augmented).model("m").metadata("run", 17).send().unwrap();
        let trace = client.review_trace(submission.trace_id, "success").feedback("good").send().unwrap();
        assert_eq!(trace.review_status, ReviewStatus::Reviewed);
        assert!((utility(&client, memory_id) - AFTER_PASS).abs() < 1e-9);
        let reflection = AuthoredReflection { guidance: Some("Look first.".into()), ..Default::default() };
        client.create_memory("Cancel an order", Outcome::Pass, reflection).send().unwrap();

        let listed: Result<Vec<_>, Error> = client.list_traces().page_size(1).iter().collect();
        assert_eq!(listed.unwrap().len(), 3);
        assert_eq!(client.list_traces().review_status(ReviewStatus::Pending).send().unwrap().len(), 0);
        assert_eq!(client.list_memories().send().unwrap().len(), 3);
        let page = client.list_memories().page_size(2).page(None).unwrap();
        assert_eq!((page.items.len(), page.next_cursor.is_some()), (2, true));

        let key = client.create_key("reader", [Scope::MemoryRead]).send().unwrap();
        assert_eq!(client.list_keys().unwrap().len(), 1);
        client.revoke_key(key.key.id.to_string()).unwrap();
        assert_eq!(client.get_skill().unwrap(), None);
        client.delete_traces([submission.trace_id]).unwrap();
        let gone = client.get_trace(submission.trace_id).unwrap_err();
        assert_eq!(gone.code(), Some(ErrorCode::NotFound));
        client.health().unwrap();
    }

    fn a_scope_submits_and_waits(client: Blocking) {
        let memory_id = lesson(&client);
        // Neither sent to another thread nor kept.
        let here = std::rc::Rc::new(17);
        let traced = client
            .trace(TASK)
            .limit(3)
            .blocking(true)
            .run(|ctx| {
                assert_eq!(ctx.memories().len(), 1);
                ctx.set_output(TraceOutput::new(ctx.augmented_task()).passed());
                Ok::<_, Error>(*here)
            })
            .unwrap();
        assert_eq!(traced.value, 17);
        let trace = client.get_trace(traced.trace_id.unwrap()).unwrap();
        assert_eq!(trace.review_status, ReviewStatus::Reviewed);
        assert_eq!(trace.retrieved_memory_ids, [memory_id.to_string()]);
        assert!((utility(&client, memory_id) - AFTER_PASS).abs() < 1e-9);
    }

    fn a_scope_that_breaks_off_is_a_fail(client: Blocking) {
        let memory_id = lesson(&client);
        let failed = client.trace(TASK).run(|ctx| {
            ctx.set_output(TraceOutput::new("…").passed());
            anyhow::bail!("no such order") as anyhow::Result<()>
        });
        assert_eq!(failed.unwrap_err().to_string(), "no such order");
        let run = || {
            client.trace(TASK).run(|ctx| {
                ctx.set_output(TraceOutput::new("…").passed());
                panic!("no such shop") as Result<(), Error>
            })
        };
        let panic = std::panic::catch_unwind(AssertUnwindSafe(run)).unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"no such shop"));
        let traces = client.list_traces().send().unwrap();
        let feedback: Vec<_> = traces.iter().filter_map(|trace| trace.review.clone()?.feedback_text).collect();
        assert!(feedback.contains(&"no such order".to_owned()) && feedback.contains(&"no such shop".to_owned()));
        assert!(utility(&client, memory_id) < AFTER_FAIL);
        assert_eq!(client.trace(TASK).run(|_| Ok::<_, Error>(())).unwrap().trace_id, None);
    }

    fn a_guard_finishes_fails_or_is_dropped(client: Blocking) {
        let memory_id = lesson(&client);
        let guard = client.trace(TASK).blocking(true).start().unwrap();
        guard.set_output(TraceOutput::new(guard.augmented_task()).passed());
        assert!(guard.finish().unwrap().is_some());
        assert!((utility(&client, memory_id) - AFTER_PASS).abs() < 1e-9);

        let guard = client.trace("Something else").start().unwrap();
        guard.set_output(TraceOutput::new("…"));
        let trace_id = guard.fail("it was wrong").unwrap().unwrap();
        let review = client.get_trace(trace_id).unwrap().review.unwrap();
        assert_eq!((review.result, review.feedback_text.as_deref()), (Outcome::Fail, Some("it was wrong")));

        let guard = client.trace("Something else").start().unwrap();
        let ctx = guard.context().clone();
        guard.set_output(TraceOutput::new("…").passed());
        drop(guard);
        client.flush().unwrap();
        let review = client.get_trace(ctx.trace_id().unwrap()).unwrap().review.unwrap();
        assert_eq!(review.result, Outcome::Fail);
        client.close().unwrap();
    }
}

#[test]
fn a_panic_in_a_formatter_reaches_the_caller() {
    let folder = tempfile::tempdir().unwrap();
    let builder = ReflectClient::builder().formatter(|_, _| panic!("no words"));
    let client = builder.open_blocking(folder.path(), hashing()).unwrap();
    let call = || client.augment_with_memories(TASK).send();
    let panic = std::panic::catch_unwind(AssertUnwindSafe(call)).unwrap_err();
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no words"));
    // And the threads go on.
    client.query(TASK).send().unwrap();
}
