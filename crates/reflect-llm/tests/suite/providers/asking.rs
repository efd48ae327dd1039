//! Requests that several tests send.

use futures_util::StreamExt;
use reflect_llm::{ChatError, ChatMessage, ChatModel, ChatPiece, ChatReply, ChatRequest, ToolCall, ToolDefinition};
use serde_json::{Value, json};

pub(crate) fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {"summary": {"type": "string"}},
        "required": ["summary"],
        "additionalProperties": false
    })
}

pub(crate) fn weather() -> ToolDefinition {
    ToolDefinition {
        name: "weather".into(),
        description: "The weather of a city".into(),
        parameters: json!({"type": "object", "properties": {"city": {"type": "string"}}}),
    }
}

/// A conversation in which a tool was called and answered.
pub(crate) fn after_a_tool() -> ChatRequest {
    let call = ToolCall { id: "call-1".into(), name: "weather".into(), arguments: json!({"city": "Ulm"}) };
    ChatRequest::new(vec![
        ChatMessage::system("Be brief."),
        ChatMessage::user("How is it in Ulm?"),
        ChatMessage::assistant_calling("", vec![call]),
        ChatMessage::tool("call-1", "rain"),
    ])
    .tool(weather())
    .temperature(0.5)
    .max_tokens(64)
}

/// Collects a stream: the words of its pieces, and how it ended.
pub(crate) async fn collect(
    model: &dyn ChatModel,
    request: &ChatRequest,
) -> (Vec<String>, Result<ChatReply, ChatError>) {
    let mut stream = match model.stream(request).await {
        Ok(stream) => stream,
        Err(error) => return (Vec::new(), Err(error)),
    };
    let mut words = Vec::new();
    while let Some(piece) = stream.next().await {
        match piece {
            Ok(ChatPiece::Text(text)) => words.push(text),
            Ok(ChatPiece::End(reply)) => {
                assert!(stream.next().await.is_none(), "the end was not the last piece");
                return (words, Ok(reply));
            }
            Err(error) => {
                assert!(stream.next().await.is_none(), "an error was not the last piece");
                return (words, Err(error));
            }
        }
    }
    panic!("a stream ended without an end");
}
