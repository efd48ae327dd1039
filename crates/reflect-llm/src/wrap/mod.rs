//! What can be put around any model: each wrapper is a model again, so they compose.
//!
//! The order that serves best, outermost first: [`Budgeted`], [`Metered`], [`Retrying`], [`Limited`], [`Timed`], the model. Waiting between two tries
//! then holds no place among the concurrent calls, waiting for a place does not count against the time of a call, and what was tried in
//! vain is not counted as an answer.

mod budgeted;
mod limited;
mod metered;
mod prices;
mod recorded;
mod retrying;
mod timed;

pub use budgeted::{Budgeted, DailyBudget, NoPrice};
pub use limited::Limited;
pub use metered::{Meter, MeterReading, Metered};
pub use prices::{Price, Prices};
pub use recorded::{Recording, Replay};
pub use retrying::{RetrySettings, Retrying};
pub use timed::Timed;
