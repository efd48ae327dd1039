//! Help worth reading, whole.

use crate::server_process::{reflect, run};

fn help(command: &[&str]) -> String {
    // Without a terminal the width would come from here.
    let said = run(reflect().env_remove("COLUMNS").args(command).arg("--help")).succeeded();
    said.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

#[test]
fn every_command_has_its_help() {
    insta::assert_snapshot!("reflect", help(&[]));
    insta::assert_snapshot!("reflect_serve", help(&["serve"]));
    insta::assert_snapshot!("reflect_keys", help(&["keys"]));
    insta::assert_snapshot!("reflect_keys_create", help(&["keys", "create"]));
    insta::assert_snapshot!("reflect_keys_rotate", help(&["keys", "rotate"]));
    insta::assert_snapshot!("reflect_mcp", help(&["mcp"]));
    insta::assert_snapshot!("reflect_review", help(&["review"]));
    insta::assert_snapshot!("reflect_doctor", help(&["doctor"]));
    insta::assert_snapshot!("reflect_lessons", help(&["lessons"]));
    insta::assert_snapshot!("reflect_lift", help(&["lift"]));
    insta::assert_snapshot!("reflect_what_if", help(&["what-if"]));
    insta::assert_snapshot!("reflect_check", help(&["check"]));
    insta::assert_snapshot!("reflect_copy", help(&["copy"]));
    insta::assert_snapshot!("reflect_backup", help(&["backup"]));
    insta::assert_snapshot!("reflect_restore", help(&["restore"]));
    insta::assert_snapshot!("reflect_export", help(&["export"]));
    insta::assert_snapshot!("reflect_import", help(&["import"]));
    insta::assert_snapshot!("reflect_stats", help(&["stats"]));
    insta::assert_snapshot!("reflect_model_install", help(&["model", "install"]));
}

#[test]
fn nothing_and_nonsense_are_told_what_there_is() {
    let said = run(&mut reflect()).refused();
    assert!(said.contains("serve") && said.contains("keys") && said.contains("check"), "{said}");
    let said = run(reflect().arg("sevre")).refused();
    assert!(said.contains("sevre") && said.contains("serve"), "{said}");
    let said = run(reflect().args(["serve", "--lisen", "127.0.0.1:0"])).refused();
    assert!(said.contains("--lisen") && said.contains("--listen"), "{said}");
}

#[test]
fn shells_and_man_learn_every_command() {
    for shell in ["bash", "fish", "zsh"] {
        let said = run(reflect().args(["completions", shell])).succeeded();
        assert!(said.contains("restore") && said.contains("retrieval-days"), "{shell}: {said}");
    }
    let folder = tempfile::tempdir().unwrap();
    run(reflect().arg("man").arg(folder.path())).succeeded();
    let page = std::fs::read_to_string(folder.path().join("reflect-serve.1")).unwrap();
    assert!(page.contains("retrieval\\-days"), "{page}");
    assert!(folder.path().join("reflect-keys-create.1").exists() && folder.path().join("reflect.1").exists());
}

#[test]
fn the_version_is_printed() {
    let said = run(reflect().arg("--version")).succeeded();
    assert_eq!(said, format!("reflect {}\n", env!("CARGO_PKG_VERSION")));
}
