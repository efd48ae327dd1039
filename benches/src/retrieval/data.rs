//! Memories in clusters, as tasks of one kind are, and tasks near to some of them.

use std::{fs::File, io::Write, path::Path};

use reflect_core::{IndexEntry, IndexRow, MemoryId, RawJson, RunScore, worth::Learned};
use serde_json::json;
use uuid::Uuid;

use super::{DIMENSION, LAMBDA, LIMIT};

/// How many different tasks are asked about.
pub(crate) const QUERIES: usize = 400;

pub(crate) struct Data {
    pub(crate) vectors: Vec<f32>,
    pub(crate) utilities: Vec<f64>,
    pub(crate) queries: Vec<f32>,
}

impl Data {
    /// One cluster for every hundred memories. Members of a cluster have a cosine of about 0.7 with each other, tasks of about
    /// 0.75 with the memory they are near to.
    pub(crate) fn make(size: usize) -> Self {
        let mut random = Random(0x9E37_79B9_7F4A_7C15);
        let clusters = (size / 100).clamp(10, 10_000);
        let centres: Vec<f32> = (0..clusters).flat_map(|_| random.unit()).collect();
        let mut vectors = Vec::with_capacity(size * DIMENSION);
        for _ in 0..size {
            let centre = random.below(clusters);
            vectors.extend(random.near(nth(&centres, centre), 0.65));
        }
        let utilities = (0..size).map(|_| f64::from(random.next() as u16) / 65_535.0).collect();
        let queries = (0..QUERIES).flat_map(|_| {
            let memory = random.below(size);
            random.near(nth(&vectors, memory), 0.88)
        });
        let queries = queries.collect();
        Self { vectors, utilities, queries }
    }

    pub(crate) fn len(&self) -> usize {
        self.utilities.len()
    }

    pub(crate) fn vector(&self, number: usize) -> &[f32] {
        nth(&self.vectors, number)
    }

    /// Of another memory's cluster as often as not: what is learned from tasks of one kind is of several.
    pub(crate) fn lesson(&self, number: usize) -> &[f32] {
        self.vector(number.wrapping_mul(7_919) % self.len().max(1))
    }

    pub(crate) fn query(&self, number: usize) -> &[f32] {
        nth(&self.queries, number % QUERIES)
    }

    /// What an index is told about a memory. Metadata has a key with one value, one with ten, and one that three memories have.
    pub(crate) fn row(&self, number: usize) -> IndexRow {
        let metadata = match number % (self.len() / 3).max(1) {
            7 => json!({"source": "bench", "team": number % 10, "rare": true}),
            _ => json!({"source": "bench", "team": number % 10}),
        };
        let utility = self.utilities.get(number).copied().unwrap_or(0.5);
        let entry = IndexEntry {
            learned: Learned { average: utility, ..Learned::default() },
            run: Some(RunScore { score: utility, added: 0.0 }),
            is_hidden: false,
            is_pinned: false,
            tells: None,
            same: None,
            metadata: RawJson::from_value(&metadata),
            vector: self.vector(number).to_vec(),
            lesson_vector: Some(self.lesson(number).to_vec()),
        };
        IndexRow { memory_id: memory_id(number), changed: number as i64 + 1, entry: Some(entry) }
    }

    /// Hands the same numbers to the others.
    pub(crate) fn write(&self, folder: &Path) -> anyhow::Result<()> {
        let utilities: Vec<f32> = self.utilities.iter().map(|utility| *utility as f32).collect();
        for (name, values) in [("vectors", &self.vectors), ("utilities", &utilities), ("queries", &self.queries)] {
            let mut file =
                std::io::BufWriter::with_capacity(1 << 20, File::create(folder.join(format!("{name}.f32")))?);
            for value in values {
                file.write_all(&value.to_le_bytes())?;
            }
            file.flush()?;
        }
        let shape = json!({"count": self.len(), "dimension": DIMENSION, "limit": LIMIT, "lambda": LAMBDA});
        Ok(std::fs::write(folder.join("shape.json"), shape.to_string())?)
    }
}

pub(crate) fn memory_id(number: usize) -> MemoryId {
    MemoryId::from_uuid(Uuid::from_u128(number as u128 + 1))
}

fn nth(values: &[f32], number: usize) -> &[f32] {
    values.get(number * DIMENSION..(number + 1) * DIMENSION).unwrap_or_default()
}

/// The same numbers in every run (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end.max(1) as u64) as usize
    }

    /// Nearly normal: the sum of eight bytes.
    fn normal(&mut self) -> f32 {
        let sum: u32 = self.next().to_le_bytes().into_iter().map(u32::from).sum();
        (sum as f32 - 1_020.0) / 209.0
    }

    /// A direction, each as likely as the other.
    pub(crate) fn unit(&mut self) -> Vec<f32> {
        scaled((0..DIMENSION).map(|_| self.normal()).collect())
    }

    /// A direction that goes `share` of the way along another.
    fn near(&mut self, other: &[f32], share: f32) -> Vec<f32> {
        let away = self.unit();
        let apart = (1.0 - share * share).sqrt();
        scaled(other.iter().zip(away).map(|(along, away)| share * along + apart * away).collect())
    }
}

fn scaled(mut vector: Vec<f32>) -> Vec<f32> {
    let norm = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|value| *value /= norm);
    vector
}
