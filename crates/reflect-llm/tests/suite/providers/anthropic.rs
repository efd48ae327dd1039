//! Anthropic's protocol.

use reflect_llm::{ChatRequest, FinishReason, Usage};
use serde_json::json;

use crate::providers::{
    asking::{after_a_tool, collect, schema, weather},
    endpoint::{Answer, Endpoint, KEY, events},
};

const MODEL: &str = "anthropic/claude-test";

fn reply() -> Answer {
    Answer::json(json!({
        "id": "m", "type": "message", "role": "assistant", "model": "claude-test-2026",
        "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hello"}],
        "stop_reason": "end_turn", "usage": {"input_tokens": 10, "cache_read_input_tokens": 2, "output_tokens": 3}
    }))
}

#[tokio::test]
async fn a_question_is_asked_and_its_answer_read() {
    let endpoint = Endpoint::answering([reply()]).await;
    let reply = endpoint.model(MODEL).chat(&after_a_tool()).await.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.finish, reply.model.as_str()),
        ("hello", FinishReason::Stop, "claude-test-2026")
    );
    assert_eq!(reply.usage, Usage { input_tokens: 12, output_tokens: 3, cost_usd: None });
    let sent = &endpoint.received()[0];
    assert_eq!(sent.line, "POST /messages");
    assert_eq!((sent.header("x-api-key"), sent.header("anthropic-version")), (Some(KEY), Some("2023-06-01")));
    assert_eq!(
        sent.body,
        json!({
            "model": "claude-test",
            "max_tokens": 64,
            "temperature": 0.5,
            "system": "Be brief.",
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "How is it in Ulm?"}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "call-1", "name": "weather", "input": {"city": "Ulm"}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call-1", "content": "rain"}]}
            ],
            "tools": [{"name": "weather", "description": "The weather of a city",
                "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}]
        })
    );
}

#[tokio::test]
async fn tool_calls_are_read() {
    let endpoint = Endpoint::answering([Answer::json(json!({
        "content": [{"type": "text", "text": "Let me see."}, {"type": "tool_use", "id": "t1", "name": "weather", "input": {"city": "Ulm"}}],
        "stop_reason": "tool_use", "usage": {}
    }))])
    .await;
    let reply = endpoint.model(MODEL).chat(&ChatRequest::ask("", "Ulm?").tool(weather())).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("Let me see.", FinishReason::ToolCalls));
    assert_eq!((reply.tool_calls[0].id.as_str(), &reply.tool_calls[0].arguments), ("t1", &json!({"city": "Ulm"})));
}

#[tokio::test]
async fn a_schema_is_enforced_and_asked_in_words_where_the_model_takes_none() {
    let refusal = Answer::status(
        400,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"output_config: not supported"}}"#,
    );
    let endpoint = Endpoint::answering([reply(), refusal, reply()]).await;
    let model = endpoint.model(MODEL);
    let request = ChatRequest::ask("s", "u").json("lesson", schema());
    model.chat(&request).await.unwrap();
    model.chat(&request).await.unwrap();
    let received = endpoint.received();
    assert_eq!(received[0].body["output_config"], json!({"format": {"type": "json_schema", "schema": schema()}}));
    assert!(received[2].body.get("output_config").is_none());
    assert!(received[2].body["system"].as_str().unwrap().contains("JSON schema"));
}

#[tokio::test]
async fn a_streamed_answer_arrives_in_pieces() {
    let endpoint = Endpoint::answering([Answer::Chunks(events(&[
        r#"{"type":"message_start","message":{"model":"claude-test-2026","usage":{"input_tokens":7,"output_tokens":1}}}"#,
        r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        r#"{"type":"ping"}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüß "}}"#,
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Gott"}}"#,
        r#"{"type":"content_block_stop","index":0}"#,
        r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"weather","input":{}}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\":"}}"#,
        r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"\"Ulm\"}"}}"#,
        r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}"#,
        r#"{"type":"message_stop"}"#,
    ]))])
    .await;
    let (words, reply) = collect(&*endpoint.model(MODEL), &ChatRequest::ask("", "hi")).await;
    let reply = reply.unwrap();
    assert_eq!(words, ["Grüß ", "Gott"]);
    assert_eq!((reply.text.as_str(), reply.finish), ("Grüß Gott", FinishReason::ToolCalls));
    assert_eq!(reply.usage, Usage { input_tokens: 7, output_tokens: 5, cost_usd: None });
    assert_eq!(reply.tool_calls[0].arguments, json!({"city": "Ulm"}));
    assert_eq!(endpoint.received()[0].body["stream"], true);
}
