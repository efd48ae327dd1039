//! The audit log: who got in, who did not, and what they did to access and data.

use std::path::Path;

use serde_json::{Value, json};

use crate::server_process::{ServerProcess, reflect, run, serve};

fn lines(data: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(data.join("audit.log")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The only line about `event`.
#[track_caller]
fn only<'a>(lines: &'a [Value], event: &str) -> &'a Value {
    let found: Vec<&Value> = lines.iter().filter(|line| line["event"] == event).collect();
    assert_eq!(found.len(), 1, "{event} in {lines:?}");
    found[0]
}

#[test]
fn what_happens_to_access_and_data_is_written_down_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let master = server.client();
    let body = json!({"label": "ci", "scopes": ["trace:read", "keys:write"]});
    let created = master.post("/v1/projects/shop/api-keys", &body).unwrap().good();
    let (text, public) = (created["api_key"].as_str().unwrap(), created["key"]["public_id"].as_str().unwrap());
    let holder = server.client_with(text);
    for _ in 0..3 {
        holder.get("/v1/projects/shop/traces").unwrap().good();
    }
    let more = json!({"label": "reader", "scopes": ["trace:read"]});
    let made = holder.post("/v1/projects/shop/api-keys", &more).unwrap().good();
    let key_id = created["key"]["id"].as_str().unwrap();
    master.post(&format!("/v1/projects/shop/api-keys/{key_id}/revoke"), &json!({})).unwrap().good();
    assert_eq!(holder.get("/v1/projects/shop/traces").unwrap().status, 401);
    let guess = server.client_with(&format!("rf_live_{public}_guessed"));
    assert_eq!(guess.get("/v1/projects/shop/traces").unwrap().status, 401);
    master.patch("/v1/projects/shop/settings", &json!({"alpha": 0.2, "lambda": null})).unwrap().good();
    master.delete("/v1/projects/shop").unwrap().good();

    let lines = lines(folder.path());
    assert!(lines.iter().all(|line| line["at"].as_str().is_some_and(|at| at.ends_with('Z'))), "{lines:?}");
    let first = &lines[0];
    assert_eq!(
        (&first["event"], &first["by"], &first["project"]),
        (&json!("key_created"), &json!("master"), &json!("shop"))
    );
    assert_eq!((&first["key"], &first["label"]), (&json!(public), &json!("ci")));
    assert_eq!(only(&lines, "key_first_used")["key"], public);
    let by_holder = lines.iter().find(|line| line["event"] == "key_created" && line["by"] == public).unwrap();
    assert_eq!(by_holder["key"], made["key"]["public_id"]);
    assert_eq!(only(&lines, "key_revoked")["key"], public);
    let refused: Vec<&Value> = lines.iter().filter(|line| line["event"] == "authentication_failed").collect();
    assert_eq!(refused.len(), 2, "{lines:?}");
    for line in refused {
        assert_eq!((&line["key"], &line["address"]), (&json!(public), &json!("127.0.0.1")));
    }
    assert_eq!(only(&lines, "settings_changed")["settings"], json!(["lambda", "alpha"]));
    assert_eq!(only(&lines, "project_deleted")["project"], "shop");
    let written = std::fs::read_to_string(folder.path().join("audit.log")).unwrap();
    for secret in [text, made["api_key"].as_str().unwrap(), &server.key(), "guessed"] {
        let (_, secret) = secret.rsplit_once('_').unwrap_or(("", secret));
        assert!(!written.contains(secret), "{written}");
    }
}

#[test]
fn guessing_is_written_down_within_bounds() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let guess = server.client_with("rf_live_ab12_guessed");
    let statuses: Vec<u16> = (0..150).map(|_| guess.get("/v1/projects").unwrap().status).collect();
    assert!(statuses.contains(&401));
    let lines = lines(folder.path());
    // 20 a minute, and the minute may have turned meanwhile.
    assert!((20..=42).contains(&lines.len()), "{}", lines.len());
}

#[test]
fn keys_made_without_a_server_are_written_down_too_and_the_log_can_be_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    run(reflect().args(["keys", "create", "--project", "shop", "--data"]).arg(folder.path())).succeeded();
    assert_eq!(only(&lines(folder.path()), "key_created")["project"], "shop");

    let other = tempfile::tempdir().unwrap();
    let server = ServerProcess::start_with(other.path(), serve(other.path()).args(["--audit-log", "stderr"]));
    server.client().patch("/v1/projects/shop/settings", &json!({"alpha": 0.2})).unwrap().good();
    let (_, log) = server.stop("-TERM");
    assert!(log.contains(r#""event":"settings_changed","by":"master","project":"shop""#), "{log}");
    assert!(!other.path().join("audit.log").exists());
}
