//! The orders that memories are listed in, and where a page of such a list ends.

use std::{fmt, str::FromStr};

use crate::{MemoryId, text_enum::text_enum};

text_enum! {
    /// What memories are listed by. Those that are alike are told apart by their ids, which sort by age.
    MemoryOrder {
        /// When their first revision was written.
        Created = "created",
        /// When their current revision was written.
        Updated = "updated",
        /// How well they have served.
        Utility = "utility",
        /// How many reviewed runs saw them.
        Uses = "uses",
    }
}

text_enum! {
    /// Which end of an order comes first.
    Direction {
        /// The newest, the best, the most used.
        Desc = "desc",
        /// The oldest, the worst, the least used.
        Asc = "asc",
    }
}

/// The last memory of a page, as it was when the page was read: so that a memory that moves meanwhile takes no other along.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryCursor {
    /// What it was ordered by; none where that was its age. Times are microseconds since 1970.
    pub value: Option<f64>,
    /// The memory.
    pub id: MemoryId,
}

/// Text that is no cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is no cursor")]
pub struct ParseMemoryCursorError;

impl fmt::Display for MemoryCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value {
            None => write!(f, "{}", self.id),
            Some(value) => write!(f, "{value}~{}", self.id),
        }
    }
}

impl FromStr for MemoryCursor {
    type Err = ParseMemoryCursorError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (value, id) = text.split_once('~').map_or((None, text), |(value, id)| (Some(value), id));
        let value = value.map(str::parse::<f64>).transpose().map_err(|_| ParseMemoryCursorError)?;
        if value.is_some_and(|value| !value.is_finite()) {
            return Err(ParseMemoryCursorError);
        }
        Ok(Self { value, id: id.parse().map_err(|_| ParseMemoryCursorError)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cursors_are_read_as_they_were_written() {
        let id = MemoryId::from_uuid(uuid::Uuid::from_u128(7));
        for value in [None, Some(0.0), Some(0.1 + 0.2), Some(1_763_000_000_123_457.0)] {
            let cursor = MemoryCursor { value, id };
            assert_eq!(cursor.to_string().parse(), Ok(cursor));
        }
        for wrong in ["", "~", "1~", "nan~00000000-0000-0000-0000-000000000007", "0.5"] {
            assert_eq!(wrong.parse::<MemoryCursor>(), Err(ParseMemoryCursorError), "{wrong}");
        }
    }
}
