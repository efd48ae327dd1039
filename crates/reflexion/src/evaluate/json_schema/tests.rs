use serde_json::json;

use super::*;
use crate::evaluate::testing::finished;

fn order() -> JsonSchema {
    json_schema(&json!({
        "type": "object",
        "required": ["id", "lines"],
        "additionalProperties": false,
        "properties": {
            "id": {"type": "string", "pattern": "^[A-Z]-[0-9]+$"},
            "lines": {"type": "array", "items": {"type": "integer"}},
        },
    }))
    .unwrap()
}

async fn judged(evaluator: &JsonSchema, answer: &str) -> Evaluation {
    evaluator.evaluate(&finished(answer)).await.unwrap()
}

#[tokio::test]
async fn json_is_found_wherever_it_stands() {
    let object = r#"{"id": "A-17", "lines": [1, 2]}"#;
    for answer in [
        object.to_owned(),
        format!("```json\n{object}\n```"),
        format!("Sure, here is the order:\n\n```\n{object}\n```\nAnything else?"),
        format!("<think>{{\"id\": 7}}</think>{object}"),
        format!("First {{\"note\": 1}}, then {object}."),
    ] {
        let evaluation = judged(&order(), &answer).await;
        assert!(evaluation.passed(), "{answer}: {}", evaluation.feedback);
        assert_eq!(evaluation.score, Some(1.0));
    }
}

#[tokio::test]
async fn every_violation_is_listed_with_its_place() {
    let evaluation = judged(&order(), r#"{"id": "seventeen", "lines": [1, "two"], "extra": true}"#).await;
    assert_eq!(evaluation.score, Some(0.25));
    for named in ["`/id`", "`/lines/1`: \"two\" is not of type \"integer\"", "its root: Additional properties"] {
        assert!(evaluation.feedback.contains(named), "{}", evaluation.feedback);
    }
    let missing = judged(&order(), r#"The order is {"id": "A-1"}."#).await;
    assert!(missing.feedback.contains("\"lines\" is a required property"), "{}", missing.feedback);
}

#[tokio::test]
async fn many_violations_are_bounded() {
    let schema = json_schema(&json!({"type": "array", "items": {"type": "string"}})).unwrap();
    let numbers: Vec<u32> = (0..50).collect();
    let evaluation = judged(&schema, &serde_json::to_string(&numbers).unwrap()).await;
    assert!(evaluation.feedback.ends_with("- and 30 more"), "{}", evaluation.feedback);
    let long = judged(&order(), &json!({"id": "x".repeat(9_000), "lines": []}).to_string()).await;
    assert!(long.feedback.len() < 500, "{}", long.feedback.len());
}

#[tokio::test]
async fn other_values_than_objects_count_where_they_stand_alone() {
    let list = json_schema(&json!({"type": "array", "minItems": 1})).unwrap();
    assert!(judged(&list, "[1]").await.passed());
    assert!(judged(&list, "```\n[1]\n```").await.passed());
    assert!(!judged(&list, "[]").await.passed());
    let number = json_schema(&json!({"type": "number"})).unwrap();
    assert!(judged(&number, " 42\n").await.passed());
}

#[tokio::test]
async fn json_that_has_to_be_mended_fails_unless_it_is_taken() {
    let broken = r#"{"id": "A-17", "lines": [1, 2,],}"#;
    let failed = judged(&order(), broken).await;
    assert_eq!(failed.score, Some(0.0));
    assert!(failed.feedback.contains("cannot be read as it is: trailing comma at line 1"), "{}", failed.feedback);
    assert!(judged(&order().accept_mended(), broken).await.passed());
    assert!(!judged(&order(), &broken.replace("\"id\"", "'id'")).await.passed());
}

#[tokio::test]
async fn no_json_is_a_fail() {
    for answer in ["", "I cannot do that.", "id: A-17\nlines: none"] {
        let evaluation = judged(&order(), answer).await;
        assert_eq!((evaluation.feedback.as_str(), evaluation.score), ("there is no JSON in the answer", Some(0.0)));
    }
}

#[test]
fn a_schema_that_is_none_is_refused() {
    for schema in [json!({"type": "texts"}), json!({"$ref": "https://example.com/other.json"}), json!(7)] {
        assert!(json_schema(&schema).is_err(), "{schema}");
    }
    let error = json_schema(&json!({"properties": {"a": {"type": "texts"}}})).err().unwrap().to_string();
    assert!(error.starts_with("the schema is not valid at `/properties/a/type`"), "{error}");
}
