//! One pass over the sketches, and over what they leave in doubt: which rows may be among the best.

use std::{ops::Range, sync::Arc};

use super::{
    block::{BLOCK, Block},
    bounds::Bounds,
    candidates::{Bounded, Candidates},
    kernels::{Kernels, Scalars, ScoreTerms},
    postings::Selection,
    rows::Snapshot,
    task::TaskPlanes,
};

/// What a scan looks for.
pub(crate) struct Scan<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) task: &'a TaskPlanes,
    pub(crate) bounds: Bounds,
    pub(crate) selection: &'a Selection,
    pub(crate) floor: f64,
    /// How many of the best are wanted.
    pub(crate) pool: usize,
}

impl Scan<'_> {
    /// Every row that may be among the best, found by so many threads.
    pub(crate) fn candidates(&self, threads: usize) -> Vec<Bounded> {
        if let Selection::Few(rows) = self.selection {
            let bounded = |row: &u32| Bounded { row: *row, highest: f32::INFINITY, lowest: f32::NEG_INFINITY };
            return rows.iter().map(bounded).collect();
        }
        over_blocks(self.snapshot.blocks.len(), threads, |blocks| self.scan(blocks), Candidates::join)
            .map_or_else(Vec::new, Candidates::finish)
    }

    fn scan(&self, blocks: Range<usize>) -> Candidates {
        let mut candidates = Candidates::new(self.pool);
        let (mut buffers, mut in_doubt) = (Buffers::new(), Vec::with_capacity(BLOCK));
        let mut blocks = numbered(self.snapshot, blocks).peekable();
        while let Some((first_row, block)) = blocks.next() {
            if let Some((_, next)) = blocks.peek() {
                (Kernels::best().prefetch)(next.sketches());
            }
            buffers.read_sketches(block, self.task, &self.bounds.sketch.terms);
            let threshold = candidates.threshold();
            // A bound that is not a number says nothing, so its row stays.
            let reaches =
                |(place, highest): (usize, &f32)| (*highest >= threshold || highest.is_nan()).then_some(place);
            in_doubt.clear();
            in_doubt.extend(buffers.highest(block).iter().enumerate().filter_map(reaches));
            in_doubt.iter().for_each(|place| (Kernels::best().prefetch)(block.detail(*place)));
            for place in &in_doubt {
                let threshold = candidates.threshold();
                if let Some(bounded) = self.look_closer(&buffers, (first_row, block), *place, threshold) {
                    candidates.push(bounded);
                }
            }
        }
        candidates
    }

    /// A row that its sketch did not rule out, unless its coarse form, the floor or the filter does.
    fn look_closer(
        &self,
        buffers: &Buffers,
        (first_row, block): (u32, &Block),
        place: usize,
        threshold: f32,
    ) -> Option<Bounded> {
        let row = first_row + place as u32;
        let (step, error) = (*block.steps().get(place)?, *block.coarse_errors().get(place)?);
        if *buffers.highest.get(place)? < threshold || !self.selection.contains(row) {
            return None;
        }
        let level = &self.bounds.coarse;
        let similarity = level.similarity(buffers.coarse_dot(block, self.task, place)?, step);
        let off_by = f64::from(level.similarity_error(error));
        let utility = block.utilities().get(place)? * level.terms.utility;
        let highest = similarity * level.terms.similarity + utility + (error * level.terms.error + level.terms.slack);
        let similarity = f64::from(similarity);
        if highest < threshold || similarity + off_by < self.floor {
            return None;
        }
        let passes = similarity - off_by >= self.floor;
        let lowest = if passes { highest - level.score_width(error) } else { f32::NEG_INFINITY };
        Some(Bounded { row, highest, lowest })
    }
}

/// What a block's scan writes into, made once.
pub(crate) struct Buffers {
    sums: [i32; BLOCK],
    dots: [i32; BLOCK],
    highest: [f32; BLOCK],
}

impl Buffers {
    pub(crate) fn new() -> Self {
        Self { sums: [0; BLOCK], dots: [0; BLOCK], highest: [0.0; BLOCK] }
    }

    /// The dot products of a block's sketches with a task.
    pub(crate) fn sketch_dots(&mut self, block: &Block, task: &TaskPlanes) -> &[i32] {
        let sums = self.sums.get_mut(..block.len()).unwrap_or_default();
        (Kernels::best().sums)(block.sketches(), &task.high, sums);
        let dots = self.dots.get_mut(..block.len()).unwrap_or_default();
        for (dot, sum) in dots.iter_mut().zip(sums) {
            *dot = (2 * *sum).wrapping_sub(task.sketch_bias);
        }
        dots
    }

    /// A row's coarse dot product, after [`Self::sketch_dots`] of its block.
    pub(crate) fn coarse_dot(&self, block: &Block, task: &TaskPlanes, place: usize) -> Option<i32> {
        let vector = block.vector(place)?;
        let sum = |plane: &[u8], task: &[i8]| {
            let mut sum = [0];
            (Kernels::best().sums)(plane, task, &mut sum);
            let [sum] = sum;
            sum
        };
        let both = |high: i32, low: i32| high.wrapping_mul(256).wrapping_add(low);
        let upper = both(*self.sums.get(place)?, sum(vector.sketch, &task.low));
        let lower = both(sum(vector.detail, &task.high), sum(vector.detail, &task.low));
        // The planes are scaled so that the whole fits 32 bits, whatever its parts do; see `TaskPlanes`.
        Some(upper.wrapping_mul(16).wrapping_add(lower).wrapping_sub(task.coarse_bias))
    }

    /// The highest scores that a block's sketches allow.
    fn read_sketches(&mut self, block: &Block, task: &TaskPlanes, terms: &ScoreTerms) {
        self.sketch_dots(block, task);
        let dots = self.dots.get(..block.len()).unwrap_or_default();
        let highest = self.highest.get_mut(..block.len()).unwrap_or_default();
        let scalars = Scalars { steps: block.steps(), errors: block.sketch_errors(), utilities: block.utilities() };
        (Kernels::best().highest_scores)(dots, &scalars, terms, highest);
    }

    fn highest(&self, block: &Block) -> &[f32] {
        self.highest.get(..block.len()).unwrap_or_default()
    }
}

/// Blocks with the numbers of their first rows.
pub(crate) fn numbered(snapshot: &Snapshot, blocks: Range<usize>) -> impl Iterator<Item = (u32, &Arc<Block>)> {
    let first = blocks.start;
    let chosen = snapshot.blocks.get(blocks).unwrap_or_default();
    chosen.iter().enumerate().map(move |(place, block)| (((first + place) * BLOCK) as u32, block))
}

/// Splits the blocks among threads, of which the caller's is one, and joins what they found.
pub(crate) fn over_blocks<T: Send>(
    blocks: usize,
    threads: usize,
    work: impl Fn(Range<usize>) -> T + Sync,
    join: impl Fn(T, T) -> T,
) -> Option<T> {
    let each = blocks.div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        let ours = 0..each.min(blocks);
        let starts = (ours.end..blocks).step_by(each);
        let work = &work;
        let helpers: Vec<_> =
            starts.map(|start| scope.spawn(move || work(start..(start + each).min(blocks)))).collect();
        let mut all = work(ours);
        for helper in helpers {
            all = join(all, helper.join().ok()?);
        }
        Some(all)
    })
}
