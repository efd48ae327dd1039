//! Attention: every token takes from every other what concerns it.

use super::math::{LANES, join, softmax};

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
    /// The shares that [`QUERIES`] tokens give to all tokens, one row for each.
    shares: Vec<f32>,
}

/// For each token of one text, `mixed` gets what its heads took from all tokens. `qkv` has query, key and value of a token
/// side by side, each `hidden` wide.
#[inline(always)]
pub(super) fn attend(qkv: &[f32], hidden: usize, mixed: &mut [f32], scratch: &mut Scratch) {
    let width = 3 * hidden;
    let tokens = qkv.len() / width;
    for first in (0..hidden).step_by(HEAD) {
        scratch.lay_out_keys(qkv, width, hidden + first);
        scratch.lay_out_values(qkv, width, 2 * hidden + first);
        for (queries, mixed) in qkv.chunks(QUERIES * width).zip(mixed.chunks_mut(QUERIES * hidden)) {
            scratch.share_out(queries, width, first, tokens);
            for (mixed, sums) in mixed.chunks_exact_mut(hidden).zip(scratch.mix(tokens)) {
                for (mixed, sums) in mixed.as_chunks_mut().0.iter_mut().skip(first / LANES).zip(sums) {
                    *mixed = sums;
                }
            }
        }
    }
}

impl Scratch {
    #[inline(always)]
    fn lay_out_keys(&mut self, qkv: &[f32], width: usize, first: usize) {
        let tokens = qkv.len() / width;
        self.keys.clear();
        self.keys.resize(tokens.div_ceil(LANES) * HEAD, [0.0; LANES]);
        for (token, row) in qkv.chunks_exact(width).enumerate() {
            let block = self.keys.iter_mut().skip(token / LANES * HEAD);
            for (lanes, key) in block.zip(row.iter().skip(first).take(HEAD)) {
                if let Some(lane) = lanes.get_mut(token % LANES) {
                    *lane = *key;
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

    /// The shares that up to [`QUERIES`] tokens give to all tokens.
    #[inline(always)]
    fn share_out(&mut self, queries: &[f32], width: usize, first: usize, tokens: usize) {
        let mut heads = [[0.0_f32; QUERIES]; HEAD];
        for (number, query) in queries.chunks_exact(width).enumerate() {
            for (coordinates, value) in heads.iter_mut().zip(query.iter().skip(first)) {
                if let Some(coordinate) = coordinates.get_mut(number) {
                    *coordinate = *value * HEAD_SCALE;
                }
            }
        }
        let padded = self.keys.len() / HEAD * LANES;
        self.shares.resize(padded * QUERIES, 0.0);
        for (block, keys) in self.keys.as_chunks::<HEAD>().0.iter().enumerate() {
            let mut sums = [[0.0_f32; LANES]; QUERIES];
            for (keys, queries) in keys.iter().zip(&heads) {
                for (sums, query) in sums.iter_mut().zip(queries) {
                    *sums = add_scaled(*sums, *query, keys);
                }
            }
            for (shares, sums) in self.shares.chunks_exact_mut(padded).zip(sums) {
                if let Some(shares) = shares.as_chunks_mut().0.get_mut(block) {
                    *shares = sums;
                }
            }
        }
        for shares in self.shares.chunks_exact_mut(padded) {
            shares.iter_mut().skip(tokens).for_each(|share| *share = f32::NEG_INFINITY);
            softmax(shares);
        }
    }

    /// The values, each by its share, for [`QUERIES`] tokens.
    #[inline(always)]
    fn mix(&self, tokens: usize) -> [[[f32; LANES]; HEAD / LANES]; QUERIES] {
        let padded = self.keys.len() / HEAD * LANES;
        let mut sums = [[[0.0_f32; LANES]; HEAD / LANES]; QUERIES];
        let mut shares = self.shares.chunks_exact(padded);
        let (Some(first), Some(second), Some(third), Some(fourth)) =
            (shares.next(), shares.next(), shares.next(), shares.next())
        else {
            return sums;
        };
        let shares = first.iter().zip(second).zip(third).zip(fourth).take(tokens);
        for ((((first, second), third), fourth), value) in shares.zip(self.values.as_chunks::<{ HEAD / LANES }>().0) {
            for (sums, share) in sums.iter_mut().zip([first, second, third, fourth]) {
                for (sums, value) in sums.iter_mut().zip(value) {
                    *sums = add_scaled(*sums, *share, value);
                }
            }
        }
        sums
    }
}

/// `sums + factor · values`.
#[inline(always)]
fn add_scaled(sums: [f32; LANES], factor: f32, values: &[f32; LANES]) -> [f32; LANES] {
    join(sums, values, |sum, value| sum + factor * value)
}
