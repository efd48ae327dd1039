//! What goes wrong on the wire, over every protocol.

use std::time::Duration;

use reflect_llm::{ChatError, ChatRequest};
use serde_json::json;

use crate::providers::endpoint::{Answer, Endpoint};

const MODELS: [&str; 4] = ["openai/m", "anthropic/m", "gemini/m", "ollama/m"];

/// Asks every protocol once and hands out its error.
async fn errors(answer: Answer) -> Vec<(&'static str, ChatError)> {
    let mut errors = Vec::new();
    for model in MODELS {
        let endpoint = Endpoint::answering([answer.clone()]).await;
        let request = ChatRequest::ask("s", "u").timeout(Duration::from_secs(15));
        errors.push((model, endpoint.model(model).chat(&request).await.unwrap_err()));
    }
    errors
}

#[tokio::test]
async fn a_limit_is_told_with_the_wait_in_seconds() {
    let answer = Answer::status(429, json!({"error": {"message": "slow down"}}).to_string()).header("Retry-After", "7");
    for (model, error) in errors(answer).await {
        assert_eq!(error.retry_after(), Some(Duration::from_secs(7)), "{model}");
        assert!(
            matches!(&error, ChatError::RateLimited { message, .. } if message == "status 429: slow down"),
            "{model}: {error}"
        );
        assert!(error.is_temporary());
    }
}

#[tokio::test]
async fn a_limit_is_told_with_the_wait_as_a_date() {
    let answer = Answer::status(429, "busy").header("Retry-After", "Sun, 15 Nov 2026 12:00:42 GMT");
    for (model, error) in errors(answer).await {
        assert_eq!(error.retry_after(), Some(Duration::from_secs(42)), "{model}: {error}");
    }
}

#[tokio::test]
async fn a_failure_of_the_provider_is_temporary() {
    for (status, body) in [(500, "oops"), (502, "<html><body>Bad Gateway</body></html>"), (503, ""), (529, "{}")] {
        let answer = Answer::status(status, body).header("retry-after", "1");
        for (model, error) in errors(answer).await {
            assert!(
                matches!(error, ChatError::Unavailable { status: Some(code), .. } if code == status),
                "{model}: {error}"
            );
            assert_eq!(error.retry_after(), Some(Duration::from_secs(1)));
            assert!(!error.to_string().contains('<'), "{error}");
        }
    }
}

#[tokio::test]
async fn a_refusal_is_final() {
    for status in [400, 401, 403, 404, 413] {
        for (model, error) in errors(Answer::status(status, json!({"error": {"message": "no"}}).to_string())).await {
            assert!(
                matches!(error, ChatError::Refused { status: Some(code), .. } if code == status),
                "{model}: {error}"
            );
            assert!(!error.is_temporary());
        }
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let other = Endpoint::answering([Answer::status(200, "{}")]).await;
    let elsewhere = other.settings().base_url.unwrap();
    for (model, error) in errors(Answer::status(307, "").header("location", elsewhere)).await {
        assert!(matches!(error, ChatError::Refused { status: Some(307), .. }), "{model}: {error}");
    }
    assert!(other.received().is_empty());
}

#[tokio::test]
async fn a_provider_that_hangs_is_given_up() {
    for model in MODELS {
        let endpoint = Endpoint::answering([Answer::Hang]).await;
        let after = Duration::from_millis(50);
        let error = endpoint.model(model).chat(&ChatRequest::ask("s", "u").timeout(after)).await.unwrap_err();
        assert_eq!(error, ChatError::Timeout { after }, "{model}");
    }
}

#[tokio::test]
async fn a_connection_that_is_cut_is_temporary() {
    for (answer, begun) in [
        (Answer::Closed, None),
        (Answer::CutBody("{\"choices\": [".into()), Some(200)),
        (Answer::CutChunks(vec!["{\"mess".into()]), Some(200)),
    ] {
        for (model, error) in errors(answer).await {
            let ChatError::Unavailable { status, .. } = error else { panic!("{model}: {error}") };
            assert_eq!(status, begun, "{model}: an answer that had begun is told from none");
        }
    }
}

#[tokio::test]
async fn nobody_listening_is_temporary() {
    let endpoint = Endpoint::answering([Answer::Closed]).await;
    let settings = endpoint.settings();
    drop(endpoint);
    let model = reflect_llm::connect_with("openai/m", &settings).unwrap();
    let error = model.chat(&ChatRequest::ask("s", "u")).await.unwrap_err();
    assert!(matches!(error, ChatError::Unavailable { status: None, .. }), "{error}");
}

#[tokio::test]
async fn an_empty_answer_makes_no_sense() {
    for (model, error) in errors(Answer::status(200, " \n")).await {
        assert_eq!(error, ChatError::Malformed { message: "it is empty".into() }, "{model}");
    }
}

#[tokio::test]
async fn a_web_page_makes_no_sense() {
    for (model, error) in errors(Answer::status(200, "<!doctype html><html></html>")).await {
        assert_eq!(error, ChatError::Malformed { message: "it is a web page".into() }, "{model}");
    }
}

#[tokio::test]
async fn json_of_another_shape_makes_no_sense() {
    for body in
        [json!({"hello": "world"}), json!([1, 2]), json!("text"), json!(null), json!({"choices": [], "content": 1})]
    {
        for (model, error) in errors(Answer::json(body.clone())).await {
            assert!(matches!(error, ChatError::Malformed { .. }), "{model} on {body}: {error}");
        }
    }
}

#[tokio::test]
async fn what_is_not_json_makes_no_sense() {
    for (model, error) in errors(Answer::status(200, "upstream request timeout")).await {
        assert!(matches!(&error, ChatError::Malformed { message } if message.contains("not JSON")), "{model}: {error}");
    }
}

#[tokio::test]
async fn an_error_in_place_of_an_answer_is_told_as_what_it_is() {
    let limited = json!({"error": {"code": 429, "message": "slow down"}});
    for (model, error) in errors(Answer::json(limited)).await {
        assert!(matches!(error, ChatError::RateLimited { .. }), "{model}: {error}");
    }
    for (model, error) in errors(Answer::json(json!({"error": "model is loading"}))).await {
        assert!(
            matches!(&error, ChatError::Unavailable { message, .. } if message == "model is loading"),
            "{model}: {error}"
        );
    }
}

#[tokio::test]
async fn dropping_a_call_ends_it() {
    let endpoint = Endpoint::answering([Answer::Hang]).await;
    let model = endpoint.model("openai/m");
    let request = ChatRequest::ask("s", "u");
    let mut call = model.chat(&request);
    while endpoint.received().is_empty() {
        tokio::select! {
            _ = &mut call => panic!("it answered"),
            () = tokio::time::sleep(Duration::from_millis(1)) => {}
        }
    }
    drop(call);
    assert_eq!(endpoint.received().len(), 1);
}
