//! `reflect backup` and `reflect restore`, with a server at work and without.

use std::{
    path::Path,
    process::Command,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Value, json};

use crate::{
    http::Http,
    server_process::{ServerProcess, reflect, run},
};

const TRACES: &str = "/v1/projects/shop/traces";

fn backup(data: &Path, to: &Path) -> Command {
    let mut command = reflect();
    command.arg("backup").arg(to).arg("--data").arg(data);
    command
}

fn restore(from: &Path, data: &Path) -> Command {
    let mut command = reflect();
    command.arg("restore").arg(from).arg("--data").arg(data);
    command
}

/// A run with a lesson, that was shown these memories.
fn trace(text: &str, memory_ids: &[String]) -> Value {
    json!({"task": "refund an order", "trajectory": [{"role": "user", "content": text}], "retrieved_memory_ids": memory_ids,
           "review": {"result": "pass", "reflection": {"summary": "look up the order first"}}})
}

fn create(http: &Http, body: &Value) -> String {
    http.post(TRACES, body).unwrap().good()["trace_id"].as_str().unwrap().to_owned()
}

fn memory_of(http: &Http, trace_id: &str) -> String {
    let trace = http.get(&format!("{TRACES}/{trace_id}")).unwrap().good();
    trace["created_memory_id"].as_str().unwrap().to_owned()
}

/// Creates runs until it is told to stop. Answers nothing: what was acknowledged is in `stored`.
fn work(http: &Http, memory_ids: &[String], stored: &Mutex<Vec<String>>, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let trace_id = create(http, &trace("a run under load", memory_ids));
        stored.lock().unwrap().push(trace_id);
    }
}

/// Everything that was acknowledged before a backup is in it, and its ledger folds to the utilities that stand on its memories.
fn assert_restores(copy: &Path, key: &str, stored: &[String]) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("restored");
    run(&mut restore(copy, &data)).succeeded();
    let server = ServerProcess::start(&data);
    let http = server.client_with(key);
    for trace_id in stored {
        assert_eq!(http.get(&format!("{TRACES}/{trace_id}")).unwrap().status, 200, "{trace_id} is lost");
    }
    create(&http, &trace("life goes on", &[]));
    let said = run(reflect().args(["check", "--data"]).arg(&data)).succeeded();
    assert!(said.contains("credits folded, 0 differ") && !said.contains(" 0 credits"), "{said}");
}

#[test]
fn a_backup_under_load_restores_to_a_server_whose_ledger_refolds_equal() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(&folder.path().join("data"));
    let master = server.client();
    let key =
        master.post("/v1/projects/shop/api-keys", &json!({"label": "shop", "scopes": ["trace:write", "trace:read"]}));
    let key = key.unwrap().good()["api_key"].as_str().unwrap().to_owned();
    // Enough for several steps of the copy.
    let large = "words ".repeat(50_000);
    let mut seeds: Vec<String> = (0..40).map(|_| create(&master, &trace(&large, &[]))).collect();
    let memory_ids: Vec<String> = seeds.iter().take(3).map(|trace_id| memory_of(&master, trace_id)).collect();
    // So that every copy has credits, also one that was made before anybody got to work.
    seeds.push(create(&master, &trace("the first that was shown them", &memory_ids)));
    let (stored, stop) = (Mutex::new(seeds), AtomicBool::new(false));
    let copies: Vec<_> = std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| work(&server.client_with(&key), &memory_ids, &stored, &stop));
        }
        let copies = ["one", "two", "three"].map(|name| {
            let (copy, before) = (folder.path().join(name), stored.lock().unwrap().clone());
            let ended = run(&mut backup(&folder.path().join("data"), &copy));
            let during = stored.lock().unwrap().len() - before.len();
            (copy, before, during, ended)
        });
        stop.store(true, Ordering::Relaxed);
        copies.into_iter().collect()
    });
    assert!(copies.iter().any(|(_, _, during, _)| *during > 0), "nobody wrote while backups were made");
    for (copy, before, _, ended) in copies {
        let said = ended.succeeded();
        assert!(said.contains(&format!("MB are backed up in {}", copy.display())), "{said}");
        assert_restores(&copy, &key, &before);
    }
}

#[test]
fn backups_are_named_after_the_time_and_nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (data, backups) = (folder.path().join("data"), folder.path().join("backups"));
    let said = run(&mut backup(&data, &backups)).refused();
    assert!(said.contains("there is no database"), "{said}");
    let (status, _) = ServerProcess::start(&data).stop("-TERM");
    assert!(status.success());
    std::fs::create_dir(&backups).unwrap();
    run(&mut backup(&data, &backups)).succeeded();
    let names: Vec<_> = std::fs::read_dir(&backups).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    let [name] = names.as_slice() else { panic!("{names:?}") };
    let name = name.to_str().unwrap();
    assert!(
        name.starts_with("reflect-20") && name.ends_with(".db") && name.len() == "reflect-20261116-093000.db".len(),
        "{name}"
    );

    let copy = backups.join(name);
    let said = run(&mut backup(&data, &copy)).refused();
    assert!(said.contains("is there already"), "{said}");
    let said = run(&mut restore(&copy, &data)).refused();
    assert!(said.contains("reflect.db` is there already"), "{said}");
    let server = ServerProcess::start(&data);
    let said = run(&mut restore(&copy, &data)).refused();
    assert!(said.contains(&format!("in use by process {}", server.pid())), "{said}");
}

#[test]
fn a_damaged_database_makes_no_backup_and_a_damaged_backup_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (data, copy) = (folder.path().join("data"), folder.path().join("copy"));
    let server = ServerProcess::start(&data);
    create(&server.client(), &trace("a run", &[]));
    assert!(server.stop("-TERM").0.success());
    run(&mut backup(&data, &copy)).succeeded();

    for (database, attempt, made) in [
        (data.join("reflect.db"), backup(&data, &folder.path().join("other")), folder.path().join("other")),
        (copy.clone(), restore(&copy, &folder.path().join("new")), folder.path().join("new/reflect.db")),
    ] {
        let damage = "UPDATE memories SET q_value = 0.9";
        rusqlite::Connection::open(&database).unwrap().execute(damage, []).unwrap();
        let mut attempt = attempt;
        let said = run(&mut attempt).refused();
        assert!(said.contains("the copy is not sound") && said.contains("1 utilities are not the fold"), "{said}");
        let left = std::fs::read_dir(made.parent().unwrap()).unwrap().map(|entry| entry.unwrap().path());
        assert!(left.into_iter().all(|path| path != made && path.extension() != Some("partial".as_ref())));
    }
}
