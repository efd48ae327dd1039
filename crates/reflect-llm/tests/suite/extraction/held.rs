//! Files under `spec/vectors`: what our code makes of given inputs, for clients in other languages to be held to.

use std::{fs, path::Path};

use serde_json::Value;

/// Fails where `spec/vectors/NAME.json` does not hold these vectors; with `REFLECT_WRITE_VECTORS` set, writes them instead.
pub(crate) fn hold(name: &str, vectors: &[Value]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../spec/vectors").join(format!("{name}.json"));
    // One a line, so that a change of one is seen as one.
    let lines: Vec<String> = vectors.iter().map(Value::to_string).collect();
    let said = format!("[\n{}\n]\n", lines.join(",\n"));
    if std::env::var_os("REFLECT_WRITE_VECTORS").is_some() {
        fs::write(&path, &said).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap_or_default();
    let differing = committed.lines().zip(said.lines()).find(|(committed, said)| committed != said);
    assert!(
        committed == said,
        "`spec/vectors/{name}.json` says otherwise: {differing:#?}\nif the code is right, run the tests with REFLECT_WRITE_VECTORS=1"
    );
}
