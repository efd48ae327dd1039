//! How a run ended.

use std::{any::Any, fmt::Display, thread};

use crate::Result;

/// How a run ended, for its trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Ending {
    /// As it meant to.
    Returned,
    /// It broke off, and why.
    BrokeOff(String),
}

impl Ending {
    /// What a result says.
    pub(crate) fn of<T, E: Display>(result: std::result::Result<T, E>) -> (std::result::Result<T, E>, Self) {
        let ending = match &result {
            Ok(_) => Self::Returned,
            Err(error) => Self::BrokeOff(error.to_string()),
        };
        (result, ending)
    }
}

/// What came of a run: a value that `judge` reads, or a panic that goes on after the trace.
pub(crate) fn settle<R, O>(
    ended: thread::Result<R>,
    judge: impl FnOnce(R) -> (O, Ending),
) -> (thread::Result<O>, Ending) {
    match ended {
        Ok(returned) => {
            let (output, ending) = judge(returned);
            (Ok(output), ending)
        }
        Err(panic) => {
            let message = panic_message(panic.as_ref());
            (Err(panic), Ending::BrokeOff(message))
        }
    }
}

/// Says that a trace was not submitted, where nobody is left to whom the error could be given.
pub(crate) fn warn_of_failure<T>(submitted: &Result<T>) {
    if let Err(error) = submitted {
        tracing::warn!(%error, "a trace was not submitted, or its lesson did not come");
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the run panicked").to_owned()
}
