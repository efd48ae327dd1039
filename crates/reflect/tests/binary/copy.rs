//! `reflect copy` between data folders; `postgres/copy.rs` copies to a database and back.

use std::{path::Path, process::Command, time::Duration};

use crate::{
    portable::{export, learned},
    server_process::{ServerProcess, reflect, run},
};

pub(crate) fn copy(from: impl AsRef<std::ffi::OsStr>, to: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = reflect();
    command.arg("copy").arg("--from").arg(from).arg("--to").arg(to);
    command
}

/// Everything in the database of a folder, table by table, but for the name of the process that writes.
pub(crate) fn rows(data: &Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(data.join("reflect.db")).unwrap();
    let list = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'writer'";
    let mut statement = connection.prepare(list).unwrap();
    let tables: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let mut all = Vec::new();
    for table in tables {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let value = |column: &String| format!("{column}: {:?}", row.get::<_, rusqlite::types::Value>(&**column));
            all.push(format!("{table} {}", columns.iter().map(value).collect::<Vec<_>>().join(", ")));
        }
    }
    all.sort();
    all
}

/// Kills copies wherever they happen to be: some are before the first row, some have copied all.
pub(crate) fn kill_some(mut copy: impl FnMut() -> Command) {
    for milliseconds in [5, 40, 80, 120] {
        let mut child = copy().stdout(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
}

#[test]
fn a_copy_that_was_killed_goes_on_and_is_equal_to_the_last_value() {
    let folder = tempfile::tempdir().unwrap();
    let [data, to, first, second] = ["data", "to", "first", "second"].map(|name| folder.path().join(name));
    learned(&data, 150);
    let start = rows(&data);
    kill_some(|| copy(&data, &to));
    // One of them may have come to its end.
    let again = run(&mut copy(&data, &to));
    if again.status.success() {
        assert!(again.stdout.contains(&format!("{} rows are in `{}`, the same as in", start.len(), to.display())));
        assert!(again.stdout.contains("302 memories, 300 credits folded, 0 differ"), "{again:?}");
        assert!(again.stdout.contains("its master key is not among them"), "{again:?}");
    } else {
        assert!(again.stderr.contains("holds something already"), "{again:?}");
    }
    assert_eq!(rows(&to), start);
    assert_eq!(rows(&data), start);
    run(&mut export(&data, &first)).succeeded();
    run(&mut export(&to, &second)).succeeded();
    assert!(std::fs::read(&first).unwrap() == std::fs::read(&second).unwrap(), "they differ");
    let said = run(reflect().args(["check", "--data"]).arg(&to)).succeeded();
    assert!(said.contains("302 memories, 300 credits folded, 0 differ"), "{said}");
    let server = ServerProcess::start(&to);
    assert!(server.client().text("/ready").unwrap().contains("ready"));
}

#[test]
fn copies_are_refused_that_would_overwrite_or_miss_something() {
    let folder = tempfile::tempdir().unwrap();
    let [data, to, other] = ["data", "to", "other"].map(|name| folder.path().join(name));
    let said = run(&mut copy(&data, &to)).refused();
    assert!(said.contains("there is no database") && !data.exists(), "{said}");
    let server = ServerProcess::start(&data);
    let said = run(&mut copy(&data, &to)).refused();
    assert!(said.contains(&format!("in use by process {}", server.pid())), "{said}");
    assert!(server.stop("-TERM").0.success());

    let (status, _) = ServerProcess::start(&other).stop("-TERM");
    assert!(status.success());
    rusqlite::Connection::open(other.join("reflect.db"))
        .unwrap()
        .execute("INSERT INTO deleted_projects VALUES ('once')", [])
        .unwrap();
    let said = run(&mut copy(&data, &other)).refused();
    assert!(said.contains("holds something already"), "{said}");
    let said = run(&mut copy(&data, &data)).refused();
    assert!(said.contains("in use by process"), "{said}");

    let said = run(&mut copy("mysql://localhost/x", &to)).refused();
    assert!(said.contains("there is no `mysql://`"), "{said}");
    let said = run(reflect().args(["copy", "--to"]).arg(&to)).refused();
    assert!(said.contains("REFLECT_COPY_FROM"), "{said}");
    let said = run(&mut copy("postgres://u:very-secret@127.0.0.1:1/x", &to)).refused();
    assert!(said.contains("cannot be reached") && !said.contains("very-secret"), "{said}");
    assert!(!to.join("reflect.db").exists(), "nothing was begun");
}

#[test]
fn a_server_does_not_start_on_a_copy_that_is_not_finished() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    assert!(ServerProcess::start(&data).stop("-TERM").0.success());
    rusqlite::Connection::open(data.join("reflect.db"))
        .unwrap()
        .execute_batch("CREATE TABLE unfinished_copy (name TEXT NOT NULL PRIMARY KEY, copied BIGINT NOT NULL)")
        .unwrap();
    let said = run(reflect().args(["serve", "--listen", "127.0.0.1:0", "--data"]).arg(&data)).refused();
    assert!(said.contains("copy that is not finished") && said.contains("reflect copy"), "{said}");
}
