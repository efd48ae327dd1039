//! That nothing of the async client is missing here.

use std::{collections::BTreeSet, path::Path};

/// The names of functions in a source whose signature has all of `marks`.
fn functions(source: &str, marks: &[&str]) -> BTreeSet<String> {
    let signatures = source.split("pub fn ").skip(1).chain(source.split("pub async fn ").skip(1));
    signatures
        .filter_map(|rest| rest.split_once('{').map(|(signature, _)| signature))
        .filter(|signature| marks.iter().all(|mark| signature.contains(mark)))
        .filter_map(|signature| signature.split(['(', '<']).next().map(str::to_owned))
        .collect()
}

/// The sources of the async client's calls.
fn sources() -> String {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files = std::fs::read_dir(source.join("calls")).unwrap().map(|entry| entry.unwrap().path());
    files.chain([source.join("scope/mod.rs")]).map(|file| std::fs::read_to_string(file).unwrap()).collect()
}

fn missing(wanted: &BTreeSet<String>, here: &str) -> Vec<String> {
    wanted.iter().filter(|name| !here.contains(&format!("{name}("))).cloned().collect()
}

#[test]
fn every_option_of_the_async_builders_is_handed_on() {
    let options = functions(&sources(), &["self", "-> Self"]);
    assert!(options.len() > 30, "{options:?}");
    assert_eq!(missing(&options, include_str!("options.rs")), [""; 0]);
}

#[test]
fn every_call_of_the_async_client_is_here() {
    let mut calls = functions(&sources(), &["&self"]);
    assert!(calls.len() > 25, "{calls:?}");
    // Of a list, and so in `call.rs`.
    calls.remove("page");
    assert_eq!(missing(&calls, include_str!("calls.rs")), [""; 0]);
}
