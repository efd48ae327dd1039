//! Images and documents: each provider is sent them in its own shape, or says why not.

use reflect_llm::{ChatError, ChatMessage, ChatRequest, Part, Role};
use serde_json::{Value, json};

use crate::providers::endpoint::{Answer, Endpoint};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
const PNG_BASE64: &str = "iVBORw0KGgo=";
const PDF: &[u8] = b"%PDF-1.7";
const PDF_BASE64: &str = "JVBERi0xLjc=";

fn asking(parts: impl Into<Vec<Part>>) -> ChatRequest {
    ChatRequest::new(vec![ChatMessage::user(parts.into())])
}

/// What is sent for these parts, at `pointer` of the body.
async fn sent(model: &str, answer: Value, parts: impl Into<Vec<Part>>, pointer: &str) -> Value {
    let endpoint = Endpoint::answering([Answer::json(answer)]).await;
    let reply = endpoint.model(model).chat(&asking(parts)).await.unwrap();
    assert_eq!(reply.text, "a cat");
    endpoint.received()[0].body.pointer(pointer).unwrap().clone()
}

/// The words of the refusal, before which nothing was sent.
async fn refusal(model: &str, request: ChatRequest) -> String {
    let endpoint = Endpoint::answering([Answer::Closed]).await;
    let error = endpoint.model(model).chat(&request).await.unwrap_err();
    let streamed = endpoint.model(model).stream(&request).await.err().unwrap();
    assert_eq!(error, streamed);
    assert!(endpoint.received().is_empty());
    match error {
        ChatError::Refused { status: None, message } => message,
        other => panic!("{other}"),
    }
}

fn one_of_each() -> [Part; 4] {
    [Part::text("What is it?"), Part::image(PNG), Part::text("And this?"), Part::document(PDF)]
}

#[tokio::test]
async fn openai_is_sent_image_urls_and_files() {
    let answer = json!({"choices": [{"message": {"content": "a cat"}, "finish_reason": "stop"}]});
    let image = |url: &str| json!({"type": "image_url", "image_url": {"url": url}});
    let content = sent("openai/gpt-test", answer.clone(), one_of_each(), "/messages/0/content").await;
    let file = json!({"filename": "document.pdf", "file_data": format!("data:application/pdf;base64,{PDF_BASE64}")});
    let expected = json!([
        {"type": "text", "text": "What is it?"},
        image(&format!("data:image/png;base64,{PNG_BASE64}")),
        {"type": "text", "text": "And this?"},
        {"type": "file", "file": file},
    ]);
    assert_eq!(content, expected);
    let url = "https://a.example/b.png";
    let content = sent("openai/gpt-test", answer, [Part::image_url(url)], "/messages/0/content").await;
    assert_eq!(content, json!([image(url)]));
}

#[tokio::test]
async fn anthropic_is_sent_images_and_documents() {
    let answer = json!({"content": [{"type": "text", "text": "a cat"}], "stop_reason": "end_turn"});
    let content = sent("anthropic/claude-test", answer.clone(), one_of_each(), "/messages/0/content").await;
    let expected = json!([
        {"type": "text", "text": "What is it?"},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG_BASE64}},
        {"type": "text", "text": "And this?"},
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": PDF_BASE64}},
    ]);
    assert_eq!(content, expected);
    let parts = [Part::image_url("https://a.example/b.png"), Part::document_url("https://a.example/c.pdf")];
    let content = sent("anthropic/claude-test", answer, parts, "/messages/0/content").await;
    let expected = json!([
        {"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}},
        {"type": "document", "source": {"type": "url", "url": "https://a.example/c.pdf"}},
    ]);
    assert_eq!(content, expected);
}

#[tokio::test]
async fn gemini_is_sent_inline_data_and_file_data() {
    let answer = json!({"candidates": [{"content": {"parts": [{"text": "a cat"}]}, "finishReason": "STOP"}]});
    let content = sent("gemini/gemini-test", answer.clone(), one_of_each(), "/contents/0/parts").await;
    let expected = json!([
        {"text": "What is it?"},
        {"inlineData": {"mimeType": "image/png", "data": PNG_BASE64}},
        {"text": "And this?"},
        {"inlineData": {"mimeType": "application/pdf", "data": PDF_BASE64}},
    ]);
    assert_eq!(content, expected);
    let parts = [
        Part::image_url("https://a.example/b.JPG?x=1"),
        Part::image_url("https://a.example/b"),
        Part::document_url("https://a.example/c"),
    ];
    let content = sent("gemini/gemini-test", answer, parts, "/contents/0/parts").await;
    let expected = json!([
        {"fileData": {"mimeType": "image/jpeg", "fileUri": "https://a.example/b.JPG?x=1"}},
        {"fileData": {"fileUri": "https://a.example/b"}},
        {"fileData": {"mimeType": "application/pdf", "fileUri": "https://a.example/c"}},
    ]);
    assert_eq!(content, expected);
}

#[tokio::test]
async fn ollama_is_sent_images_beside_the_words() {
    let answer = json!({"message": {"content": "a cat"}, "done": true, "done_reason": "stop"});
    let parts = [Part::text("Compare"), Part::image(PNG), Part::text("with"), Part::image(PNG)];
    let message = sent("ollama/llava", answer, parts, "/messages/0").await;
    assert_eq!(message, json!({"role": "user", "content": "Compare\nwith", "images": [PNG_BASE64, PNG_BASE64]}));
}

#[tokio::test]
async fn what_a_protocol_does_not_take_is_refused_by_name() {
    let message = refusal("ollama/llava", asking([Part::document(PDF)])).await;
    let expected = "`ollama/llava` was not asked, since it cannot be sent a document (application/pdf, 8 bytes): Ollama takes no documents";
    assert_eq!(message, expected);
    let message = refusal("ollama/llava", asking([Part::image_url("https://a.example/b?key=secret")])).await;
    assert!(message.contains("an image (at a.example): Ollama takes an image by its bytes"), "{message}");
    let message = refusal("openai/gpt-test", asking([Part::document_url("https://a.example/c.pdf")])).await;
    assert!(message.contains("takes a PDF by its bytes"), "{message}");
}

#[tokio::test]
async fn bytes_of_an_unknown_kind_and_parts_of_others_are_refused_by_all() {
    for model in ["openai/x", "anthropic/x", "gemini/x", "ollama/x"] {
        let message = refusal(model, asking([Part::image(*b"<svg/>")])).await;
        assert!(message.contains("it is no PNG, JPEG, GIF, WebP or HEIC"), "{message}");
        let message = refusal(model, asking([Part::document(*b"PK")])).await;
        assert!(message.contains("only PDF documents are taken"), "{message}");
        let mut request = asking([Part::text("a"), Part::image(PNG)]);
        request.messages[0].role = Role::System;
        assert!(refusal(model, request).await.contains("a user's message alone"));
    }
}
