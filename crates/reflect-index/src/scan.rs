//! One pass over the sketches, and over what they leave in doubt: which rows may be among the best.

use std::{ops::Range, sync::Arc};

use reflect_core::{SameWords, Tells, Turn};

use crate::{
    block::{Block, RowFacts, Side},
    candidates::{Bounded, Candidates},
    kernels::{Kernels, Scalars},
    postings::Selection,
    rows::Snapshot,
    said::Said,
    scoring::Scoring,
    sides::{Certain, SearchedSide, higher},
    surroundings::LookedAround,
    task::RoundedTask,
};

/// What a scan looks for.
pub(crate) struct Scan<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) task: &'a RoundedTask,
    /// What is known of the snapshot already.
    pub(crate) around: LookedAround,
    pub(crate) sides: Vec<SearchedSide>,
    pub(crate) selection: &'a Selection,
    pub(crate) scoring: &'a Scoring,
    pub(crate) floor: f64,
    /// Whose turn it is, if there are turns.
    pub(crate) turn: Option<Turn>,
    /// What is said already.
    pub(crate) said: Said,
    /// The task's words: only who asks the same gets its answer.
    pub(crate) task_words: Option<SameWords>,
    /// How many of the best are wanted.
    pub(crate) pool: usize,
    /// How many threads may work on it.
    pub(crate) threads: usize,
}

/// A row of which nothing is known yet.
const fn unbounded(row: u32) -> Bounded {
    Bounded { row, highest: f32::INFINITY, lowest: f32::NEG_INFINITY, nearer: None }
}

/// A row that its sketches did not rule out.
#[derive(Clone, Copy)]
struct InDoubt<'a> {
    row: u32,
    block: &'a Block,
    /// Where in the block it lies.
    slot: usize,
    highest: f32,
    /// What the sketch of each side gave.
    sketched: [Sketched; 2],
}

/// What the sketch of a row gave.
#[derive(Clone, Copy)]
struct Sketched {
    sum: i32,
    highest: f32,
}

impl<'a> Scan<'a> {
    /// Every row that may be among the best.
    pub(crate) fn candidates(&self) -> Vec<Bounded> {
        if let Selection::Few(rows) = self.selection {
            return rows.iter().copied().map(unbounded).collect();
        }
        if let Some(rows) = self.few_open_rows() {
            return rows.into_iter().map(unbounded).collect();
        }
        let threshold = self.threshold_nearby();
        self.over_blocks(|blocks| self.scan(blocks, threshold), Candidates::join).finish()
    }

    /// The rows whose turn it is, if those are so few that nothing has to be ruled out by sketches: where most lessons tell nothing, or the same.
    fn few_open_rows(&self) -> Option<Vec<u32>> {
        self.turn?;
        let mut open = Vec::new();
        for (first_row, block) in numbered(self.snapshot, 0..self.snapshot.blocks.len()) {
            for (row, facts) in (first_row..).zip(block.facts()) {
                if self.has_turn(facts) && self.selection.contains(row) {
                    open.push(row);
                    if open.len() > self.snapshot.layout.few_rows {
                        return None;
                    }
                }
            }
        }
        Some(open)
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

    /// What as many rows as are wanted are certain to score, if that many are known to be near: most others need no closer look then.
    fn threshold_nearby(&self) -> f32 {
        let nearby = &self.around.nearby;
        let mut candidates = Candidates::new(self.pool, self.snapshot.layout);
        if nearby.len() >= self.pool {
            let in_doubt = nearby.iter().filter_map(|row| self.looked_up(*row));
            let bounded = in_doubt.filter_map(|row| self.bounded(&row, f32::NEG_INFINITY));
            bounded.for_each(|bounded| candidates.push(bounded));
        }
        candidates.prune();
        candidates.threshold()
    }

    /// A row on its own.
    fn looked_up(&self, row: u32) -> Option<InDoubt<'a>> {
        let (block, slot) = self.snapshot.find(row)?;
        let mut sketched = [Sketched { sum: 0, highest: f32::INFINITY }; 2];
        for (searched, sketched) in self.sides.iter().zip(&mut sketched) {
            let vector = block.side(searched.side).vector(slot)?;
            (Kernels::best().sums)(vector.sketch, &self.task.units, std::slice::from_mut(&mut sketched.sum));
        }
        Some(InDoubt { row, block, slot, highest: f32::INFINITY, sketched })
    }

    fn scan(&self, blocks: Range<usize>, threshold: f32) -> Candidates {
        let mut candidates = Candidates::above(threshold, self.pool, self.snapshot.layout);
        let block_rows = self.snapshot.layout.block_rows.get();
        let mut buffers = Buffers::new(self.sides.len(), block_rows);
        // What a block leaves in doubt is looked at after the next one was read: by then its details are there.
        let (mut in_doubt, mut asked_for) = (Vec::with_capacity(block_rows), Vec::with_capacity(block_rows));
        for (number, (first_row, block)) in (blocks.start..).zip(numbered(self.snapshot, blocks)) {
            buffers.read_sketches(block, self.task, &self.sides, self.around.task_sums.of(number));
            let threshold = candidates.threshold();
            in_doubt.extend(buffers.reaching(first_row, block, threshold));
            for row in &in_doubt {
                self.ask_for_details(row, threshold);
            }
            self.look_closer(&mut asked_for, &mut candidates);
            std::mem::swap(&mut in_doubt, &mut asked_for);
        }
        self.look_closer(&mut asked_for, &mut candidates);
        candidates
    }

    fn ask_for_details(&self, row: &InDoubt<'_>, threshold: f32) {
        for (searched, sketched) in self.sides.iter().zip(&row.sketched) {
            if reaches(sketched.highest, threshold) {
                Kernels::best().prefetch(row.block.side(searched.side).detail(row.slot));
            }
        }
    }

    fn look_closer(&self, in_doubt: &mut Vec<InDoubt<'a>>, candidates: &mut Candidates) {
        for row in in_doubt.drain(..) {
            if let Some(bounded) = self.bounded(&row, candidates.threshold()) {
                candidates.push(bounded);
            }
        }
    }

    /// Whether it is a row's turn. An answer has one only for its own task. None has what is here for its run alone, what was said already, and what
    /// a copy of it is left out for.
    pub(crate) fn has_turn(&self, facts: &RowFacts) -> bool {
        let is_for_this_task = facts.tells != Some(Tells::Answer) || facts.same == self.task_words;
        let is_for_turn = |turn| turn == Turn::of(facts.tells) && is_for_this_task;
        let is_left_out = || self.turn.is_some() && self.scoring.is_outweighed(facts, &self.snapshot.retired);
        !facts.is_hidden && self.turn.is_none_or(is_for_turn) && !self.said.has(facts) && !is_left_out()
    }

    /// The row with its closer bounds, unless its coarse form, the floor or the filter rules it out.
    fn bounded(&self, in_doubt: &InDoubt<'_>, threshold: f32) -> Option<Bounded> {
        let InDoubt { row, block, slot, highest, .. } = *in_doubt;
        if highest < threshold || !self.selection.contains(row) {
            return None;
        }
        let facts = block.facts().get(slot).filter(|facts| self.has_turn(facts))?;
        // A side that cannot reach the threshold decides nothing: were it the nearer one, the row could not win.
        let sides = self.sides.iter().zip(&in_doubt.sketched);
        let reaching = sides.filter(|(_, sketched)| reaches(sketched.highest, threshold));
        let looked_at =
            reaching.filter_map(|(searched, sketched)| searched.coarsely(block, self.task, slot, sketched.sum));
        let certain = looked_at.reduce(Certain::or)?;
        if certain.highest_score < threshold || certain.highest_similarity < self.floor {
            return None;
        }
        // One that is retired counts for nothing; but it may be among those that the trial slot can go to.
        let raises = certain.lowest_score > threshold
            && certain.lowest_similarity >= self.floor
            && !self.scoring.is_retired(facts);
        let lowest = if raises { certain.lowest_score } else { f32::NEG_INFINITY };
        Some(Bounded { row, highest: certain.highest_score, lowest, nearer: certain.nearer })
    }
}

/// What a block's scan writes into, made once.
pub(crate) struct Buffers {
    sides: Vec<SideBuffers>,
    dots: Vec<i32>,
    /// By the nearer side, if there are two.
    highest: Vec<f32>,
}

struct SideBuffers {
    sums: Vec<i32>,
    highest: Vec<f32>,
}

impl Buffers {
    pub(crate) fn new(sides: usize, block_rows: usize) -> Self {
        let side = || SideBuffers { sums: vec![0; block_rows], highest: vec![0.0; block_rows] };
        Self {
            sides: std::iter::repeat_with(side).take(sides).collect(),
            dots: vec![0; block_rows],
            highest: vec![0.0; block_rows],
        }
    }

    /// The sums that a block's sketches give with a task, side by side.
    pub(crate) fn sketch_sums<'b>(
        &'b mut self,
        block: &Block,
        task: &RoundedTask,
        sides: &[SearchedSide],
    ) -> impl Fn(usize, usize) -> i32 + use<'b> {
        for (buffers, searched) in self.sides.iter_mut().zip(sides) {
            buffers.read_sums(block, task, searched, None);
        }
        let buffers = &self.sides;
        |side, slot| buffers.get(side).and_then(|side| side.sums.get(slot)).copied().unwrap_or_default()
    }

    /// The highest scores that a block's sketches allow.
    fn read_sketches(&mut self, block: &Block, task: &RoundedTask, sides: &[SearchedSide], task_sums: Option<&[i32]>) {
        let rows = block.len();
        for (buffers, searched) in self.sides.iter_mut().zip(sides) {
            buffers.read_sums(block, task, searched, task_sums);
            let dots = self.dots.get_mut(..rows).unwrap_or_default();
            for (dot, sum) in dots.iter_mut().zip(&buffers.sums) {
                *dot = 2 * *sum - task.sketch_bias;
            }
            let vectors = block.side(searched.side);
            let scalars = Scalars {
                steps: vectors.steps(),
                errors: vectors.sketch_errors(),
                utilities: block.utilities(searched.rule),
            };
            let highest = buffers.highest.get_mut(..rows).unwrap_or_default();
            (Kernels::best().highest_scores)(dots, &scalars, &searched.bounds.sketch.terms, highest);
        }
        if let [first, second] = self.sides.as_slice() {
            let both = first.highest.iter().zip(&second.highest).take(rows);
            for (highest, (first, second)) in self.highest.iter_mut().zip(both) {
                *highest = higher(*first, *second);
            }
        }
    }

    /// The rows of the block just read that may reach a threshold.
    fn reaching<'a>(&self, first_row: u32, block: &'a Block, threshold: f32) -> impl Iterator<Item = InDoubt<'a>> {
        let highest = match self.sides.as_slice() {
            [only] => &only.highest,
            _ => &self.highest,
        };
        let highest = highest.get(..block.len()).unwrap_or_default();
        let sixteens = highest.chunks(16).zip((0..).step_by(16));
        sixteens.flat_map(move |(highest, first_slot)| {
            let bits = (0..)
                .zip(highest)
                .fold(0, |bits, (bit, highest)| bits | u32::from(reaches(*highest, threshold)) << bit);
            set_bits(bits).filter_map(move |bit| {
                let (highest, slot) = (*highest.get(bit)?, first_slot + bit);
                let sketched = [self.sketched(0, slot), self.sketched(1, slot)];
                Some(InDoubt { row: first_row + slot as u32, block, slot, highest, sketched })
            })
        })
    }

    /// What the sketch of a row gave; nothing can be expected of a side that is not searched.
    fn sketched(&self, side: usize, slot: usize) -> Sketched {
        let buffers = self.sides.get(side);
        let found = buffers.and_then(|side| Some((*side.sums.get(slot)?, *side.highest.get(slot)?)));
        let (sum, highest) = found.unwrap_or((0, f32::NEG_INFINITY));
        Sketched { sum, highest }
    }
}

impl SideBuffers {
    fn read_sums(&mut self, block: &Block, task: &RoundedTask, searched: &SearchedSide, task_sums: Option<&[i32]>) {
        let sums = self.sums.get_mut(..block.len()).unwrap_or_default();
        match task_sums.filter(|known| searched.side == Side::Task && known.len() == sums.len()) {
            Some(known) => sums.copy_from_slice(known),
            None => (Kernels::best().sums)(block.side(searched.side).sketches(), &task.units, sums),
        }
    }
}

/// Whether a bound allows a threshold. One that is not a number says nothing, so its row stays.
#[inline(always)]
fn reaches(highest: f32, threshold: f32) -> bool {
    (highest >= threshold) | highest.is_nan()
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
