//! What goes wrong while an answer arrives.

use std::time::Duration;

use reflect_llm::{ChatError, ChatRequest};

use crate::providers::{
    asking::collect,
    endpoint::{Answer, Endpoint, events},
};

/// The first words of an answer, in each protocol.
fn beginnings() -> Vec<(&'static str, Vec<String>)> {
    vec![
        ("openai/m", events(&[r#"{"choices":[{"delta":{"content":"half"}}]}"#])),
        (
            "anthropic/m",
            events(&[r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"half"}}"#]),
        ),
        ("gemini/m", events(&[r#"{"candidates":[{"content":{"parts":[{"text":"half"}]}}]}"#])),
        ("ollama/m", vec!["{\"message\":{\"content\":\"half\"},\"done\":false}\n".to_owned()]),
    ]
}

#[tokio::test]
async fn an_answer_that_is_cut_keeps_its_words_and_ends_with_an_error() {
    for (model, chunks) in beginnings() {
        // With and without a proper end of the body: neither is an end of the answer.
        for answer in [Answer::CutChunks(chunks.clone()), Answer::Chunks(chunks)] {
            let endpoint = Endpoint::answering([answer]).await;
            let (words, end) = collect(&*endpoint.model(model), &ChatRequest::ask("", "")).await;
            assert_eq!(words, ["half"], "{model}");
            assert!(matches!(end, Err(ChatError::Unavailable { .. })), "{model}: {end:?}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_stalls_ends_with_a_timeout() {
    for (model, chunks) in beginnings() {
        let endpoint = Endpoint::answering([Answer::StalledChunks(chunks)]).await;
        let after = Duration::from_millis(300);
        let (_, end) = collect(&*endpoint.model(model), &ChatRequest::ask("", "").timeout(after)).await;
        assert_eq!(end, Err(ChatError::Timeout { after }), "{model}");
    }
}

#[tokio::test]
async fn an_empty_stream_makes_no_sense() {
    for (model, _) in beginnings() {
        let endpoint = Endpoint::answering([Answer::Chunks(Vec::new())]).await;
        let (_, end) = collect(&*endpoint.model(model), &ChatRequest::ask("", "")).await;
        assert_eq!(end, Err(ChatError::Malformed { message: "it is empty".into() }), "{model}");
    }
}

#[tokio::test]
async fn a_web_page_or_other_json_as_a_stream_makes_no_sense() {
    for body in ["<html>\n<body>hello</body></html>\n", "data: {\"hello\": 1}\n\n", "{\"hello\": 1}\n"] {
        for (model, _) in beginnings() {
            let endpoint = Endpoint::answering([Answer::Chunks(vec![body.to_owned()])]).await;
            let (words, end) = collect(&*endpoint.model(model), &ChatRequest::ask("", "")).await;
            assert!(words.is_empty());
            assert!(matches!(end, Err(ChatError::Malformed { .. })), "{model} on {body}: {end:?}");
        }
    }
}

#[tokio::test]
async fn an_error_inside_a_stream_ends_it() {
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    for (model, mut chunks) in beginnings() {
        chunks.push(if model.starts_with("ollama") {
            format!("{overloaded}\n")
        } else {
            format!("data: {overloaded}\n\n")
        });
        let endpoint = Endpoint::answering([Answer::Chunks(chunks)]).await;
        let (words, end) = collect(&*endpoint.model(model), &ChatRequest::ask("", "")).await;
        assert_eq!(words, ["half"]);
        assert!(
            matches!(&end, Err(ChatError::Unavailable { message, .. }) if message == "Overloaded"),
            "{model}: {end:?}"
        );
    }
}

#[tokio::test]
async fn a_refused_stream_is_told_before_it_begins() {
    for (model, _) in beginnings() {
        let endpoint = Endpoint::answering([Answer::status(429, "busy").header("retry-after", "3")]).await;
        let error = endpoint.model(model).stream(&ChatRequest::ask("", "")).await.err().unwrap();
        assert_eq!(error.retry_after(), Some(Duration::from_secs(3)), "{model}");
    }
}
