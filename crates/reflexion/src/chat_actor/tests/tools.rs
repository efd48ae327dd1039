use std::{sync::Mutex, time::Duration};

use reflect_llm::Role;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::*;
use crate::{BoxError, Tool};

#[derive(Deserialize, JsonSchema)]
struct Sum {
    left: i64,
    right: i64,
}

fn add() -> Tool {
    Tool::new("add", "Adds.", |sum: Sum| async move { Ok(sum.left + sum.right) })
}

/// What the model was told about these calls, in order.
async fn told(tools: Vec<Tool>, calls: Vec<ToolCall>) -> Vec<String> {
    let (actor, model) = scripted([calling(calls), saying("done")]);
    let actor = tools.into_iter().fold(actor, ChatActor::tool);
    assert_eq!(attempt(&actor).await.answer, "done", "the attempt goes on");
    let messages = model.requests()[1].messages.clone();
    messages.into_iter().filter(|message| message.role == Role::Tool).map(|message| message.text).collect()
}

async fn told_one(tool: Tool, arguments: Value) -> String {
    let name = tool.name().to_owned();
    told(vec![tool], vec![call("1", &name, arguments)]).await.remove(0)
}

#[tokio::test]
async fn arguments_and_results_are_typed() {
    #[derive(Serialize)]
    struct Weather {
        degrees: i32,
    }
    assert_eq!(told_one(add(), json!({"left": 2, "right": 3})).await, "5");
    assert_eq!(told_one(add(), json!("{\"left\": 2, \"right\": 3}")).await, "5", "sent as a text");
    let text = Tool::new("text", "", |word: String| async move { Ok(word) });
    assert_eq!(told_one(text, json!({"value": "as \"is\""})).await, "as \"is\"");
    let object = Tool::new("object", "", |_: ()| async { Ok(Weather { degrees: -3 }) });
    assert_eq!(told_one(object, json!({})).await, r#"{"degrees":-3}"#);
}

#[tokio::test]
async fn wrong_arguments_are_told_with_what_was_expected() {
    let said = told_one(add(), json!({"left": "two", "right": 3})).await;
    assert!(
        said.starts_with("error: `add` was not run: argument `left`: invalid type: string \"two\", expected i64"),
        "{said}"
    );
    assert!(said.contains(r#""required":["left","right"]"#), "{said}");
    assert!(told_one(add(), json!({"left": 1})).await.contains("missing field `right`"));
    assert!(told_one(add(), json!("{\"left\": 1,")).await.contains("the arguments are not JSON"));
    assert!(told_one(add(), json!([1, 2])).await.contains("expected an object"));
}

#[tokio::test]
async fn an_unknown_tool_is_told_with_those_there_are() {
    let calls = vec![call("1", "subtract", json!({}))];
    assert_eq!(told(vec![add()], calls.clone()).await, ["error: there is no tool `subtract`; use `add`"]);
    assert_eq!(told(vec![], calls).await, ["error: there is no tool `subtract`; there are none"]);
}

#[tokio::test]
async fn a_tool_that_fails_tells_its_causes() {
    #[derive(Debug, thiserror::Error)]
    #[error("the file cannot be read")]
    struct Outer(#[source] std::io::Error);
    let tool = Tool::new("read", "", |_: ()| async {
        Err::<(), BoxError>(Outer(std::io::Error::other("disk on fire")).into())
    });
    assert_eq!(told_one(tool, json!({})).await, "error: the file cannot be read: disk on fire");
}

#[tokio::test]
async fn a_tool_that_panics_is_told_and_nothing_else_breaks() {
    let in_future = Tool::new("later", "", |_: ()| async { if true { panic!("later, {}", 7) } else { Ok(()) } });
    let at_once = Tool::new("at_once", "", |_: ()| {
        if true {
            panic!("at once")
        }
        async { Ok(()) }
    });
    let calls = vec![
        call("1", "later", json!({})),
        call("2", "at_once", json!({})),
        call("3", "add", json!({"left": 1, "right": 1})),
    ];
    let said = told(vec![in_future, at_once, add()], calls).await;
    assert_eq!(said, ["error: `later` broke down: later, 7", "error: `at_once` broke down: at once", "2"]);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_ends_by_its_own_limit_or_the_actors() {
    let hang = |name: &str| Tool::new(name, "", |_: ()| async { std::future::pending::<Result<(), BoxError>>().await });
    let (actor, _) = scripted([calling(vec![call("1", "a", json!({})), call("2", "b", json!({}))]), saying("done")]);
    let actor = actor.tool(hang("a")).tool(hang("b").timeout(Duration::from_millis(20)));
    let attempt = attempt(&actor.tool_timeout(Duration::from_secs(3))).await;
    assert_eq!(attempt.messages[2].text, "error: `a` did not answer within 3000 ms");
    assert_eq!(attempt.messages[3].text, "error: `b` did not answer within 20 ms");
}

#[tokio::test(start_paused = true)]
async fn calls_of_one_turn_run_at_once_and_answer_in_order() {
    for (parallel, order) in [(8, ["b", "c", "a"]), (1, ["a", "b", "c"])] {
        let finished = Arc::new(Mutex::new(Vec::new()));
        let sink = finished.clone();
        let wait = Tool::new("wait", "", move |(name, millis): (String, u64)| {
            let sink = sink.clone();
            async move {
                tokio::time::sleep(Duration::from_millis(millis)).await;
                sink.lock().unwrap().push(name.clone());
                Ok(name)
            }
        });
        let waits = [("a", 30), ("b", 10), ("c", 20)];
        let calls = waits.map(|(name, millis)| call(name, "wait", json!({"value": [name, millis]})));
        let (actor, _) = scripted([calling(calls.to_vec()), saying("done")]);
        let attempt = attempt(&actor.tool(wait).max_parallel_calls(parallel)).await;
        assert_eq!(*finished.lock().unwrap(), order);
        let answered: Vec<_> = attempt.messages[2..5].iter().map(|message| message.text.as_str()).collect();
        assert_eq!(answered, ["a", "b", "c"]);
    }
}

#[tokio::test]
async fn a_long_result_loses_its_middle() {
    let long = Tool::new("long", "", |_: ()| async { Ok(format!("start{}end", "ü".repeat(9_000))) });
    let (actor, _) = scripted([calling(vec![call("1", "long", json!({}))]), saying("done")]);
    let attempt = attempt(&actor.tool(long).result_limit(500)).await;
    let shown = &attempt.messages[2].text;
    assert!(shown.chars().count() <= 500 && shown.starts_with("start") && shown.ends_with("end"));
}

#[tokio::test]
async fn a_tool_of_the_same_name_takes_the_earlier_ones_place() {
    let one = Tool::new("same", "", |_: ()| async { Ok(1) });
    let two = Tool::new("same", "", |_: ()| async { Ok(2) });
    assert_eq!(told(vec![one, two], vec![call("1", "same", json!({}))]).await, ["2"]);
}
