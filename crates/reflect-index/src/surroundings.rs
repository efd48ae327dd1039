//! The reviewed runs around a task: those that memories were learned from.
//!
//! Every memory lies beside the vector of its run's task, and knows how that run was reviewed. So what is usual for a task is found in the index. The
//! runs that came last count. Nothing here has to be exact, since a query logs what it expected: runs are chosen by their sketches, and the nearest of them
//! are looked at in their coarse form.

use reflect_core::{
    RunScore,
    worth::{Neighbour, REMEMBERED_RUNS, RunTotals, Surroundings, WorthConstants},
};

use crate::{
    block::Side,
    encoding::{COARSE, SKETCH},
    kernels::Kernels,
    rows::Snapshot,
    task::RoundedTask,
};

/// How many rows are looked at for them, from the last one back: where most runs have been deleted, a query does not look through all memories.
const LOOKED_AT: usize = 4 * REMEMBERED_RUNS;

/// A run, by the sketch of its task. There are thousands of them in every query, so it is small.
#[derive(Clone, Copy)]
struct SketchedRun {
    similarity: f32,
    sum: i32,
    row: u32,
}

/// What the runs around a task say; nothing while there are too few.
pub(crate) fn look_around(
    snapshot: &Snapshot,
    task: &RoundedTask,
    limit: usize,
    constants: &WorthConstants,
) -> Option<Surroundings> {
    let (mut runs, totals) = sketched_runs(snapshot, task);
    let wanted = Surroundings::runs_wanted(runs.len(), limit);
    nearest(&mut runs, 2 * wanted, |run| run.similarity);
    let mut closer: Vec<Neighbour> = runs.iter().filter_map(|run| run.neighbour(snapshot, task)).collect();
    nearest(&mut closer, wanted, |neighbour| neighbour.similarity as f32);
    Surroundings::of(closer, totals, limit, constants)
}

/// The runs of the rows that came last.
fn sketched_runs(snapshot: &Snapshot, task: &RoundedTask) -> (Vec<SketchedRun>, RunTotals) {
    let unit = (task.scale * f64::from(SKETCH)) as f32;
    let block_rows = snapshot.layout.block_rows.get();
    let mut sums = vec![0; block_rows];
    let mut runs = Vec::with_capacity(REMEMBERED_RUNS.min(snapshot.len()));
    let (mut score, mut looked_at) = (0.0, 0);
    for (number, block) in snapshot.blocks.iter().enumerate().rev() {
        let vectors = block.side(Side::Task);
        let sums = sums.get_mut(..block.len()).unwrap_or_default();
        (Kernels::best().sums)(vectors.sketches(), &task.units, sums);
        let first_row = (number * block_rows) as u32;
        let rows = (first_row..).zip(block.run_scores()).zip(sums.iter().zip(vectors.steps()));
        for ((row, run_score), (sum, step)) in rows {
            if run_score.is_nan() {
                continue;
            }
            if runs.len() == REMEMBERED_RUNS {
                break;
            }
            let similarity = (2 * *sum - task.sketch_bias) as f32 * (step * unit);
            runs.push(SketchedRun { similarity, sum: *sum, row });
            score += run_score;
        }
        looked_at += block.len();
        if runs.len() == REMEMBERED_RUNS || looked_at >= LOOKED_AT {
            break;
        }
    }
    let totals = RunTotals { runs: runs.len(), score };
    (runs, totals)
}

impl SketchedRun {
    fn neighbour(&self, snapshot: &Snapshot, task: &RoundedTask) -> Option<Neighbour> {
        let (block, slot) = snapshot.find(self.row)?;
        let RunScore { score, added } = block.facts().get(slot)?.run?;
        let vectors = block.side(Side::Task);
        let mut detail = [0];
        (Kernels::best().sums)(vectors.detail(slot), &task.units, &mut detail);
        let [detail] = detail;
        let dot = f64::from(16 * self.sum + detail - task.coarse_bias);
        let step = f64::from(*vectors.steps().get(slot)?);
        let similarity = (dot * step * task.scale * f64::from(COARSE)).clamp(-1.0, 1.0);
        Some(Neighbour { similarity, score, added })
    }
}

/// Leaves the nearest so many, in no order.
fn nearest<T>(runs: &mut Vec<T>, wanted: usize, similarity: impl Fn(&T) -> f32) {
    if wanted < runs.len() {
        runs.select_nth_unstable_by(wanted, |left, right| similarity(right).total_cmp(&similarity(left)));
        runs.truncate(wanted);
    }
}
