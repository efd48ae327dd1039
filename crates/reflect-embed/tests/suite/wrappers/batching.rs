//! Requests that come at the same time.

use std::{sync::Arc, time::Duration};

use futures_util::{FutureExt, future::join_all};
use proptest::prelude::*;
use reflect_embed::{BatchLimits, BatchingEmbedder, Caller, EmbedError, Embedder, HashingEmbedder};

use crate::wrappers::Recording;

/// Batches of so many texts, one at a time; for each caller a thousand tokens may wait.
fn batching(inner: &Arc<Recording>, texts: usize) -> BatchingEmbedder<Arc<Recording>> {
    let limits = BatchLimits {
        texts,
        tokens: 100,
        text_tokens: 100,
        waiting_tokens: 1_000,
        longest_wait: Duration::from_secs(10),
    };
    BatchingEmbedder::new(Arc::clone(inner), limits, 1)
}

/// What one caller's request for one text comes to.
type Asked<'a> = std::pin::Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, EmbedError>> + Send + 'a>>;

/// A request that has been made and waits.
fn asked<'a>(embedder: &'a impl Embedder, caller: &'a str, text: &'a str) -> Asked<'a> {
    let mut asked: Asked<'a> = Box::pin(async move { embedder.embed_for(Caller::asking(caller), &[text]).await });
    assert!((&mut asked).now_or_never().is_none(), "{text} did not wait");
    asked
}

#[tokio::test]
async fn the_first_goes_at_once_and_those_who_come_meanwhile_go_together() {
    let inner = Recording::new(0);
    let embedder = batching(&inner, 8);
    assert_eq!((embedder.id(), embedder.default_floor()), (HashingEmbedder.id(), Some(0.25)));
    let mut first = embedder.embed(&["refund"]);
    assert!((&mut first).now_or_never().is_none());
    assert_eq!(inner.calls(), [["refund"]], "it has not waited for company");
    let mut later: Vec<_> =
        ["ship", "cancel", "audit"].into_iter().map(|text| Box::pin(async { embedder.embed(&[text]).await })).collect();
    for request in &mut later {
        assert!(request.now_or_never().is_none());
    }
    inner.permits.add_permits(2);
    let (answer, answers) = tokio::join!(first, join_all(later));
    assert_eq!(answer.unwrap(), HashingEmbedder.embed(&["refund"]).await.unwrap());
    for (answer, text) in answers.into_iter().zip(["ship", "cancel", "audit"]) {
        assert_eq!(answer.unwrap(), HashingEmbedder.embed(&[text]).await.unwrap());
    }
    assert_eq!(inner.calls()[1], ["ship", "cancel", "audit"]);
    assert_eq!(inner.calls().len(), 2);
}

#[tokio::test]
async fn one_bad_text_is_not_the_failure_of_its_neighbours() {
    let inner = Recording::new(100);
    let embedder = batching(&inner, 8);
    let requests = ["ship", "poison", "audit"].map(|text| async { embedder.embed(&[text]).await });
    let answers = join_all(requests).await;
    assert!(answers[0].is_ok() && answers[2].is_ok());
    assert_eq!(answers[1].clone().unwrap_err().to_string(), "poisoned");
}

#[tokio::test]
async fn whoever_works_for_others_may_go_away_in_the_middle() {
    let inner = Recording::new(0);
    let embedder = batching(&inner, 8);
    let mut others: Vec<_> = Vec::new();
    let mut worker = embedder.embed(&["refund"]);
    assert!((&mut worker).now_or_never().is_none());
    for text in ["ship", "cancel"] {
        let mut request = embedder.embed(Box::leak(Box::new([text])));
        assert!((&mut request).now_or_never().is_none());
        others.push(request);
    }
    drop(worker);
    // The next one takes over, with both their texts, and goes away as well.
    let mut next = others.remove(0);
    assert!((&mut next).now_or_never().is_none());
    assert_eq!(inner.calls().last().unwrap(), &["ship", "cancel"]);
    drop(next);
    inner.permits.add_permits(10);
    assert_eq!(others.remove(0).await.unwrap(), HashingEmbedder.embed(&["cancel"]).await.unwrap());
}

#[tokio::test]
async fn a_caller_with_more_than_a_batch_is_served_in_several() {
    let inner = Recording::new(10);
    let embedder = batching(&inner, 2);
    let texts = ["refund", "ship", "cancel"];
    let (many, one) = tokio::join!(embedder.embed(&texts), embedder.embed(&["audit"]));
    assert_eq!(many.unwrap(), HashingEmbedder.embed(&texts).await.unwrap());
    assert_eq!(one.unwrap(), HashingEmbedder.embed(&["audit"]).await.unwrap());
    assert_eq!(embedder.embed(&[]).await.unwrap(), Vec::<Vec<f32>>::new());
}

#[tokio::test]
async fn callers_take_turns() {
    let inner = Recording::new(0);
    let embedder = batching(&inner, 2);
    let flood: Vec<String> = (0..40).map(|number| format!("flood {number}")).collect();
    let flooding: Vec<_> = flood.iter().map(|text| asked(&embedder, "flood", text)).collect();
    let bystanders = [asked(&embedder, "one", "audit"), asked(&embedder, "two", "ship")];
    inner.permits.add_permits(100);
    let (flooded, answers) = tokio::join!(join_all(flooding), join_all(bystanders));
    assert!(flooded.iter().chain(&answers).all(Result::is_ok));
    assert_eq!(inner.calls()[..3], [vec!["flood 0"], vec!["flood 1", "audit"], vec!["ship", "flood 2"]]);
}

#[tokio::test]
async fn a_caller_with_long_texts_gets_no_more_than_one_with_short_ones() {
    let inner = Recording::new(0);
    let embedder = batching(&inner, 1);
    let long: Vec<String> = (0..9).map(|number| format!("{number}{}", "a".repeat(200))).collect();
    let short: Vec<String> = (0..40).map(|number| format!("short text {number:>5}")).collect();
    let flooding: Vec<_> = long.iter().map(|text| asked(&embedder, "flood", text)).collect();
    let mut asking: Vec<_> = short.iter().map(|text| asked(&embedder, "bystander", text)).collect();
    inner.permits.add_permits(100);
    let (flooded, answers) = tokio::join!(join_all(flooding), join_all(&mut asking));
    assert!(flooded.iter().chain(&answers).all(Result::is_ok));
    // 51 tokens each, and four.
    let calls: Vec<usize> = inner.calls().iter().map(|texts| texts[0].len()).collect();
    let places: Vec<usize> = (0..calls.len()).filter(|place| calls[*place] > 100).collect();
    assert_eq!(places[..4], [0, 1, 15, 29], "{calls:?}");
}

#[tokio::test]
async fn a_batch_is_full_by_tokens_too() {
    let inner = Recording::new(0);
    let embedder = batching(&inner, 8);
    let (long, longer) = ("a".repeat(240), "b".repeat(4_000));
    let first = asked(&embedder, "", "ship");
    let later = [asked(&embedder, "one", &long), asked(&embedder, "two", &longer), asked(&embedder, "three", "audit")];
    inner.permits.add_permits(100);
    let (_, answers) = tokio::join!(first, join_all(later));
    assert!(answers.iter().all(Result::is_ok));
    assert_eq!(inner.calls()[1..], [[long.as_str()], [longer.as_str()], ["audit"]]);
}

#[tokio::test]
async fn a_caller_whose_line_is_full_is_told_so_and_others_are_not() {
    let inner = Recording::new(0);
    let embedder = batching(&inner, 8);
    let long = "a".repeat(400);
    let _running = asked(&embedder, "flood", "ship");
    let mut waiting: Vec<_> = (0..10).map(|_| asked(&embedder, "flood", &long)).collect();
    assert!(matches!(embedder.embed_for(Caller::asking("flood"), &["one more"]).await, Err(EmbedError::Busy(_))));
    let _bystander = asked(&embedder, "bystander", "one more");
    waiting.pop();
    let _again = asked(&embedder, "flood", "one more");
}

#[tokio::test]
async fn nothing_is_done_for_those_who_have_gone() {
    let inner = Recording::new(0);
    let embedder = batching(&inner, 8);
    let running = asked(&embedder, "", "ship");
    drop(asked(&embedder, "", "gone before its batch"));
    let waiting = asked(&embedder, "", "audit");
    drop(running);
    inner.permits.add_permits(1);
    assert_eq!(waiting.await.unwrap(), HashingEmbedder.embed(&["audit"]).await.unwrap());
    assert_eq!(inner.calls(), [["ship"], ["audit"]]);
    assert_eq!(inner.permits.available_permits(), 0, "the batch of the one who went away was not finished");
}

#[tokio::test(start_paused = true)]
async fn a_text_does_not_wait_for_ever() {
    let inner = Recording::new(0);
    let embedder = batching(&inner, 8);
    let _running = asked(&embedder, "", "ship");
    assert!(matches!(embedder.embed(&["audit"]).await, Err(EmbedError::Busy(_))));
}

/// Many callers on several threads, some of whom give up: everybody else gets what they asked for.
async fn serve_a_crowd(callers: Vec<(Vec<u8>, bool)>, max_texts: usize) {
    let inner = Recording::new(100_000);
    let embedder = Arc::new(batching(&inner, max_texts));
    let mut tasks = tokio::task::JoinSet::new();
    for (texts, gives_up) in callers {
        let embedder = Arc::clone(&embedder);
        tasks.spawn(async move {
            let texts: Vec<String> = texts.iter().map(|text| format!("text {text}")).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let request = embedder.embed(&texts);
            if gives_up {
                tokio::select! {
                    biased;
                    () = tokio::task::yield_now() => {}
                    _ = request => {}
                }
            } else {
                assert_eq!(request.await.unwrap(), HashingEmbedder.embed(&texts).await.unwrap());
            }
        });
    }
    while let Some(ended) = tasks.join_next().await {
        ended.unwrap();
    }
    // Nobody is left who could be waiting.
    embedder.embed(&["last"]).await.unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn everybody_gets_their_own_vectors(
        callers in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..4), prop::bool::weighted(0.3)), 1..40),
        max_texts in 1..10_usize,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(3).enable_all().build().unwrap();
        runtime.block_on(serve_a_crowd(callers, max_texts));
    }
}
