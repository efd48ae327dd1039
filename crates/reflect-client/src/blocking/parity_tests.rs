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
    files
        .chain(["scope/mod.rs", "scope/output.rs"].map(|file| source.join(file)))
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect()
}

/// Each builder with its options, but for those that a macro writes for several.
fn builders(sources: &str) -> Vec<(&str, BTreeSet<String>)> {
    let blocks = sources.split("\nimpl ").skip(1).filter_map(|rest| rest.split_once(" {\n"));
    blocks.map(|(name, body)| (name, functions(body.split("\n}").next().unwrap(), &["self", "-> Self"]))).collect()
}

/// The options in the tables of `setters!`, each with its builder. Where a macro writes a table for several, that is `$builder`.
fn tables(sources: &str) -> Vec<(&str, BTreeSet<String>)> {
    let blocks = sources.split("setters! { ").skip(1).filter_map(|rest| rest.split_once(":\n"));
    let rows = |body: &str| {
        let rows = body.lines().take_while(|line| line.trim() != "}").filter_map(|line| line.split_once(") => "));
        rows.filter_map(|(row, _)| row.trim().split('(').next().map(str::to_owned)).collect()
    };
    blocks.map(|(builder, body)| (builder, rows(body))).collect()
}

fn missing(wanted: &BTreeSet<String>, here: &str) -> Vec<String> {
    wanted.iter().filter(|name| !here.contains(&format!(" {name}("))).cloned().collect()
}

#[test]
fn every_option_of_the_async_builders_is_handed_on() {
    let (sources, here) = (sources(), include_str!("options.rs"));
    let mut all = functions(&sources, &["self", "-> Self"]);
    all.extend(tables(&sources).into_iter().flat_map(|(_, options)| options));
    assert!(all.len() > 30, "{all:?}");
    assert_eq!(missing(&all, here), [""; 0]);
    let tables = tables(&sources).into_iter().filter(|(builder, _)| !builder.starts_with('$'));
    for (builder, options) in builders(&sources).into_iter().chain(tables).filter(|(_, options)| !options.is_empty()) {
        let handed_on = here.split(&format!("    {builder} {{\n")).nth(1).and_then(|rest| rest.split("    }\n").next());
        assert_eq!(missing(&options, handed_on.unwrap_or_default()), [""; 0], "of {builder}");
    }
}

#[test]
fn every_call_of_the_async_client_is_here() {
    let mut calls = functions(&sources(), &["&self"]);
    assert!(calls.len() > 25, "{calls:?}");
    // Of a list, and so in `call.rs`.
    calls.remove("page");
    assert_eq!(missing(&calls, include_str!("calls.rs")), [""; 0]);
}
