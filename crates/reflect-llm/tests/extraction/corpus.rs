//! The corpus of replies, and what must come out of them.

use std::collections::BTreeSet;

use reflect_llm::ParseStatus;

use crate::reader::{Expected, read_corpus};

#[test]
fn the_corpus_has_enough_cases_with_names_of_their_own() {
    let cases = read_corpus();
    let names: BTreeSet<&str> = cases.iter().map(|case| case.name.as_str()).collect();
    assert!(cases.len() >= 120, "{} cases", cases.len());
    assert_eq!(names.len(), cases.len());
}

#[test]
fn the_corpus_never_calls_nothing_clean() {
    for case in read_corpus() {
        assert!(case.status == ParseStatus::Fallback || case.expected != Expected::None, "{}", case.name);
    }
}
