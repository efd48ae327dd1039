//! One owner for a data folder, `reflect check`, and databases of other releases.

use std::{
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

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

#[test]
fn a_database_that_was_emptied_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    server.client().post("/v1/projects/default/traces", &run_with_lesson(&[])).unwrap().good();
    drop(server);
    let (database, log) = (folder.path().join("reflect.db"), folder.path().join("reflect.db-wal"));
    std::fs::write(&database, "").unwrap();
    assert!(std::fs::metadata(&log).unwrap().len() > 0, "it was killed, so there is a log");
    let refused = |beside: &str| {
        for mut command in [serve(folder.path()), reflect_with(&["keys", "create", "--data"], folder.path())] {
            let said = run(&mut command).refused();
            assert!(
                said.contains("reflect.db` is empty") && said.contains(beside) && said.contains("backup"),
                "{said}"
            );
        }
    };
    refused("reflect.db-wal");
    assert!(std::fs::metadata(&log).unwrap().len() > 0, "what could be saved is left alone");
    std::fs::remove_file(&database).unwrap();
    refused("reflect.db-wal");
    std::fs::remove_file(&log).unwrap();
    std::fs::write(&database, "").unwrap();
    refused("master.key");
    std::fs::remove_file(&database).unwrap();
    ServerProcess::start(folder.path()).client().get("/v1/projects").unwrap().good();
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

#[test]
fn the_folder_and_its_files_are_their_owners_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let mut server = ServerProcess::start(&data);
    server.client().post("/v1/projects/default/traces", &run_with_lesson(&[])).unwrap().good();
    let assert_closed = || {
        assert_eq!(mode(&data), 0o700);
        let files = files_in(&data);
        for name in ["reflect.db", "reflect.db-wal", "reflect.db-shm", "owner.lock", "master.key"] {
            assert!(files.contains(&data.join(name)), "{name} is missing in {files:?}");
        }
        for file in files {
            assert_eq!(mode(&file), 0o600, "{}", file.display());
        }
    };
    assert_closed();
    assert!(!server.kill().contains("others"));

    let copy = data.join("reflect.db.schema-1");
    std::fs::write(&copy, "an old copy").unwrap();
    let theirs = folder.path().join("data/notes.txt");
    std::fs::write(&theirs, "").unwrap();
    set_mode(&data, 0o755);
    files_in(&data).iter().for_each(|file| set_mode(file, 0o644));
    let mut server = ServerProcess::start(&data);
    server.client().post("/v1/projects/default/traces", &run_with_lesson(&[])).unwrap().good();
    assert_eq!(mode(&theirs), 0o644, "what is not ours is left alone");
    std::fs::remove_file(&theirs).unwrap();
    assert_closed();
    let log = server.kill();
    assert!(log.contains("others could look into this") && log.contains("0755") && log.contains("schema-1"), "{log}");
}
