//! What has changed since it was last found in order.
//!
//! `.ci/passed` has a line for each stage that runs rarely: a hash of the files that it guards, as they were when it passed. It is
//! committed with the change that it was run for, so that nobody runs the stage for that change again. A release believes none of it.

use std::{collections::BTreeMap, fs, path::PathBuf, process::Command};

use anyhow::Context;

use crate::shell::{notes, root};

/// Whether any of these files differs from what the stage last passed with.
pub(crate) fn have_changed(stage: &str, guarded: &[&str]) -> anyhow::Result<bool> {
    Ok(passed()?.get(stage) != Some(&hash(guarded)?))
}

/// Writes down that the stage has passed with these files as they are.
pub(crate) fn note_passed(stage: &str, guarded: &[&str]) -> anyhow::Result<()> {
    let mut passed = passed()?;
    passed.insert(stage.to_owned(), hash(guarded)?);
    let lines: Vec<String> = passed.iter().map(|(stage, hash)| format!("{stage} {hash}\n")).collect();
    fs::write(passed_file(), lines.concat()).context("writing `.ci/passed`")
}

/// Writes down that everything has passed at the commit that is checked out, if nothing is there beside it.
pub(crate) fn remember_green() -> anyhow::Result<()> {
    if git(&["status", "--porcelain", "--", ".", ":!.ci/passed"])?.is_empty() {
        fs::write(notes()?.join("green"), git(&["rev-parse", "HEAD"])?)?;
    }
    Ok(())
}

/// The commit at which everything last passed here, if it is still there.
pub(crate) fn last_green() -> Option<String> {
    let commit = fs::read_to_string(notes().ok()?.join("green")).ok()?;
    self::commit(&commit).ok()
}

/// The whole name of a commit.
pub(crate) fn commit(name: &str) -> anyhow::Result<String> {
    git(&["rev-parse", "--verify", &format!("{name}^{{commit}}")])
}

/// The files that differ from a commit, and those that git does not know yet.
pub(crate) fn changed_since(commit: &str) -> anyhow::Result<Vec<String>> {
    let differing = git(&["diff", "--name-only", commit, "--"])?;
    let new = git(&["ls-files", "--others", "--exclude-standard"])?;
    Ok(differing.lines().chain(new.lines()).map(str::to_owned).collect())
}

fn passed_file() -> PathBuf {
    root().join(".ci/passed")
}

fn passed() -> anyhow::Result<BTreeMap<String, String>> {
    let lines = fs::read_to_string(passed_file()).context("reading `.ci/passed`")?;
    Ok(lines
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(stage, hash)| (stage.to_owned(), hash.to_owned()))
        .collect())
}

/// A hash of the names and contents of files, as they are in the folder and not as they are committed.
fn hash(guarded: &[&str]) -> anyhow::Result<String> {
    let listed = git(&[&["ls-files", "--cached", "--others", "--exclude-standard", "--"], guarded].concat())?;
    let files: Vec<&str> = listed.lines().filter(|file| root().join(file).exists()).collect();
    anyhow::ensure!(!files.is_empty(), "there is none of {guarded:?}");
    let contents = git(&[&["hash-object", "--"], files.as_slice()].concat())?;
    let named: Vec<String> =
        files.iter().zip(contents.lines()).map(|(file, hash)| format!("{file} {hash}\n")).collect();
    let list = notes()?.join("guarded");
    fs::write(&list, named.concat())?;
    git(&["hash-object", &list.display().to_string()])
}

/// What git answers, without the line's end.
pub(crate) fn git(arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git").args(arguments).current_dir(root()).output().context("starting `git`")?;
    let problem = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "`git {}`: {}", arguments.join(" "), problem.trim());
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}
