//! Our index, through the door that the engine's queries take.

use std::{
    sync::atomic::{AtomicBool, AtomicI64, Ordering},
    time::{Duration, Instant},
};

use reflect_core::{IndexRow, MemoryId, QuerySettings, cosine, ranking::Candidate, ranking::blend};
use reflect_index::{Index, Search};
use serde_json::{Map, Value, json};

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
        self.run_filtered(data, first..first + count, threads, None)
    }

    fn run_filtered(
        &self,
        data: &Data,
        numbers: std::ops::Range<usize>,
        threads: usize,
        filter: Option<&Map<String, Value>>,
    ) -> Vec<f64> {
        let settings = settings(0.7);
        self.search(data, numbers.start, &settings, threads, filter);
        let time = |number| {
            let start = Instant::now();
            std::hint::black_box(self.search(data, number, &settings, threads, filter));
            start.elapsed().as_secs_f64() * 1_000.0
        };
        numbers.map(time).collect()
    }

    /// The same on one thread with each memory's rank by similarity, which takes a second pass.
    pub(crate) fn run_explained(&self, data: &Data, numbers: std::ops::Range<usize>) -> Vec<f64> {
        let settings = settings(0.7);
        let time = |number| {
            let search =
                Search { task: data.query(number), settings: &settings, filter: None, threads: 1, explain: true };
            let start = Instant::now();
            std::hint::black_box(self.index.search(&search));
            start.elapsed().as_secs_f64() * 1_000.0
        };
        numbers.map(time).collect()
    }

    /// The same while utilities change as fast as they can be put in, eight at a time; and how many did in a second.
    pub(crate) fn run_under_changes(&self, data: &Data, numbers: std::ops::Range<usize>) -> (Vec<f64>, f64) {
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
            let times = self.run_filtered(data, numbers, 1, None);
            stop.store(true, Ordering::Relaxed);
            (times, writer.join().unwrap_or_default())
        })
    }

    fn search(
        &self,
        data: &Data,
        number: usize,
        settings: &QuerySettings,
        threads: usize,
        filter: Option<&Map<String, Value>>,
    ) -> Vec<MemoryId> {
        let search = Search { task: data.query(number), settings, filter, threads, explain: false };
        self.index.search(&search).into_iter().map(|hit| hit.memory_id).collect()
    }

    /// The share of the ten best by blend over the floats as they were given that an answer without diversity holds.
    pub(crate) fn recall(&self, data: &Data) -> f64 {
        let (mut found, mut wanted) = (0, 0);
        let queries = RECALL_QUERIES.min(50_000_000 / data.len());
        for number in 0..queries {
            let answer = self.search(data, number, &settings(1.0), 1, None);
            let best = best_by_brute_force(data, data.query(number));
            found += best.iter().filter(|memory_id| answer.contains(memory_id)).count();
            wanted += best.len();
        }
        f64::from(found as u32) / f64::from(wanted as u32)
    }
}

fn settings(mmr_lambda: f64) -> QuerySettings {
    QuerySettings { limit: LIMIT, lambda: LAMBDA, mmr_lambda, similarity_threshold: Some(0.0), metadata_filter: None }
}

fn best_by_brute_force(data: &Data, task: &[f32]) -> Vec<MemoryId> {
    let score = |(number, utility): (usize, &f64)| Candidate {
        memory_id: memory_id(number),
        score: blend(cosine(data.vector(number), task), *utility, LAMBDA),
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
            times.add(ours.run_filtered(data, first..first + count, 1, filter.as_object()));
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
