//! Repeated texts.

use reflect_embed::{CachedEmbedder, Embedder, HashingEmbedder};

use crate::wrappers::Recording;

#[tokio::test]
async fn a_text_is_asked_about_once() {
    let inner = Recording::new(10);
    let cached = CachedEmbedder::new(inner.clone(), 1 << 20);
    assert_eq!((cached.id(), cached.default_floor()), (HashingEmbedder.id(), Some(0.25)));
    let texts = ["refund", "ship", "refund", "cancel"];
    let expected = HashingEmbedder.embed(&texts).await.unwrap();
    assert_eq!(cached.embed(&texts).await.unwrap(), expected);
    assert_eq!(inner.calls()[0].len(), 3, "a text that comes twice is asked about once");
    assert_eq!(cached.embed(&texts).await.unwrap(), expected);
    assert_eq!(inner.calls().len(), 1);
    let more = ["ship", "audit"];
    assert_eq!(cached.embed(&more).await.unwrap(), HashingEmbedder.embed(&more).await.unwrap());
    assert_eq!(inner.calls()[1], ["audit"]);
    assert_eq!(cached.embed(&[]).await.unwrap(), Vec::<Vec<f32>>::new());
}

#[tokio::test]
async fn what_does_not_fit_is_forgotten_oldest_first() {
    let inner = Recording::new(10);
    // Room for two vectors of 1,024 bytes and what they cost besides.
    let cached = CachedEmbedder::new(inner.clone(), 2_400);
    for text in ["refund", "ship", "refund", "cancel", "refund", "ship"] {
        cached.embed(&[text]).await.unwrap();
    }
    assert_eq!(inner.calls().concat(), ["refund", "ship", "cancel", "ship"]);
}

#[tokio::test]
async fn a_failure_is_not_remembered() {
    let inner = Recording::new(10);
    let cached = CachedEmbedder::new(inner.clone(), 1 << 20);
    for _ in 0..2 {
        assert_eq!(cached.embed(&["poison", "ship"]).await.unwrap_err().to_string(), "poisoned");
    }
    assert_eq!(inner.calls().len(), 2);
}
