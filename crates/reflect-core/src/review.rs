//! Reviews: the judgement that makes a run worth learning from.

use crate::{ReviewId, Timestamp, TraceId, WrittenLesson, text_enum::text_enum};

text_enum! {
    /// How a run went.
    Outcome {
        /// It did what was asked.
        Pass = "pass",
        /// It did not.
        Fail = "fail",
    }
}

impl Outcome {
    /// The reward of a review without a score: 1 for a pass, 0 for a fail.
    pub const fn reward(self) -> f64 {
        match self {
            Outcome::Pass => 1.0,
            Outcome::Fail => 0.0,
        }
    }

    /// Whether this is a pass.
    pub const fn is_pass(self) -> bool {
        matches!(self, Outcome::Pass)
    }
}

text_enum! {
    /// When a review came.
    ReviewMode {
        /// With the trace itself.
        Inline = "inline",
        /// After the trace was stored.
        Deferred = "deferred",
    }
}

text_enum! {
    /// Who reviewed.
    ReviewSource {
        /// A program, over the API.
        Api = "api",
        /// A person, in the console.
        Console = "console",
        /// A model. Such a review is provisional: any other one replaces it.
        Judge = "judge",
    }
}

/// A review as it is asked for.
#[derive(Debug, Clone, PartialEq)]
pub struct NewReview {
    /// How the run went.
    pub result: Outcome,
    /// How well it went, in [0, 1], where the reviewer can say so.
    pub score: Option<f64>,
    /// What was wrong, or what was good.
    pub feedback_text: Option<String>,
    /// The step size in [0, 1] for the memories that were shown in the run; the project's own when absent.
    pub alpha: Option<f64>,
    /// A lesson that the reviewer wrote; no reflector is asked then.
    pub reflection: Option<WrittenLesson>,
    /// Who reviews.
    pub source: ReviewSource,
    /// Whether this review may replace an earlier, different one.
    pub supersedes: bool,
}

impl NewReview {
    /// Whether `review` says the same as this one, so that sending it again changes nothing.
    pub fn repeats(&self, review: &Review) -> bool {
        self.result == review.result
            && self.score == review.score
            && self.feedback_text == review.feedback_text
            && self.alpha == review.asked_alpha
            && self.reflection == review.reflection
            && self.source == review.source
    }
}

/// A review that was accepted.
#[derive(Debug, Clone, PartialEq)]
pub struct Review {
    /// Its id.
    pub id: ReviewId,
    /// The run it judges.
    pub trace_id: TraceId,
    /// How the run went.
    pub result: Outcome,
    /// How well it went, in [0, 1], if the reviewer said so.
    pub score: Option<f64>,
    /// What was wrong, or what was good.
    pub feedback_text: Option<String>,
    /// Whether it came with the trace or later.
    pub mode: ReviewMode,
    /// Who reviewed.
    pub source: ReviewSource,
    /// The step size that was asked for, if any.
    pub asked_alpha: Option<f64>,
    /// The step size that applied.
    pub alpha: f64,
    /// The lesson that the reviewer wrote, if any.
    pub reflection: Option<WrittenLesson>,
    /// When it was accepted.
    pub created_at: Timestamp,
}
