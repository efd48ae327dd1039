//! Work that is done between requests.

use crate::text_enum::text_enum;

text_enum! {
    /// What a job is for.
    JobKind {
        /// Writes the lesson of a review.
        Lesson = "lesson",
        /// Replaces a lesson that was written by rules because the model was not there in time.
        FollowUp = "follow_up",
    }
}
