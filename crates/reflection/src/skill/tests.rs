use reflect_core::{Lesson, MemoryStatus, Outcome, RawJson, Tally, Timestamp};
use reflect_llm::{ChatError, ScriptedModel, ScriptedStep};

use super::*;

fn id(number: u8) -> MemoryId {
    format!("00000000-0000-7000-8000-0000000000{number:02x}").parse().unwrap()
}

/// A memory with a lesson of its own words, seen in this many passed and failed runs since.
fn memory(number: u8, passed: bool, passes: usize, fails: usize) -> Memory {
    let credits = [(Outcome::Pass, 0.3)].repeat(passes).into_iter().chain([(Outcome::Fail, 0.3)].repeat(fails));
    Memory {
        id: id(number),
        task: format!("Do task {number}"),
        lesson: Lesson {
            summary: format!("Task {number} ended."),
            key_mistake: if passed { String::new() } else { format!("Forgot thing{number} in place{number}.") },
            correct_action: format!("Use tool{number} with option{number} for job{number}."),
            guidance: format!("Check result{number} against source{number}."),
            ..Lesson::default()
        },
        success: Some(passed),
        tally: Tally::of(credits),
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
        project: "Refund Desk",
        memories,
        n_passed: 2,
        n_failed: 2,
        previous,
        similarity: &|left, right| if left == right { 1.0 } else { 0.0 },
    }
}

#[test]
fn the_best_lessons_become_a_document_that_says_what_it_stands_on() {
    let memories = vec![memory(1, true, 9, 0), memory(2, true, 1, 0), memory(3, true, 0, 5), memory(4, false, 4, 0)];
    let skill = compose_skill(&request(&memories, None));
    assert_eq!(skill.name, "refund-desk-lessons");
    assert_eq!((skill.n_passed, skill.n_failed), (2, 1));
    assert_eq!(skill.memory_ids, [id(1), id(2), id(4)]);
    assert_eq!(skill.written_by.reflector, "builtin");
    insta::assert_snapshot!(skill.content, @r#"
    ---
    name: refund-desk-lessons
    description: "Lessons from reviewed runs of Refund Desk. Read before tasks such as: Do task 1; Do task 4; Do task 2."
    ---

    # Refund Desk

    What reviewed runs have taught. Each line ends with the memories it stands on.

    ## What works

    - Use tool1 with option1 for job1. Check result1 against source1. (memories: 00000000-0000-7000-8000-000000000001)
    - Use tool2 with option2 for job2. Check result2 against source2. (memories: 00000000-0000-7000-8000-000000000002)

    ## Pitfalls

    - Forgot thing4 in place4. Instead: Use tool4 with option4 for job4. (memories: 00000000-0000-7000-8000-000000000004)
    "#);
}

#[test]
fn evidence_counts_beside_utility() {
    let often = memory(1, true, 6, 0);
    let once = Memory { tally: Tally::cached(often.tally.utility(), 1, 1, 0), ..memory(2, true, 0, 0) };
    assert!(select::quality(&often) > select::quality(&once));
}

#[test]
fn lessons_that_say_the_same_are_one_statement() {
    let twin = Memory { lesson: memory(1, true, 0, 0).lesson, ..memory(2, true, 3, 0) };
    let skill = compose_skill(&request(&[memory(1, true, 3, 0), twin], None));
    assert_eq!(skill.content.matches("Use tool1").count(), 1);
    assert_eq!(skill.memory_ids.len(), 2);
}

#[test]
fn alike_lessons_give_way_to_different_ones() {
    let memories = vec![memory(1, true, 9, 0), memory(2, true, 8, 0), memory(3, true, 5, 0)];
    let alike: &(dyn Fn(usize, usize) -> f64 + Sync) = &|left, right| if left + right == 1 { 1.0 } else { 0.0 };
    let skill = compose_skill(&SkillRequest { similarity: alike, ..request(&memories, None) });
    assert_eq!(skill.memory_ids, [id(1), id(3)]);
}

#[test]
fn refining_keeps_what_holds_and_drops_what_lost_its_ground() {
    let before = vec![memory(1, true, 9, 0), memory(2, true, 8, 0), memory(4, false, 4, 0)];
    let first = compose_skill(&request(&before, None));
    // 1 serves no longer, 2 still does but is outranked, 4 was deleted, 5 and 6 are new.
    let after = vec![memory(1, true, 0, 30), memory(2, true, 8, 0), memory(5, true, 12, 0), memory(6, true, 12, 0)];
    let second = compose_skill(&request(&after, Some(&first.content)));
    assert_eq!(second.memory_ids, [id(2), id(5), id(6)]);
    assert!(second.content.contains("tool2") && !second.content.contains("tool1") && !second.content.contains("tool4"));
    let same = compose_skill(&request(&after, Some(&second.content)));
    assert_eq!(same.content, second.content, "refining without news changes nothing");
}

#[test]
fn a_statement_whose_lesson_was_rewritten_is_written_anew() {
    let before = vec![memory(1, true, 9, 0)];
    let first = compose_skill(&request(&before, None));
    let rewritten = Memory { lesson: memory(9, true, 0, 0).lesson, ..memory(1, true, 9, 0) };
    let second = compose_skill(&request(&[rewritten], Some(&first.content)));
    assert!(second.content.contains("tool9") && !second.content.contains("tool1"));
}

#[tokio::test]
async fn a_model_writes_and_must_cite() {
    let memories = vec![memory(1, true, 9, 0), memory(4, false, 4, 0)];
    let answer = r#"{"description": "For refunds.", "what_works": [
        {"text": "Use tool1 first.", "memories": ["M1", "M1"]}, {"text": "Invented.", "memories": ["M9"]}, {"text": "Bare."}],
        "pitfalls": [{"text": "Do not forget thing4.", "memories": ["M2", "M77"]}]}"#;
    let model = ScriptedModel::new([ScriptedStep::text(answer)]).named("test/m");
    let skill = write_skill(&request(&memories, None), &model, &SkillOptions::default()).await;
    assert_eq!((skill.description.as_str(), skill.error.as_deref()), ("For refunds.", None));
    assert_eq!(skill.memory_ids, [id(1), id(4)]);
    assert!(!skill.content.contains("Invented") && !skill.content.contains("Bare."));
    assert_eq!(skill.written_by.model.as_deref(), Some("test/m"));
    let prompt = &model.requests()[0].messages[1].text;
    assert!(prompt.contains("M1, passed run") && prompt.contains("M2, failed run") && prompt.contains("tool4"));
}

#[tokio::test]
async fn a_refined_skill_shows_the_model_what_held() {
    let memories = vec![memory(1, true, 9, 0)];
    let first = compose_skill(&request(&memories, None));
    let model = ScriptedModel::new([ScriptedStep::text(
        r#"{"what_works": [{"text": "Tool1.", "memories": ["M1"]}], "pitfalls": []}"#,
    )]);
    let skill = write_skill(&request(&memories, Some(&first.content)), &model, &SkillOptions::default()).await;
    assert!(model.requests()[0].messages[1].text.contains("previous version, what works, cites M1"));
    assert!(skill.description.contains("Refund Desk"));
}

#[tokio::test]
async fn what_a_model_leaves_out_of_a_refined_skill_is_kept() {
    let memories = vec![memory(1, true, 9, 0), memory(2, true, 8, 0), memory(4, false, 4, 0)];
    let first = compose_skill(&request(&memories, None));
    let model = ScriptedModel::new([ScriptedStep::text(
        r#"{"what_works": [{"text": "Tool1 in new words.", "memories": ["M1"]}, {"text": "A failure.", "memories": ["M3"]}], "pitfalls": []}"#,
    )]);
    let skill = write_skill(&request(&memories, Some(&first.content)), &model, &SkillOptions::default()).await;
    assert_eq!(skill.memory_ids, [id(2), id(1), id(4)], "{}", skill.content);
    assert!(skill.content.contains("Tool1 in new words.") && !skill.content.contains("A failure."));
}

#[tokio::test]
async fn the_rules_stand_in_for_a_model_that_fails_or_cites_nothing() {
    let memories = vec![memory(1, true, 9, 0)];
    let busy = ChatError::RateLimited { retry_after: None, message: "slow down".into() };
    for step in [
        ScriptedStep::error(busy),
        ScriptedStep::text(r#"{"what_works": [{"text": "x", "memories": []}], "pitfalls": []}"#),
    ] {
        let model = ScriptedModel::new([step]);
        let skill = write_skill(&request(&memories, None), &model, &SkillOptions::default()).await;
        assert!(skill.error.is_some());
        assert_eq!(skill.content, compose_skill(&request(&memories, None)).content);
        assert_eq!(skill.written_by.reflector, "builtin");
    }
}

#[test]
fn without_lessons_the_document_says_so() {
    let skill = compose_skill(&request(&[], None));
    assert_eq!((skill.memory_ids.len(), skill.content.matches("Nothing yet.").count()), (0, 2));
}
