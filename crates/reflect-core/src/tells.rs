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
