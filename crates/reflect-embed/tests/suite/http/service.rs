//! What it does with an endpoint that does as it should.

use reflect_core::Secret;
use reflect_core::cosine;
use reflect_embed::{Embedder, HashingEmbedder, HttpEmbedderSettings};

use crate::http::endpoint::{Endpoint, embedder};

#[tokio::test]
async fn vectors_come_in_the_order_of_their_texts_and_have_length_one() {
    let endpoint = Endpoint::start([]).await;
    let texts = ["Refund an order", "", "Ship an order", "Refund an order"];
    let vectors = endpoint.embedder().embed(&texts).await.unwrap();
    let expected = HashingEmbedder.embed(&["Refund an order", " ", "Ship an order", "Refund an order"]).await.unwrap();
    for (vector, expected) in vectors.iter().zip(&expected) {
        assert!((cosine(vector, expected) - 1.0).abs() < 1e-5);
        let length: f32 = vector.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
    assert_eq!(vectors.len(), 4);
    let seen = endpoint.seen();
    assert_eq!((seen.len(), &seen[0].authorization), (1, &None));
    assert_eq!((&seen[0].body["model"], seen[0].body.get("dimensions")), (&"small-model".into(), None));
    assert_eq!(endpoint.embedder().embed(&[]).await.unwrap(), Vec::<Vec<f32>>::new());
}

#[tokio::test]
async fn the_id_names_model_and_dimension_and_nothing_else() {
    let id = |settings| embedder(settings).id().0;
    let one = HttpEmbedderSettings::new("http://127.0.0.1:1/v1", "nomic/embed:v1.5", 768);
    assert_eq!(id(one.clone()), "http:nomic/embed:v1.5:768");
    assert_eq!(id(HttpEmbedderSettings { base_url: "https://host/v1".into(), ..one.clone() }), id(one.clone()));
    assert_ne!(id(HttpEmbedderSettings { dimension: 512, ..one.clone() }), id(one.clone()));
    assert_ne!(id(HttpEmbedderSettings { model: "other".into(), ..one.clone() }), id(one.clone()));
    assert_eq!(embedder(one).default_floor(), None);
}

#[tokio::test]
async fn key_and_dimension_are_sent_where_they_are_set() {
    let endpoint = Endpoint::start([]).await;
    let settings =
        HttpEmbedderSettings { key: Some(Secret::new("sk-hunter2")), asks_for_dimension: true, ..endpoint.settings() };
    assert!(!format!("{settings:?}").contains("hunter2"));
    embedder(settings).embed(&["Refund an order"]).await.unwrap();
    let seen = endpoint.seen();
    assert_eq!(seen[0].authorization.as_deref(), Some("Bearer sk-hunter2"));
    assert_eq!(seen[0].body["dimensions"], 256);
}

#[tokio::test]
async fn many_texts_travel_in_batches() {
    let endpoint = Endpoint::start([]).await;
    let settings = HttpEmbedderSettings { max_texts: 3, max_bytes: 40, ..endpoint.settings() };
    let texts: Vec<String> = (0..10).map(|number| format!("order {number} {}", "x".repeat(number * 4))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder(settings).embed(&texts).await.unwrap();
    let expected = HashingEmbedder.embed(&texts).await.unwrap();
    assert_eq!(vectors.len(), expected.len());
    for (vector, expected) in vectors.iter().zip(&expected) {
        assert!((cosine(vector, expected) - 1.0).abs() < 1e-5);
    }
    for seen in endpoint.seen() {
        let texts = seen.texts();
        assert!(texts.len() == 1 || (texts.len() <= 3 && texts.concat().len() <= 40), "{texts:?}");
    }
}

#[tokio::test]
async fn a_text_beyond_the_models_window_is_windowed() {
    let endpoint = Endpoint::with_window(700).await;
    let words: Vec<String> = (0..300).map(|number| format!("word{number}")).collect();
    let long = words.join(" ");
    let texts = ["short", long.as_str(), "also short"];
    let vectors = endpoint.embedder().embed(&texts).await.unwrap();
    let expected = HashingEmbedder.embed(&texts).await.unwrap();
    assert!((cosine(&vectors[0], &expected[0]) - 1.0).abs() < 1e-5);
    assert!((cosine(&vectors[2], &expected[2]) - 1.0).abs() < 1e-5);
    assert!(cosine(&vectors[1], &expected[1]) > 0.95, "the mean of its parts is near the whole");
    let sent: Vec<String> = endpoint.seen().iter().flat_map(|seen| seen.texts()).collect();
    let last = sent.iter().any(|text| text.len() <= 700 && text.ends_with("word299"));
    assert!(last, "its end was embedded as well");
}
