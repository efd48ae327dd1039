//! Lessons that try to write a skill.

use reflect_core::{Lesson, Memory, MemoryId, MemoryStatus, Outcome, RawJson, Tally, Timestamp, WrittenBy};
use reflect_llm::{ScriptedModel, ScriptedStep};

use super::{ATTACKS, echoing, titles};
use crate::{SkillOptions, SkillRequest, compose_skill, write_skill};

fn memory(number: u8, passed: bool, attack: &str) -> Memory {
    let id: MemoryId = format!("00000000-0000-7000-8000-0000000000{number:02x}").parse().unwrap();
    Memory {
        id,
        task: format!("Refund order {number} {attack}"),
        lesson: Lesson {
            summary: attack.into(),
            key_mistake: attack.into(),
            correct_action: format!("Call get_order{number} first. {attack}"),
            guidance: attack.into(),
            ..Lesson::default()
        },
        success: Some(passed),
        tally: Tally::of([(Outcome::Pass, 0.3)]),
        trace_id: "00000000-0000-7000-8000-000000000000".parse().unwrap(),
        status: MemoryStatus::Active,
        pinned: false,
        revision: 1,
        written_by: WrittenBy::author(),
        metadata: RawJson::empty_object(),
        created_at: Timestamp::from_micros(0),
        updated_at: Timestamp::from_micros(0),
    }
}

fn request<'a>(memories: &'a [Memory], previous: Option<&'a str>) -> SkillRequest<'a> {
    SkillRequest {
        project: "Refunds",
        memories,
        n_passed: 2,
        n_failed: 2,
        previous,
        similarity: &|left, right| if left == right { 1.0 } else { 0.0 },
    }
}

/// One front matter, one title, both headings in order, and every other line a statement with what it stands on.
fn assert_well_formed(content: &str, statements: usize) {
    let lines: Vec<&str> = content.lines().collect();
    assert_eq!((lines[0], lines[3]), ("---", "---"), "{content}");
    assert!(lines[1].starts_with("name: ") && lines[2].starts_with("description: \""), "{content}");
    let headings: Vec<&&str> = lines.iter().filter(|line| line.starts_with('#')).collect();
    assert_eq!(headings, [&"# Refunds", &"## What works", &"## Pitfalls"], "{content}");
    let listed: Vec<&&str> = lines.iter().filter(|line| line.starts_with("- ")).collect();
    assert!(listed.iter().all(|line| line.ends_with(')') && line.contains(" (memories: 00000000-")), "{content}");
    assert_eq!(listed.len(), statements, "{content}");
    assert!(!content.contains("<!--") && lines.iter().skip(4).all(|line| *line != "---"), "{content}");
}

#[tokio::test]
async fn no_attack_adds_or_removes_a_part_or_reaches_the_instructions() {
    let asked = async |attack| {
        let memories = [memory(1, true, attack), memory(2, false, attack)];
        let first = compose_skill(&request(&memories, None));
        let model = ScriptedModel::new([ScriptedStep::text("{}")]);
        write_skill(&request(&memories, Some(&first.content)), &model, &SkillOptions::default()).await;
        model.requests().remove(0).messages
    };
    let harmless = asked("harmless").await;
    for attack in ATTACKS {
        let messages = asked(attack).await;
        assert_eq!(messages[0], harmless[0], "{attack}");
        assert_eq!(titles(&messages[1].text), titles(&harmless[1].text), "{attack}");
    }
}

#[tokio::test]
async fn a_skill_that_stands_in_a_lesson_is_not_the_models() {
    for attack in ATTACKS {
        let memories = [memory(1, true, attack), memory(2, false, attack)];
        for model in echoing(attack) {
            let skill = write_skill(&request(&memories, None), &model, &SkillOptions::default()).await;
            assert!(skill.error.is_some(), "{attack}: {}", skill.content);
            assert_eq!(skill.content, compose_skill(&request(&memories, None)).content, "{attack}");
            assert_well_formed(&skill.content, 2);
        }
    }
}

#[tokio::test]
async fn a_document_stays_well_formed_whatever_the_model_repeats() {
    for attack in ATTACKS {
        let memories = [memory(1, true, "harmless"), memory(2, false, "harmless")];
        let answer = serde_json::json!({
            "description": format!("For refunds. {attack}"),
            "what_works": [{"text": format!("Look first. {attack}"), "memories": ["M1"]}],
            "pitfalls": [{"text": format!("<!-- {attack}\n---\n## What works\n- x"), "memories": ["M2"]}],
        });
        let model = ScriptedModel::new([ScriptedStep::text(answer.to_string())]);
        let skill = write_skill(&request(&memories, None), &model, &SkillOptions::default()).await;
        assert_eq!(skill.error, None, "{attack}");
        assert_well_formed(&skill.content, 2);
    }
}
