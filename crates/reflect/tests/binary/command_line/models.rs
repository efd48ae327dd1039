//! `reflect model install`, as far as it needs no network.

use crate::server_process::{reflect, run};

#[test]
fn a_model_that_is_not_known_is_refused_with_those_that_are() {
    let folder = tempfile::tempdir().unwrap();
    let said = run(reflect().args(["model", "install", "gpt-9"]).env("XDG_CACHE_HOME", folder.path())).refused();
    assert!(said.contains("`gpt-9`") && said.contains("all-MiniLM-L6-v2"), "{said}");
}

#[test]
fn other_weights_than_the_published_ones_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model.safetensors"), "something else").unwrap();
    let install = |from: &std::path::Path| {
        let mut command = reflect();
        command.args(["model", "install", "all-MiniLM-L6-v2", "--from"]).arg(from);
        run(command.env("XDG_CACHE_HOME", folder.path().join("cache"))).refused()
    };
    let said = install(folder.path());
    assert!(said.contains("SHA-256"), "{said}");
    let said = install(&folder.path().join("nowhere"));
    assert!(said.contains("nowhere"), "{said}");
    assert!(!folder.path().join("cache/reflect/models/all-MiniLM-L6-v2.safetensors").exists());
}

#[test]
fn a_server_says_how_to_get_a_model_that_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = reflect();
    command.args(["serve", "--listen", "127.0.0.1:0", "--embedder", "all-MiniLM-L6-v2", "--data"]).arg(folder.path());
    let said = run(command.env("XDG_CACHE_HOME", folder.path())).refused();
    assert!(said.contains("reflect model install all-MiniLM-L6-v2"), "{said}");
}
