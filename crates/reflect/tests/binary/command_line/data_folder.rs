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
    let sound = "10 texts and vectors read, 0 of them without a checksum, 0 damages\n\
                 2 memories, 1 credits folded, 0 differ\n2 memories indexed, 0 differ\n";
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
    assert!(ended.stdout.contains(&memory_id) && ended.stdout.contains("0.9 by constant steps"), "{ended:?}");
    assert!(ended.refused().contains("1 utilities are not the fold"));

    let database = Connection::open(folder.path().join("reflect.db")).unwrap();
    database.execute("UPDATE memories SET changed = 0 WHERE uses = 1", []).unwrap();
    drop(database);
    let ended = check(folder.path());
    assert!(ended.stdout.contains("1 memories indexed, 1 differ"), "{ended:?}");
    assert!(ended.refused().contains("1 memories are not in their indexes"));

    let mended = run(reflect().args(["check", "--repair", "--data"]).arg(folder.path()));
    assert!(
        mended.stdout.starts_with("indexes made anew, 0 memories numbered anew, 1 utilities folded anew"),
        "{mended:?}"
    );
    assert!(mended.succeeded().ends_with(sound));
}

/// Overwrites every place in the database that holds `old`.
fn corrupt(database: &Path, old: &[u8], new: &[u8]) {
    let mut bytes = std::fs::read(database).unwrap();
    let mut from = 0;
    while let Some(found) = bytes[from..].windows(old.len()).position(|window| window == old) {
        let at = from + found;
        bytes[at..at + new.len()].copy_from_slice(new);
        from = at + old.len();
    }
    assert!(from > 0, "it is not in the database");
    std::fs::write(database, bytes).unwrap();
}

#[test]
fn check_says_what_a_disk_has_changed_or_destroyed() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let create = |word: &str| {
        let words = format!("{word} ").repeat(3_000);
        let body = json!({"task": "find the report", "trajectory": [{"role": "user", "content": words}],
                          "final_response": format!("it was the {word}"),
                          "review": {"result": "pass", "reflection": {"summary": format!("ask the {word}")}}});
        let created = server.client().post("/v1/projects/default/traces", &body).unwrap().good();
        created["trace_id"].as_str().unwrap().to_owned()
    };
    let [changed, destroyed, answer, sound] = ["gardener", "chauffeur", "butler", "cook"].map(create);
    assert!(server.stop("-TERM").0.success());
    let database = folder.path().join("reflect.db");
    assert!(check(folder.path()).succeeded().contains("0 damages"));

    // A flipped byte in the middle of a trajectory, in one answer and in one lesson; and a page of another trajectory that is gone.
    corrupt(&database, &b"gardener ".repeat(100), b"Gardener");
    corrupt(&database, b"it was the butler", b"it was the cutler");
    corrupt(&database, b"ask the cook", b"ask the book");
    corrupt(&database, &b"chauffeur ".repeat(300), &[0; 3_000]);
    let ended = check(folder.path());
    let said = &ended.stdout;
    for lost in [
        format!("the trajectory of trace {changed} in project `default` is not what was written"),
        format!("the trajectory of trace {destroyed} in project `default` is not what was written"),
        format!("the texts of trace {answer} in project `default` is not what was written"),
        "the lesson of memory".to_owned(),
    ] {
        assert!(said.contains(&lost), "{lost}: {said}");
    }
    assert!(!said.contains(&format!("trajectory of trace {sound}")), "{said}");
    assert!(ended.refused().contains("come from a backup"));
}

#[test]
fn check_says_what_sqlite_itself_finds() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    for _ in 0..20 {
        server.client().post("/v1/projects/default/traces", &run_with_lesson(&[])).unwrap().good();
    }
    assert!(server.stop("-TERM").0.success());
    let database = folder.path().join("reflect.db");
    let root = |name: &str| -> u64 {
        let connection = Connection::open(&database).unwrap();
        connection.query_row("SELECT rootpage FROM sqlite_schema WHERE name = ?1", [name], |row| row.get(0)).unwrap()
    };
    let page = usize::try_from(root("trajectories")).unwrap();
    let mut bytes = std::fs::read(&database).unwrap();
    bytes[(page - 1) * 4_096..page * 4_096].fill(0);
    std::fs::write(&database, bytes).unwrap();
    let ended = check(folder.path());
    assert!(ended.stdout.contains("the trajectory of trace"), "{ended:?}");
    assert!(ended.refused().contains("the file is damaged"));
}

#[test]
fn a_second_server_whose_lock_was_removed_takes_over_and_nothing_is_numbered_alike() {
    let folder = tempfile::tempdir().unwrap();
    let first = ServerProcess::start(folder.path());
    let traces = "/v1/projects/default/traces";
    first.client().post(traces, &run_with_lesson(&[])).unwrap().good();
    std::fs::remove_file(folder.path().join("owner.lock")).unwrap();
    let second = ServerProcess::start(folder.path());
    let refused = first.client().post(traces, &run_with_lesson(&[])).unwrap();
    assert_eq!((refused.status, refused.code()), (503, "unavailable"), "{refused:?}");
    second.client().post(traces, &run_with_lesson(&[])).unwrap().good();
    first.client().get(traces).unwrap().good();
    let found = second.client().post("/v1/projects/default/memory/query", &json!({"task": "find the report"}));
    assert_eq!(found.unwrap().good().as_array().unwrap().len(), 2);
    let (_, log) = first.stop("-TERM");
    assert!(log.contains("another process has opened this database"), "{log}");
    assert!(second.stop("-TERM").0.success());
    check(folder.path()).succeeded();
}

#[test]
fn memories_that_were_numbered_alike_are_told_apart_by_a_repair() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    for _ in 0..3 {
        server.client().post("/v1/projects/default/traces", &run_with_lesson(&[])).unwrap().good();
    }
    let in_use = run(reflect().args(["check", "--repair", "--data"]).arg(folder.path())).refused();
    assert!(in_use.contains("stop it first"), "{in_use}");
    assert!(server.stop("-TERM").0.success());
    // As only a damaged index lets it be.
    let alike = "DROP INDEX memories_by_change; UPDATE memories SET changed = 1;
                 CREATE INDEX memories_by_change ON memories (project_id, changed)";
    Connection::open(folder.path().join("reflect.db")).unwrap().execute_batch(alike).unwrap();
    let ended = check(folder.path());
    assert!(ended.stdout.contains("3 memories of project `default` share the change number 1"), "{ended:?}");
    ended.refused();
    let said = run(reflect().args(["check", "--repair", "--data"]).arg(folder.path())).succeeded();
    assert!(said.contains("2 memories numbered anew"), "{said}");
    let server = ServerProcess::start(folder.path());
    let query = json!({"task": "find the report"});
    let found = server.client().post("/v1/projects/default/memory/query", &query).unwrap().good();
    assert_eq!(found.as_array().unwrap().len(), 3);
}

#[test]
fn lessons_from_before_they_said_how_much_they_tell_are_told_by_a_repair() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let reviewed = |review: serde_json::Value| {
        let trajectory =
            json!([{"role": "user", "content": "find the report"}, {"role": "assistant", "content": "Here."}]);
        let body = json!({"task": "find the report", "trajectory": trajectory, "final_response": "Here."});
        let created = server.client().post("/v1/projects/default/traces", &body).unwrap().good();
        let path = format!("/v1/projects/default/traces/{}/review", created["trace_id"].as_str().unwrap());
        let trace = server.client().post(&path, &review).unwrap().good();
        trace["created_memory_id"].as_str().unwrap().to_owned()
    };
    let telling = "Filter on status = 'unpaid' in every query of invoices.";
    let [nothing, rule, written, edited, gone] = [
        json!({"result": "fail"}),
        json!({"result": "fail", "feedback_text": telling}),
        json!({"result": "fail", "reflection": {"summary": "look in the cellar"}}),
        json!({"result": "fail"}),
        json!({"result": "fail"}),
    ]
    .map(reviewed);
    let memory = |id: &str| format!("/v1/projects/default/memories/{id}");
    server.client().patch(&memory(&edited), &json!({"guidance": "Look in the cellar."})).unwrap().good();
    let of = server.client().get(&memory(&gone)).unwrap().good()["trace_id"].clone();
    server.client().post("/v1/projects/default/traces/delete", &json!({"trace_ids": [of]})).unwrap().good();
    let said = server.client().get(&memory(&nothing)).unwrap().good();
    assert_eq!(said["tells"], "nothing");
    assert!(server.stop("-TERM").0.success());

    // As an import of an earlier release's export leaves it.
    let database = Connection::open(folder.path().join("reflect.db")).unwrap();
    database.execute("UPDATE memories SET tells = NULL", []).unwrap();
    drop(database);
    let repaired = || run(reflect().args(["check", "--repair", "--data"]).arg(folder.path())).succeeded();
    let ended = repaired();
    assert!(ended.contains("\n1 lessons said how much they tell\n"), "{ended}");
    assert!(repaired().contains("\n0 lessons said how much they tell\n"));
    let server = ServerProcess::start(folder.path());
    let tells = |id: &str| server.client().get(&memory(id)).unwrap().good()["tells"].clone();
    assert_eq!(server.client().get(&memory(&nothing)).unwrap().good(), said);
    for left_alone in [rule, written, edited, gone] {
        assert!(tells(&left_alone).is_null(), "{left_alone}");
    }
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
fn a_schema_that_is_not_known_is_refused_by_every_command_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    drop(ServerProcess::start(&data));
    let database = data.join("reflect.db");
    let (other, copy) = (folder.path().join("other"), folder.path().join("copy"));
    for (schema, what) in [(99, "run a newer release"), (27, "from before 0.1.0: let the binary that made it write")] {
        let connection = Connection::open(&database).unwrap();
        connection.pragma_update(None, "user_version", schema).unwrap();
        let mut restore = reflect();
        restore.arg("restore").arg(&database).arg("--data").arg(&other);
        let mut copying = reflect();
        copying.args(["copy", "--from"]).arg(&data).arg("--to").arg(&copy);
        let of_the_folder = [
            &["check", "--data"] as &[&str],
            &["check", "--repair", "--data"],
            &["keys", "create", "--data"],
            &["stats", "--data"],
            &["export", "-", "--data"],
        ];
        let commands = of_the_folder.map(|arguments| reflect_with(arguments, &data));
        for mut command in commands.into_iter().chain([serve(&data), restore, copying]) {
            let said = run(&mut command).refused();
            assert!(said.contains(&format!("schema {schema}")) && said.contains(what), "{command:?}: {said}");
        }
        let found: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(found, schema);
    }
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
