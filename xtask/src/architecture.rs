//! Whether `docs/architecture.md` is true about files: every path that it names is there.

use crate::shell::root;

#[test]
fn every_path_on_the_map_is_there() {
    let map = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let named: Vec<&str> = map.split('`').skip(1).step_by(2).filter(|name| is_path(name)).collect();
    assert!(named.len() > 60, "only {} paths were found", named.len());
    let missing: Vec<&&str> = named.iter().filter(|path| !exists(path)).collect();
    assert!(missing.is_empty(), "docs/architecture.md names what is not there: {missing:?}");
}

#[test]
fn every_crate_is_on_the_map() {
    let map = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    for entry in std::fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(map.contains(&format!("| `crates/{name}` |")), "docs/architecture.md has no row for crates/{name}");
    }
}

fn is_path(name: &str) -> bool {
    let has_ending = [".rs", ".md", ".toml", ".json", "/"].iter().any(|ending| name.ends_with(ending));
    name.contains('/') && has_ending && !name.contains([' ', '{', '*'])
}

/// In the repository, or among the crates.
fn exists(path: &str) -> bool {
    [root().join(path), root().join("crates").join(path), root().join("docs").join(path)]
        .iter()
        .any(|path| path.exists())
}
