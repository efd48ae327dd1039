//! The master key, and `reflect keys`.

use std::{os::unix::fs::PermissionsExt, path::Path};

use serde_json::json;

use crate::server_process::{ServerProcess, reflect, run, serve};

const PROJECT: &str = "a/b ü";
const PROJECT_PATH: &str = "/v1/projects/a%2Fb%20%C3%BC";

/// What `keys create` prints: one line, the key.
#[track_caller]
fn create_key(data: &Path, more: &[&str]) -> String {
    let mut command = reflect();
    command.args(["keys", "create", "--project", PROJECT, "--data"]).arg(data).args(more);
    let said = run(&mut command).succeeded();
    let key = said.strip_suffix('\n').unwrap();
    assert!(!key.contains('\n') && key.starts_with("rf_"), "{said}");
    key.to_owned()
}

/// The key opens its project and no other.
#[track_caller]
fn assert_bound(server: &ServerProcess, key: &str) {
    let http = server.client_with(key);
    http.get(&format!("{PROJECT_PATH}/traces")).unwrap().good();
    let other = http.get("/v1/projects/other/traces").unwrap();
    assert_eq!((other.status, other.code()), (403, "forbidden"));
}

#[test]
fn the_first_start_makes_a_master_key_and_prints_only_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("some/where");
    let server = ServerProcess::start(&data);
    let path = data.join("master.key");
    let key = std::fs::read_to_string(&path).unwrap();
    assert_eq!(server.said, [format!("master key: kept in {}", path.display())]);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    server.client().get("/v1/projects").unwrap().good();
    let (status, log) = server.stop("-TERM");
    assert!(status.success() && !log.contains(key.trim()), "{log}");

    let again = ServerProcess::start(&data);
    assert!(again.said.is_empty(), "{:?}", again.said);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), key);
    again.client_with(key.trim()).get("/v1/projects").unwrap().good();
}

#[test]
fn a_master_key_of_ones_own_is_not_written_down() {
    let folder = tempfile::tempdir().unwrap();
    let own = "an-operators-own-master-key";
    let mut command = serve(folder.path());
    let server = ServerProcess::start_with(folder.path(), command.env("REFLECT_MASTER_KEY", own));
    assert!(server.said.is_empty() && !folder.path().join("master.key").exists());
    server.client_with(own).get("/v1/projects").unwrap().good();
    let said = run(reflect().args(["keys", "create", "--data"]).arg(folder.path())).refused();
    assert!(said.contains("REFLECT_MASTER_KEY"), "{said}");
    let key = run(reflect().args(["keys", "create", "--data"]).arg(folder.path()).env("REFLECT_MASTER_KEY", own));
    server.client_with(key.succeeded().trim()).get("/v1/projects/default/traces").unwrap().good();
}

#[test]
fn keys_are_made_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_key(folder.path(), &["--label", "ci", "--environment", "test"]);
    assert!(key.starts_with("rf_test_"), "{key}");
    let reader = create_key(folder.path(), &["--scope", "trace:read"]);
    let server = ServerProcess::start(folder.path());
    assert_bound(&server, &key);
    assert_bound(&server, &reader);
    let keys = server.client().get(&format!("{PROJECT_PATH}/api-keys")).unwrap().good();
    let labels: Vec<&str> = keys.as_array().unwrap().iter().map(|key| key["label"].as_str().unwrap()).collect();
    assert!(labels.contains(&"ci") && labels.contains(&"command line"), "{keys}");
}

#[test]
fn keys_are_made_through_the_server_that_runs() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    assert_bound(&server, &create_key(folder.path(), &[]));
    let key = create_key(folder.path(), &["--scope", "memory:read", "--scope", "trace:read"]);
    assert_bound(&server, &key);
    let http = server.client_with(&key);
    let task = json!({"task": "find the report", "trajectory": []});
    http.post(&format!("{PROJECT_PATH}/memory/query"), &task).unwrap().good();
    let refused = http.post(&format!("{PROJECT_PATH}/traces"), &task).unwrap();
    assert_eq!((refused.status, refused.code()), (403, "forbidden"), "{refused:?}");
}

#[test]
fn a_proxy_is_not_asked_for_the_server_on_this_machine() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let mut command = reflect();
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY"] {
        // Nobody listens there.
        command.env(name, "http://127.0.0.1:1");
    }
    let key = run(command.args(["keys", "create", "--project", PROJECT, "--data"]).arg(folder.path())).succeeded();
    assert_bound(&server, key.trim());
}

#[test]
fn a_wrong_wish_is_refused_with_what_is_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |arguments: &[&str]| {
        let said = run(reflect().args(["keys", "create", "--data"]).arg(folder.path()).args(arguments)).refused();
        assert!(!folder.path().join("reflect.db").exists());
        said
    };
    let said = refused(&["--scope", "memory:reed"]);
    assert!(said.contains("--scope") && said.contains("memory:reed") && said.contains("memory:read"), "{said}");
    let said = refused(&["--environment", "prod"]);
    assert!(said.contains("--environment") && said.contains("live") && said.contains("test"), "{said}");
    let said = refused(&["--project", ""]);
    assert!(said.contains("--project"), "{said}");
}

#[test]
fn an_empty_master_key_file_is_not_taken_for_a_key() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("master.key"), "\n").unwrap();
    let said = run(&mut serve(folder.path())).refused();
    assert!(said.contains("master.key") && said.contains("empty"), "{said}");
}

#[test]
fn a_master_key_that_can_be_guessed_or_written_by_others_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("master.key");
    std::fs::write(&path, "x\n").unwrap();
    let said = run(&mut serve(folder.path())).refused();
    assert!(said.contains("master.key") && said.contains("at least 16 visible"), "{said}");
    std::fs::write(&path, "an-operators-own-master-key\n").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    let said = run(&mut serve(folder.path())).refused();
    assert!(said.contains("mode 0666") && said.contains("chmod 600") && !said.contains("operators-own"), "{said}");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    ServerProcess::start(folder.path()).client().get("/v1/projects").unwrap().good();
}

/// The keys of the project as `keys list --json` shows them, by their labels.
#[track_caller]
fn listed(data: &Path, label: &str) -> Vec<serde_json::Value> {
    let said = run(reflect().args(["keys", "list", "--json", "--project", PROJECT, "--data"]).arg(data)).succeeded();
    let keys: Vec<serde_json::Value> = serde_json::from_str(&said).unwrap();
    keys.into_iter().filter(|key| key["label"] == label).collect()
}

#[track_caller]
fn keys(data: &Path, arguments: &[&str]) -> String {
    run(reflect().arg("keys").args(arguments).args(["--project", PROJECT, "--data"]).arg(data)).succeeded()
}

#[test]
fn keys_are_listed_with_their_last_use_and_their_end() {
    let folder = tempfile::tempdir().unwrap();
    let key = create_key(folder.path(), &["--label", "ci", "--expires-in", "90d", "--scope", "trace:read"]);
    let table = keys(folder.path(), &["list"]);
    assert!(table.starts_with("PUBLIC ID") && table.contains("ci") && table.contains("never"), "{table}");
    assert!(table.contains("trace:read") && table.contains("active") && !table.contains(&key), "{table}");
    let server = ServerProcess::start(folder.path());
    server.client_with(&key).get(&format!("{PROJECT_PATH}/traces")).unwrap().good();
    let [listed] = listed(folder.path(), "ci").try_into().unwrap();
    assert!(listed["last_used_at"].is_string() && listed["expires_at"].is_string(), "{listed}");
}

#[test]
fn a_key_is_revoked_by_any_of_its_names_with_a_server_and_without() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (create_key(folder.path(), &["--label", "a"]), create_key(folder.path(), &["--label", "b"]));
    let said = keys(folder.path(), &["revoke", &first]);
    assert!(said.starts_with("revoked ") && said.contains("(a)"), "{said}");
    let server = ServerProcess::start(folder.path());
    let status = |key: &str| server.client_with(key).get(&format!("{PROJECT_PATH}/traces")).unwrap().status;
    assert_eq!((status(&first), status(&second)), (401, 200));
    let [listed] = listed(folder.path(), "b").try_into().unwrap();
    keys(folder.path(), &["revoke", listed["public_id"].as_str().unwrap()]);
    keys(folder.path(), &["revoke", listed["id"].as_str().unwrap()]);
    assert_eq!(status(&second), 401);
    let mut command = reflect();
    let said =
        run(command.args(["keys", "revoke", "nobody", "--project", PROJECT, "--data"]).arg(folder.path())).refused();
    assert!(said.contains("`nobody`") && said.contains("keys list"), "{said}");
}

#[test]
fn a_rotated_key_may_do_what_the_old_one_could() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let old = create_key(folder.path(), &["--label", "ci", "--scope", "trace:read", "--expires-in", "2h"]);
    let kept = keys(folder.path(), &["rotate", &old, "--keep-old"]);
    let new = keys(folder.path(), &["rotate", &old]);
    let status = |key: &str| server.client_with(key.trim()).get(&format!("{PROJECT_PATH}/traces")).unwrap().status;
    assert_eq!((status(&old), status(&kept), status(&new)), (401, 200, 200));
    let keys = listed(folder.path(), "ci");
    assert_eq!(keys.len(), 3);
    for key in &keys {
        assert_eq!(key["scopes"], json!(["trace:read"]));
        assert!(key["expires_at"].is_string(), "{key}");
    }
    let mut command = reflect();
    let said = run(command.args(["keys", "rotate", &old, "--project", PROJECT, "--data"]).arg(folder.path())).refused();
    assert!(said.contains("is revoked") && said.contains("keys create"), "{said}");
}

#[test]
fn keys_of_a_server_elsewhere_are_looked_after_with_a_key_that_may() {
    let folder = tempfile::tempdir().unwrap();
    let server = ServerProcess::start(folder.path());
    let admin = create_key(folder.path(), &[]);
    let elsewhere = |key: &str, arguments: &[&str]| {
        let mut command = reflect();
        command.arg("keys").args(arguments).args(["--url", &server.url, "--project", PROJECT]);
        run(command.env("REFLECT_API_KEY", key))
    };
    let reader = elsewhere(&admin, &["create", "--scope", "trace:read", "--label", "reader"]).succeeded();
    assert!(elsewhere(&admin, &["list"]).succeeded().contains("reader"));
    let said = elsewhere(reader.trim(), &["list"]).refused();
    assert!(said.contains("keys:write"), "{said}");
    let said = elsewhere("", &["list"]).refused();
    assert!(said.contains("REFLECT_API_KEY"), "{said}");
}
