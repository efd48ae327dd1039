//! `reflect doctor`: green on a fresh server, and the right words for each thing that is broken on purpose.

mod faults;

use std::{path::Path, process::Command};

use serde_json::Value;

use crate::server_process::{Ended, ServerProcess, reflect, run};

/// What the command found.
struct Report {
    ended: Ended,
    document: Value,
}

impl Report {
    #[track_caller]
    fn of(command: &mut Command) -> Self {
        let ended = run(command.arg("--json"));
        let document = serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        Self { ended, document }
    }

    /// The doctor of a server by its URL and a key.
    #[track_caller]
    fn of_url(url: &str, key: &str, more: &[&str]) -> Self {
        Self::of(reflect().args(["doctor", "--url", url]).args(more).env("REFLECT_API_KEY", key))
    }

    #[track_caller]
    fn of_server(server: &ServerProcess) -> Self {
        Self::of_url(&server.url, &server.key(), &[])
    }

    fn check(&self, name: &str) -> &Value {
        let checks = self.document["checks"].as_array().unwrap();
        checks.iter().rfind(|check| check["name"] == name).unwrap_or(&Value::Null)
    }

    /// The names of the checks that failed.
    fn failed(&self) -> Vec<&str> {
        let checks = self.document["checks"].as_array().unwrap();
        let failed = checks.iter().filter(|check| check["status"] == "failed");
        failed.map(|check| check["name"].as_str().unwrap()).collect()
    }

    /// This check alone failed; its message and what to do hold these words.
    #[track_caller]
    fn blames(&self, name: &str, words: &[&str]) {
        assert_eq!(self.failed(), [name], "{:#}", self.document);
        let check = self.check(name);
        let said = format!("{} → {}", check["message"].as_str().unwrap(), check["remedy"].as_str().unwrap());
        for word in words {
            assert!(said.contains(word), "`{word}` is not in: {said}");
        }
        assert_eq!((self.ended.status.code(), &self.document["ok"]), (Some(1), &Value::Bool(false)));
    }

    #[track_caller]
    fn is_green(&self) {
        assert_eq!(
            (self.ended.status.code(), &self.document["ok"]),
            (Some(0), &Value::Bool(true)),
            "{:#}",
            self.document
        );
        for name in [
            "reachable",
            "clock",
            "key",
            "scopes",
            "store",
            "worker",
            "embedder",
            "lessons",
            "lesson",
            "retrieval",
            "credit",
        ] {
            assert_eq!(self.check(name)["status"], "ok", "{name} in {:#}", self.document);
        }
    }
}

fn of_folder(data: &Path) -> Report {
    Report::of(reflect().args(["doctor", "--data"]).arg(data))
}

#[test]
fn a_fresh_server_is_green_by_its_url_and_by_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    Report::of_server(&server).is_green();
    of_folder(folder.path()).is_green();
    let projects = server.client().get("/v1/projects").unwrap().good();
    assert_eq!(projects.as_array().unwrap().len(), 0, "the round leaves nothing behind: {projects}");
}

#[test]
fn a_folder_without_a_server_gets_one_for_the_round() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("new");
    of_folder(&data).is_green();
    let lines = run(reflect().args(["doctor", "--data"]).arg(&data)).succeeded();
    assert!(lines.lines().all(|line| line.starts_with("ok ") || line.starts_with("the loop closes")), "{lines}");
}

#[test]
fn a_key_of_one_project_does_its_round_there_and_cleans_up() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let create = ["keys", "create", "--project", "shop", "--scope", "memory:read", "--scope", "trace:write", "--data"];
    let key = run(reflect().args(create).arg(folder.path())).succeeded();
    Report::of_url(&server.url, key.trim(), &["--project", "shop"]).is_green();
    let left = |path: &str| server.client().get(&format!("/v1/projects/shop/{path}")).unwrap().good();
    assert_eq!((left("traces"), left("memories")), (Value::Array(vec![]), Value::Array(vec![])));
}
