//! How replies are read, row by row beside the reference implementation of this framework: each test says whether ours
//! does the same, or what it fixes and why.

#![expect(clippy::unwrap_used, reason = "in tests a failure is the message")]

use reflection::{Context, GeneralReflector, ReflectionLevel, ReflectionResult, Reflector};

async fn reflect_on(reply: &str) -> ReflectionResult {
    let reply = reply.to_owned();
    GeneralReflector::new()
        .with_level(ReflectionLevel::Medium)
        .with_judge(move |_| {
            let reply = reply.clone();
            async move { Ok::<_, String>(reply) }
        })
        .reflect(&Context::new().with("input", "x"))
        .await
        .unwrap()
}

fn status(result: &ReflectionResult) -> &str {
    result.metadata()["parse_status"].as_str().unwrap()
}

fn has_parse_error(result: &ReflectionResult) -> bool {
    result.metadata().get("parse_error").is_some()
}

/// Same as the reference.
#[tokio::test]
async fn a_fence_or_prose_around_the_object_is_read() {
    for reply in ["```json\n{\"summary\": \"ok\"}\n```", "Sure, here it is: {\"summary\": \"ok\"} Hope that helps!"] {
        let result = reflect_on(reply).await;
        assert_eq!((result.summary(), status(&result)), ("ok", "clean"), "{reply}");
    }
}

/// Same as the reference.
#[tokio::test]
async fn braces_in_prose_before_the_object_are_passed_over() {
    let result = reflect_on("set {a,b} then {\"summary\": \"real\", \"insights\": [\"i\"]}").await;
    assert_eq!((result.summary(), result.insights()), ("real", &["i".to_owned()][..]));
}

/// Fixed: the reference takes the first of two objects. Models correct themselves by writing again, so the last one that
/// has the expected shape wins, and the notes say that there were several.
#[tokio::test]
async fn the_last_of_two_objects_wins() {
    let result = reflect_on("{\"summary\": \"draft\"}\nBetter:\n{\"summary\": \"final\"}").await;
    assert_eq!(result.summary(), "final");
    assert!(result.metadata()["parse_notes"].to_string().contains("several"), "{:?}", result.metadata());
}

/// Fixed: the reference took the draft out of the thinking block.
#[tokio::test]
async fn thinking_is_not_the_answer() {
    let result = reflect_on("<think>{\"summary\": \"draft\"}</think>{\"summary\": \"final\"}").await;
    assert_eq!(result.summary(), "final");
}

/// Same as the reference for a list of one. Of several, the reference takes the first; ours the last, by the same rule as for
/// objects after each other, and says where it came from.
#[tokio::test]
async fn an_object_in_an_array_is_found() {
    let result = reflect_on("[{\"summary\": \"inside\"}]").await;
    assert_eq!(result.summary(), "inside");
    let result = reflect_on("[{\"summary\": \"one\"}, {\"summary\": \"two\"}]").await;
    assert_eq!(result.summary(), "two");
    assert!(result.metadata()["parse_notes"].to_string().contains("taken_from_array"), "{:?}", result.metadata());
}

/// Fixed: the reference counted braces inside texts and gave up on valid JSON.
#[tokio::test]
async fn braces_inside_texts_are_just_text() {
    let result = reflect_on(r#"{"summary": "close } and open { and \" quote", "insights": ["}{"]}"#).await;
    assert_eq!((result.summary(), status(&result)), ("close } and open { and \" quote", "clean"));
    assert_eq!(result.insights(), ["}{"]);
}

/// Fixed: the reference answered a complete inner object as if it were the whole. Ours mends the outer one, and says so.
#[tokio::test]
async fn a_truncated_object_is_mended_and_its_inner_one_is_not_taken_for_it() {
    let result = reflect_on(r#"{"summary": "outer", "extra": {"insights": ["inner"]}, "suggestions": ["do x"#).await;
    assert_eq!((result.summary(), status(&result)), ("outer", "repaired"));
    assert!(result.insights().is_empty());
}

/// Fixed: all three were parse errors in the reference, with the raw text as summary.
#[tokio::test]
async fn commas_quotes_and_comments_are_mended() {
    for reply in ["{\"summary\": \"ok\",}", "{'summary': 'ok'}", "{\"summary\": \"ok\" // the gist\n}"] {
        let result = reflect_on(reply).await;
        assert_eq!((result.summary(), status(&result)), ("ok", "repaired"), "{reply}");
        assert!(!has_parse_error(&result));
    }
}

/// Same as the later version of the reference: an empty object answers nothing. (Its first version took it for a clean
/// reflection without words.)
#[tokio::test]
async fn an_empty_object_is_a_parse_error() {
    let result = reflect_on("{}").await;
    assert!(has_parse_error(&result), "{:?}", result.metadata());
}

/// Fixed: the reference handed these on as they were, so that `suggestions` could be a text and a loop over it went letter by
/// letter.
#[tokio::test]
async fn values_of_other_types_become_what_is_expected() {
    let result = reflect_on(
        r#"{"summary": 7, "key_findings": null, "root_causes": "one cause", "insights": [1, {"a": 2}], "suggestions": "do x"}"#,
    )
    .await;
    assert_eq!((result.summary(), status(&result)), ("7", "repaired"));
    assert!(result.key_findings().is_empty());
    assert_eq!(result.root_causes(), ["one cause"]);
    assert_eq!(result.insights().len(), 2);
    assert_eq!(result.suggestions(), ["do x"]);
}

/// Same as the reference: they are accepted. Ours says that they are no JSON.
#[tokio::test]
async fn not_a_number_is_survived() {
    let result = reflect_on(r#"{"summary": "ok", "score": NaN, "limit": Infinity}"#).await;
    assert_eq!((result.summary(), status(&result)), ("ok", "repaired"));
}

/// Fixed: the reference took time with the square of the number of braces (3.7 s for 8,000). Ours takes steps in proportion, which a
/// count shows where a clock could not.
#[tokio::test]
async fn unmatched_braces_cost_in_proportion() {
    let steps = |count: usize| {
        let shape = reflect_llm::Shape::any().required("summary", reflect_llm::Kind::Text);
        reflect_llm::extract_json_counting(&"{".repeat(count), &shape).1
    };
    let (few, many) = (steps(1_000), steps(10_000));
    assert!(many <= 12 * few, "{few} steps for 1,000 and {many} for 10,000");
    assert!(has_parse_error(&reflect_on(&"{".repeat(8_000)).await));
}

/// Fixed: in the reference only somebody who called the first step alone could see a parse error; here it is in the result, with the
/// reply as it came.
#[tokio::test]
async fn a_parse_error_survives_into_the_result() {
    let result = reflect_on("I could not find anything.").await;
    assert!(has_parse_error(&result));
    assert_eq!(status(&result), "fallback");
    assert_eq!(result.metadata()["raw"], "I could not find anything.");
    assert_eq!(result.summary(), "I could not find anything.");
}

/// Same as the reference.
#[tokio::test]
async fn the_summary_of_an_unreadable_reply_is_its_first_200_characters() {
    let result = reflect_on(&"é".repeat(500)).await;
    assert_eq!(result.summary(), "é".repeat(200));
    let result = reflect_on("").await;
    assert_eq!((result.summary(), has_parse_error(&result)), ("", true));
}
