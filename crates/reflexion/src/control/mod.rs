//! What holds a run within bounds: limits, policies, and noticing that it goes in circles.

mod budgets;
mod guard;
mod policy;
mod stuck;

pub use budgets::{BudgetKind, Budgets};
pub(crate) use guard::{Broken, Guard};
pub use policy::{AfterRetries, StagePolicies, StagePolicy};
pub use stuck::{Plateau, StuckDetection, StuckReason, repeated_call};
