//! `reflect lift`.

use serde_json::{Value, json};

use crate::server_process::{ServerProcess, reflect, run};

/// A server that holds half of the tasks out, after sixty of them: those with memories passed, and the others did not.
fn after_sixty_tasks(data: &std::path::Path) -> ServerProcess {
    let server = ServerProcess::start(data);
    let http = server.client();
    let path = |path: &str| format!("/v1/projects/default{path}");
    let lesson = json!({"summary": "Refunds need the order's number."});
    let taught =
        json!({"task": "Refund an order", "trajectory": "done", "review": {"result": "pass", "reflection": lesson}});
    http.post(&path("/traces"), &taught).unwrap().good();
    http.patch(&path("/settings"), &json!({"holdout": 0.5})).unwrap().good();
    for number in 0..60 {
        let task = format!("Refund order {number}");
        let found =
            http.post(&path("/memory/query"), &json!({"task": task, "similarity_threshold": -1.0})).unwrap().good();
        let memory_ids: Vec<&str> =
            found.as_array().unwrap().iter().map(|memory| memory["id"].as_str().unwrap()).collect();
        let result = if memory_ids.is_empty() { "fail" } else { "pass" };
        let reviewed = json!({"task": task, "trajectory": "done", "retrieved_memory_ids": memory_ids, "review": {"result": result, "reflection": lesson}});
        http.post(&path("/traces"), &reviewed).unwrap().good();
    }
    server
}

#[test]
fn a_sentence_a_table_or_json() {
    let folder = tempfile::tempdir().unwrap();
    let server = after_sixty_tasks(folder.path());
    let mut lift = reflect();
    lift.args(["lift", "--url", &server.url]).env("REFLECT_API_KEY", server.key());
    let said = run(&mut lift).succeeded();
    assert!(said.starts_with("Memories help. 100 % of "), "{said}");
    for line in [
        "with memories  without memories",
        "tasks, each once a day",
        "pass rate",
        "held out: 50.0 % of the tasks since",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let answer: Value = serde_json::from_str(&run(lift.arg("--json")).succeeded()).unwrap();
    assert_eq!((&answer["verdict"], &answer["share"]), (&json!("helps"), &json!(0.5)));
    let answer: Value = serde_json::from_str(&run(lift.arg("--without-unnamed")).succeeded()).unwrap();
    assert_eq!((&answer["verdict"], &answer["with_memories"]["reviewed"]), (&json!("not_known_yet"), &json!(0)));
}

#[test]
fn what_is_missing_or_wrong_is_named() {
    let said = run(reflect().args(["lift", "--url", "http://127.0.0.1:1"])).refused();
    assert!(said.contains("REFLECT_API_KEY"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let said = run(reflect().args(["lift", "--url", &server.url]).env("REFLECT_API_KEY", "rf_live_wrong")).refused();
    assert!(said.contains("not valid"), "{said}");
}
