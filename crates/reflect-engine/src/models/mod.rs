//! The models that the operator listed, and what stands between them and whoever asks: the circuit breaker of each, and the
//! limit on what a day may cost.

mod circuit_breaker;
mod counted_model;
mod estimate;
mod fallback;
mod listed;
mod overheard;
mod spending;
mod trouble;

pub use listed::{ModelParts, WithRetries};

pub(crate) use circuit_breaker::CallPermit;
pub(crate) use fallback::Fallback;
pub(crate) use listed::{BUILTIN, Model, Models, OFF};
pub(crate) use overheard::Overheard;
pub(crate) use spending::{Role, Spending};
pub(crate) use trouble::Trouble;
