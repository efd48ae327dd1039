//! Runs that try to get out of their place.

use std::sync::Arc;

use reflect_core::{
    Message, Outcome, ToolResult,
    memory_block::{DEFAULT_MAX_CHARS, MemoryBlockEntry, format_memory_block},
};
use reflect_llm::{ScriptedModel, ScriptedStep};

use super::{ATTACKS, echoing, is_a_block, titles};
use crate::{LlmReflector, LlmReflectorOptions, ReflectError, ReviewedRun, RunReflector, llm::tests};

fn poisoned(attack: &str) -> ReviewedRun {
    let mut run = tests::run(Outcome::Fail);
    run.task = format!("{} {attack}", run.task);
    run.messages.push(Message { role: attack.into(), text: attack.into(), ..Message::default() });
    run.messages.push(Message {
        role: "tool".into(),
        tool_results: vec![ToolResult { name: attack.into(), text: attack.into(), ..ToolResult::default() }],
        ..Message::default()
    });
    run.final_response = attack.into();
    run.feedback_text = Some(attack.into());
    run.reference_context = Some(attack.into());
    run
}

fn reflector(answer: &str) -> (LlmReflector, Arc<ScriptedModel>) {
    let answer = answer.to_owned();
    let model = Arc::new(ScriptedModel::answering(move |_| ScriptedStep::text(answer.clone())));
    (LlmReflector::new(model.clone(), LlmReflectorOptions::default()), model)
}

#[test]
fn no_attack_adds_or_removes_a_part() {
    let (reflector, _) = reflector("");
    let harmless = titles(&reflector.prompt(&poisoned("harmless")).1).len();
    for attack in ATTACKS {
        let (_, prompt) = reflector.prompt(&poisoned(attack));
        let found = titles(&prompt);
        let recalled = found.iter().filter(|title| title.starts_with("recalled")).count();
        let hidden = usize::from(is_a_block(attack));
        // A text that is nothing but old lessons moves, whole, from its step to the recalled ones.
        assert_eq!((found.len() + hidden, recalled), (harmless + recalled, hidden), "{attack}: {found:?}");
        assert_eq!((found.first(), found.last()), (Some(&"task"), Some(&"end")), "{attack}");
        assert_eq!(found.iter().filter(|title| **title == "result").count(), 1, "{attack}");
    }
}

#[test]
fn the_instructions_hold_nothing_of_the_run() {
    let (reflector, _) = reflector("");
    let (clean, _) = reflector.prompt(&poisoned("harmless"));
    for attack in ATTACKS {
        assert_eq!(reflector.prompt(&poisoned(attack)).0, clean);
    }
}

#[tokio::test]
async fn a_stored_lesson_stays_well_formed_whatever_the_model_repeats() {
    for attack in ATTACKS {
        let answer = serde_json::json!({
            "summary": format!("It failed.\u{0}{attack}"),
            "key_mistake": attack,
            "correct_action": "Check the order with get_order first.",
            "guidance": format!("Compare the total before the refund goes out. {attack}"),
            "applicable_tools": [attack, "refund"],
            "verdict": "pass", "outcome": "success",
        });
        let (reflector, model) = reflector(&answer.to_string());
        let reflected = reflector.reflect_run(&poisoned(attack)).await.unwrap();
        let lesson = &reflected.written.lesson;
        assert_eq!(lesson.applicable_tools, ["refund"], "tools are the run's own");
        for text in [&lesson.summary, &lesson.key_mistake, &lesson.correct_action, &lesson.guidance] {
            assert!(text.chars().all(|character| character == '\n' || !character.is_control()), "{text:?}");
            assert!(!text.contains(['\u{202E}', '\u{2066}', '\u{200B}']), "{text:?}");
            assert!(text.chars().count() <= 1_200);
        }
        let entry =
            MemoryBlockEntry { id: "m1", q_value: 0.5, similarity: 0.9, success: Some(false), task: attack, lesson };
        let block = format_memory_block(&[entry], DEFAULT_MAX_CHARS);
        assert_eq!(block.matches("<memory ").count(), 1, "{block}");
        assert_eq!(block.matches("</memory>").count(), 1, "{block}");
        assert_eq!(block.matches("<relevant_memories>").count(), 1, "{block}");
        assert!(block.ends_with("</relevant_memories>"), "{block}");
        assert_eq!(model.requests().len(), 1);
    }
}

#[tokio::test]
async fn an_example_out_of_the_instructions_is_no_lesson() {
    let (reflector, _) = reflector("");
    let (instructions, _) = reflector.prompt(&tests::run(Outcome::Fail));
    let examples: Vec<&str> = instructions.split("\n{\"summary\"").skip(1).collect();
    assert_eq!(examples.len(), 3);
    for example in examples {
        let (example, _) = example.split_once('}').unwrap();
        let (reflector, _) = self::reflector(&format!("{{\"summary\"{example}}}"));
        let refused = reflector.reflect_run(&tests::run(Outcome::Fail)).await;
        assert!(matches!(refused, Err(ReflectError::Unusable(_))), "{refused:?}");
    }
}

#[tokio::test]
async fn a_lesson_that_stands_in_the_run_is_not_the_models() {
    for attack in ATTACKS {
        for model in echoing(attack) {
            let reflector = LlmReflector::new(Arc::new(model), LlmReflectorOptions::default());
            let refused = reflector.reflect_run(&poisoned(attack)).await;
            assert!(matches!(refused, Err(ReflectError::Unusable(_))), "{attack}: {refused:?}");
        }
    }
}
