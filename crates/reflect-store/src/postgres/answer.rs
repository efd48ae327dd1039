//! What PostgreSQL answers.

use std::sync::{Arc, OnceLock};

use tokio_postgres::Row;

/// The rows of an answer, and how many rows the statement changed.
#[derive(Default)]
pub(super) struct Answer {
    pub(super) rows: Vec<Row>,
    pub(super) changed: usize,
}

/// An answer of one's own, or one that others may ask for, too.
pub(super) enum Answered {
    Own(Answer),
    Known(Arc<OnceLock<Answer>>),
}

impl Answered {
    pub(super) fn rows(&self) -> &[Row] {
        match self {
            Self::Own(answer) => &answer.rows,
            Self::Known(answer) => answer.get().map_or(&[], |answer| &answer.rows),
        }
    }

    pub(super) fn changed(&self) -> usize {
        match self {
            Self::Own(answer) => answer.changed,
            Self::Known(_) => 0,
        }
    }
}
