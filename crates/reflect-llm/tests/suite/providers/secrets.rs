//! Keys go to the provider and nowhere else; names and settings that make no sense are told.

use reflect_llm::{ChatRequest, ConnectError, HttpClient, Secret, connect_with};

use crate::providers::endpoint::{Answer, Endpoint, KEY};

#[tokio::test]
async fn a_key_that_a_provider_repeats_is_struck_out() {
    let words = format!("{{\"error\": {{\"message\": \"Incorrect API key provided: {KEY}. Bearer {KEY}\"}}}}");
    for answer in [
        Answer::status(401, words.clone()),
        Answer::status(429, words.clone()),
        Answer::status(500, format!("plain {KEY}")),
        Answer::status(200, words),
        Answer::status(200, format!("not json {KEY}")),
    ] {
        for model in ["openai/m", "anthropic/m", "gemini/m", "ollama/m"] {
            let endpoint = Endpoint::answering([answer.clone()]).await;
            let error = endpoint.model(model).chat(&ChatRequest::ask("", "")).await.unwrap_err();
            assert!(!format!("{error} {error:?}").contains("0123456789"), "{model}: {error:?}");
            let error = endpoint.model(model).stream(&ChatRequest::ask("", "")).await.err();
            assert!(!format!("{error:?}").contains("0123456789"), "{model}: {error:?}");
        }
    }
}

#[tokio::test]
async fn settings_print_without_their_key() {
    let endpoint = Endpoint::answering([Answer::Closed]).await;
    let shown = format!("{:?}", endpoint.settings());
    assert!(shown.contains("****") && !shown.contains("0123456789"), "{shown}");
}

#[tokio::test]
async fn names_and_addresses_that_make_no_sense_are_told() {
    let endpoint = Endpoint::answering([Answer::Closed]).await;
    for name in ["gpt-4o", "openai/", "openai/ ", "/m", "", "cohere/m", "OpenAI/m"] {
        let error = connect_with(name, &endpoint.settings()).err();
        assert_eq!(error, Some(ConnectError::UnknownModel(name.to_owned())));
    }
    for url in ["localhost:8080", "ftp://x.test", "not an address", "", "https://user:secret@x.test/v1"] {
        let error = connect_with("openai/m", &endpoint.settings().base_url(url)).err().unwrap();
        assert!(matches!(error, ConnectError::BadUrl { .. }), "{url}: {error}");
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
}

#[tokio::test]
async fn providers_themselves_want_a_key_and_endpoints_of_ones_own_need_none() {
    let endpoint = Endpoint::answering([Answer::Closed]).await;
    let own = || {
        let mut settings = endpoint.settings();
        settings.api_key = None;
        settings
    };
    let provider = || {
        let mut settings = own();
        settings.base_url = None;
        settings
    };
    for name in ["openai/m", "anthropic/m", "gemini/m"] {
        assert_eq!(connect_with(name, &provider()).err(), Some(ConnectError::NoKey(name.to_owned())));
        assert!(connect_with(name, &provider().api_key(Secret::new("k"))).is_ok());
        assert!(connect_with(name, &own()).is_ok());
    }
    assert!(connect_with("ollama/m", &provider()).is_ok());
    assert!(HttpClient::new().is_ok());
}

#[test]
fn a_name_and_a_key_are_enough() {
    for name in ["openai/m", "anthropic/m", "gemini/m"] {
        assert_eq!(reflect_llm::connect(name, "k").unwrap().name(), name);
        assert_eq!(reflect_llm::connect(name, "").err(), Some(ConnectError::NoKey(name.to_owned())));
    }
    assert!(reflect_llm::connect("ollama/m", "").is_ok());
}
