//! What another configuration would have done, from the log.
//!
//! In a tuning period some tasks are answered by a configuration that is drawn at random from a short list ([`Mixture`]). Every such query is
//! answered by all of them on paper, and what is logged is how probable each would have given the answer that was shown ([`MixedAnswer`]). A
//! run counts for every configuration that shows the same memories, with the weight `1 / probability` ([`estimate`]); [`MixturePeriod`] gathers the
//! runs of one mixture.
//!
//! It values other answers with utilities as they were. It does not say how learning would have gone under the other configuration. Where the
//! log cannot tell, it refuses and says why ([`Refusal`]). Of a configuration that was not mixed it knows nothing.

mod answer;
mod estimate;
mod mixture;
mod period;
mod sentence;

pub use answer::{Agreement, MixedAnswer, PossibleAnswer};
pub use estimate::{Estimate, LoggedRun, Refusal, estimate};
pub use mixture::{Configuration, Mixture, Resolved, draw};
pub use period::{Evaluation, MixedQuery, MixturePeriod};
