//! How much a lesson tells.

use crate::text_enum::text_enum;

text_enum! {
    /// The best thing that a lesson has to say, in the order of worth. The list is final: enums on the wire gain no value.
    Tells {
        /// What a reviewer said about tasks of this kind.
        Rule = "rule",
        /// What failed, what was changed, and that it then passed.
        Fix = "fix",
        /// What there is in the place of a name that does not exist.
        Fact = "fact",
        /// What failed, and at best what worked in its place.
        Pitfall = "pitfall",
        /// What the right answer to that very task is.
        Answer = "answer",
        /// What was done in a run that passed, and nothing better.
        Example = "example",
        /// Nothing that another run could use.
        Nothing = "nothing",
    }
}

/// Whose turn comes first when an answer is put together, whatever the scores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Turn {
    /// What tells a run something, or may, since its writer did not say.
    Telling,
    /// Examples fill what is left.
    Example,
    /// What tells nothing comes only where nothing else is there.
    Nothing,
}

impl Turn {
    /// All of them, in their order.
    pub const ALL: [Self; 3] = [Self::Telling, Self::Example, Self::Nothing];

    /// The turn of a lesson that tells so much.
    pub const fn of(tells: Option<Tells>) -> Self {
        match tells {
            Some(Tells::Nothing) => Self::Nothing,
            Some(Tells::Example) => Self::Example,
            _ => Self::Telling,
        }
    }
}
