//! `reflect lessons`.

use serde_json::{Value, json};

use crate::server_process::{ServerProcess, reflect, run};

#[test]
fn lessons_are_shown_with_what_is_known_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let http = server.client();
    let post = |body: &Value| http.post("/v1/projects/default/traces", body).unwrap().good();
    let lessons = |more: &[&str]| {
        run(reflect().args(["lessons", "--url", &server.url]).args(more).env("REFLECT_API_KEY", server.key()))
            .succeeded()
    };
    assert_eq!(lessons(&[]), "There are no lessons yet.\n");
    let lesson = json!({"guidance": "Ask for the order's number.\u{1b}[2J"});
    let taught =
        json!({"task": "Refund an order", "trajectory": "done", "review": {"result": "pass", "reflection": lesson}});
    post(&taught);
    let listed: Value = serde_json::from_str(&lessons(&["--json"])).unwrap();
    let memory = listed[0]["id"].as_str().unwrap().to_owned();
    let said = lessons(&[]);
    assert!(said.starts_with("0.50  ") && said.contains("No reviewed run has seen it yet."), "{said:?}");
    assert!(said.contains("Ask for the order's number. [2J"), "{said:?}");
    assert_eq!(lessons(&["--left-out"]), "No lesson is left out.\n");
    for _ in 0..9 {
        let seen = json!({"task": "Refund", "trajectory": "done", "retrieved_memory_ids": [memory], "review": {"result": "fail", "reflection": {"summary": "It failed."}}});
        post(&seen);
    }
    let said = lessons(&["--left-out"]);
    assert!(said.contains(&memory) && said.contains("Left out: 0 of 9 reviewed runs that saw it passed"), "{said}");
    assert!(lessons(&["--worst", "--limit", "1"]).contains(&memory));
    let listed: Value = serde_json::from_str(&lessons(&["--left-out", "--json"])).unwrap();
    assert_eq!(listed[0]["id"], json!(memory));
}
