//! Where settings come from, and what happens to wrong ones.

use std::{os::unix::fs::PermissionsExt, path::PathBuf, process::Command};

use serde_json::json;

use crate::server_process::{ServerProcess, run, serve};

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn data(&self) -> PathBuf {
        self.0.path().join("data")
    }

    fn serve(&self) -> Command {
        serve(&self.data())
    }

    fn config(&self, text: &str) -> PathBuf {
        let path = self.0.path().join("reflect.toml");
        std::fs::write(&path, text).unwrap();
        path
    }

    /// What the server says when it refuses to start. It must not have touched anything.
    #[track_caller]
    fn refused(&self, command: &mut Command) -> String {
        let said = run(command).refused();
        assert!(!self.data().exists(), "a refused start made the data folder");
        said
    }
}

#[test]
fn a_wrong_flag_names_key_value_and_what_is_allowed() {
    let folder = Folder::new();
    let said = folder.refused(folder.serve().args(["--alpha", "1.5"]));
    assert_eq!(said, "reflect: `alpha` is `1.5` (from --alpha), it must be a number between 0 and 1\n");
    let said = folder.refused(folder.serve().args(["--log-format", "xml"]));
    assert_eq!(said, "reflect: `log_format` is `xml` (from --log-format), it must be one of text, json\n");
    let said = folder.refused(folder.serve().args(["--log", "info,=nonsense=,"]));
    assert!(said.contains("`log` is `info,=nonsense=,`"), "{said}");
}

#[test]
fn a_wrong_variable_names_key_value_and_what_is_allowed() {
    let folder = Folder::new();
    let said = folder.refused(folder.serve().env("REFLECT_WORKERS", "0"));
    assert_eq!(
        said,
        "reflect: `workers` is `0` (from REFLECT_WORKERS), it must be a whole number between 1 and 1000\n"
    );
    let said = folder.refused(folder.serve().env("REFLECT_MASTER_KEY", "hunter2"));
    assert!(said.contains("`master_key`") && said.contains("16") && !said.contains("hunter2"), "{said}");
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_no_text_is_refused_too() {
    use std::os::unix::ffi::OsStrExt;
    let folder = Folder::new();
    let said = folder.refused(folder.serve().env("REFLECT_ALPHA", std::ffi::OsStr::from_bytes(b"0.\xff")));
    assert!(said.contains("REFLECT_ALPHA"), "{said}");
}

#[test]
fn a_wrong_line_of_the_file_names_file_key_value_and_what_is_allowed() {
    let folder = Folder::new();
    let config = folder.config("listen = \"here\"\n");
    let mut command = crate::server_process::reflect();
    command.args(["serve", "--data"]).arg(folder.data()).arg("--config").arg(&config);
    let said = folder.refused(&mut command);
    let expected = format!(
        "reflect: `listen` is `here` (from {}), it must be an address and port such as 127.0.0.1:8000\n",
        config.display()
    );
    assert_eq!(said, expected);

    let config = folder.config("alpha = [0.1]\n");
    let said = folder.refused(folder.serve().arg("--config").arg(&config));
    assert!(said.contains("`alpha` as array") && said.contains("a text or a number"), "{said}");
    // A secret without its quotes is no TOML; the line that holds it is not repeated.
    let config = folder.config("alpha = 0.2\nmaster_key = rf_live_a_very_secret_key\n");
    let said = folder.refused(folder.serve().arg("--config").arg(&config));
    assert!(said.contains("line 2") && !said.contains("very_secret"), "{said}");
}

#[test]
fn an_unknown_key_in_the_file_is_refused_and_the_known_ones_are_named() {
    let folder = Folder::new();
    let config = folder.config("alhpa = 0.2\n");
    let said = folder.refused(folder.serve().env("REFLECT_CONFIG", &config));
    assert!(said.contains("`alhpa`") && said.contains("alpha") && said.contains("reflect.toml"), "{said}");
    let said = folder.refused(folder.serve().args(["--config", "/nowhere/reflect.toml"]));
    assert!(said.contains("/nowhere/reflect.toml"), "{said}");
    let config = folder.config("alpha 0.2\n");
    let said = folder.refused(folder.serve().arg("--config").arg(&config));
    assert!(said.contains("not valid TOML") && said.contains("reflect.toml"), "{said}");
}

#[test]
fn flags_win_over_variables_over_the_file_over_defaults() {
    let folder = Folder::new();
    let config = folder.config("alpha = 0.1\nmax_task_length = 10\nmax_list_length = 3\n");
    let mut command = folder.serve();
    command
        .args(["--alpha", "0.25", "--config"])
        .arg(config)
        .env("REFLECT_ALPHA", "0.2")
        .env("REFLECT_MAX_TASK_LENGTH", "20");
    let server = ServerProcess::start_with(&folder.data(), &mut command);
    let http = server.client();
    let create = |task_length: usize, messages: usize| {
        let message = json!({"role": "user", "content": "hello"});
        let body = json!({"task": "t".repeat(task_length), "trajectory": vec![message; messages]});
        http.post("/v1/projects/default/traces", &body).unwrap()
    };
    // From the environment: 20, where the file says 10. From the file: 3, where the default is 10,000.
    assert_eq!(create(21, 1).status, 422);
    assert_eq!(create(20, 4).status, 422);
    let trace = create(20, 3).good();
    // From the flag.
    let path = format!("/v1/projects/default/traces/{}/review", trace["trace_id"].as_str().unwrap());
    let reviewed = http.post(&path, &json!({"result": "pass"})).unwrap().good();
    assert_eq!(reviewed["review"]["alpha"], 0.25);
    // And the default, which nobody touched.
    let query = json!({"task": "t", "explain": true});
    let found = http.post("/v1/projects/default/memory/query", &query).unwrap().good();
    assert_eq!(found.as_array().unwrap().len(), 1);
}

#[test]
fn a_secret_can_stand_in_a_file() {
    let folder = Folder::new();
    let key = "an-operators-own-master-key";
    let path = folder.0.path().join("secret");
    std::fs::write(&path, format!("{key}\n")).unwrap();
    let mut command = folder.serve();
    let server = ServerProcess::start_with(&folder.data(), command.env("REFLECT_MASTER_KEY_FILE", &path));
    server.client_with(key).get("/v1/projects").unwrap().good();
    assert!(!folder.data().join("master.key").exists());
    let (_, log) = server.stop("-TERM");
    assert!(!log.contains("operators-own") && !log.contains("command line"), "{log}");

    let folder = Folder::new();
    let refused = |path: &std::path::Path| folder.refused(folder.serve().env("REFLECT_MASTER_KEY_FILE", path));
    let said = refused(&folder.0.path().join("nowhere"));
    assert!(said.contains("nowhere") && said.contains("REFLECT_MASTER_KEY_FILE"), "{said}");
    let short = folder.0.path().join("short");
    std::fs::write(&short, "hunter2").unwrap();
    let said = refused(&short);
    assert!(said.contains("`master_key`") && said.contains("16") && !said.contains("hunter2"), "{said}");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    let said = refused(&path);
    assert!(said.contains("mode 0666") && said.contains("REFLECT_MASTER_KEY_FILE"), "{said}");
    let both = folder.refused(folder.serve().env("REFLECT_MASTER_KEY_FILE", &short).env("REFLECT_MASTER_KEY", key));
    assert!(both.contains("both set"), "{both}");
}

#[test]
fn a_secret_on_the_command_line_is_warned_about() {
    let folder = Folder::new();
    let mut command = folder.serve();
    command.args(["--bootstrap-token", "a-very-secret-token"]);
    let (status, log) = ServerProcess::start_with(&folder.data(), &mut command).stop("-TERM");
    assert!(status.success());
    assert!(log.contains("--bootstrap-token") && log.contains("command line") && !log.contains("very-secret"), "{log}");
}

#[test]
fn a_slow_request_is_logged_with_what_it_waited_for() {
    let folder = Folder::new();
    let mut command = folder.serve();
    let server = ServerProcess::start_with(&folder.data(), command.args(["--slow-request", "1"]));
    let http = server.client();
    let body = json!({"task": "find the report", "trajectory": []});
    let trace = http.post("/v1/projects/default/traces", &body).unwrap().good();
    let path = format!("/v1/projects/default/traces/{}/review", trace["trace_id"].as_str().unwrap());
    http.post(&path, &json!({"result": "pass"})).unwrap().good();
    let (_, log) = server.stop("-TERM");
    let slow: Vec<&str> = log.lines().filter(|line| line.contains("a slow request") && line.contains(&path)).collect();
    assert!(slow.len() == 1 && slow[0].contains("lesson ") && slow[0].contains("took_ms="), "{log}");
}
