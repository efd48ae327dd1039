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
    block::{Block, Side},
    encoding::{COARSE, SKETCH},
    kernels::Kernels,
    rows::Snapshot,
    task::RoundedTask,
};

/// How many rows are looked at for them, from the last one back: where most runs have been deleted, a query does not look through all memories.
const LOOKED_AT: usize = 4 * REMEMBERED_RUNS;

/// A run, by the sketch of its task.
#[derive(Clone, Copy)]
struct SketchedRun<'a> {
    block: &'a Block,
    slot: usize,
    sum: i32,
    similarity: f32,
    run: RunScore,
}

/// What the runs around a task say; nothing while there are too few.
pub(crate) fn look_around(snapshot: &Snapshot, task: &RoundedTask, limit: usize) -> Option<Surroundings> {
    let mut runs = sketched_runs(snapshot, task);
    let score = runs.iter().map(|sketched| sketched.run.score).sum();
    let totals = RunTotals { runs: runs.len(), score };
    let wanted = Surroundings::runs_wanted(runs.len(), limit);
    nearest(&mut runs, 2 * wanted, |run| run.similarity);
    let mut closer: Vec<Neighbour> = runs.iter().map(|sketched| sketched.neighbour(task)).collect();
    nearest(&mut closer, wanted, |neighbour| neighbour.similarity as f32);
    Surroundings::of(closer, totals, limit, &WorthConstants::default())
}

/// The runs of the rows that came last.
fn sketched_runs<'a>(snapshot: &'a Snapshot, task: &RoundedTask) -> Vec<SketchedRun<'a>> {
    let unit = (task.scale * f64::from(SKETCH)) as f32;
    let mut sums = vec![0; snapshot.layout.block_rows.get()];
    let mut runs = Vec::with_capacity(REMEMBERED_RUNS.min(snapshot.len()));
    let mut looked_at = 0;
    for block in snapshot.blocks.iter().rev() {
        let vectors = block.side(Side::Task);
        let sums = sums.get_mut(..block.len()).unwrap_or_default();
        (Kernels::best().sums)(vectors.sketches(), &task.units, sums);
        let sketched = (0..).zip(block.facts()).zip(sums.iter().zip(vectors.steps()));
        runs.extend(sketched.filter_map(|((slot, facts), (sum, step))| {
            let similarity = (2 * *sum - task.sketch_bias) as f32 * (step * unit);
            Some(SketchedRun { block, slot, sum: *sum, similarity, run: facts.run? })
        }));
        looked_at += block.len();
        if runs.len() >= REMEMBERED_RUNS || looked_at >= LOOKED_AT {
            break;
        }
    }
    runs.truncate(REMEMBERED_RUNS);
    runs
}

impl SketchedRun<'_> {
    fn neighbour(&self, task: &RoundedTask) -> Neighbour {
        let vectors = self.block.side(Side::Task);
        let mut detail = [0];
        (Kernels::best().sums)(vectors.detail(self.slot), &task.units, &mut detail);
        let [detail] = detail;
        let step = vectors.steps().get(self.slot).copied().unwrap_or_default();
        let dot = f64::from(16 * self.sum + detail - task.coarse_bias);
        let similarity = (dot * f64::from(step) * task.scale * f64::from(COARSE)).clamp(-1.0, 1.0);
        Neighbour { similarity, score: self.run.score, added: self.run.added }
    }
}

/// Leaves the nearest so many, in no order.
fn nearest<T>(runs: &mut Vec<T>, wanted: usize, similarity: impl Fn(&T) -> f32) {
    if wanted < runs.len() {
        runs.select_nth_unstable_by(wanted, |left, right| similarity(right).total_cmp(&similarity(left)));
        runs.truncate(wanted);
    }
}
