//! One pass over the coarse rows: which of them may be among the best.

use std::{ops::Range, sync::Arc};

use super::{
    block::{BLOCK, Block},
    bounds::Bounds,
    candidates::{Bounded, Candidates},
    kernels::{Kernels, Scalars},
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
        let mut buffers = Buffers::new();
        let mut blocks = numbered(self.snapshot, blocks).peekable();
        while let Some((first_row, block)) = blocks.next() {
            if let Some((_, next)) = blocks.peek() {
                (Kernels::best().prefetch)(next.coarse());
            }
            let (dots, highest) = buffers.fill(block, self.task, &self.bounds);
            let mut threshold = candidates.threshold();
            for (place, highest) in highest.iter().enumerate() {
                if *highest < threshold {
                    continue;
                }
                let row = first_row + place as u32;
                let (Some(dot), Some(step), Some(error)) =
                    (dots.get(place), block.steps().get(place), block.errors().get(place))
                else {
                    continue;
                };
                let similarity = f64::from(self.bounds.similarity(*dot, *step));
                let off_by = f64::from(self.bounds.similarity_error(*error));
                if similarity + off_by < self.floor || !self.selection.contains(row) {
                    continue;
                }
                let passes = similarity - off_by >= self.floor;
                let lowest = if passes { highest - self.bounds.score_width(*error) } else { f32::NEG_INFINITY };
                candidates.push(Bounded { row, highest: *highest, lowest });
                threshold = candidates.threshold();
            }
        }
        candidates
    }
}

/// What a block's scan writes into, made once.
pub(crate) struct Buffers {
    dots: [i32; BLOCK],
    highest: [f32; BLOCK],
}

impl Buffers {
    pub(crate) fn new() -> Self {
        Self { dots: [0; BLOCK], highest: [0.0; BLOCK] }
    }

    /// A block's dot products with a task.
    pub(crate) fn dots(&mut self, block: &Block, task: &TaskPlanes) -> &[i32] {
        let dots = self.dots.get_mut(..block.len()).unwrap_or_default();
        (Kernels::best().dots)(block.coarse(), task, dots);
        dots
    }

    /// A block's dot products, and the highest scores that they allow.
    fn fill(&mut self, block: &Block, task: &TaskPlanes, bounds: &Bounds) -> (&[i32], &[f32]) {
        self.dots(block, task);
        let dots = self.dots.get(..block.len()).unwrap_or_default();
        let highest = self.highest.get_mut(..block.len()).unwrap_or_default();
        let scalars = Scalars { steps: block.steps(), errors: block.errors(), utilities: block.utilities() };
        (Kernels::best().highest_scores)(dots, &scalars, &bounds.terms, highest);
        (dots, highest)
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
