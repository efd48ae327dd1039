//! Attention: every token takes from every other what concerns it.

use super::{
    lanes::{LANES, Lanes},
    math::Math,
};

/// The width of a head.
pub(super) const HEAD: usize = 2 * LANES;

/// One over the root of a head's width.
const HEAD_SCALE: f32 = 0.176_776_7;

/// Queries that are worked together, so that the processor always has sums that do not wait for each other.
const QUERIES: usize = 4;

/// Room for one head's work.
#[derive(Default)]
pub(super) struct Scratch {
    /// The keys, sixteen tokens side by side: for each block of sixteen, one row for each coordinate of the head.
    keys: Vec<[f32; LANES]>,
    /// The values, token by token, without the other heads' in between.
    values: Vec<[f32; LANES]>,
    /// The shares that [`QUERIES`] tokens give to all tokens: for each block of sixteen, one row for each of the four.
    shares: Vec<[[f32; LANES]; QUERIES]>,
    /// Those tokens' queries.
    queries: [[f32; HEAD]; QUERIES],
    /// What those tokens took.
    sums: [[[f32; LANES]; HEAD / LANES]; QUERIES],
}

/// The queries, keys and values of one text's tokens side by side, each `hidden` wide.
#[derive(Clone, Copy)]
pub(super) struct Qkv<'a> {
    pub(super) values: &'a [f32],
    pub(super) hidden: usize,
}

impl Scratch {
    /// For each token of one text, `mixed` gets what its heads took from all tokens.
    #[inline(always)]
    pub(super) fn attend<L: Lanes>(&mut self, math: Math<L>, qkv: Qkv<'_>, mixed: &mut [f32]) {
        let Qkv { values, hidden } = qkv;
        let width = 3 * hidden;
        let tokens = values.len() / width;
        for first in (0..hidden).step_by(HEAD) {
            self.lay_out_keys(values, width, hidden + first);
            self.lay_out_values(values, width, 2 * hidden + first);
            for (queries, mixed) in values.chunks(QUERIES * width).zip(mixed.chunks_mut(QUERIES * hidden)) {
                self.scale_queries(queries, width, first);
                self.share_out(math, tokens);
                self.mix(math);
                for (mixed, sums) in mixed.chunks_exact_mut(hidden).zip(&self.sums) {
                    for (mixed, sums) in mixed.as_chunks_mut().0.iter_mut().skip(first / LANES).zip(sums) {
                        *mixed = *sums;
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn lay_out_keys(&mut self, qkv: &[f32], width: usize, first: usize) {
        // What the last block has left of earlier keys gets scores, too, but never a share.
        self.keys.resize((qkv.len() / width).div_ceil(LANES) * HEAD, [0.0; LANES]);
        for (block, rows) in self.keys.as_chunks_mut::<HEAD>().0.iter_mut().zip(qkv.chunks(LANES * width)) {
            for (lane, row) in rows.chunks_exact(width).enumerate() {
                let Some(key) = row.get(first..).and_then(<[f32]>::first_chunk::<HEAD>) else { continue };
                for (lanes, key) in block.iter_mut().zip(key) {
                    if let Some(lane) = lanes.get_mut(lane) {
                        *lane = *key;
                    }
                }
            }
        }
    }

    #[inline(always)]
    fn lay_out_values(&mut self, qkv: &[f32], width: usize, first: usize) {
        self.values.clear();
        for row in qkv.chunks_exact(width) {
            self.values.extend(row.as_chunks().0.iter().skip(first / LANES).take(HEAD / LANES));
        }
    }

    #[inline(always)]
    fn scale_queries(&mut self, queries: &[f32], width: usize, first: usize) {
        for (scaled, query) in self.queries.iter_mut().zip(queries.chunks_exact(width)) {
            for (scaled, value) in scaled.iter_mut().zip(query.iter().skip(first)) {
                *scaled = *value * HEAD_SCALE;
            }
        }
    }

    /// The shares that [`QUERIES`] tokens give to all tokens.
    #[inline(always)]
    fn share_out<L: Lanes>(&mut self, math: Math<L>, tokens: usize) {
        let blocks = self.keys.as_chunks::<HEAD>().0;
        self.shares.resize(blocks.len(), [[0.0; LANES]; QUERIES]);
        // Two blocks at a time, where a block's sums are too few to be added to while others are waited for.
        let (pairs, others) = if L::REGISTERS == 1 { blocks.as_chunks::<2>() } else { (&[][..], blocks) };
        for (pair, shares) in pairs.iter().zip(self.shares.as_chunks_mut().0) {
            store_scores(math, scores(math, &self.queries, pair), shares);
        }
        for (block, shares) in others.iter().zip(self.shares.iter_mut().skip(2 * pairs.len())) {
            let scores = scores(math, &self.queries, std::array::from_ref(block));
            store_scores(math, scores, std::array::from_mut(shares));
        }
        let beyond = tokens..blocks.len() * LANES;
        for row in self.shares.last_mut().into_iter().flatten() {
            row.iter_mut().rev().take(beyond.len()).for_each(|share| *share = f32::NEG_INFINITY);
        }
        math.softmax(&mut self.shares);
    }

    /// The values, each by its share, for [`QUERIES`] tokens.
    #[inline(always)]
    fn mix<L: Lanes>(&mut self, math: Math<L>) {
        let mut sums = [[math.0.splat(0.0); HEAD / LANES]; QUERIES];
        let values = self.values.as_chunks::<{ HEAD / LANES }>().0;
        for ([first, second, third, fourth], values) in self.shares.iter().zip(values.chunks(LANES)) {
            let shares = first.iter().zip(second).zip(third).zip(fourth);
            for ((((first, second), third), fourth), values) in shares.zip(values) {
                let [left, right] = values.each_ref().map(|values| math.0.load(values));
                for (sums, share) in sums.iter_mut().zip([first, second, third, fourth]) {
                    let share = math.0.splat(*share);
                    for (sums, values) in sums.iter_mut().zip([left, right]) {
                        *sums = math.0.mul_add(share, values, *sums);
                    }
                }
            }
        }
        for (to, sums) in self.sums.as_flattened_mut().iter_mut().zip(sums.as_flattened()) {
            math.0.store(*sums, to);
        }
    }
}

/// What each query and the keys of some blocks have in common.
#[inline(always)]
#[expect(clippy::indexing_slicing, reason = "queries and keys have as many coordinates as a head")]
fn scores<L: Lanes, const BLOCKS: usize>(
    math: Math<L>,
    queries: &[[f32; HEAD]; QUERIES],
    blocks: &[[[f32; LANES]; HEAD]; BLOCKS],
) -> [[L::Floats; BLOCKS]; QUERIES] {
    let mut sums = [[math.0.splat(0.0); BLOCKS]; QUERIES];
    for coordinate in 0..HEAD {
        let keys = blocks.each_ref().map(|block| math.0.load(&block[coordinate]));
        for (sums, query) in sums.iter_mut().zip(queries) {
            let query = math.0.splat(query[coordinate]);
            for (sums, keys) in sums.iter_mut().zip(keys) {
                *sums = math.0.mul_add(query, keys, *sums);
            }
        }
    }
    sums
}

/// Writes the scores of some blocks.
#[inline(always)]
fn store_scores<L: Lanes, const BLOCKS: usize>(
    math: Math<L>,
    scores: [[L::Floats; BLOCKS]; QUERIES],
    to: &mut [[[f32; LANES]; QUERIES]; BLOCKS],
) {
    for (query, scores) in scores.into_iter().enumerate() {
        for (to, scores) in to.iter_mut().filter_map(|block| block.get_mut(query)).zip(scores) {
            math.0.store(scores, to);
        }
    }
}
