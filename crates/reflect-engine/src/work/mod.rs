//! What is done beside the requests: the lessons of the queue, their follow-ups, the judge, and housekeeping.

mod background;
mod claims;
mod follow_ups;
mod judging;
mod lessons;
mod waiting;
mod worker;

pub use background::Background;

pub(crate) use waiting::Finished;
