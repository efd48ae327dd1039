//! OpenAI's protocol.

use reflect_llm::{ChatRequest, FinishReason, Usage};
use serde_json::json;

use crate::providers::{
    asking::{after_a_tool, collect, schema, weather},
    endpoint::{Answer, Endpoint, KEY, events},
};

const MODEL: &str = "openai/gpt-test";

fn reply(content: &str) -> Answer {
    Answer::json(json!({
        "id": "1", "object": "chat.completion", "model": "gpt-test-2026",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": content, "refusal": null}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}
    }))
}

#[tokio::test]
async fn a_question_is_asked_and_its_answer_read() {
    let endpoint = Endpoint::answering([reply("hello")]).await;
    let reply = endpoint.model(MODEL).chat(&after_a_tool()).await.unwrap();
    assert_eq!(
        (reply.text.as_str(), reply.finish, reply.model.as_str()),
        ("hello", FinishReason::Stop, "gpt-test-2026")
    );
    assert_eq!(reply.usage, Usage { input_tokens: 12, output_tokens: 3, cost_usd: None });
    let sent = &endpoint.received()[0];
    assert_eq!(sent.line, "POST /chat/completions");
    assert_eq!(sent.header("authorization"), Some(format!("Bearer {KEY}").as_str()));
    assert_eq!(
        sent.body,
        json!({
            "model": "gpt-test",
            "messages": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": "How is it in Ulm?"},
                {"role": "assistant", "content": "", "tool_calls": [
                    {"id": "call-1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\":\"Ulm\"}"}}
                ]},
                {"role": "tool", "content": "rain", "tool_call_id": "call-1"}
            ],
            "tools": [{"type": "function", "function": {
                "name": "weather", "description": "The weather of a city",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}
            }}],
            "temperature": 0.5,
            "max_tokens": 64
        })
    );
}

#[tokio::test]
async fn tool_calls_are_read() {
    let call =
        json!({"id": "c1", "type": "function", "function": {"name": "weather", "arguments": "{\"city\": \"Ulm\"}"}});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let endpoint =
        Endpoint::answering([Answer::json(json!({"choices": [{"message": message, "finish_reason": "tool_calls"}]}))])
            .await;
    let reply = endpoint.model(MODEL).chat(&ChatRequest::ask("", "Ulm?").tool(weather())).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("", FinishReason::ToolCalls));
    assert_eq!((reply.tool_calls[0].id.as_str(), &reply.tool_calls[0].arguments), ("c1", &json!({"city": "Ulm"})));
}

#[tokio::test]
async fn a_schema_is_enforced_by_the_provider() {
    let endpoint = Endpoint::answering([reply("{\"summary\": \"x\"}")]).await;
    endpoint.model(MODEL).chat(&ChatRequest::ask("s", "u").json("lesson", schema())).await.unwrap();
    let expected =
        json!({"type": "json_schema", "json_schema": {"name": "lesson", "schema": schema(), "strict": true}});
    assert_eq!(endpoint.received()[0].body["response_format"], expected);
}

fn refusing(words: &str) -> Answer {
    Answer::status(400, json!({"error": {"message": words}}).to_string())
}

#[tokio::test]
async fn a_limit_that_is_refused_by_its_name_is_sent_by_the_other_and_remembered() {
    for words in [
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'max_tokens'), 'msg': 'Extra inputs are not permitted'}]",
    ] {
        let endpoint = Endpoint::answering([refusing(words), reply("a"), reply("b")]).await;
        let (model, request) = (endpoint.model(MODEL), ChatRequest::ask("", "x").max_tokens(7));
        assert_eq!(model.chat(&request).await.unwrap().text, "a");
        assert_eq!(model.chat(&request).await.unwrap().text, "b");
        let limits: Vec<_> = endpoint
            .received()
            .iter()
            .map(|sent| (sent.body["max_tokens"].as_u64(), sent.body["max_completion_tokens"].as_u64()))
            .collect();
        assert_eq!(limits, [(Some(7), None), (None, Some(7)), (None, Some(7))]);
    }
}

#[tokio::test]
async fn the_name_of_a_limit_goes_back_where_the_endpoint_changes_its_mind() {
    let endpoint = Endpoint::answering([
        refusing("'max_tokens' is unsupported"),
        reply("a"),
        refusing("Unrecognized request argument supplied: max_completion_tokens"),
        reply("b"),
        refusing("max_tokens is too large: 7"),
    ])
    .await;
    let (model, request) = (endpoint.model(MODEL), ChatRequest::ask("", "x").max_tokens(7));
    model.chat(&request).await.unwrap();
    model.chat(&request).await.unwrap();
    let too_large = model.chat(&request).await.unwrap_err();
    assert!(too_large.to_string().contains("too large"), "{too_large}");
    assert_eq!(endpoint.received().len(), 5, "a limit that is too large goes by no other name");
    assert_eq!(endpoint.received()[3].body["max_tokens"], 7);
}

#[tokio::test]
async fn an_endpoint_without_schemas_is_asked_in_words_and_remembered() {
    let refusal = Answer::status(400, "{\"error\": {\"message\": \"response_format is not supported\"}}");
    let endpoint = Endpoint::answering([refusal, reply("{}")]).await;
    let model = endpoint.model(MODEL);
    let request = ChatRequest::ask("s", "u").json("lesson", schema());
    model.chat(&request).await.unwrap();
    model.chat(&request).await.unwrap();
    let received = endpoint.received();
    assert_eq!(received.len(), 3, "the second call asked in words at once");
    for sent in &received[1..] {
        assert!(sent.body.get("response_format").is_none());
        let system = sent.body["messages"][0]["content"].as_str().unwrap();
        assert!(system.starts_with("s\n\nAnswer with one JSON object") && system.contains("\"summary\""), "{system}");
    }
}

#[tokio::test]
async fn a_model_without_temperature_is_asked_without_and_keeps_its_schema() {
    let refusal = Answer::status(400, "{\"error\": {\"message\": \"Unsupported value: 'temperature' must be 1\"}}");
    let endpoint = Endpoint::answering([refusal, reply("{}")]).await;
    endpoint.model(MODEL).chat(&ChatRequest::ask("s", "u").json("lesson", schema()).temperature(0.0)).await.unwrap();
    let sent = &endpoint.received()[1].body;
    assert!(sent.get("temperature").is_none() && sent.get("response_format").is_some(), "{sent}");
}

#[tokio::test]
async fn what_stays_refused_is_told_and_nothing_is_remembered() {
    let refusal = || Answer::status(400, "{\"error\": {\"message\": \"too long\"}}");
    let endpoint = Endpoint::answering([refusal(), refusal(), reply("{}")]).await;
    let model = endpoint.model(MODEL);
    let request = ChatRequest::ask("s", "u").json("lesson", schema());
    assert!(model.chat(&request).await.unwrap_err().to_string().contains("too long"));
    model.chat(&request).await.unwrap();
    assert!(endpoint.received()[2].body.get("response_format").is_some());
}

#[tokio::test]
async fn a_refusal_of_the_model_is_told_as_filtered() {
    let message = json!({"role": "assistant", "content": null, "refusal": "I can't"});
    let endpoint =
        Endpoint::answering([Answer::json(json!({"choices": [{"message": message, "finish_reason": "stop"}]}))]).await;
    let reply = endpoint.model(MODEL).chat(&ChatRequest::ask("", "")).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.finish), ("", FinishReason::Filtered));
}

#[tokio::test]
async fn a_streamed_answer_arrives_in_pieces() {
    let chunks = events(&[
        r#"{"model":"gpt-test-2026","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"Grüß "}}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"Gott"}}]}"#,
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
        r#"{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2}}"#,
        "[DONE]",
    ]);
    // Chunks of the network heed neither events nor characters.
    let bytes: String = chunks.concat();
    let torn: Vec<String> = bytes.chars().collect::<Vec<_>>().chunks(7).map(|part| part.iter().collect()).collect();
    for chunks in [chunks, torn] {
        let endpoint = Endpoint::answering([Answer::Chunks(chunks)]).await;
        let (words, reply) = collect(&*endpoint.model(MODEL), &ChatRequest::ask("", "hi")).await;
        let reply = reply.unwrap();
        assert_eq!(words, ["Grüß ", "Gott"]);
        assert_eq!(
            (reply.text.as_str(), reply.finish, reply.model.as_str()),
            ("Grüß Gott", FinishReason::Stop, "gpt-test-2026")
        );
        assert_eq!(reply.usage, Usage { input_tokens: 9, output_tokens: 2, cost_usd: None });
        assert_eq!(endpoint.received()[0].body["stream_options"], json!({"include_usage": true}));
    }
}

#[tokio::test]
async fn streamed_tool_calls_are_put_together() {
    let endpoint = Endpoint::answering([Answer::Chunks(events(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"weather","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"ci"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"ty\":\"Ulm\"}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c2","function":{"name":"clock","arguments":""}}]}}]}"#,
        r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}"#,
        "[DONE]",
    ]))])
    .await;
    let (words, reply) = collect(&*endpoint.model(MODEL), &ChatRequest::ask("", "hi").tool(weather())).await;
    let reply = reply.unwrap();
    assert!(words.is_empty());
    assert_eq!(reply.finish, FinishReason::ToolCalls);
    assert_eq!((reply.tool_calls[0].id.as_str(), &reply.tool_calls[0].arguments), ("c1", &json!({"city": "Ulm"})));
    assert_eq!((reply.tool_calls[1].name.as_str(), &reply.tool_calls[1].arguments), ("clock", &json!({})));
}
