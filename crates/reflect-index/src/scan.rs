//! One pass over the sketches, and over what they leave in doubt: which rows may be among the best.

use std::{ops::Range, sync::Arc};

use crate::{
    block::Block,
    bounds::Bounds,
    candidates::{Bounded, Candidates},
    kernels::{Kernels, Scalars, ScoreTerms},
    postings::Selection,
    rows::Snapshot,
    task::RoundedTask,
};

/// What a scan looks for.
pub(crate) struct Scan<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) task: &'a RoundedTask,
    pub(crate) bounds: Bounds,
    pub(crate) selection: &'a Selection,
    pub(crate) floor: f64,
    /// How many of the best are wanted.
    pub(crate) pool: usize,
    /// How many threads may work on it.
    pub(crate) threads: usize,
}

/// A row that its sketch did not rule out.
#[derive(Clone, Copy)]
struct InDoubt<'a> {
    row: u32,
    block: &'a Block,
    /// Where in the block it lies.
    slot: usize,
    /// The sum that its sketch gave.
    sum: i32,
    highest: f32,
}

impl<'a> Scan<'a> {
    /// Every row that may be among the best.
    pub(crate) fn candidates(&self) -> Vec<Bounded> {
        if let Selection::Few(rows) = self.selection {
            let bounded = |row: &u32| Bounded { row: *row, highest: f32::INFINITY, lowest: f32::NEG_INFINITY };
            return rows.iter().map(bounded).collect();
        }
        self.over_blocks(|blocks| self.scan(blocks), Candidates::join).finish()
    }

    /// Splits the blocks among threads, of which the caller's is one, and joins what they found.
    pub(crate) fn over_blocks<T: Send>(&self, work: impl Fn(Range<usize>) -> T + Sync, join: impl Fn(T, T) -> T) -> T {
        let blocks = self.snapshot.blocks.len();
        let each = blocks.div_ceil(self.threads.max(1)).max(1);
        std::thread::scope(|scope| {
            let ours = 0..each.min(blocks);
            let starts = (ours.end..blocks).step_by(each);
            let work = &work;
            let helpers: Vec<_> =
                starts.map(|start| scope.spawn(move || work(start..(start + each).min(blocks)))).collect();
            let ours = work(ours);
            helpers.into_iter().fold(ours, |all, helper| {
                join(all, helper.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            })
        })
    }

    fn scan(&self, blocks: Range<usize>) -> Candidates {
        let mut candidates = Candidates::new(self.pool, self.snapshot.layout);
        let block_rows = self.snapshot.layout.block_rows.get();
        let mut buffers = Buffers::new(block_rows);
        // What a block leaves in doubt is looked at after the next one was read: by then its details are there.
        let (mut in_doubt, mut asked_for) = (Vec::with_capacity(block_rows), Vec::with_capacity(block_rows));
        for (first_row, block) in numbered(self.snapshot, blocks) {
            buffers.read_sketches(block, self.task, &self.bounds.sketch.terms);
            in_doubt.extend(buffers.reaching(first_row, block, candidates.threshold()));
            for row in &in_doubt {
                (Kernels::best().prefetch)(row.block.detail(row.slot));
            }
            self.look_closer(&mut asked_for, &mut candidates);
            std::mem::swap(&mut in_doubt, &mut asked_for);
        }
        self.look_closer(&mut asked_for, &mut candidates);
        candidates
    }

    fn look_closer(&self, in_doubt: &mut Vec<InDoubt<'a>>, candidates: &mut Candidates) {
        for row in in_doubt.drain(..) {
            if let Some(bounded) = self.bounded(&row, candidates.threshold()) {
                candidates.push(bounded);
            }
        }
    }

    /// The row with its closer bounds, unless its coarse form, the floor or the filter rules it out.
    fn bounded(&self, in_doubt: &InDoubt<'_>, threshold: f32) -> Option<Bounded> {
        let InDoubt { row, block, slot, sum, highest } = *in_doubt;
        if highest < threshold || !self.selection.contains(row) {
            return None;
        }
        let level = &self.bounds.coarse;
        let (step, error) = (*block.steps().get(slot)?, *block.coarse_errors().get(slot)?);
        let similarity = level.similarity(coarse_dot(block, self.task, slot, sum), step);
        let off_by = f64::from(level.similarity_error(error));
        let highest = level.terms.highest_score(similarity, *block.utilities().get(slot)?, error);
        let similarity = f64::from(similarity);
        if highest < threshold || similarity + off_by < self.floor {
            return None;
        }
        let passes = similarity - off_by >= self.floor;
        let lowest = if passes { highest - level.score_width(error) } else { f32::NEG_INFINITY };
        Some(Bounded { row, highest, lowest })
    }
}

/// A row's coarse dot product with a task, from the sum that its sketch gave and from its detail.
pub(crate) fn coarse_dot(block: &Block, task: &RoundedTask, slot: usize, sketch_sum: i32) -> i32 {
    let mut detail_sum = [0];
    (Kernels::best().sums)(block.detail(slot), &task.units, &mut detail_sum);
    let [detail_sum] = detail_sum;
    16 * sketch_sum + detail_sum - task.coarse_bias
}

/// What a block's scan writes into, made once.
pub(crate) struct Buffers {
    sums: Vec<i32>,
    dots: Vec<i32>,
    highest: Vec<f32>,
}

impl Buffers {
    pub(crate) fn new(block_rows: usize) -> Self {
        Self { sums: vec![0; block_rows], dots: vec![0; block_rows], highest: vec![0.0; block_rows] }
    }

    /// The sums that a block's sketches give with a task, and the dot products that those stand for.
    pub(crate) fn sketch_dots(&mut self, block: &Block, task: &RoundedTask) -> (&[i32], &[i32]) {
        let sums = self.sums.get_mut(..block.len()).unwrap_or_default();
        (Kernels::best().sums)(block.sketches(), &task.units, sums);
        let dots = self.dots.get_mut(..block.len()).unwrap_or_default();
        for (dot, sum) in dots.iter_mut().zip(&*sums) {
            *dot = 2 * *sum - task.sketch_bias;
        }
        (sums, dots)
    }

    /// The highest scores that a block's sketches allow.
    fn read_sketches(&mut self, block: &Block, task: &RoundedTask, terms: &ScoreTerms) {
        self.sketch_dots(block, task);
        let dots = self.dots.get(..block.len()).unwrap_or_default();
        let highest = self.highest.get_mut(..block.len()).unwrap_or_default();
        let scalars = Scalars { steps: block.steps(), errors: block.sketch_errors(), utilities: block.utilities() };
        (Kernels::best().highest_scores)(dots, &scalars, terms, highest);
    }

    /// The rows of the block just read that may reach a threshold.
    fn reaching<'a>(&self, first_row: u32, block: &'a Block, threshold: f32) -> impl Iterator<Item = InDoubt<'a>> {
        let highest = self.highest.get(..block.len()).unwrap_or_default();
        let sixteens = highest.chunks(16).zip(self.sums.chunks(16)).zip((0..).step_by(16));
        sixteens.flat_map(move |((highest, sums), first_slot)| {
            // A bound that is not a number says nothing, so its row stays.
            let reaches = |highest: &f32| (*highest >= threshold) | highest.is_nan();
            let bits = (0..).zip(highest).fold(0, |bits, (bit, highest)| bits | u32::from(reaches(highest)) << bit);
            set_bits(bits).filter_map(move |bit| {
                let (sum, highest, slot) = (*sums.get(bit)?, *highest.get(bit)?, first_slot + bit);
                Some(InDoubt { row: first_row + slot as u32, block, slot, sum, highest })
            })
        })
    }
}

/// The numbers of the bits that are set.
fn set_bits(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = bits.trailing_zeros();
        bits &= bits.wrapping_sub(1);
        (bit < u32::BITS).then_some(bit as usize)
    })
}

/// Blocks with the numbers of their first rows.
pub(crate) fn numbered(snapshot: &Snapshot, blocks: Range<usize>) -> impl Iterator<Item = (u32, &Arc<Block>)> {
    let (first, block_rows) = (blocks.start, snapshot.layout.block_rows.get());
    let chosen = snapshot.blocks.get(blocks).unwrap_or_default();
    (first..).zip(chosen).map(move |(number, block)| ((number * block_rows) as u32, block))
}
