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
    candidates::{Bounded, Candidates},
    encoding::{COARSE, SKETCH},
    kernels::Kernels,
    rows::Snapshot,
    task::RoundedTask,
};

/// How many rows are looked at for them, from the last one back: where most runs have been deleted, a query does not look through all memories.
const LOOKED_AT: usize = 4 * REMEMBERED_RUNS;

/// What was found around a task.
#[derive(Debug, Default)]
pub(crate) struct LookedAround {
    /// What the runs say; nothing while there are too few.
    pub(crate) surroundings: Option<Surroundings>,
    /// What was computed on the way, which a scan of the same snapshot needs, too.
    pub(crate) task_sums: TaskSums,
    /// The memories of the nearest runs, in no order: likely answers.
    pub(crate) nearby: Vec<u32>,
}

/// What the sketches of tasks sum up to with a task, for the blocks that came last.
#[derive(Debug, Default)]
pub(crate) struct TaskSums {
    last_block: usize,
    from_last: Vec<Vec<i32>>,
}

impl TaskSums {
    /// Those of a block, if it was looked at.
    pub(crate) fn of(&self, block: usize) -> Option<&[i32]> {
        self.from_last.get(self.last_block.checked_sub(block)?).map(Vec::as_slice)
    }
}

/// Looks at the reviewed runs around a task.
pub(crate) fn look_around(
    snapshot: &Snapshot,
    task: &RoundedTask,
    limit: usize,
    constants: &WorthConstants,
) -> LookedAround {
    let most_wanted = Surroundings::runs_wanted(REMEMBERED_RUNS.min(snapshot.len()), limit);
    let mut look = Look {
        snapshot,
        task,
        nearest: Candidates::new(2 * most_wanted, snapshot.layout),
        totals: RunTotals::default(),
        task_sums: TaskSums { last_block: snapshot.blocks.len().saturating_sub(1), from_last: Vec::new() },
    };
    look.read_sketches();
    let (totals, task_sums) = (look.totals, look.task_sums);
    let mut runs = look.nearest.finish();
    let wanted = Surroundings::runs_wanted(totals.runs, limit);
    nearest(&mut runs, 2 * wanted, |run| run.highest);
    let neighbour = |run: &Bounded| neighbour(snapshot, task, &task_sums, run.row);
    let mut closer: Vec<Neighbour> = runs.iter().filter_map(neighbour).collect();
    nearest(&mut closer, wanted, |neighbour| neighbour.similarity as f32);
    let nearby = runs.iter().map(|run| run.row).collect();
    LookedAround { surroundings: Surroundings::of(closer, totals, limit, constants), task_sums, nearby }
}

struct Look<'a> {
    snapshot: &'a Snapshot,
    task: &'a RoundedTask,
    /// Runs by what their sketches say: the row is the memory's, and both bounds are the similarity.
    nearest: Candidates,
    totals: RunTotals,
    task_sums: TaskSums,
}

impl Look<'_> {
    /// Goes back from the last block until enough runs were seen.
    fn read_sketches(&mut self) {
        let block_rows = self.snapshot.layout.block_rows.get();
        let mut looked_at = 0;
        for (number, block) in self.snapshot.blocks.iter().enumerate().rev() {
            let mut sums = vec![0; block.len()];
            (Kernels::best().sums)(block.side(Side::Task).sketches(), &self.task.units, &mut sums);
            self.add_runs((number * block_rows) as u32, block, &sums);
            self.task_sums.from_last.push(sums);
            looked_at += block.len();
            if self.totals.runs == REMEMBERED_RUNS || looked_at >= LOOKED_AT {
                break;
            }
        }
    }

    fn add_runs(&mut self, first_row: u32, block: &Block, sums: &[i32]) {
        let unit = (self.task.scale * f64::from(SKETCH)) as f32;
        let columns = block.run_scores().iter().zip(sums).zip(block.side(Side::Task).steps());
        for (row, ((score, sum), step)) in (first_row..).zip(columns) {
            if score.is_nan() {
                continue;
            }
            if self.totals.runs == REMEMBERED_RUNS {
                break;
            }
            self.totals.runs += 1;
            let similarity = (2 * sum - self.task.sketch_bias) as f32 * (step * unit);
            self.totals.score += score;
            self.totals.similarity += f64::from(similarity);
            if similarity >= self.nearest.threshold() {
                self.nearest.push(Bounded { row, highest: similarity, lowest: similarity, nearer: None });
            }
        }
    }
}

/// The run of a row, by the coarse form of its task.
fn neighbour(snapshot: &Snapshot, task: &RoundedTask, task_sums: &TaskSums, row: u32) -> Option<Neighbour> {
    let (block, slot) = snapshot.split(row);
    let sum = *task_sums.of(block)?.get(slot)?;
    let block = snapshot.blocks.get(block)?;
    let RunScore { score, added } = block.facts().get(slot)?.run?;
    let vectors = block.side(Side::Task);
    let mut detail = [0];
    (Kernels::best().sums)(vectors.detail(slot), &task.units, &mut detail);
    let [detail] = detail;
    let dot = f64::from(16 * sum + detail - task.coarse_bias);
    let step = f64::from(*vectors.steps().get(slot)?);
    let similarity = (dot * step * task.scale * f64::from(COARSE)).clamp(-1.0, 1.0);
    Some(Neighbour { similarity, score, added })
}

/// Leaves the nearest so many, in no order.
fn nearest<T>(runs: &mut Vec<T>, wanted: usize, similarity: impl Fn(&T) -> f32) {
    if wanted < runs.len() {
        runs.select_nth_unstable_by(wanted, |left, right| similarity(right).total_cmp(&similarity(left)));
        runs.truncate(wanted);
    }
}
