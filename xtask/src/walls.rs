//! Who may use whom: the arrows of `docs/architecture.md`, held against the manifests.

use std::collections::BTreeSet;

use crate::shell::{cargo, root};

/// Each crate with those of ours that it may depend on.
const ALLOWED: &[(&str, &[&str])] = &[
    ("reflect-core", &[]),
    ("reflect-api", &["reflect-core"]),
    ("reflect-store", &["reflect-core"]),
    ("reflect-index", &["reflect-core"]),
    ("reflect-http", &["reflect-core"]),
    ("reflect-import", &["reflect-core"]),
    ("reflect-system", &["reflect-core"]),
    ("reflect-embed", &["reflect-core", "reflect-http"]),
    // Connections and the machine's clock only with the feature `providers`.
    ("reflect-llm", &["reflect-core", "reflect-http", "reflect-system"]),
    ("reflection", &["reflect-core", "reflect-llm"]),
    // The client only with the feature `reflect`.
    ("reflexion", &["reflect-client", "reflect-core", "reflect-llm", "reflect-system", "reflection"]),
    (
        "reflect-engine",
        &["reflect-core", "reflect-store", "reflect-index", "reflect-embed", "reflect-llm", "reflection"],
    ),
    ("reflect-service", &["reflect-core", "reflect-api", "reflect-engine"]),
    ("reflect-mcp", &["reflect-core", "reflect-api", "reflect-engine", "reflect-service"]),
    ("reflect-macros", &[]),
    // The engine and what it stands on only with the feature `embedded`; never the server.
    (
        "reflect-client",
        &[
            "reflect-core",
            "reflect-api",
            "reflect-http",
            "reflect-system",
            "reflect-macros",
            "reflect-embed",
            "reflect-engine",
            "reflect-service",
            "reflect-store",
            "reflection",
        ],
    ),
    ("reflect-console", &[]),
    (
        "reflect-server",
        &["reflect-core", "reflect-api", "reflect-console", "reflect-engine", "reflect-mcp", "reflect-service"],
    ),
    (
        "reflect",
        &[
            "reflect-core",
            "reflect-api",
            "reflect-store",
            "reflect-embed",
            "reflect-http",
            "reflect-import",
            "reflect-system",
            "reflect-llm",
            "reflection",
            "reflect-engine",
            "reflect-server",
            "reflect-service",
            // Commands that ask a server, without the feature `embedded`.
            "reflect-client",
        ],
    ),
];

#[test]
fn no_crate_reaches_up() {
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let manifest = std::fs::read_to_string(root().join("crates").join(&name).join("Cargo.toml")).unwrap();
        let (_, allowed) =
            ALLOWED.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name} has no walls"));
        let allowed: BTreeSet<&str> = allowed.iter().copied().collect();
        let used: BTreeSet<&str> = dependencies(&manifest).filter(|name| name.starts_with("refle")).collect();
        let forbidden: Vec<&&str> = used.difference(&allowed).collect();
        assert!(forbidden.is_empty(), "{name} may not use {forbidden:?}");
    }
}

/// The names under `[dependencies]`; what tests use is their own business.
fn dependencies(manifest: &str) -> impl Iterator<Item = &str> {
    let section = manifest.split("[dependencies]").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    section.lines().filter_map(|line| line.split(['.', ' ', '=']).next()).filter(|name| !name.is_empty())
}

/// What the SDK leaves out unless it runs the engine itself.
const ENGINE: &[&str] = &[
    "reflect-embed",
    "reflect-engine",
    "reflect-index",
    "reflect-service",
    "reflect-store",
    "reflection",
    "reflect-llm",
    "rusqlite",
];

/// What it never has.
const SERVER: &[&str] = &["reflect-server", "axum", "utoipa-axum"];

#[test]
fn the_client_is_small_unless_it_is_embedded() {
    for features in [&["--no-default-features"][..], &[], &["--features", "blocking,macros"]] {
        let packages = packages_of("reflect-client", features);
        assert!(packages.contains("reflect-client") && packages.contains("reqwest"), "{packages:?}");
        let unwanted: Vec<_> = ENGINE.iter().chain(SERVER).filter(|name| packages.contains(**name)).collect();
        assert!(unwanted.is_empty(), "the client with {features:?} brings {unwanted:?}");
    }
}

#[test]
fn the_embedded_client_is_no_server() {
    let packages = packages_of("reflect-client", &["--features", "embedded,blocking,macros"]);
    assert!(packages.contains("reflect-engine"), "{packages:?}");
    let unwanted: Vec<_> = SERVER.iter().filter(|name| packages.contains(**name)).collect();
    assert!(unwanted.is_empty(), "the embedded client brings {unwanted:?}");
}

/// What speaks HTTP, and what that stands on.
const HTTP: &[&str] = &["reflect-http", "reqwest", "hyper", "rustls"];

#[test]
fn lessons_are_written_without_an_http_client() {
    for package in ["reflection", "reflexion"] {
        let packages = packages_of(package, &[]);
        assert!(packages.contains("reflect-llm"), "{packages:?}");
        let unwanted: Vec<_> = HTTP.iter().filter(|name| packages.contains(**name)).collect();
        assert!(unwanted.is_empty(), "{package} brings {unwanted:?}");
    }
    assert!(packages_of("reflection", &["--features", "providers"]).contains("reqwest"), "whoever asks has one");
}

/// What a package is built from, with these features, by name.
fn packages_of(package: &str, features: &[&str]) -> BTreeSet<String> {
    let tree = ["tree", "--package", package, "--edges", "normal", "--prefix", "none", "--format", "{p}"];
    let output = cargo(tree.iter().chain(features)).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).unwrap();
    lines.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}
