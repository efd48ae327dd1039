//! Everything from a data folder into the database, and back.

use std::{path::Path, process::Command};

use serde_json::json;

use super::Postgres;
use crate::{
    copy::{kill_some, rows},
    portable::learned,
    server_process::{ServerProcess, reflect, run},
};

#[test]
#[ignore = "needs PostgreSQL: `cargo xtask test postgres` runs it"]
fn a_folder_that_goes_to_the_database_and_comes_back_is_equal_to_the_start_also_when_killed() {
    let postgres = Postgres::start();
    let folder = tempfile::tempdir().unwrap();
    let [data, back] = ["data", "back"].map(|name| folder.path().join(name));
    learned(&data, 60);
    let start = rows(&data);
    copy_killed(|| {
        let mut copy = reflect();
        copy.args(["copy", "--from"]).arg(&data).env("REFLECT_COPY_TO", &postgres.url);
        copy
    });
    let said = run(reflect().arg("check").env("REFLECT_DATABASE_URL", &postgres.url)).succeeded();
    assert!(said.contains("122 memories, 120 credits folded, 0 differ"), "{said}");
    assert!(said.contains("122 memories indexed, 0 differ"), "{said}");
    copy_killed(|| {
        let mut copy = reflect();
        copy.args(["copy", "--to"]).arg(&back).env("REFLECT_COPY_FROM", &postgres.url);
        copy
    });
    assert_eq!(rows(&back), start);

    // Whoever had a key of the folder's server has one of the database's, and finds the same.
    let master_key = std::fs::read_to_string(data.join("master.key")).unwrap();
    let mut serve = postgres.serve();
    serve.env("REFLECT_MASTER_KEY", master_key.trim()).args(["--embedder", "hashing"]);
    let server = ServerProcess::start_with(Path::new(""), &mut serve);
    let http = server.client_with(master_key.trim());
    let found = http
        .post("/v1/projects/shop/memory/query", &json!({"task": "refund an order", "sitting_out": 0.0}))
        .unwrap()
        .good();
    assert!(!found.as_array().unwrap().is_empty());
}

/// Kills some copies, and lets the last one come to its end.
#[track_caller]
fn copy_killed(copy: impl Fn() -> Command) {
    kill_some(&copy);
    let last = run(&mut copy());
    // One of those before may have been faster than its killer.
    assert!(last.status.success() || last.stderr.contains("holds something already"), "{last:?}");
}
