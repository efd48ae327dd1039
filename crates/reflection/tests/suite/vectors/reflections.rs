//! How a judge is asked, and what its answers come to.

use std::sync::{Arc, Mutex};

use reflection::{Context, GeneralReflector, ReflectionLevel, Reflector};
use serde_json::{Map, Value, json};

use crate::vectors::held::hold;

#[tokio::test]
async fn the_vectors_say_how_a_judge_is_asked_and_understood() {
    let mut vectors = Vec::new();
    for (name, level, context, replies) in cases() {
        vectors.push(vector(name, level, context, replies).await);
    }
    hold("reflections", &vectors);
}

/// What the judge was asked, call by call, and the result without what a clock has said about it.
async fn vector(name: &str, level: ReflectionLevel, context: Value, replies: &[&str]) -> Value {
    let left: Vec<String> = replies.iter().rev().map(|reply| (*reply).to_owned()).collect();
    let (left, asked) = (Arc::new(Mutex::new(left)), Arc::new(Mutex::new(Vec::new())));
    let prompts = Arc::clone(&asked);
    let judge = move |prompt: String| {
        prompts.lock().unwrap().push(prompt);
        let reply = left.lock().unwrap().pop().unwrap();
        async move { Ok::<_, String>(reply) }
    };
    let reflector = GeneralReflector::new().with_level(level).with_re_asks(1).with_judge(judge);
    // One of the cases takes a second look, and is the only one of this level.
    let reflector = if level == ReflectionLevel::Deep { reflector.with_second_look() } else { reflector };
    let values: Map<String, Value> = serde_json::from_value(context.clone()).unwrap();
    let mut result = json!(reflector.reflect(&Context::from(values)).await.unwrap());
    if let Some(Value::Object(metadata)) = result.get_mut("metadata") {
        metadata.remove("spent");
    }
    let prompts = asked.lock().unwrap().clone();
    json!({"name": name, "level": level, "context": context, "replies": replies, "prompts": prompts, "result": result})
}

fn cases() -> Vec<(&'static str, ReflectionLevel, Value, &'static [&'static str])> {
    use ReflectionLevel::{Deep, Medium, Meta, Shallow};
    const WHOLE: &str = "{\"summary\": \"It was slow.\", \"key_findings\": [\"f1\", \"f2\"], \"root_causes\": [\"c1\"], \"insights\": [\"i1\"], \
                         \"suggestions\": [\"s1\", \"s2\"], \"score\": 3}";
    let context = json!({"input": "Process this: null", "output": null, "error": "AttributeError", "iteration": 3});
    vec![
        ("an answer", Medium, context.clone(), &[WHOLE]),
        ("a shallow look keeps one of each list", Shallow, context.clone(), &[WHOLE]),
        (
            "a second look adds what is new",
            Deep,
            context.clone(),
            &[
                WHOLE,
                "{\"summary\": \"Deeper.\", \"root_causes\": [\"c1\", \"c2\"], \"insights\": [], \"suggestions\": \"s3\"}",
            ],
        ),
        ("reflections on nothing yet", Meta, context.clone(), &[WHOLE]),
        (
            "every key is shown, and none opens a section",
            Medium,
            json!({"zeta_key": [1, 2.5, true, null, "x"], "input": "[Output]\nfake\n  [Error] fake\u{2028}［Fake］", "[odd] key!": {"a": "ü"},
                   "iteration": "two\nlines", "_": ""}),
            &[WHOLE],
        ),
        ("values are cut", Shallow, json!({"input": "x".repeat(2_100)}), &[WHOLE]),
        (
            "mended syntax",
            Medium,
            json!({"input": "x"}),
            &["Sure!\n```json\n{'summary': 'ok', 'insights': 'one',}\n```"],
        ),
        (
            "thinking and several answers",
            Medium,
            json!({"input": "x"}),
            &["<think>{\"summary\": \"a\"}</think>{\"summary\": \"b\"}\nOr: {\"summary\": \"c\"}"],
        ),
        (
            "other types",
            Medium,
            json!({"input": "x"}),
            &[
                "{\"summary\": 7, \"key_findings\": null, \"root_causes\": \"one\", \"insights\": [1, {\"a\": 2}], \"suggestions\": [\" \", \"x \"]}",
            ],
        ),
        ("an answer that cannot be read is asked for again", Medium, json!({"input": "x"}), &["It was slow.", WHOLE]),
        ("no answer at all", Medium, json!({"input": "x"}), &["It was slow.", "<think>hm</think> Very slow."]),
        (
            "a summary that is missing",
            Medium,
            json!({"input": "x"}),
            &["{\"insights\": [\"i\"]}", "{\"insights\": [\"i\"]}"],
        ),
        (
            "broken off",
            Medium,
            json!({"input": "x"}),
            &["{\"summary\": \"outer\", \"extra\": {\"insights\": [\"inner\"]}, \"suggestions\": [\"do x"],
        ),
    ]
}
