//! Our index, through the door that the engine's queries take.

use std::{
    ops::Range,
    sync::atomic::{AtomicBool, AtomicI64, Ordering},
    time::{Duration, Instant},
};

use reflect_core::{IndexRow, Match, MemoryId, QuerySettings, cosine, ranking::Candidate, ranking::blend};
use reflect_index::{Index, Search};
use serde_json::json;

use super::{
    LAMBDA, LIMIT,
    data::{Data, memory_id},
    times::Times,
};
use crate::say;

/// How many queries recall is taken over.
const RECALL_QUERIES: usize = 100;

pub(crate) struct Ours {
    index: Index,
    /// The newest change that was put in.
    newest: AtomicI64,
    pub(crate) filled_in: Duration,
}

impl Ours {
    pub(crate) fn fill(data: &Data) -> Self {
        let index = Index::default();
        let mut filled_in = Duration::ZERO;
        for start in (0..data.len()).step_by(1_000) {
            let rows = (start..data.len().min(start + 1_000)).map(|number| data.row(number)).collect();
            let begin = Instant::now();
            index.apply(rows);
            filled_in += begin.elapsed();
        }
        Self { index, newest: AtomicI64::new(data.len() as i64), filled_in }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.index.bytes()
    }

    /// One thread, and as many as the engine would take here if nothing else ran.
    pub(crate) fn threads(&self) -> Vec<usize> {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let mut threads = vec![1, self.index.useful_threads().min(cores)];
        threads.dedup();
        threads
    }

    /// Milliseconds for each query, with diversity.
    pub(crate) fn run(&self, data: &Data, first: usize, count: usize, threads: usize) -> Vec<f64> {
        self.time(threads, (first..first + count).map(|number| search(data, number)))
    }

    /// The same on one thread, comparing tasks and lessons both.
    pub(crate) fn run_both(&self, data: &Data, numbers: Range<usize>) -> Vec<f64> {
        let both =
            |search: Search| Search { settings: QuerySettings { matching: Match::Both, ..search.settings }, ..search };
        self.time(1, numbers.map(|number| both(search(data, number))))
    }

    /// The same on one thread with each memory's rank by similarity, which takes a second pass.
    pub(crate) fn run_explained(&self, data: &Data, numbers: Range<usize>) -> Vec<f64> {
        self.time(1, numbers.map(|number| Search { explain: true, ..search(data, number) }))
    }

    /// Milliseconds for each of these. The first is also searched for before the clock runs.
    fn time(&self, threads: usize, searches: impl Iterator<Item = Search>) -> Vec<f64> {
        let mut searches = searches.peekable();
        if let Some(first) = searches.peek() {
            self.index.search(first, threads);
        }
        let time = |search| {
            let start = Instant::now();
            std::hint::black_box(self.index.search(&search, threads));
            start.elapsed().as_secs_f64() * 1_000.0
        };
        searches.map(time).collect()
    }

    /// The same while utilities change as fast as they can be put in, eight at a time; and how many did in a second.
    pub(crate) fn run_under_changes(&self, data: &Data, numbers: Range<usize>) -> (Vec<f64>, f64) {
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writer = scope.spawn(|| {
                let start = Instant::now();
                let mut changes = 0_usize;
                while !stop.load(Ordering::Relaxed) {
                    let newest = self.newest.load(Ordering::Relaxed);
                    let changed = (0..8).map(|place| {
                        let number = (changes + place).wrapping_mul(7_919) % data.len();
                        IndexRow { changed: newest + 1 + place as i64, ..data.row(number) }
                    });
                    self.index.apply(changed.collect());
                    self.newest.store(newest + 8, Ordering::Relaxed);
                    changes += 8;
                }
                changes as f64 / start.elapsed().as_secs_f64()
            });
            let times = self.time(1, numbers.map(|number| search(data, number)));
            stop.store(true, Ordering::Relaxed);
            (times, writer.join().unwrap_or_default())
        })
    }

    /// The share of the ten best by blend over the floats as they were given that an answer without diversity holds.
    pub(crate) fn recall(&self, data: &Data, matching: Match) -> f64 {
        let (mut found, mut wanted) = (0, 0);
        let queries = RECALL_QUERIES.min(50_000_000 / data.len());
        for number in 0..queries {
            let settings = QuerySettings { mmr_lambda: 1.0, matching, ..settings() };
            let answer = self.index.search(&Search { settings, ..search(data, number) }, 1);
            let best = best_by_brute_force(data, data.query(number), matching);
            found += best.iter().filter(|memory_id| answer.hits.iter().any(|hit| hit.memory_id == **memory_id)).count();
            wanted += best.len();
        }
        f64::from(found as u32) / f64::from(wanted as u32)
    }
}

fn settings() -> QuerySettings {
    QuerySettings {
        limit: LIMIT,
        lambda: LAMBDA,
        mmr_lambda: 0.7,
        matching: Match::Task,
        similarity_threshold: Some(0.0),
        metadata_filter: None,
    }
}

fn search(data: &Data, number: usize) -> Search {
    Search::new(data.query(number).to_vec(), settings())
}

fn best_by_brute_force(data: &Data, task: &[f32], matching: Match) -> Vec<MemoryId> {
    let similarity =
        |number: usize| matching.join(cosine(data.vector(number), task), cosine(data.lesson(number), task));
    let score = |(number, utility): (usize, &f64)| Candidate {
        memory_id: memory_id(number),
        score: blend(similarity(number), *utility, LAMBDA),
    };
    let mut all: Vec<Candidate> = data.utilities.iter().enumerate().map(score).collect();
    all.select_nth_unstable_by(LIMIT - 1, Candidate::best_first);
    all.into_iter().take(LIMIT).map(|candidate| candidate.memory_id).collect()
}

/// The same queries with filters that pass everything, a tenth, and three memories.
#[derive(Default)]
pub(crate) struct Filtered {
    all: Times,
    tenth: Times,
    three: Times,
}

impl Filtered {
    pub(crate) fn add(&mut self, ours: &Ours, data: &Data, first: usize, count: usize) {
        let filters = [
            (&mut self.all, json!({"source": "bench"})),
            (&mut self.tenth, json!({"source": "bench", "team": 3})),
            (&mut self.three, json!({"rare": true})),
        ];
        for (times, filter) in filters {
            let filtered = |number| {
                let settings = QuerySettings { metadata_filter: filter.as_object().cloned(), ..settings() };
                Search { settings, ..search(data, number) }
            };
            times.add(ours.time(1, (first..first + count).map(filtered)));
        }
    }

    pub(crate) fn report(&self) -> anyhow::Result<()> {
        say(format_args!(
            "ours on 1 thread with a filter that passes all {:.3} ms, a tenth {:.3} ms, three {:.3} ms (p50)",
            self.all.p50()?,
            self.tenth.p50()?,
            self.three.p50()?
        ));
        Ok(())
    }
}
