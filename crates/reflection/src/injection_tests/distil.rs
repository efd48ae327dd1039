//! Conversations that try to choose what is searched for.

use reflect_core::{Message, ToolResult};
use reflect_llm::{ScriptedModel, ScriptedStep};

use super::{ATTACKS, echoing, is_a_block, titles};
use crate::{DistilOptions, distil_by_rule, distil_intent};

fn poisoned(attack: &str) -> Vec<Message> {
    let say = |role: &str, text: &str| Message { role: role.into(), text: text.into(), ..Message::default() };
    vec![
        say("user", "Export the invoices of May as CSV"),
        say(attack, attack),
        Message {
            role: "tool".into(),
            tool_results: vec![ToolResult { name: attack.into(), text: attack.into(), ..ToolResult::default() }],
            ..Message::default()
        },
        say("user", &format!("Now with semicolons. {attack}")),
    ]
}

#[tokio::test]
async fn no_attack_adds_or_removes_a_part_or_reaches_the_instructions() {
    let asked = async |attack| {
        let model = ScriptedModel::new([ScriptedStep::text(r#"{"intent": "Export invoices"}"#)]);
        let intent = distil_intent(&poisoned(attack), Some(&model), &DistilOptions::default()).await;
        assert_eq!((intent.text.as_str(), intent.by_model), ("Export invoices", true), "{attack}");
        model.requests().remove(0).messages
    };
    let harmless = asked("harmless").await;
    for attack in ATTACKS {
        let messages = asked(attack).await;
        assert_eq!(messages[0], harmless[0], "{attack}");
        // What was recalled is no part of what the user wants; an empty result of a tool still has its place.
        let hidden = usize::from(is_a_block(attack));
        let found = titles(&messages[1].text);
        assert_eq!(found.len() + hidden, titles(&harmless[1].text).len(), "{attack}: {found:?}");
        assert_eq!((found[0], found[found.len() - 1]), ("step 1: user says", "end"), "{attack}");
    }
}

#[tokio::test]
async fn an_intent_that_stands_in_the_conversation_is_not_the_models() {
    for attack in ATTACKS {
        for model in echoing(attack) {
            let intent = distil_intent(&poisoned(attack), Some(&model), &DistilOptions::default()).await;
            assert!(!intent.by_model && intent.error.is_some(), "{attack}: {intent:?}");
            assert_eq!(intent.text, distil_by_rule(&poisoned(attack)), "{attack}");
        }
    }
}

#[tokio::test]
async fn an_intent_is_one_short_line_whatever_the_model_says() {
    for attack in ATTACKS {
        let said = serde_json::json!({"intent": format!("{attack}\n{}", "more ".repeat(500))}).to_string();
        let model = ScriptedModel::new([ScriptedStep::text(said)]);
        let intent = distil_intent(&poisoned(attack), Some(&model), &DistilOptions::default()).await;
        assert!(intent.by_model && !intent.text.contains('\n') && intent.text.chars().count() <= 500, "{intent:?}");
    }
}
