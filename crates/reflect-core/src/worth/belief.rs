//! What is believed of a memory.

use super::{Worth, WorthConstants, sitting_out::normal_below};

/// From this probability on it is said that a memory *probably* helps: one standard deviation from none.
pub const PROBABLY: f64 = 0.84;

/// What a memory is believed to add, and how sure that is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Belief {
    /// What it is believed to add, in shares of passes.
    pub worth: f64,
    /// The standard deviation of that belief.
    pub deviation: f64,
    /// How many runs it rests on, after ageing.
    pub runs: f64,
    /// How probable it is that it adds anything, from 0 (it surely hurts) to 1 (it surely helps).
    pub helps: f64,
}

impl Worth {
    /// What is believed by these runs.
    pub fn belief(&self, constants: &WorthConstants) -> Belief {
        let (worth, deviation) = (self.mean(constants), self.deviation(constants));
        Belief { worth, deviation, runs: self.runs(), helps: normal_below(worth / deviation) }
    }
}
