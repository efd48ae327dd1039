//! Gemini's protocol.

use reflect_llm::{ChatRequest, FinishReason, Usage};
use serde_json::json;

use crate::providers::{
    asking::{after_a_tool, collect, schema, weather},
    endpoint::{Answer, Endpoint, KEY, events},
};

const MODEL: &str = "gemini/gemini-test";

fn reply() -> Answer {
    Answer::json(json!({
        "candidates": [{"content": {"role": "model", "parts": [{"text": "hm", "thought": true}, {"text": "hello"}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 2, "thoughtsTokenCount": 1},
        "modelVersion": "gemini-test-001"
    }))
}

#[tokio::test]
async fn a_question_is_asked_and_its_answer_read() {
    let endpoint = Endpoint::answering([reply()]).await;
    let reply = endpoint.model(MODEL).chat(&after_a_tool()).await.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.finish, reply.model.as_str()),
        ("hello", FinishReason::Stop, "gemini-test-001")
    );
    assert_eq!(reply.usage, Usage { input_tokens: 12, output_tokens: 3, cost_usd: None });
    let sent = &endpoint.received()[0];
    assert_eq!(sent.line, "POST /models/gemini-test:generateContent");
    assert_eq!(sent.header("x-goog-api-key"), Some(KEY));
    assert_eq!(
        sent.body,
        json!({
            "systemInstruction": {"parts": [{"text": "Be brief."}]},
            "contents": [
                {"role": "user", "parts": [{"text": "How is it in Ulm?"}]},
                {"role": "model", "parts": [{"functionCall": {"name": "weather", "args": {"city": "Ulm"}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "weather", "response": {"result": "rain"}}}]}
            ],
            "tools": [{"functionDeclarations": [{"name": "weather", "description": "The weather of a city",
                "parametersJsonSchema": {"type": "object", "properties": {"city": {"type": "string"}}}}]}],
            "generationConfig": {"temperature": 0.5, "maxOutputTokens": 64}
        })
    );
}

#[tokio::test]
async fn tool_calls_get_an_id_where_there_is_none() {
    let parts = json!([{"functionCall": {"name": "weather", "args": {"city": "Ulm"}}}, {"functionCall": {"name": "weather", "args": {}}}]);
    let endpoint = Endpoint::answering([Answer::json(
        json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}]}),
    )])
    .await;
    let reply = endpoint.model(MODEL).chat(&ChatRequest::ask("", "Ulm?").tool(weather())).await.unwrap();
    assert_eq!(reply.finish, FinishReason::ToolCalls);
    let ids: Vec<&str> = reply.tool_calls.iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["weather-0", "weather-1"]);
}

#[tokio::test]
async fn a_schema_is_enforced_by_the_provider() {
    let endpoint = Endpoint::answering([reply()]).await;
    endpoint.model(MODEL).chat(&ChatRequest::ask("s", "u").json("lesson", schema())).await.unwrap();
    let expected = json!({"responseMimeType": "application/json", "responseJsonSchema": schema()});
    assert_eq!(endpoint.received()[0].body["generationConfig"], expected);
}

#[tokio::test]
async fn a_blocked_prompt_is_told_as_filtered() {
    let endpoint = Endpoint::answering([Answer::json(json!({"promptFeedback": {"blockReason": "SAFETY"}}))]).await;
    let reply = endpoint.model(MODEL).chat(&ChatRequest::ask("s", "u")).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("", FinishReason::Filtered));
}

#[tokio::test]
async fn a_streamed_answer_arrives_in_pieces() {
    let endpoint = Endpoint::answering([Answer::Chunks(events(&[
        r#"{"candidates":[{"content":{"parts":[{"text":"Grüß "}]}}],"modelVersion":"gemini-test-001"}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"Gott"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":2}}"#,
    ]))])
    .await;
    let (words, reply) = collect(&*endpoint.model(MODEL), &ChatRequest::ask("", "hi")).await;
    let reply = reply.unwrap();
    assert_eq!(words, ["Grüß ", "Gott"]);
    assert_eq!((reply.text.as_str(), reply.finish), ("Grüß Gott", FinishReason::Stop));
    assert_eq!(reply.usage, Usage { input_tokens: 4, output_tokens: 2, cost_usd: None });
    assert_eq!(endpoint.received()[0].line, "POST /models/gemini-test:streamGenerateContent?alt=sse");
}

#[tokio::test]
async fn a_name_cannot_leave_its_place_in_the_path() {
    let endpoint = Endpoint::answering([reply()]).await;
    endpoint.model("gemini/../../secret?x=1#y").chat(&ChatRequest::ask("s", "u")).await.unwrap();
    assert_eq!(endpoint.received()[0].line, "POST /models/..%2F..%2Fsecret%3Fx=1%23y:generateContent");
}
