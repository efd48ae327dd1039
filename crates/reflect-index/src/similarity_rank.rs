//! Where the memories of an answer would stand had similarity alone decided.
//!
//! That takes a second pass, so it is made for those who ask. A row is counted by its sketch where that settles the matter, else
//! by its coarse form, and by its exact similarity where an answer's still lies within the bounds.

use std::ops::Range;

use reflect_core::ranking::Candidate;

use crate::{
    block::Block,
    exact::ExactSimilarity,
    hits::Hit,
    postings::Selection,
    scan::{Buffers, Scan, numbered},
    sides::{Certain, SearchedSide},
    task::RoundedTask,
};

/// Fills in the ranks, from 1, among all rows that pass floor and filter.
pub(crate) fn rank_by_similarity(hits: &mut [Hit], scan: &Scan<'_>, task: &[f32]) {
    let mut answers: Vec<Candidate> = hits.iter().map(by_similarity).collect();
    answers.sort_unstable_by(Candidate::best_first);
    let beaten = match scan.selection {
        Selection::Few(rows) => {
            let mut count = Count::new(&answers, scan, task);
            rows.iter().for_each(|row| count.add_exactly(*row));
            count.beaten_from
        }
        _ => {
            let count = |blocks: Range<usize>| {
                let mut count = Count::new(&answers, scan, task);
                count.add_blocks(blocks);
                count.beaten_from
            };
            scan.over_blocks(count, add_up)
        }
    };
    let mut rank = 1_u32;
    let ranks = beaten.iter().map(|better| {
        rank = rank.saturating_add(*better);
        rank
    });
    let ranks: Vec<u32> = ranks.collect();
    for hit in hits {
        let position = answers.binary_search_by(|answer| Candidate::best_first(answer, &by_similarity(hit))).ok();
        hit.similarity_rank = position.and_then(|position| ranks.get(position).copied());
    }
}

fn by_similarity(hit: &Hit) -> Candidate {
    Candidate { memory_id: hit.memory_id, score: hit.similarity }
}

fn add_up(mut left: Vec<u32>, right: Vec<u32>) -> Vec<u32> {
    left.iter_mut().zip(right).for_each(|(left, right)| *left += right);
    left
}

struct Count<'a> {
    scan: &'a Scan<'a>,
    /// What the answers are, most similar first.
    answers: &'a [Candidate],
    exact: ExactSimilarity<'a>,
    /// For each answer, how many rows beat it but not the one before it.
    beaten_from: Vec<u32>,
}

impl<'a> Count<'a> {
    fn new(answers: &'a [Candidate], scan: &'a Scan<'a>, task: &'a [f32]) -> Self {
        let exact = ExactSimilarity::new(scan.snapshot, &scan.sides, task);
        Self { scan, answers, exact, beaten_from: vec![0; answers.len()] }
    }

    fn add_blocks(&mut self, blocks: Range<usize>) {
        let Scan { snapshot, task, sides, selection, .. } = self.scan;
        let mut buffers = Buffers::new(sides.len(), snapshot.layout.block_rows.get());
        for (first_row, block) in numbered(snapshot, blocks) {
            let sums = buffers.sketch_sums(block, task, sides);
            for (row, slot) in (first_row..).zip(0..block.len()) {
                let look = |look: fn(&SearchedSide, &Block, &RoundedTask, (usize, i32)) -> Option<Certain>| {
                    let looks = (0..).zip(sides);
                    let looks =
                        looks.filter_map(|(side, searched)| look(searched, block, task, (slot, sums(side, slot))));
                    self.settle(looks.reduce(Certain::or)?)
                };
                let settled = look(|side, block, task, (slot, sum)| side.roughly(block, task, slot, sum));
                let is_hidden = || block.facts().get(slot).is_none_or(|facts| facts.is_hidden);
                if settled == Some(self.answers.len()) || !selection.contains(row) || is_hidden() {
                    continue;
                }
                let closer = || look(|side, block, task, (slot, sum)| side.coarsely(block, task, slot, sum));
                match settled.or_else(closer) {
                    Some(settled) => self.beats_from(settled),
                    None => self.add_exactly(row),
                }
            }
        }
    }

    /// The first answer that a row beats, or their number if it beats none; `None` if that is not certain.
    fn settle(&self, certain: Certain) -> Option<usize> {
        let Certain { highest_similarity, lowest_similarity, .. } = certain;
        let at_best = self.answers.partition_point(|answer| answer.score > highest_similarity);
        let at_worst = self.answers.partition_point(|answer| answer.score >= lowest_similarity);
        (at_best == at_worst && highest_similarity.is_finite()).then_some(at_best)
    }

    fn add_exactly(&mut self, row: u32) {
        let Some(facts) = self.scan.snapshot.facts(row).filter(|facts| !facts.is_hidden) else { return };
        let candidate = Candidate { memory_id: facts.memory_id, score: self.exact.of(row, None) };
        if candidate.score >= self.scan.floor {
            let holds_out = |answer: &Candidate| Candidate::best_first(answer, &candidate).is_le();
            self.beats_from(self.answers.partition_point(holds_out));
        }
    }

    /// A row that beats this answer beats all after it, too.
    fn beats_from(&mut self, answer: usize) {
        if let Some(count) = self.beaten_from.get_mut(answer) {
            *count += 1;
        }
    }
}
