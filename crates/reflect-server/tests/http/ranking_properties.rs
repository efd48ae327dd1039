//! The engine's ranking against a slow, obvious one over the list of memories.

use std::cmp::Ordering;

use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use reflect_core::{Match, Memory, MemoryId, Outcome, SearchBy, cosine};
use reflect_embed::{Embedder, HashingEmbedder};
use reflect_engine::{Asker, Caller, MemoryFilter, Query, Retrieved};
use reflect_index::as_kept;
use serde_json::{Map, Value, json};

use crate::{
    client::{reviewed_run, run},
    test_app::{TestApp, runtime},
};

/// More than the pool of a small limit, so that being cut off from it shows.
const MEMORIES: usize = 130;

const WORDS: [&str; 8] = ["refund", "cancel", "ship", "an", "the", "order", "parcel", "today"];

/// A memory as the slow version knows it.
struct Known {
    place: usize,
    memory: Memory,
    /// Of the lessons, to every known memory, by its place.
    cosines: Vec<f64>,
    vector: Vec<f32>,
    lesson_vector: Vec<f32>,
    metadata: Value,
}

/// A project with many memories, few words, and utilities between the ends.
async fn fill(app: &TestApp) -> Vec<Known> {
    for number in 0..MEMORIES {
        let metadata = json!({"tier": number % 3, "tags": [number % 2, WORDS[number % 5]]});
        let authored = json!({"result": "pass", "reflection": {"summary": task(number * 17 % 89)}});
        let mut body = reviewed_run(&task(number * 37 % 101), authored);
        body["metadata"] = metadata;
        app.create(body).await;
    }
    for (number, memory) in list(app).await.iter().enumerate() {
        let result = if number % 4 == 0 { Outcome::Fail } else { Outcome::Pass };
        if number % 3 != 0 {
            let review = json!({"result": result, "alpha": (number % 7) as f64 / 10.0, "reflection": {"summary": "x"}});
            let mut body = reviewed_run("unrelated", review);
            body["retrieved_memory_ids"] = json!([memory.id]);
            let trace_id = app.create(body).await;
            let made = app.trace(&trace_id).await["created_memory_id"].as_str().unwrap().to_owned();
            app.delete(&format!("/memories/{made}")).await.assert_status(204);
        }
    }
    let memories = list(app).await;
    assert_eq!(memories.len(), MEMORIES);
    let (mut vectors, mut lessons) = (Vec::new(), Vec::new());
    for memory in &memories {
        vectors.push(as_kept(&embed(&memory.task).await));
        lessons.push(as_kept(&embed(&memory.lesson.words()).await));
    }
    let known = memories.into_iter().enumerate().map(|(place, memory)| Known {
        place,
        cosines: lessons.iter().map(|other| cosine(other, &lessons[place])).collect(),
        lesson_vector: lessons[place].clone(),
        vector: vectors[place].clone(),
        metadata: memory.metadata.read().unwrap(),
        memory,
    });
    known.collect()
}

async fn list(app: &TestApp) -> Vec<Memory> {
    let filter = MemoryFilter { limit: 1_000, ..MemoryFilter::default() };
    let project_id = "default".parse().unwrap();
    let asker = Asker { caller: &Caller::master(), project_id: &project_id };
    let plan = app.engine.plan_memories(asker, filter).await.unwrap();
    app.engine.get_memories(asker, plan.memory_ids).await.unwrap()
}

async fn ask(app: &TestApp, query: Query) -> Retrieved {
    let project_id = "default".parse().unwrap();
    app.engine.query(Asker { caller: &Caller::master(), project_id: &project_id }, query).await.unwrap()
}

fn task(number: usize) -> String {
    let word = |place: usize| WORDS[place % WORDS.len()];
    format!("{} {} {}", word(number), word(number / 3 + 1), word(number / 7 + 2))
}

async fn embed(text: &str) -> Vec<f32> {
    HashingEmbedder.embed(&[text]).await.unwrap().remove(0)
}

fn query() -> impl Strategy<Value = Query> {
    let share = || prop_oneof![Just(0.0), Just(0.5), Just(1.0), 0.0..=1.0_f64];
    let filter = prop_oneof![
        3 => Just(json!({})),
        1 => (0..4).prop_map(|tier| json!({"tier": tier})),
        1 => (0..6_usize).prop_map(|word| json!({"tags": WORDS[word]})),
        1 => (0..3, 0..3).prop_map(|(tier, odd)| json!({"tier": tier, "tags": odd})),
    ];
    let floor = prop_oneof![Just(None), Just(Some(0.0)), (-1.0..=1.0_f64).prop_map(Some)];
    let limit = prop_oneof![1..8_usize, 20..40_usize, Just(MEMORIES + 1)];
    let matching = prop::sample::select(Match::ALL);
    (0..500_usize, limit, share(), share(), matching, floor, filter).prop_map(
        |(number, limit, lambda, mmr_lambda, matching, floor, filter)| Query {
            lambda: Some(lambda),
            mmr_lambda: Some(mmr_lambda),
            matching: Some(matching),
            similarity_threshold: floor,
            metadata_filter: filter.as_object().cloned(),
            ..Query::new(SearchBy::Task(task(number)), limit)
        },
    )
}

/// The contract's words, one after the other, with nothing kept from one step to the next.
fn rank_slowly(known: &[Known], asked: &[f32], query: &Query) -> Vec<MemoryId> {
    let (lambda, m) = (query.lambda.unwrap(), query.mmr_lambda.unwrap());
    let scored = known.iter().map(|known| {
        let (by_task, by_lesson) = (cosine(&known.vector, asked), cosine(&known.lesson_vector, asked));
        let similarity = query.matching.unwrap().join(by_task, by_lesson);
        let score = (1.0 - lambda) * similarity + lambda * known.memory.tally.utility();
        (known, similarity, score)
    });
    let mut pool: Vec<(&Known, f64)> = scored
        .filter(|(known, ..)| matches(&known.metadata, query.metadata_filter.as_ref().unwrap()))
        .filter(|(_, similarity, _)| query.similarity_threshold.is_none_or(|floor| *similarity >= floor))
        .map(|(known, _, score)| (known, score))
        .collect();
    pool.sort_by(best_first);
    pool.truncate(usize::max(100, 4 * query.limit));
    let mut picked: Vec<(&Known, f64)> = Vec::new();
    while picked.len() < query.limit && !pool.is_empty() {
        let value = |&(known, score): &(&Known, f64)| {
            let nearest = picked.iter().map(|(other, _)| known.cosines[other.place]).reduce(f64::max);
            m * score - (1.0 - m) * nearest.unwrap_or(0.0)
        };
        let mut by_value: Vec<(&Known, f64)> = pool.iter().map(|candidate| (candidate.0, value(candidate))).collect();
        by_value.sort_by(best_first);
        let best = by_value[0].0.place;
        let place = pool.iter().position(|(known, _)| known.place == best);
        picked.push(pool.remove(place.unwrap()));
    }
    picked.sort_by(best_first);
    picked.iter().map(|(known, _)| known.memory.id).collect()
}

/// From high to low, equal ones by id.
fn best_first(left: &(&Known, f64), right: &(&Known, f64)) -> Ordering {
    right.1.total_cmp(&left.1).then(left.0.memory.id.cmp(&right.0.memory.id))
}

fn matches(metadata: &Value, filter: &Map<String, Value>) -> bool {
    filter.iter().all(|(key, wanted)| {
        let stored = &metadata[key];
        stored == wanted || stored.as_array().is_some_and(|stored| stored.contains(wanted))
    })
}

fn found(answer: &Retrieved) -> Vec<MemoryId> {
    answer.memories.iter().map(|ranked| ranked.memory.id).collect()
}

#[test]
fn queries_are_ranked_as_the_slow_version_ranks_them() {
    let runtime = runtime();
    let app = TestApp::new();
    let known = runtime.block_on(fill(&app));
    let config = Config { cases: 128, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(&query(), |query| {
            let SearchBy::Task(task) = &query.search_by else { panic!("queries are by task") };
            let asked = runtime.block_on(embed(task));
            let answer = runtime.block_on(ask(&app, query.clone()));
            prop_assert_eq!(found(&answer), rank_slowly(&known, &asked, &query));
            for pair in answer.memories.windows(2) {
                prop_assert!(pair[0].hit.score >= pair[1].hit.score);
            }
            Ok(())
        })
        .unwrap();
}

#[tokio::test]
async fn an_answer_over_http_has_the_engines_order() {
    let app = TestApp::new();
    for number in 0..12 {
        app.learned(&task(number)).await;
    }
    let answer = ask(&app, Query::new(SearchBy::Task(task(5)), 10)).await;
    let ids: Vec<String> = found(&answer).iter().map(MemoryId::to_string).collect();
    assert_eq!(app.query_ids(json!({"task": task(5)})).await, ids);
    app.create(run("unrelated")).await;
    assert_eq!(app.query_ids(json!({"task": task(5)})).await, ids);
}
