use std::sync::Mutex;

use async_trait::async_trait;
use futures_util::stream;
use reflect_llm::{ChatError, ChatModel, ChatPiece, ChatReply, ChatRequest, ChatStream};

use super::*;
use crate::TextPiece;

/// Streams its words in these pieces, and perhaps breaks off.
struct InPieces {
    pieces: Vec<&'static str>,
    ends: bool,
}

#[async_trait]
impl ChatModel for InPieces {
    fn name(&self) -> &str {
        "in/pieces"
    }

    async fn chat(&self, _: &ChatRequest) -> Result<ChatReply, ChatError> {
        Ok(ChatReply::text(self.pieces.concat()))
    }

    async fn stream(&self, _: &ChatRequest) -> Result<ChatStream, ChatError> {
        let words = self.pieces.iter().map(|piece| Ok(ChatPiece::Text((*piece).to_owned())));
        let end = self.ends.then(|| Ok(ChatPiece::End(ChatReply::text(self.pieces.concat()))));
        Ok(Box::pin(stream::iter(words.chain(end).collect::<Vec<_>>())))
    }
}

fn observed(model: impl ChatModel + 'static) -> (ChatActor, Arc<Mutex<Vec<TextPiece>>>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = seen.clone();
    (ChatActor::new(Arc::new(model)).on_text(move |piece| sink.lock().unwrap().push(piece)), seen)
}

#[tokio::test]
async fn pieces_arrive_as_they_are_and_the_answer_is_their_sum() {
    let (actor, seen) = observed(InPieces { pieces: vec!["Hel", "lo,", " wör", "ld\n"], ends: true });
    assert_eq!(attempt(&actor).await.answer, "Hello, wörld\n");
    let seen = seen.lock().unwrap();
    assert_eq!(seen.iter().map(|piece| piece.text.as_str()).collect::<String>(), "Hello, wörld\n");
    assert_eq!(seen[1], TextPiece { trial: 1, turn: 1, text: "lo,".into() });
}

#[tokio::test]
async fn turns_are_told_apart() {
    let steps = [calling(vec![call("1", "x", serde_json::json!({}))]), saying("done")];
    let (actor, seen) = observed(ScriptedModel::new(steps));
    attempt(&actor).await;
    assert_eq!(*seen.lock().unwrap(), [TextPiece { trial: 1, turn: 2, text: "done".into() }]);
}

#[tokio::test]
async fn a_stream_that_breaks_off_is_an_error() {
    let (actor, _) = observed(InPieces { pieces: vec!["half"], ends: false });
    let error = actor.attempt("the task", &context()).await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(ChatError::Malformed { .. })));
}

#[tokio::test]
async fn an_observer_that_panics_does_not_end_the_attempt() {
    let (actor, _) = scripted([saying("done")]);
    assert_eq!(attempt(&actor.on_text(|_| panic!("the screen is full"))).await.answer, "done");
}
