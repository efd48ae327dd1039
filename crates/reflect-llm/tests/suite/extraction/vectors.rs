//! The corpus with everything that comes out of it, for other languages.

use reflect_llm::extract_json;
use serde_json::json;

use crate::extraction::{held::hold, reader::read_corpus};

/// Longer replies would only make the file large.
const LONGEST: usize = 2_000;

#[test]
fn the_vectors_say_what_comes_out_of_every_reply() {
    let cases = read_corpus();
    let vectors = cases.iter().filter(|case| case.reply.len() <= LONGEST).map(|case| {
        let found = extract_json(&case.reply, &case.shape);
        json!({
            "name": case.name,
            "shape": case.shape_name,
            "reply": case.reply,
            "status": found.status,
            "notes": found.notes,
            "value": found.value,
        })
    });
    hold("extraction", &vectors.collect::<Vec<_>>());
}
