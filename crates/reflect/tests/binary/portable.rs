//! `reflect export` and `reflect import`.

use std::{path::Path, process::Command, time::Duration};

use serde_json::json;

use crate::server_process::{ServerProcess, eventually, reflect, run, serve};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../reflect-import/tests/fixtures");

pub(crate) fn export(data: &Path, to: &Path) -> Command {
    let mut command = reflect();
    command.arg("export").arg(to).arg("--data").arg(data);
    command
}

fn import(from: &Path, data: &Path) -> Command {
    let mut command = reflect();
    command.arg("import").arg(from).arg("--data").arg(data);
    command
}

/// A data folder with two projects that have learned something.
pub(crate) fn learned(data: &Path, traces: usize) {
    let server = ServerProcess::start_with(data, serve(data).args(["--embedder", "hashing"]));
    let http = server.client();
    for project in ["shop", "a/b ü"] {
        let path = format!("/v1/projects/{}", project.replace('/', "%2F").replace(' ', "%20").replace('ü', "%C3%BC"));
        let lesson = json!({"task": "refund an order", "trajectory": [{"role": "user", "content": "line\nbreak"}],
                            "review": {"result": "pass", "reflection": {"summary": "look up the order first"}}});
        http.post(&format!("{path}/traces"), &lesson).unwrap().good();
        let answer = http.post(&format!("{path}/memory/query"), &json!({"task": "refund an order"})).unwrap().good();
        let memory_id = answer[0]["id"].as_str().or(answer[0]["memory_id"].as_str()).unwrap().to_owned();
        for number in 0..traces {
            let result = if number % 3 == 0 { "fail" } else { "pass" };
            let body = json!({"task": format!("order {number}"), "trajectory": [{"role": "user", "content": "x".repeat(2_000)}],
                              "retrieved_memory_ids": [memory_id], "review": {"result": result}});
            http.post(&format!("{path}/traces"), &body).unwrap().good();
        }
    }
    eventually("all lessons are written", || {
        let metrics = http.text("/ready").unwrap();
        let queued = ["queued", "processing"].iter().all(|status| {
            let path = format!("/v1/projects/shop/traces?ingest_status={status}&limit=1");
            http.get(&path).unwrap().good().as_array().unwrap().is_empty()
        });
        (queued && metrics.contains("ready")).then_some(())
    });
    assert!(server.stop("-TERM").0.success());
}

#[test]
fn what_is_exported_and_imported_is_exported_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let [data, copy, first, second] = ["data", "copy", "first", "second"].map(|name| folder.path().join(name));
    learned(&data, 20);
    let said = run(&mut export(&data, &first)).succeeded();
    assert!(said.starts_with("2 projects, 42 memories, 42 traces, 2 queries, 0 skills are in"), "{said}");
    let said = run(&mut import(&first, &copy)).succeeded();
    assert!(said.contains("new: 2 projects, 42 memories, 42 traces"), "{said}");
    run(&mut export(&copy, &second)).succeeded();
    assert!(std::fs::read(&first).unwrap() == std::fs::read(&second).unwrap(), "they differ");
    let said = run(reflect().args(["check", "--data"]).arg(&copy)).succeeded();
    assert!(said.contains("42 memories, 40 credits folded, 0 differ"), "{said}");

    // To standard output nothing but the lines, and of one project alone.
    let said = run(export(&data, Path::new("-")).args(["--project", "shop"])).succeeded();
    assert!(said.starts_with("{\"reflect_export\":1}\n{\"project\":{\"project_id\":\"shop\""), "{said}");
    assert_eq!(said.lines().count(), 2 + 1 + 21 + 21 + 1);
    let said = run(export(&data, Path::new("-")).args(["--project", "none"])).refused();
    assert!(said.contains("there is no project `none`"), "{said}");

    let server = ServerProcess::start(&copy);
    let said = run(&mut import(&first, &copy)).refused();
    assert!(said.contains(&format!("in use by process {}", server.pid())), "{said}");
    let answer =
        server.client().post("/v1/projects/shop/memory/query", &json!({"task": "refund an order", "sitting_out": 0.0}));
    assert!(!answer.unwrap().good().as_array().unwrap().is_empty());
}

#[test]
fn an_import_that_was_killed_goes_on_without_doubles() {
    let folder = tempfile::tempdir().unwrap();
    let [data, copy, first, second] = ["data", "copy", "first", "second"].map(|name| folder.path().join(name));
    learned(&data, 150);
    run(&mut export(&data, &first)).succeeded();
    // Killed wherever it happens to be; some are before the first line, some have stored it all.
    for milliseconds in [5, 40, 80, 120] {
        let mut child = import(&first, &copy).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    run(&mut import(&first, &copy)).succeeded();
    run(&mut export(&copy, &second)).succeeded();
    assert!(std::fs::read(&first).unwrap() == std::fs::read(&second).unwrap(), "they differ");
    let said = run(&mut import(&first, &copy)).succeeded();
    assert!(said.contains("new: 0 projects, 0 memories, 0 traces, 0 queries, 0 skills"), "{said}");

    // A file that ends early is stored as far as it goes, and said to be cut off.
    let text = std::fs::read_to_string(&first).unwrap();
    let cut: Vec<&str> = text.lines().take(100).collect();
    std::fs::write(&second, cut.join("\n")).unwrap();
    let said = run(&mut import(&second, &folder.path().join("other"))).refused();
    assert!(said.contains("was cut off"), "{said}");
}

#[test]
fn exports_of_other_tools_become_traces_memories_and_lessons() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (format, file) in [
        ("openai", "openai.jsonl"),
        ("mem0", "mem0.json"),
        ("langfuse", "langfuse.json"),
        ("langsmith", "langsmith.jsonl"),
    ] {
        let file = Path::new(FIXTURES).join(file);
        let wish = ["--format", format, "--project", "from elsewhere", "--embedder", "hashing"];
        run(import(&file, &data).args(wish)).succeeded();
        let again = run(import(&file, &data).args(wish)).succeeded();
        assert!(again.contains("new: 0 projects, 0 memories, 0 traces"), "{again}");
    }
    let server = ServerProcess::start_with(&data, serve(&data).args(["--embedder", "hashing"]));
    let (http, project) = (server.client(), "/v1/projects/from%20elsewhere");
    // Two of mem0, and one for each review: their lessons are written, and all get their vectors.
    let found = eventually("all memories can be found", || {
        let query = json!({"task": "refunds over 100 euros need a manager", "limit": 10, "similarity_threshold": -1.0});
        let answer = http.post(&format!("{project}/memory/query"), &query).unwrap().good();
        (answer.as_array().unwrap().len() == 4).then_some(answer)
    });
    assert!(found.to_string().contains("Refunds over 100 euros need a manager"), "{found}");
    let traces = http.get(&format!("{project}/traces?limit=100")).unwrap().good();
    assert_eq!(traces.as_array().unwrap().len(), 7);
}
