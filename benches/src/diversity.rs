//! `diversity`: how many different lessons an answer has when diversity compares tasks, or lessons.
//!
//! Lessons of one task are each other's neighbours by task, whatever they say. `benches/data/diversity` has kinds of task with four
//! different lessons each, every lesson in three wordings. They are ranked as the engine ranks, with the built-in model.

use anyhow::Context;
use reflect_core::{
    MemoryId, cosine,
    ranking::{Candidate, blend, diversify, pool_size},
};
use reflect_embed::{Model, ModelEmbedder};
use serde_json::Value;
use uuid::Uuid;

use crate::{retrieval::Random, say};

const LAMBDA: f64 = 0.5;
const MMR_LAMBDA: f64 = 0.7;

/// How many times utilities are dealt out anew; figures are means over all of them.
const DEALS: usize = 50;

/// One memory, and what the question that it is meant for is.
struct Memory {
    kind: usize,
    /// Which of the kind's different lessons it says.
    lesson: usize,
    task_vector: Vec<f32>,
    lesson_vector: Vec<f32>,
}

/// One way to spread utilities over [0, 1], the same in every run.
#[derive(Clone, Copy)]
struct Deal(usize);

impl Deal {
    fn utility(self, memory_id: MemoryId) -> f64 {
        let mut random = Random(memory_id.as_uuid().as_u128() as u64 ^ ((self.0 as u64) << 32));
        f64::from(random.next() as u16) / 65_535.0
    }
}

/// What diversity compares.
#[derive(Clone, Copy)]
enum Compared {
    Nothing,
    Tasks,
    Lessons,
    /// The mean of both cosines.
    Both,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let model = Model::read(ModelEmbedder::BUILTIN)?;
    let kinds: Vec<Value> = std::fs::read_to_string("benches/data/diversity/lessons.jsonl")?
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    say(format_args!(
        "{} kinds of task with 4 different lessons in 3 wordings each; λ {LAMBDA}, diversity {MMR_LAMBDA}, the model's floor, \
         utilities dealt out {DEALS} times",
        kinds.len()
    ));
    let queries: Vec<Vec<f32>> =
        kinds.iter().map(|kind| Ok(vector(&model, text(kind, "/query")?))).collect::<anyhow::Result<_>>()?;
    for (name, tasks) in [("a kind has four tasks", 4), ("a kind has one task", 1)] {
        let memories = memories(&model, &kinds, tasks)?;
        say(format_args!("\n{name}"));
        say(format_args!("{:<26}{:>28}{:>28}", "", "limit 4", "limit 10"));
        say(format_args!("{:<26}{}", "diversity compares", "   different  right kind".repeat(2)));
        for (name, compared) in [
            ("nothing (no diversity)", Compared::Nothing),
            ("tasks", Compared::Tasks),
            ("lessons (ours)", Compared::Lessons),
            ("both, the mean", Compared::Both),
        ] {
            let found = [4, 10].map(|limit| {
                let mean = |of: fn((f64, f64)) -> f64| {
                    let deals = (0..DEALS).map(Deal);
                    let each =
                        deals.map(|deal| of(measure(&memories, &queries, (limit, compared), deal, model.floor())));
                    each.sum::<f64>() / DEALS as f64
                };
                (mean(|(different, _)| different), mean(|(_, right)| right))
            });
            let shown = found.map(|(different, right)| format!("{different:>12.2}{:>10.0} %", right * 100.0));
            say(format_args!("{name:<26}{}", shown.concat()));
        }
    }
    say(format_args!(
        "different: how many of the kind's 4 lessons an answer has; right kind: the share of an answer that is of the kind"
    ));
    Ok(())
}

/// One memory for each wording of each lesson, learned from so many different tasks of its kind.
fn memories(model: &Model, kinds: &[Value], tasks: usize) -> anyhow::Result<Vec<Memory>> {
    let mut memories = Vec::new();
    for (kind, value) in kinds.iter().enumerate() {
        for lesson in 0..4 {
            for wording in 0..3 {
                let number: usize = memories.len();
                let task = format!("/tasks/{}", (number * 7 + number / 4) % tasks);
                let said = text(value, &format!("/lessons/{lesson}/{wording}"))?;
                memories.push(Memory {
                    kind,
                    lesson,
                    task_vector: vector(model, text(value, &task)?),
                    lesson_vector: vector(model, said),
                });
            }
        }
    }
    Ok(memories)
}

/// How many of a kind's lessons its answer has, and which share of the answer is of that kind, on average over all questions.
fn measure(
    memories: &[Memory],
    queries: &[Vec<f32>],
    (limit, compared): (usize, Compared),
    deal: Deal,
    floor: f64,
) -> (f64, f64) {
    let (mut different, mut right) = (0.0, 0.0);
    for (kind, query) in queries.iter().enumerate() {
        let mut pool: Vec<(Candidate, &Memory)> = (1_u128..)
            .zip(memories)
            .map(|(id, memory)| (MemoryId::from_uuid(Uuid::from_u128(id)), memory, cosine(&memory.task_vector, query)))
            .filter(|(_, _, similarity)| *similarity >= floor)
            .map(|(memory_id, memory, similarity)| {
                let utility = deal.utility(memory_id);
                (Candidate { memory_id, score: blend(similarity, utility, LAMBDA) }, memory)
            })
            .collect();
        pool.sort_by(|left, right| Candidate::best_first(&left.0, &right.0));
        pool.truncate(pool_size(limit));
        let candidates: Vec<Candidate> = pool.iter().map(|(candidate, _)| *candidate).collect();
        let nearness = |left: usize, right: usize| match (pool.get(left), pool.get(right)) {
            (Some((_, left)), Some((_, right))) => near(left, right, compared),
            _ => 0.0,
        };
        let m = if matches!(compared, Compared::Nothing) { 1.0 } else { MMR_LAMBDA };
        let picked = diversify(&candidates, limit, m, nearness);
        let shown: Vec<&Memory> = picked.iter().filter_map(|picked| Some(pool.get(picked.position)?.1)).collect();
        let of_kind = shown.iter().filter(|memory| memory.kind == kind);
        right += of_kind.clone().count() as f64 / shown.len().max(1) as f64;
        let mut lessons: Vec<usize> = of_kind.map(|memory| memory.lesson).collect();
        lessons.sort_unstable();
        lessons.dedup();
        different += lessons.len() as f64;
    }
    (different / queries.len() as f64, right / queries.len() as f64)
}

fn near(left: &Memory, right: &Memory, compared: Compared) -> f64 {
    let tasks = || cosine(&left.task_vector, &right.task_vector);
    let lessons = || cosine(&left.lesson_vector, &right.lesson_vector);
    match compared {
        Compared::Nothing => 0.0,
        Compared::Tasks => tasks(),
        Compared::Lessons => lessons(),
        Compared::Both => (tasks() + lessons()) / 2.0,
    }
}

fn vector(model: &Model, text: &str) -> Vec<f32> {
    model.embed(&[text]).into_iter().next().unwrap_or_default()
}

fn text<'a>(kind: &'a Value, pointer: &str) -> anyhow::Result<&'a str> {
    kind.pointer(pointer).and_then(Value::as_str).with_context(|| format!("`{pointer}` is missing"))
}
