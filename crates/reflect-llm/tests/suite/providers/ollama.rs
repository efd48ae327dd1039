//! Ollama's protocol.

use reflect_llm::{ChatRequest, FinishReason, Usage};
use serde_json::json;

use crate::providers::{
    asking::{after_a_tool, collect, schema, weather},
    endpoint::{Answer, Endpoint},
};

const MODEL: &str = "ollama/qwen3:8b";

fn reply() -> Answer {
    Answer::json(json!({
        "model": "qwen3:8b", "message": {"role": "assistant", "content": "hello", "thinking": "hm"},
        "done": true, "done_reason": "stop", "prompt_eval_count": 12, "eval_count": 3
    }))
}

#[tokio::test]
async fn a_question_is_asked_and_its_answer_read() {
    let endpoint = Endpoint::answering([reply()]).await;
    let reply = endpoint.model(MODEL).chat(&after_a_tool()).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish, reply.model.as_str()), ("hello", FinishReason::Stop, "qwen3:8b"));
    assert_eq!(reply.usage, Usage { input_tokens: 12, output_tokens: 3, cost_usd: None });
    let sent = &endpoint.received()[0];
    assert_eq!(sent.line, "POST /api/chat");
    assert_eq!(
        sent.body,
        json!({
            "model": "qwen3:8b",
            "stream": false,
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "How is it in Ulm?"},
                {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": "weather", "arguments": {"city": "Ulm"}}}]},
                {"role": "tool", "content": "rain", "tool_name": "weather"}
            ],
            "tools": [{"type": "function", "function": {
                "name": "weather", "description": "The weather of a city",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}
            }}],
            "options": {"temperature": 0.5, "num_predict": 64}
        })
    );
}

#[tokio::test]
async fn tool_calls_are_read() {
    let call = json!({"function": {"name": "weather", "arguments": {"city": "Ulm"}}});
    let endpoint = Endpoint::answering([Answer::json(json!({
        "message": {"role": "assistant", "content": "", "tool_calls": [call]}, "done": true, "done_reason": "stop"
    }))])
    .await;
    let reply = endpoint.model(MODEL).chat(&ChatRequest::ask("", "Ulm?").tool(weather())).await.unwrap();
    assert_eq!(reply.finish, FinishReason::ToolCalls);
    assert_eq!(
        (reply.tool_calls[0].id.as_str(), &reply.tool_calls[0].arguments),
        ("weather-0", &json!({"city": "Ulm"}))
    );
}

#[tokio::test]
async fn a_schema_is_enforced_by_the_provider() {
    let endpoint = Endpoint::answering([reply()]).await;
    endpoint.model(MODEL).chat(&ChatRequest::ask("s", "u").json("lesson", schema())).await.unwrap();
    assert_eq!(endpoint.received()[0].body["format"], schema());
}

#[tokio::test]
async fn an_answer_that_ran_into_the_limit_says_so() {
    let endpoint = Endpoint::answering([Answer::json(json!({
        "message": {"content": "hel"}, "done": true, "done_reason": "length"
    }))])
    .await;
    let reply = endpoint.model(MODEL).chat(&ChatRequest::ask("", "").max_tokens(1)).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("hel", FinishReason::Length));
}

#[tokio::test]
async fn a_streamed_answer_arrives_in_pieces() {
    let lines = [
        r#"{"model":"qwen3:8b","message":{"role":"assistant","content":"Grüß "},"done":false}"#,
        r#"{"model":"qwen3:8b","message":{"role":"assistant","content":"Gott"},"done":false}"#,
        r#"{"model":"qwen3:8b","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":4,"eval_count":2}"#,
    ];
    let endpoint = Endpoint::answering([Answer::Chunks(lines.iter().map(|line| format!("{line}\n")).collect())]).await;
    let (words, reply) = collect(&*endpoint.model(MODEL), &ChatRequest::ask("", "hi")).await;
    let reply = reply.unwrap();
    assert_eq!(words, ["Grüß ", "Gott"]);
    assert_eq!((reply.text.as_str(), reply.finish), ("Grüß Gott", FinishReason::Stop));
    assert_eq!(reply.usage, Usage { input_tokens: 4, output_tokens: 2, cost_usd: None });
    assert_eq!(endpoint.received()[0].body["stream"], true);
}
