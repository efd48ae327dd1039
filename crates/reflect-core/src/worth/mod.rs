//! What a memory adds: the learning rule, from the rows of the ledger to the slate of an answer.
//!
//! A moving average of how runs went blames a lesson for hard tasks and thanks it for its neighbours. This rule keeps what is left of a
//! score after both: the **residual** `score − usual for such a task − what the others shown were expected to add` ([`Evidence`]). Its mean,
//! shrunk towards a small prior, is the memory's **worth**, in points of pass rate ([`Worth`]).
//!
//! On the way to an answer: [`Surroundings`] are what reviewed runs say about a task, the [`Baseline`] of what is usual and the [`LocalScale`] of
//! cosines there. What is believed to hurt is not due at all; of the others each sits out now and then ([`SittingOut`]), [`TrialSlot`] gives a few
//! slots away at random, and [`LineUp`] knows how probable every answer was. [`Learned`] holds a memory's figures under both rules, and [`LearningRule`] says which of them counts.
//!
//! Everything is a pure function of what was logged at the time of the query. Folds use only `+ − × ÷`, which are the same to the bit
//! on every machine.

mod ageing;
mod baseline;
mod belief;
mod constants;
mod evidence;
mod fold;
mod learned;
mod line_up;
mod local_scale;
mod sitting_out;
mod surroundings;
mod trial_slot;
mod viewpoint;

pub use baseline::{Baseline, Neighbour, REMEMBERED_RUNS, RunTotals, neighbours_wanted};
pub use belief::{Belief, PROBABLY};
pub use constants::{RULE_VERSION, WorthConstants};
pub(crate) use evidence::runs_of;
pub use evidence::{Evidence, Expectation};
pub use fold::{Retirement, Worth};
pub use learned::{Learned, LearningRule};
pub use line_up::{Due, LineUp, RESERVE, Shown};
pub use local_scale::{LocalScale, edge_rank};
pub use sitting_out::SittingOut;
pub use surroundings::Surroundings;
pub use trial_slot::{SlateDraw, TrialSlot};
pub use viewpoint::Viewpoint;
