//! `client.trace(…).run(…)`.

use std::{future::pending, panic::AssertUnwindSafe};

use futures_util::FutureExt;
use reflect_client::{Error, Message, Outcome, ReflectClient, ReviewStatus, TraceContext, TraceOutput};
use tokio::sync::oneshot;

use crate::patterns::support::{AFTER_FAIL, AFTER_PASS, TASK, in_both_worlds, lesson, only_review, runs, utility};

fn output(ctx: &TraceContext) -> TraceOutput {
    TraceOutput::new([Message::user(ctx.augmented_task()), Message::assistant("Done.")])
}

in_both_worlds! {
    async fn memories_are_there_on_entry_and_credited_on_exit(client: ReflectClient) {
        let memory_id = lesson(&client).await;
        let traced = client
            .trace(TASK)
            .limit(3)
            .lambda(0.2)
            .blocking(true)
            .run(|ctx| async move {
                assert_eq!(ctx.task(), TASK);
                assert!(ctx.augmented_task().contains("<relevant_memories>"));
                assert_eq!(ctx.memories().len(), 1);
                assert_eq!(ctx.trace_id(), None);
                ctx.set_output(output(&ctx).passed().model("m").metadata("run", 17).reference_context("the policy"));
                Ok::<_, Error>((ctx.clone(), "the value"))
            })
            .await
            .unwrap();
        let (ctx, value) = traced.value;
        assert_eq!(value, "the value");
        assert!(traced.problem.is_none());
        assert_eq!(ctx.trace_id(), traced.trace_id);

        let trace = client.get_trace(traced.trace_id.unwrap()).await.unwrap();
        assert_eq!(trace.retrieved_memory_ids, [memory_id.to_string()]);
        assert_eq!(trace.retrieval_id, ctx.augmented().retrieval_id);
        assert!(trace.retrieval_id.is_some());
        assert_eq!(trace.task, TASK);
        assert_eq!(trace.final_response, "Done.");
        assert_eq!(trace.model.as_deref(), Some("m"));
        assert_eq!(trace.metadata.as_str(), r#"{"run":17}"#);
        assert_eq!(trace.reference_context.as_deref(), Some("the policy"));
        // Nobody waited but the scope.
        assert_eq!(trace.review_status, ReviewStatus::Reviewed);
        assert!(trace.created_memory_id.is_some());
        assert!((utility(&client, memory_id).await - AFTER_PASS).abs() < 1e-9);
    }

    async fn an_error_after_the_output_is_a_fail_and_passed_on(client: ReflectClient) {
        let memory_id = lesson(&client).await;
        let ended = client
            .trace(TASK)
            .run(|ctx| async move {
                ctx.set_output(output(&ctx).passed().feedback("all good"));
                "forty-two".parse::<u32>().map_err(anyhow::Error::from)
            })
            .await;
        assert_eq!(ended.unwrap_err().to_string(), "invalid digit found in string");
        assert_eq!(only_review(&client).await, (Outcome::Fail, Some("invalid digit found in string".into())));
        assert!((utility(&client, memory_id).await - AFTER_FAIL).abs() < 1e-9);
    }

    async fn a_panic_after_the_output_is_a_fail_and_goes_on(client: ReflectClient) {
        let memory_id = lesson(&client).await;
        let run = client.trace(TASK).run(|ctx| async move {
            ctx.set_output(output(&ctx));
            tokio::task::yield_now().await;
            panic!("the order does not exist") as Result<(), Error>
        });
        let panic = AssertUnwindSafe(run).catch_unwind().await.unwrap_err();
        assert_eq!(panic.downcast_ref::<&str>(), Some(&"the order does not exist"));
        assert_eq!(only_review(&client).await, (Outcome::Fail, Some("the order does not exist".into())));
        assert!((utility(&client, memory_id).await - AFTER_FAIL).abs() < 1e-9);
    }

    async fn a_panic_before_the_first_await_is_no_other(client: ReflectClient) {
        let run = client.trace(TASK).run(|ctx| {
            ctx.set_output(output(&ctx));
            assert!(ctx.memories().len() > 7, "only {} memories", ctx.memories().len());
            async { Ok::<_, Error>(()) }
        });
        let panic = AssertUnwindSafe(run).catch_unwind().await.unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("only 0 memories"));
        assert_eq!(only_review(&client).await, (Outcome::Fail, Some("only 0 memories".into())));
    }

    async fn nothing_is_submitted_without_output(client: ReflectClient) {
        let traced = client.trace(TASK).blocking(true).run(|_| async { Ok::<_, Error>(42) }).await.unwrap();
        assert_eq!((traced.value, traced.trace_id), (42, None));
        assert_eq!(traced.into_result().unwrap(), 42);
        let failed = client.trace(TASK).run(|_| async { anyhow::bail!("no") as anyhow::Result<()> }).await;
        assert_eq!(failed.unwrap_err().to_string(), "no");
        let run = client.trace(TASK).run(|_| async { panic!("no") as Result<(), Error> });
        assert!(AssertUnwindSafe(run).catch_unwind().await.is_err());
        client.flush().await;
        assert!(runs(&client).await.is_empty());
    }

    async fn without_auto_fail_a_run_that_breaks_off_submits_nothing(client: ReflectClient) {
        let scope = client.trace(TASK).auto_fail(false);
        let failed = scope
            .clone()
            .run(|ctx| async move {
                ctx.set_output(output(&ctx).passed());
                anyhow::bail!("no") as anyhow::Result<()>
            })
            .await;
        assert!(failed.is_err());
        let run = scope.clone().run(|ctx| async move {
            ctx.set_output(output(&ctx).passed());
            panic!("no") as Result<(), Error>
        });
        assert!(AssertUnwindSafe(run).catch_unwind().await.is_err());
        client.flush().await;
        assert!(runs(&client).await.is_empty());
        let traced = scope
            .run(|ctx| async move {
                ctx.set_output(output(&ctx).passed());
                Ok::<_, Error>(())
            })
            .await
            .unwrap();
        assert_eq!(runs(&client).await[0].id, traced.trace_id.unwrap());
    }

    async fn without_a_result_the_review_is_left_for_later(client: ReflectClient) {
        let memory_id = lesson(&client).await;
        let traced = client
            .trace(TASK)
            .blocking(true)
            .run(|ctx| async move {
                ctx.set_output(output(&ctx));
                Ok::<_, Error>(())
            })
            .await
            .unwrap();
        let trace = client.get_trace(traced.trace_id.unwrap()).await.unwrap();
        assert_eq!((trace.review_status, trace.review), (ReviewStatus::Pending, None));
        assert!((utility(&client, memory_id).await - 0.5).abs() < 1e-9);
        client.review_trace(trace.id, "success").await.unwrap();
        assert!((utility(&client, memory_id).await - AFTER_PASS).abs() < 1e-9);
    }

    async fn a_submission_that_fails_takes_nothing_from_the_value(client: ReflectClient) {
        let traced = client
            .trace(TASK)
            .run(|ctx| async move {
                ctx.set_output(output(&ctx).passed().alpha(7.0));
                Ok::<_, Error>("the value")
            })
            .await
            .unwrap();
        assert_eq!((traced.value, traced.trace_id), ("the value", None));
        assert!(matches!(traced.problem, Some(Error::Refused(_))), "{:?}", traced.problem);
        assert!(traced.into_result().is_err());
        assert!(runs(&client).await.is_empty());
    }

    async fn a_result_that_is_none_is_told(client: ReflectClient) {
        let traced = client
            .trace(TASK)
            .run(|ctx| async move {
                ctx.set_output(output(&ctx).result("maybe"));
                Ok::<_, Error>(())
            })
            .await
            .unwrap();
        assert!(traced.problem.unwrap().to_string().starts_with("`maybe` is no result"));
        client.flush().await;
        assert!(runs(&client).await.is_empty());
    }

    async fn a_run_whose_memories_cannot_be_fetched_does_not_start(client: ReflectClient) {
        let ended = client.trace(TASK).lambda(7.0).run(|_| async { panic!("it ran") as Result<(), Error> }).await;
        assert!(matches!(ended, Err(Error::Refused(_))), "{ended:?}");
    }

    async fn a_run_that_is_given_up_is_a_fail(client: ReflectClient) {
        let memory_id = lesson(&client).await;
        let (told, tell) = oneshot::channel();
        let run = client.trace(TASK).run(|ctx| async move {
            ctx.set_output(output(&ctx).passed());
            told.send(()).unwrap();
            pending::<Result<(), Error>>().await
        });
        tokio::select! {
            ended = run => panic!("{ended:?}"),
            told = tell => told.unwrap(),
        }
        client.flush().await;
        let feedback = "the run broke off before it was finished".to_owned();
        assert_eq!(only_review(&client).await, (Outcome::Fail, Some(feedback)));
        assert!((utility(&client, memory_id).await - AFTER_FAIL).abs() < 1e-9);
    }

    async fn the_options_are_those_of_a_query(client: ReflectClient) {
        lesson(&client).await;
        let guard = client.trace(TASK).limit(5).mmr_lambda(1.0).similarity_threshold(-1.0).start().await.unwrap();
        assert_eq!(guard.memories().len(), 1);
        let filtered = client.trace(TASK).metadata("team", "shop").start().await.unwrap();
        assert!(filtered.memories().is_empty());
        assert_eq!(filtered.augmented_task(), TASK);
    }
}
