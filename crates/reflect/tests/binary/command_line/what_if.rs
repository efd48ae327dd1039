//! `reflect what-if`.

use serde_json::{Value, json};

use crate::server_process::{ServerProcess, reflect, run};

/// A server that answers half of the tasks nothing, after thirty of them.
fn after_thirty_tasks(data: &std::path::Path) -> ServerProcess {
    let server = ServerProcess::start(data);
    let http = server.client();
    let path = |path: &str| format!("/v1/projects/default{path}");
    let lesson = json!({"summary": "Refunds need the order's number."});
    let reviewed =
        |task: &str| json!({"task": task, "trajectory": "done", "review": {"result": "pass", "reflection": lesson}});
    http.post(&path("/traces"), &reviewed("Refund an order")).unwrap().good();
    let mixture = json!({"share": 0.5, "configurations": [{"similarity_threshold": 1.0}]});
    http.patch(&path("/settings"), &json!({"mixture": mixture})).unwrap().good();
    for number in 0..30 {
        let task = format!("Refund order {number}");
        http.post(&path("/memory/query"), &json!({"task": task, "similarity_threshold": -1.0})).unwrap().good();
        http.post(&path("/traces"), &reviewed(&task)).unwrap().good();
    }
    server
}

#[test]
fn a_sentence_a_table_or_json() {
    let folder = tempfile::tempdir().unwrap();
    let server = after_thirty_tasks(folder.path());
    let mut what_if = reflect();
    what_if.args(["what-if", "--url", &server.url, "--similarity-threshold", "1"]).env("REFLECT_API_KEY", server.key());
    let said = run(&mut what_if).succeeded();
    assert!(said.starts_with("The log cannot tell what a threshold of 1 would have done: only "), "{said}");
    for line in
        ["asked about", "30 reviewed runs since 20", "50.0 %  what was asked for", "50.0 %  similarity_threshold 1"]
    {
        assert!(said.contains(line), "{said}");
    }
    let answer: Value = serde_json::from_str(&run(what_if.arg("--json")).succeeded()).unwrap();
    assert_eq!((&answer["runs"], &answer["target"]["estimate"]), (&json!(30), &json!(null)));
    let answer: Value =
        serde_json::from_str(&run(what_if.args(["--since", "2100-01-01T00:00:00Z"])).succeeded()).unwrap();
    assert_eq!(answer["runs"], 0);
}

#[test]
fn what_is_wrong_is_named() {
    let said = run(reflect().args(["what-if", "--lambda", "much"])).refused();
    assert!(said.contains("--lambda") && said.contains("much"), "{said}");
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let mut what_if = reflect();
    what_if.args(["what-if", "--url", &server.url, "--lambda", "-2"]).env("REFLECT_API_KEY", server.key());
    let said = run(&mut what_if).refused();
    assert!(said.contains("configuration.lambda"), "{said}");
}
