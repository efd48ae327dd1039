//! The calls against the server's own description.

use std::path::Path;

use serde_json::Value;

/// What the server offers to those who run it rather than to programs.
const FOR_OPERATORS: [&str; 2] = ["metrics", "ready"];

fn operations() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/openapi.json");
    let description: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let methods =
        description["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    methods.filter_map(|operation| operation["operationId"].as_str().map(str::to_owned)).collect()
}

#[test]
fn every_operation_of_the_api_has_a_call() {
    let files = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/calls")).unwrap();
    let sources: String = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap()).collect();
    let operations = operations();
    assert!(operations.len() > 35, "{operations:?}");
    let missing: Vec<String> = operations
        .into_iter()
        .filter(|name| !FOR_OPERATORS.contains(&name.as_str()))
        .map(|name| if name == "query_memories" { "query".to_owned() } else { name })
        .filter(|name| {
            !sources.contains(&format!("pub fn {name}(")) && !sources.contains(&format!("pub async fn {name}("))
        })
        .collect();
    assert_eq!(missing, [""; 0]);
}
