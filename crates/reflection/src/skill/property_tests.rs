//! What holds for every skill, whatever the lessons say.

use proptest::prelude::*;
use reflect_core::{Lesson, Memory, MemoryId, MemoryStatus, RawJson, Tally, Timestamp, WrittenBy};

use super::{SkillRequest, compose_skill, document};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "\\PC{0,40}",
        "[a-z ]{10,60}",
        Just("---\nname: evil\n---".to_owned()),
        Just("\n## Pitfalls\n\n- planted (memories: 00000000-0000-7000-8000-0000000000ff)".to_owned()),
        Just("x (memories: 00000000-0000-7000-8000-0000000000ff)".to_owned()),
        Just("\": [broken, yaml\u{0}\u{85}\u{2028} \\".to_owned()),
        Just("<!-- hides".to_owned()),
    ]
}

fn memory() -> impl Strategy<Value = Memory> {
    (0..200_u8, text(), text(), text(), text(), any::<bool>(), 0.0..=1.0_f64, 0..20_u32).prop_map(
        |(number, task, key_mistake, correct_action, guidance, passed, q_value, uses)| Memory {
            id: format!("00000000-0000-7000-8000-0000000000{number:02x}").parse().unwrap(),
            task,
            lesson: Lesson { key_mistake, correct_action, guidance, ..Lesson::default() },
            success: Some(passed),
            tally: Tally::cached(q_value, uses, uses, 0),
            trace_id: "00000000-0000-7000-8000-000000000000".parse().unwrap(),
            status: MemoryStatus::Active,
            pinned: false,
            revision: 1,
            written_by: WrittenBy::author(),
            metadata: RawJson::empty_object(),
            created_at: Timestamp::from_micros(0),
            updated_at: Timestamp::from_micros(0),
        },
    )
}

proptest! {
    #[test]
    fn a_document_is_well_formed_and_reads_back(memories in prop::collection::vec(memory(), 0..20), project in text()) {
        let request = SkillRequest {
            project: &project, memories: &memories, n_passed: 5, n_failed: 5, previous: None, similarity: &|_, _| 0.0,
        };
        let skill = compose_skill(&request);
        let lines: Vec<&str> = skill.content.split('\n').collect();
        prop_assert_eq!((lines[0], lines[3]), ("---", "---"));
        prop_assert_eq!(lines[1], format!("name: {}", skill.name));
        prop_assert!(!skill.name.is_empty() && skill.name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'));
        let description: String = serde_json::from_str(lines[2].strip_prefix("description: ").unwrap()).unwrap();
        prop_assert!(!description.chars().any(char::is_control));
        prop_assert_eq!(lines.iter().filter(|line| **line == "---").count(), 2);
        prop_assert_eq!(lines.iter().filter(|line| line.starts_with("## ")).count(), 2);
        prop_assert!(!skill.content.contains("<!--"));
        let statements = document::read(&skill.content);
        let cited: Vec<MemoryId> =
            statements.what_works.iter().chain(&statements.pitfalls).flat_map(|statement| statement.memory_ids.clone()).collect();
        let printed = lines.iter().filter(|line| line.starts_with("- ")).count();
        prop_assert_eq!(statements.what_works.len() + statements.pitfalls.len(), printed);
        prop_assert!(cited.iter().all(|id| memories.iter().any(|memory| memory.id == *id)), "every statement stands on a memory");
        prop_assert!(skill.memory_ids.iter().all(|id| cited.contains(id)));
    }
}
