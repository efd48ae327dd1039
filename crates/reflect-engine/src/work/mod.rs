//! What is done beside the requests: the lessons of the queue, their follow-ups, the judge, housekeeping and tidying up.
//!
//! A lesson goes through these files in this order, and never back: `background` runs the worker, `claims` takes jobs from
//! the queue, `worker` works one of them to its end, `lessons` has it written by rules or by a model (`writing`) and goes on
//! with `follow_ups` where the model is late, `storing` stores it. `attempts` and `pauses` are what they share. `repeated` keeps the log from filling
//! while something fails all the time.

mod attempts;
mod background;
mod claims;
mod follow_ups;
mod housekeeping;
mod judging;
mod lessons;
mod pauses;
mod repeated;
mod storing;
mod tidying;
mod worker;
mod writing;

pub use background::Background;
pub(crate) use tidying::bit_by_bit;
pub(crate) use writing::reviewed_run;
