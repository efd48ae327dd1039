//! `#[reflect_trace(…)]`.

use std::{panic::AssertUnwindSafe, sync::LazyLock, time::Duration};

use futures_util::FutureExt;
use reflect_client::{
    Error, Message, Outcome, ReflectClient, ReviewStatus, TraceContext, TraceOutput, TraceResult, blocking,
    reflect_trace,
};

use crate::patterns::support::{
    self, AFTER_FAIL, AFTER_PASS, TASK, in_both_worlds, lesson, only_review, runs, utility, without_async,
};

/// Methods, since the client of a test is made in the test.
struct Agent {
    client: ReflectClient,
}

fn messages(ctx: &TraceContext, answer: &str) -> [Message; 2] {
    [Message::user(ctx.augmented_task()), Message::assistant(answer)]
}

impl Agent {
    #[reflect_trace(client = self.client, limit = 5, lambda = 0.5, blocking = true)]
    async fn answer(&self, ctx: TraceContext, question: &str) -> TraceResult<usize> {
        assert_eq!(ctx.task(), question);
        TraceResult::new(ctx.memories().len(), messages(&ctx, "Done."))
            .passed()
            .feedback("well done")
            .model("m")
            .metadata("run", 17)
    }

    #[reflect_trace(client = self.client)]
    async fn text(&self, question: String) -> String {
        format!("{question}? Yes.")
    }

    #[reflect_trace(client = &self.client, task = "a task of its own", inject_context = false)]
    async fn borrowed<'a>(&'a self, mut words: Vec<&'a str>) -> &'a str {
        words.pop().unwrap_or_default()
    }

    #[reflect_trace(client = self.client.clone(), task = |order: &u32, to| format!("Refund order {order} to {to}"))]
    async fn refund(&self, order: u32, to: &str, _reason: &str) -> Result<String, Error> {
        if order == 0 {
            return Err(Error::Settings(format!("{to} has no order `{order}`")));
        }
        Ok(self.client.project_id().to_owned())
    }

    #[reflect_trace(client = self.client, task = format!("Count {what}"), inject_context = true)]
    async fn count(&self, context: reflect_client::TraceContext, what: &str) -> anyhow::Result<TraceResult<u32>> {
        context.set_output(TraceOutput::new(messages(&context, what)).passed());
        let count = what.parse()?;
        assert!(count < 100, "too many: {count}");
        Ok(TraceResult::new(count, messages(&context, "counted")))
    }

    #[reflect_trace(client = self.client, auto_fail = false)]
    async fn count_quietly(&self, ctx: TraceContext, what: &str) -> anyhow::Result<String> {
        ctx.set_output(TraceOutput::new(messages(&ctx, what)).passed());
        let count: u32 = what.parse()?;
        Ok(count.to_string())
    }

    #[reflect_trace(client = self.client, lambda = 7.0)]
    async fn with_a_wrong_lambda(&self, ctx: TraceContext, task: &str) -> String {
        format!("{task} with {} memories", ctx.memories().len())
    }

    #[reflect_trace(client = self.client, lambda = 7.0)]
    async fn with_a_wrong_lambda_and_a_result(&self, _task: &str) -> anyhow::Result<String> {
        anyhow::bail!("it ran")
    }

    #[reflect_trace(client = self.client)]
    async fn with_a_wrong_alpha(&self, _task: &str) -> TraceResult {
        TraceResult::new("the value".to_owned(), "…").passed().alpha(7.0)
    }

    #[reflect_trace(client = self.client, blocking = true, wait_timeout = Duration::from_secs(30))]
    fn answer_sync(&self, ctx: TraceContext, question: &str) -> TraceResult<usize> {
        assert_eq!(ctx.task(), question);
        TraceResult::new(ctx.memories().len(), messages(&ctx, "Done.")).passed()
    }

    #[reflect_trace(client = self.client)]
    fn count_sync(&self, ctx: TraceContext, what: &str) -> anyhow::Result<String> {
        ctx.set_output(TraceOutput::new(messages(&ctx, what)).passed());
        let count: u32 = what.parse()?;
        assert!(count < 100, "too many: {count}");
        Ok(count.to_string())
    }
}

in_both_worlds! {
    async fn the_caller_gets_the_output_and_the_trace_the_rest(client: ReflectClient) {
        let memory_id = lesson(&client).await;
        let agent = Agent { client: client.clone() };
        let shown: usize = agent.answer(TASK).await;
        assert_eq!(shown, 1);
        assert!((utility(&client, memory_id).await - AFTER_PASS).abs() < 1e-9);
        let runs = runs(&client).await;
        assert_eq!(runs[0].retrieved_memory_ids, [memory_id.to_string()]);
        assert!(runs[0].retrieval_id.is_some());
        assert_eq!(runs[0].review_status, ReviewStatus::Reviewed);
        assert_eq!((runs[0].model.as_deref(), runs[0].metadata.as_str()), (Some("m"), r#"{"run":17}"#));
        assert_eq!(only_review(&client).await, (Outcome::Pass, Some("well done".into())));
    }

    async fn a_text_is_the_trajectory_and_the_final_response(client: ReflectClient) {
        let agent = Agent { client: client.clone() };
        let text: String = agent.text(TASK.to_owned()).await;
        assert_eq!(text, "Refund order A-17? Yes.");
        let runs = runs(&client).await;
        assert_eq!((runs[0].task.as_str(), runs[0].final_response.as_str()), (TASK, text.as_str()));
        assert!(runs[0].trajectory.as_ref().unwrap().as_str().contains(&text));
        assert_eq!(runs[0].review, None);
    }

    async fn arguments_may_borrow_and_change(client: ReflectClient) {
        let agent = Agent { client: client.clone() };
        assert_eq!(agent.borrowed(vec!["first", "last"]).await, "last");
        let runs = runs(&client).await;
        assert_eq!((runs[0].task.as_str(), runs[0].final_response.as_str()), ("a task of its own", "last"));
    }

    async fn the_task_is_what_the_closure_says(client: ReflectClient) {
        let agent = Agent { client: client.clone() };
        assert_eq!(agent.refund(17, "Ada", "late").await.unwrap(), "default");
        assert_eq!(runs(&client).await[0].task, "Refund order 17 to Ada");
        // It set no output, so nothing is known that could have failed.
        assert!(agent.refund(0, "Ada", "late").await.unwrap_err().to_string().contains("no order `0`"));
        assert_eq!(runs(&client).await.len(), 1);
    }

    async fn an_error_or_a_panic_after_the_output_is_a_fail(client: ReflectClient) {
        let agent = Agent { client: client.clone() };
        assert_eq!(agent.count("42").await.unwrap(), 42);
        assert_eq!(runs(&client).await[0].final_response, "counted");
        assert!(agent.count("many").await.is_err());
        let panic = AssertUnwindSafe(agent.count("100")).catch_unwind().await.unwrap_err();
        assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("too many: 100"));
        let runs = runs(&client).await;
        let reviews = runs.iter().filter_map(|trace| trace.review.as_ref());
        let mut feedback: Vec<_> = reviews.map(|review| (review.result, review.feedback_text.as_deref())).collect();
        feedback.sort_by_key(|(_, feedback)| feedback.map(str::to_owned));
        assert_eq!(
            feedback,
            [(Outcome::Fail, Some("invalid digit found in string")), (Outcome::Fail, Some("too many: 100"))]
        );
    }

    async fn without_auto_fail_an_error_submits_nothing(client: ReflectClient) {
        let agent = Agent { client: client.clone() };
        assert!(agent.count_quietly("many").await.is_err());
        assert!(runs(&client).await.is_empty());
        // What the run said stands before the text it returned.
        assert_eq!(agent.count_quietly("42").await.unwrap(), "42");
        assert_eq!(only_review(&client).await, (Outcome::Pass, None));
    }

    async fn a_function_without_a_result_runs_without_memories_if_there_are_none_to_be_had(client: ReflectClient) {
        lesson(&client).await;
        let agent = Agent { client: client.clone() };
        assert_eq!(agent.with_a_wrong_lambda(TASK).await, "Refund order A-17 with 0 memories");
        assert_eq!(runs(&client).await.len(), 1);
        let error = agent.with_a_wrong_lambda_and_a_result(TASK).await.unwrap_err();
        assert!(error.downcast_ref::<Error>().is_some(), "{error}");
    }

    async fn a_submission_that_fails_takes_nothing_from_the_output(client: ReflectClient) {
        let agent = Agent { client: client.clone() };
        assert_eq!(agent.with_a_wrong_alpha(TASK).await, "the value");
        assert!(runs(&client).await.is_empty());
    }

    async fn a_function_that_is_not_async_is_traced_on_a_thread_of_a_runtime(client: ReflectClient) {
        let memory_id = lesson(&client).await;
        let agent = Agent { client: client.clone() };
        // The connection that the line above left open is served by this thread, which the call holds up. The lesson is not
        // waited for, since in the process this thread would have to write it.
        assert_eq!(agent.count_sync("42").unwrap(), "42");
        assert_eq!(agent.count_sync("many").unwrap_err().to_string(), "invalid digit found in string");
        assert!(runs(&client).await.iter().any(|trace| trace.task == "42"));
        // Credited by both, one way and the other.
        assert_eq!(client.get_memory(memory_id).await.unwrap().uses, 2);
        assert!((utility(&client, memory_id).await - 0.5).abs() < 1e-9);
    }

    async fn a_function_that_is_not_async_can_wait_for_its_lesson(client: ReflectClient) {
        let memory_id = lesson(&client).await;
        let agent = Agent { client: client.clone() };
        let shown = tokio::task::spawn_blocking(move || agent.answer_sync(TASK)).await.unwrap();
        assert_eq!(shown, 1);
        assert!((utility(&client, memory_id).await - AFTER_PASS).abs() < 1e-9);
        assert_eq!(runs(&client).await[0].review_status, ReviewStatus::Reviewed);
    }
}

static ELSEWHERE: LazyLock<ReflectClient> =
    LazyLock::new(|| ReflectClient::builder().base_url("http://127.0.0.1:9").api_key("k").retries(0).build().unwrap());

#[reflect_trace(client = ELSEWHERE)]
async fn of_nobody(question: &str) -> anyhow::Result<String> {
    Ok(question.to_owned())
}

#[reflect_trace(client = &ELSEWHERE, task = question)]
fn of_nobody_sync(_ctx: TraceContext, question: &str) -> String {
    question.to_owned()
}

#[tokio::test]
async fn a_static_client_serves_and_nobody_there_is_told() {
    let error = of_nobody("who?").await.unwrap_err();
    assert!(error.to_string().contains("cannot be reached"), "{error}");
    assert_eq!(of_nobody_sync("who?"), "who?");
}

#[reflect_trace(client = client, task = |_, question: &str| question.trim(), blocking = true)]
fn with_a_blocking_client(client: &blocking::ReflectClient, question: String) -> TraceResult<String> {
    TraceResult::new(client.project_id().to_owned(), question).failed("it was wrong")
}

#[test]
fn outside_of_a_runtime_a_function_that_is_not_async_is_traced() {
    let world = support::over_http();
    let client = without_async(&world);
    assert_eq!(with_a_blocking_client(&client, format!("  {TASK} ")), "default");
    let trace = client.list_traces().send().unwrap().remove(0);
    assert_eq!((trace.task.as_str(), trace.review_status), (TASK, ReviewStatus::Reviewed));
    assert_eq!(trace.review.unwrap().feedback_text.as_deref(), Some("it was wrong"));
    assert_eq!(with_a_blocking_client(&client, TASK.into()), "default");
    let memory = client.get_memory(trace.created_memory_id.unwrap()).unwrap();
    assert!((memory.q_value - AFTER_FAIL).abs() < 1e-9);
}

#[test]
fn a_panic_of_a_function_that_is_not_async_goes_on() {
    let world = support::over_http();
    let agent = Agent { client: world.client.clone() };
    let panic = std::panic::catch_unwind(AssertUnwindSafe(|| agent.count_sync("100"))).unwrap_err();
    assert_eq!(panic.downcast_ref::<String>().map(String::as_str), Some("too many: 100"));
    let trace = without_async(&world).list_traces().send().unwrap().remove(0);
    assert_eq!(trace.review.unwrap().feedback_text.as_deref(), Some("too many: 100"));
}
