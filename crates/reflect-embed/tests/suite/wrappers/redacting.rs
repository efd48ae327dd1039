//! What must not leave.

use std::borrow::Cow;

use reflect_embed::{Embedder, HashingEmbedder, RedactingEmbedder};

use crate::wrappers::Recording;

#[tokio::test]
async fn a_text_is_changed_before_anyone_sees_it() {
    let inner = Recording::new(10);
    let redacting = RedactingEmbedder::new(inner.clone(), |text: &str| match text.contains("ann@example.org") {
        true => Cow::Owned(text.replace("ann@example.org", "[email]")),
        false => Cow::Borrowed(text),
    });
    assert_eq!((redacting.id(), redacting.default_floor()), (HashingEmbedder.id(), Some(0.25)));
    let vectors = redacting.embed(&["write to ann@example.org", "ship"]).await.unwrap();
    assert_eq!(vectors, HashingEmbedder.embed(&["write to [email]", "ship"]).await.unwrap());
    assert_eq!(inner.calls(), [["write to [email]", "ship"]]);
}
