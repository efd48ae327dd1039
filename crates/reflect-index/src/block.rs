//! Some memories side by side, each property in a column of its own.
//!
//! Searches hold the blocks that they read; whoever changes a block that is held changes a copy. The vectors are most of
//! a block, so they are shared on their own: a new utility copies the small columns only.

use std::sync::Arc;

use reflect_core::{
    MemoryId, RunScore, SameWords, Tells,
    worth::{Learned, LearningRule, WorthConstants},
};

use crate::{
    encoding::EncodedRow,
    vectors::{Vectors, join as join_vectors, put},
};

/// A memory as the index knows it, without its vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct RowFacts {
    pub(crate) memory_id: MemoryId,
    pub(crate) learned: Learned,
    /// The run that it was learned from.
    pub(crate) run: Option<RunScore>,
    /// Whether it is here for its run alone.
    pub(crate) is_hidden: bool,
    /// Whether it is never left out.
    pub(crate) is_pinned: bool,
    /// How much it tells.
    pub(crate) tells: Option<Tells>,
    /// Of those that share this, one is enough.
    pub(crate) same: Option<SameWords>,
    /// The newest change to it that is in here.
    pub(crate) changed: i64,
}

impl RowFacts {
    /// What it is ranked by.
    pub(crate) fn utility(&self, rule: LearningRule) -> f64 {
        self.learned.utility(rule, &WorthConstants::default())
    }

    fn run_score(&self) -> f64 {
        self.run.map_or(f64::NAN, |run| run.score)
    }
}

/// The vectors of a memory as they are kept.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EncodedPair {
    pub(crate) task: EncodedRow,
    pub(crate) lesson: EncodedRow,
}

/// Which of a memory's vectors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Task,
    Lesson,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Block {
    /// How many rows it has room for.
    most_rows: usize,
    facts: Vec<RowFacts>,
    /// Utilities by either rule, for the scan.
    averages: Vec<f32>,
    worths: Vec<f32>,
    /// How the runs were reviewed, for what is usual; no number where that is not known.
    run_scores: Vec<f64>,
    tasks: Vectors,
    lessons: Vectors,
}

impl Block {
    pub(crate) fn new(most_rows: usize) -> Self {
        Self { most_rows, ..Self::default() }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len() == self.most_rows
    }

    pub(crate) fn len(&self) -> usize {
        self.facts.len()
    }

    pub(crate) fn utilities(&self, rule: LearningRule) -> &[f32] {
        match rule {
            LearningRule::Constant => &self.averages,
            LearningRule::Worth => &self.worths,
        }
    }

    pub(crate) fn run_scores(&self) -> &[f64] {
        &self.run_scores
    }

    pub(crate) fn facts(&self) -> &[RowFacts] {
        &self.facts
    }

    pub(crate) fn side(&self, side: Side) -> &Vectors {
        match side {
            Side::Task => &self.tasks,
            Side::Lesson => &self.lessons,
        }
    }

    pub(crate) fn push(&mut self, facts: RowFacts, pair: &EncodedPair) {
        self.grow(pair);
        self.tasks.push(&pair.task);
        self.lessons.push(&pair.lesson);
        self.facts.push(facts);
        self.averages.push(facts.utility(LearningRule::Constant) as f32);
        self.worths.push(facts.utility(LearningRule::Worth) as f32);
        self.run_scores.push(facts.run_score());
    }

    /// Makes room for as many rows again, and no more than a block has.
    fn grow(&mut self, pair: &EncodedPair) {
        let rows = self.len();
        if rows < self.facts.capacity() {
            return;
        }
        let more = rows.max(4).min(self.most_rows.saturating_sub(rows)).max(1);
        self.tasks.reserve(more, &pair.task);
        self.lessons.reserve(more, &pair.lesson);
        self.facts.reserve_exact(more);
        self.averages.reserve_exact(more);
        self.worths.reserve_exact(more);
        self.run_scores.reserve_exact(more);
    }

    /// Puts a row over another. A vector that is as it was is left alone.
    pub(crate) fn set(&mut self, slot: usize, facts: RowFacts, pair: &EncodedPair) {
        put(&mut self.facts, slot, facts);
        put(&mut self.averages, slot, facts.utility(LearningRule::Constant) as f32);
        put(&mut self.worths, slot, facts.utility(LearningRule::Worth) as f32);
        put(&mut self.run_scores, slot, facts.run_score());
        self.tasks.set(slot, &pair.task);
        self.lessons.set(slot, &pair.lesson);
    }

    /// Takes the last row out.
    pub(crate) fn pop(&mut self) -> Option<(RowFacts, EncodedPair)> {
        let pair = EncodedPair { task: self.tasks.pop()?, lesson: self.lessons.pop()? };
        self.averages.pop();
        self.worths.pop();
        self.run_scores.pop();
        Some((self.facts.pop()?, pair))
    }
}

/// Lays what a scan reads of these blocks side by side.
pub(crate) fn join(blocks: &mut [Arc<Block>]) {
    let sides = blocks.iter_mut().map(|block| {
        let Block { tasks, lessons, .. } = Arc::make_mut(block);
        (tasks, lessons)
    });
    let (tasks, lessons) = sides.unzip();
    join_vectors([tasks, lessons]);
}
