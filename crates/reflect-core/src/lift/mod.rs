//! Whether memories help, measured by runs that had to do without.
//!
//! A share of tasks, drawn at random before anything is looked up, gets no memories ([`Assignment::draw`]). The report compares both
//! arms: pass rates, their difference with [Newcombe's interval](newcombe), and a verdict that may be looked at after every run, since it
//! comes from an [e-process](EProcess) and not from the interval.
//!
//! What it does not say: which memory helps, and what would have been learned without the others. It measures all memories
//! together, as they were shown in the period.

mod assignment;
mod e_process;
mod holdout;
mod newcombe;
mod report;
mod sample_size;
mod sentence;

pub use assignment::{Assignment, Draw};
pub use e_process::EProcess;
pub use holdout::{DrawCounts, DrawnQuery, DrawnRun, HoldoutPeriod, HoldoutReport, LeftOut, RunReview};
pub use newcombe::{Difference, PassRate, newcombe};
pub use report::{ArmReport, AssignedRun, LiftReport, Verdict};
pub use sample_size::runs_to_see;
