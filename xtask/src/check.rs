//! `cargo xtask check`: what a change of some crates can break, in a few minutes.

use std::{collections::BTreeSet, fs};

use anyhow::Context;

use crate::{
    guards,
    shell::{root, run, say},
    stages::{self, Selection, rust_tests},
    test::run_stage,
};

/// Folders that no Rust test reads, with the stage that looks at them.
const ELSEWHERE: &[(&str, &str)] = &[
    ("benches/", "benches"),
    ("console/", "console"),
    ("packaging/", "dist"),
    ("python/", "sdk"),
    ("tests/python/", "python"),
    ("tools/embedder/", "embedder"),
    ("tools/postgres/", "postgres"),
];

/// Servers that are killed again and again: minutes, and only the stage `unit` has them.
const LEFT_OUT: &str = "not test(/^kill::/)";

/// Formats, lints and tests the crates that differ from a commit, and all that depend on them.
pub(crate) fn check(arguments: &[&str]) -> anyhow::Result<()> {
    let base = match arguments {
        [] => guards::last_green().or_else(|| guards::commit("@{upstream}").ok()),
        [name] => Some(guards::commit(name).with_context(|| format!("there is no commit `{name}`"))?),
        _ => anyhow::bail!("`cargo xtask check` takes a commit to compare with, or nothing"),
    };
    let changed = match &base {
        Some(commit) => Changed::of(&guards::changed_since(commit)?)?,
        None => Changed { everything: true, ..Changed::default() },
    };
    match &base {
        Some(commit) => {
            say(&format!("since {}: {}", guards::git(&["log", "-1", "--format=%h %s", commit])?, changed.shown()))
        }
        None => say("nothing was green here yet, and there is no upstream: everything counts as changed"),
    }
    for stage in ["format", "lint"] {
        run_stage(stages::named(stage)?)?;
    }
    if changed.everything || !changed.crates.is_empty() {
        let filter = changed.filter();
        say("\n== tests");
        run(rust_tests(&Selection {
            targets: &[],
            nextest: &["-E", &filter, "--no-tests", "pass"],
            cargo: &["--all-targets", "--", "--skip", "kill::"],
        }))?;
    }
    changed.say_what_was_left_out();
    Ok(())
}

/// What differs from a commit.
#[derive(Default)]
struct Changed {
    /// Something that any test may depend on.
    everything: bool,
    /// The names of crates.
    crates: BTreeSet<String>,
    /// Stages that are asked for by name.
    stages: BTreeSet<&'static str>,
}

impl Changed {
    fn of(files: &[String]) -> anyhow::Result<Self> {
        let mut changed = Self::default();
        for file in files {
            let mut parts = file.split('/');
            match (parts.next(), parts.next(), ELSEWHERE.iter().find(|(folder, _)| file.starts_with(folder))) {
                (_, _, Some((_, stage))) => drop(changed.stages.insert(stage)),
                (Some("crates"), Some(name), _) => drop(changed.crates.insert(name.to_owned())),
                (Some("examples"), Some(_), _) => drop(changed.crates.insert("reflect-examples".to_owned())),
                (Some("xtask"), Some(_), _) => drop(changed.crates.insert("xtask".to_owned())),
                (Some(".ci"), ..) => {}
                _ if file.ends_with(".md") => changed.crates.extend(readers_of(file)?),
                _ => changed.everything = true,
            }
        }
        Ok(changed)
    }

    fn shown(&self) -> String {
        if self.everything {
            return "everything counts as changed".to_owned();
        }
        if self.crates.is_empty() {
            return "no crate has changed".to_owned();
        }
        let crates: Vec<&str> = self.crates.iter().map(String::as_str).collect();
        format!("{} changed, and all that depends on it is tested", crates.join(", "))
    }

    /// What nextest runs.
    fn filter(&self) -> String {
        if self.everything {
            return LEFT_OUT.to_owned();
        }
        let crates: Vec<String> = self.crates.iter().map(|name| format!("rdeps(={name})")).collect();
        format!("({}) and {LEFT_OUT}", crates.join(" or "))
    }

    fn say_what_was_left_out(&self) {
        say("\nchecked, without: kill tests, examples in documentation, Python, the browser, PostgreSQL");
        for stage in &self.stages {
            say(&format!("changed and not looked at: run `cargo xtask test {stage}`"));
        }
        say("`cargo xtask test` runs all of it");
    }
}

/// The crates whose sources name a document: they hold it against the code, or show it as their own.
fn readers_of(document: &str) -> anyhow::Result<Vec<String>> {
    let name = document.rsplit('/').next().unwrap_or(document);
    let mut readers = Vec::new();
    for entry in fs::read_dir(root().join("crates"))? {
        let folder = entry?.path();
        let found =
            guards::git(&["grep", "--quiet", "--fixed-strings", name, "--", &format!("{}/*.rs", folder.display())]);
        if found.is_ok() {
            readers.extend(folder.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
    }
    readers.push("xtask".to_owned());
    Ok(readers)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(files: &[&str]) -> Changed {
        let files: Vec<String> = files.iter().map(|file| (*file).to_owned()).collect();
        Changed::of(&files).unwrap()
    }

    #[test]
    fn what_depends_on_a_changed_crate_is_tested() {
        let changed = changed(&["crates/reflect-mcp/src/lib.rs", "crates/reflect-mcp/Cargo.toml", "xtask/src/main.rs"]);
        assert_eq!(changed.filter(), "(rdeps(=reflect-mcp) or rdeps(=xtask)) and not test(/^kill::/)");
    }

    #[test]
    fn what_no_rust_test_reads_is_left_to_its_stage() {
        let changed = changed(&["console/src/main.tsx", "tests/python/conftest.py", ".ci/passed"]);
        assert!(!changed.everything && changed.crates.is_empty());
        assert_eq!(changed.stages.into_iter().collect::<Vec<_>>(), ["console", "python"]);
    }

    #[test]
    fn a_document_is_held_against_the_crates_that_name_it() {
        let changed = changed(&["docs/mcp.md"]);
        assert!(!changed.everything && changed.crates.contains("reflect"), "{:?}", changed.crates);
    }

    #[test]
    fn whatever_else_has_changed_counts_as_everything() {
        for file in ["Cargo.lock", ".cargo/config.toml", "spec/openapi.json", "clippy.toml"] {
            assert!(changed(&[file]).everything, "{file}");
        }
    }
}
