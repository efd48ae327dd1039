//! How rows lie in memory.

use std::num::NonZeroUsize;

/// How rows lie in memory: it decides how fast an index is, and never what it answers. The default is what ships; tests also run
/// small ones, in which a few rows reach every edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// How many rows a block has: long enough to be read at full speed, short enough to be copied for one new row.
    pub block_rows: NonZeroUsize,
    /// How many bytes of sketches and details are laid side by side at a time, in whole blocks.
    pub joined_bytes: usize,
    /// From how many rows on those of a term may be kept as a bitmap.
    pub bitmap_rows: usize,
    /// How many candidates beyond the pool a scan gathers before it prunes them: so many times the pool …
    pub spare_pools: usize,
    /// … and so many more. Pruning is linear, so doing it whenever the list has grown by that costs little and keeps the threshold high.
    pub spare_candidates: usize,
    /// So many rows are looked at one by one sooner than all are by their sketches.
    pub few_rows: usize,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            block_rows: const { NonZeroUsize::new(256).unwrap() },
            // One large page: ten blocks of 384 dimensions.
            joined_bytes: 2 << 20,
            bitmap_rows: 256,
            spare_pools: 1,
            spare_candidates: 64,
            few_rows: 512,
        }
    }
}

impl Layout {
    /// How many blocks are laid side by side at a time, if sketches and details of each row take so many bytes.
    pub(crate) fn blocks_to_join(&self, row_bytes: usize) -> usize {
        (self.joined_bytes / (self.block_rows.get() * row_bytes).max(1)).max(1)
    }

    /// How many candidates a scan gathers before it prunes them.
    pub(crate) fn prune_at(&self, pool: usize) -> usize {
        pool.saturating_mul(self.spare_pools.saturating_add(1)).saturating_add(self.spare_candidates)
    }
}
