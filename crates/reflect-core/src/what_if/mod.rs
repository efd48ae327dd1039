//! What another configuration would have done, from the log.
//!
//! In a tuning period some runs are answered by a configuration that is drawn at random from a small list ([`Mixture`]). Every logged query can
//! then be answered again on paper by any configuration, and it is known how probable the answer was that it got. A run counts for every
//! configuration that would have shown the same memories, with the weight `1 / probability` ([`estimate`]).
//!
//! It values other answers with utilities as they were. It does not say how learning would have gone under the other configuration. Where the
//! log cannot tell, it refuses and says why ([`Refusal`]).

mod configuration;
mod estimate;

pub use configuration::{Configuration, LoggedCandidate, LoggedQuery, Mixture};
pub use estimate::{Estimate, LoggedRun, Refusal, estimate};
