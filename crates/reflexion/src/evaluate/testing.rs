//! What the tests of evaluators share.

use reflect_core::Timestamp;

use crate::{Attempt, FinishedAttempt};

/// A first trial that gave this answer.
pub(crate) fn finished(answer: &str) -> FinishedAttempt {
    let now = Timestamp::from_micros(1_794_734_000_000_000);
    FinishedAttempt {
        trial: 1,
        task: "the task".into(),
        inputs: Default::default(),
        attempt: Attempt::answer(answer),
        started_at: now,
        ended_at: now,
    }
}
