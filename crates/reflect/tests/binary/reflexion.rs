//! The trial loop with a project as its memory: what one run learned, the next one knows. Also the SDK at a folder that a server owns.

use std::sync::{Arc, Mutex};

use reflect_client::{Error, ReflectClient, ReviewStatus};
use reflect_llm::{ChatMessage, ToolCall};
use reflexion::{
    Attempt, AttemptContext, Evaluation, FinishedAttempt, LatestLessons, ProjectMemory, Reflexion, StopReason,
    UnknownPolicy, actor_fn,
};

use serde_json::json;

use crate::server_process::ServerProcess;

/// Solves the task once a lesson says how, and notes what it was shown.
fn agent(memory: ProjectMemory, shown: Arc<Mutex<Vec<usize>>>) -> Reflexion {
    let actor = actor_fn(move |_task: String, context: AttemptContext| {
        shown.lock().unwrap().push(context.lessons.len());
        let knows = context.prompt.contains("status = 'unpaid'");
        let answer = if knows { "SELECT … WHERE status = 'unpaid'" } else { "SELECT customer FROM invoices" };
        async move {
            let mut attempt = Attempt::answer(answer);
            let call = ToolCall { id: "1".into(), name: "run_sql".into(), arguments: json!({"sql": answer}) };
            attempt.messages.insert(0, ChatMessage { tool_calls: vec![call], ..ChatMessage::assistant("") });
            Ok(attempt)
        }
    });
    Reflexion::builder(actor)
        .evaluator(|finished: &FinishedAttempt| match finished.answer().contains("WHERE") {
            true => Evaluation::pass().scored(1.0),
            false => Evaluation::fail("Missed the WHERE clause. Filter on status = 'unpaid'.").scored(0.0),
        })
        .memory(memory)
        .build()
        .unwrap()
}

#[tokio::test]
async fn the_second_run_starts_with_the_first_ones_lesson() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let client = ReflectClient::builder().base_url(&server.url).api_key(server.key()).project("shop").build().unwrap();
    let shown = Arc::new(Mutex::new(Vec::new()));
    let run = async |task: &str| agent(ProjectMemory::new(client.clone()), Arc::clone(&shown)).run(task).await;

    let first = run("List the customers with unpaid invoices").await.unwrap();
    assert_eq!((first.stop.clone(), first.trials.len()), (StopReason::Passed, 2), "{:?}", first.troubles);
    let second = run("List all customers who have unpaid invoices").await.unwrap();
    assert_eq!((second.stop.clone(), second.trials.len()), (StopReason::Passed, 1), "{:?}", second.troubles);
    let seen = shown.lock().unwrap().clone();
    assert_eq!((seen[0], seen[1]), (0, 1));
    assert!(seen[2] >= 1, "the second run was shown what the first one taught");

    let traces = client.list_traces().await.unwrap();
    assert_eq!(traces.len(), 3);
    assert!(traces.iter().all(|trace| trace.review_status == ReviewStatus::Reviewed));
    // Written once: the failed trial's lesson names the run's own reflector, and the passes, which had none, were reflected on by the
    // server.
    let memories = client.list_memories().await.unwrap();
    let writers: Vec<&str> = memories.iter().map(|memory| memory.written_by.reflector.as_str()).collect();
    assert_eq!(writers, ["builtin", "builtin", "client:builtin"]);
    let lesson = memories.last().unwrap();
    assert_eq!(lesson.tools_used, ["run_sql"]);
    assert_eq!((lesson.uses, lesson.passes), (2, 2), "both passing trials were shown it");
    assert!(lesson.q_value > 0.7);
    let told = second.trials[0].shown.iter().find_map(|lesson| lesson.retrieval_id.clone());
    assert!(told.is_some() && traces[0].retrieval_id.map(|id| id.to_string()) == told, "{told:?}");
}

#[tokio::test]
async fn a_trial_that_nobody_can_judge_is_stored_without_a_review() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let client = ReflectClient::builder().base_url(&server.url).api_key(server.key()).build().unwrap();
    let agent = Reflexion::builder(actor_fn(|_: String, _: AttemptContext| async { Ok("perhaps") }))
        .evaluator(|_: &FinishedAttempt| Evaluation::unknown("no way to tell"))
        .memory(ProjectMemory::new(client.clone()).lessons_of_this_run(0))
        .unknown_policy(UnknownPolicy::Stop)
        .build()
        .unwrap();
    let outcome = agent.run("Guess").await.unwrap();
    assert_eq!(outcome.stop, StopReason::UnknownVerdict);
    let traces = client.list_traces().await.unwrap();
    assert_eq!((traces.len(), traces[0].review.is_none(), traces[0].final_response.as_str()), (1, true, "perhaps"));
    assert_eq!(LatestLessons::default(), LatestLessons::new(3));
}

#[tokio::test]
async fn a_folder_that_a_server_owns_is_refused_with_the_servers_url() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let error = ReflectClient::open(folder.path()).await.unwrap_err();
    assert!(matches!(&error, Error::FolderInUse { url: Some(url), .. } if *url == server.url), "{error}");
    assert!(error.to_string().contains(&server.url), "{error}");
}
