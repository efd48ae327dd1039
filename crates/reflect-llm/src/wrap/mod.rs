//! What can be put around any model: each wrapper is a model again, so they compose.
//!
//! The order that serves best, outermost first: [`Retrying`], [`Limited`], [`Metered`], the model. Waiting between two
//! tries then holds no permit, waiting for a permit does not count against the time of a call, and what
//! is asked before a call, such as whether it can be paid for, is asked when the call has its permit.

mod limited;
mod metered;
mod prices;
mod recorded;
mod retrying;

pub use limited::Limited;
pub use metered::{Meter, MeterReading, Metered};
pub use prices::{Price, Prices};
pub use recorded::{Recording, Replay};
pub use retrying::{RetrySettings, Retrying};
