//! One owner for a data folder, `reflect check`, and databases of other releases.

use rusqlite::Connection;
use serde_json::json;

use crate::server_process::{ServerProcess, eventually, reflect, run, serve};

fn check(data: &std::path::Path) -> crate::server_process::Ended {
    run(reflect().args(["check", "--data"]).arg(data))
}

#[test]
fn a_second_server_is_told_who_has_the_folder() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let said = run(&mut serve(folder.path())).refused();
    assert!(said.contains(&format!("process {} at {}", server.pid(), server.url)), "{said}");
    server.client().get("/v1/projects").unwrap().good();
    drop(server);
    ServerProcess::start(folder.path());
}

#[test]
fn check_folds_the_ledger_with_and_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let said = check(&folder.path().join("nothing")).refused();
    assert!(said.contains("there is no database"), "{said}");

    let mut server = ServerProcess::start(folder.path());
    let http = server.client();
    let first = http.post("/v1/projects/default/traces", &run_with_lesson(&[])).unwrap().good();
    let trace = http.get(&format!("/v1/projects/default/traces/{}", first["trace_id"].as_str().unwrap()));
    let memory_id = trace.unwrap().good()["created_memory_id"].as_str().unwrap().to_owned();
    http.post("/v1/projects/default/traces", &run_with_lesson(&[&memory_id])).unwrap().good();
    let sound = "2 memories, 1 credits folded, 0 differ\n2 memories indexed, 0 differ\n";
    assert_eq!(check(folder.path()).succeeded(), sound);
    server.kill();
    assert_eq!(check(folder.path()).succeeded(), sound);
    let (status, _) = ServerProcess::start(folder.path()).stop("-TERM");
    assert!(status.success());
    assert_eq!(check(folder.path()).succeeded(), sound);

    let database = Connection::open(folder.path().join("reflect.db")).unwrap();
    database.execute("UPDATE memories SET q_value = 0.9 WHERE uses = 1", []).unwrap();
    drop(database);
    let ended = check(folder.path());
    assert!(ended.stdout.contains(&memory_id) && ended.stdout.contains("0.9 is stored"), "{ended:?}");
    assert!(ended.refused().contains("1 utilities are not the fold"));

    let database = Connection::open(folder.path().join("reflect.db")).unwrap();
    database.execute("UPDATE memories SET changed = 0 WHERE uses = 1", []).unwrap();
    drop(database);
    let ended = check(folder.path());
    assert!(ended.stdout.contains("1 memories indexed, 1 differ"), "{ended:?}");
    assert!(ended.refused().contains("1 memories are not in their indexes"));
}

fn run_with_lesson(retrieved_memory_ids: &[&str]) -> serde_json::Value {
    json!({
        "task": "find the report",
        "trajectory": [],
        "retrieved_memory_ids": retrieved_memory_ids,
        "review": {"result": "pass", "reflection": {"summary": "look in the cellar"}},
    })
}

#[test]
fn a_newer_schema_is_refused_by_every_command_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    drop(ServerProcess::start(folder.path()));
    let database = folder.path().join("reflect.db");
    Connection::open(&database).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let keys = ["keys", "create", "--data"];
    for mut command in
        [serve(folder.path()), reflect_with(&keys, folder.path()), reflect_with(&["check", "--data"], folder.path())]
    {
        let said = run(&mut command).refused();
        assert!(said.contains("schema 99") && said.contains("run a newer release"), "{command:?}: {said}");
    }
    let found: i64 =
        Connection::open(&database).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(found, 99);
}

fn reflect_with(arguments: &[&str], data: &std::path::Path) -> std::process::Command {
    let mut command = reflect();
    command.args(arguments).arg(data);
    command
}

#[test]
fn a_folder_that_cannot_be_made_and_a_port_that_is_taken_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let said = run(&mut serve(&file.join("data"))).refused();
    assert!(said.contains("file/data"), "{said}");

    let server = ServerProcess::start(&folder.path().join("one"));
    let address = server.url.strip_prefix("http://").unwrap();
    let mut command = reflect();
    command.args(["serve", "--listen", address, "--data"]).arg(folder.path().join("two"));
    let said = run(&mut command).refused();
    assert!(said.contains(address), "{said}");
    eventually("the first server is undisturbed", || server.client().get("/health").ok());
}
