//! Reviews of many traces at once, on the wire.
//!
//! The entries of a request are read one by one, so that one that is no review is refused by itself: among 500 rows of
//! somebody's table one may well be wrong, and the other 499 are not the worse for it.

use reflect_core::{IngestStatus, NewReview, Outcome, RawJson};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ErrorCode, Limits, Object, ReflectionRequest, ReviewRequest, Violation, checks, object::maybe_object};

/// How many reviews one request may hold.
pub const MAX_BULK_REVIEWS: usize = 500;

/// Reviews of many runs.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BulkReviewRequest {
    /// The reviews. Each is accepted or refused by itself, in this order.
    #[schema(value_type = Vec<BulkReview>, max_items = 500)]
    pub reviews: Vec<RawJson>,
}

/// How one of many runs went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct BulkReview {
    /// The run.
    #[serde(default)]
    #[schema(required, format = Uuid)]
    pub trace_id: String,
    /// `pass` or `fail`.
    #[schema(value_type = crate::status::OutcomeName)]
    pub result: Option<Outcome>,
    /// How well the run went, from 0 to 1: the share of tests that passed, or of points of a rubric. Memories learn more from it than from `result`
    /// alone; without it a pass counts 1 and a fail 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1)]
    pub score: Option<f64>,
    /// What was wrong, or what was good. Specific words make specific lessons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub feedback_text: Option<String>,
    /// The step size for the memories that the run was shown; the project's own when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1)]
    pub alpha: Option<f64>,
    /// A lesson that you wrote yourself; no reflector is asked then.
    #[serde(default, deserialize_with = "maybe_object", skip_serializing_if = "Option::is_none")]
    pub reflection: Option<ReflectionRequest>,
    /// Whether this review may take the place of an earlier, different one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(default = false)]
    pub supersedes: Option<bool>,
}

/// An entry of a bulk request, looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedBulkReview {
    /// The trace as the entry names it, if it names one.
    pub trace_id: Option<String>,
    /// The review, or what is wrong with it.
    pub review: Result<NewReview, Violation>,
}

/// How clients make one.
impl FromIterator<BulkReview> for BulkReviewRequest {
    fn from_iter<I: IntoIterator<Item = BulkReview>>(reviews: I) -> Self {
        Self { reviews: reviews.into_iter().map(|review| RawJson::from_value(&review)).collect() }
    }
}

impl BulkReviewRequest {
    /// The entries in their order. Only their number is a reason to refuse the request as a whole.
    pub fn check(self, limits: &Limits) -> Result<Vec<CheckedBulkReview>, Violation> {
        checks::at_most("reviews", self.reviews.len(), MAX_BULK_REVIEWS)?;
        let numbered = (0..).zip(&self.reviews);
        Ok(numbered.map(|(index, entry): (usize, _)| check_entry(index, entry, limits)).collect())
    }
}

fn check_entry(index: usize, entry: &RawJson, limits: &Limits) -> CheckedBulkReview {
    let (trace_id, review) = match read(entry) {
        Ok(review) => (Some(review.trace_id.clone()).filter(|id| !id.is_empty()), review.check(limits)),
        Err(violation) => (named_trace(entry), Err(violation)),
    };
    CheckedBulkReview { trace_id, review: review.map_err(|violation| violation.under(&format!("reviews[{index}]"))) }
}

fn read(entry: &RawJson) -> Result<BulkReview, Violation> {
    let mut deserializer = serde_json::Deserializer::from_str(entry.as_str());
    let read: Result<Object<BulkReview>, _> = serde_path_to_error::deserialize(&mut deserializer);
    read.map(|Object(review)| review).map_err(|error| {
        let path = error.path().to_string();
        let problem = error.into_inner().to_string();
        // Where in the entry's own text says little about where in the body.
        let problem = problem.split(" at line ").next().unwrap_or_default();
        Violation::new(if path == "." { "" } else { &path }, format!("cannot be read: {problem}"))
    })
}

/// The trace that an entry names which cannot be read as a whole.
fn named_trace(entry: &RawJson) -> Option<String> {
    let fields: serde_json::Value = entry.read().ok()?;
    fields.get("trace_id")?.as_str().map(str::to_owned)
}

impl BulkReview {
    fn check(self, limits: &Limits) -> Result<NewReview, Violation> {
        if self.trace_id.is_empty() {
            return Err(Violation::new("trace_id", "is missing; it is the id of the trace to review"));
        }
        let Self { trace_id: _, result, score, feedback_text, alpha, reflection, supersedes } = self;
        ReviewRequest { result, score, feedback_text, alpha, reflection, supersedes }.check(limits)
    }
}

/// What became of many reviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BulkReviewAnswer {
    /// One answer for each review, in the order they came in.
    pub reviews: Vec<BulkReviewOutcome>,
}

/// What became of one of many reviews.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BulkReviewOutcome {
    /// The trace as the request names it; null where it names none.
    #[schema(required)]
    pub trace_id: Option<String>,
    /// Whether it counts.
    pub status: BulkReviewStatus,
    /// How far the work on the trace has come. Absent where the review was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<crate::status::IngestStatusName>, nullable = false)]
    pub ingest_status: Option<IngestStatus>,
    /// Why it was refused. Absent where it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error: Option<BulkReviewError>,
}

/// Whether one of many reviews counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum BulkReviewStatus {
    /// It counts: utilities have moved, and its lesson is stored or queued.
    Accepted,
    /// The trace had exactly this review already; nothing changed.
    Repeated,
    /// It does not count; `error` says why.
    Refused,
}

/// Why one of many reviews was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BulkReviewError {
    /// A stable name for the cause, as in the answer to a single review.
    #[schema(value_type = String, example = "already_reviewed")]
    pub code: ErrorCode,
    /// What was wrong and what to do about it, for people.
    pub message: String,
    /// The field that is wrong, where it is a field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub path: Option<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn checked(reviews: Value) -> Vec<CheckedBulkReview> {
        let request: BulkReviewRequest = serde_json::from_value(json!({ "reviews": reviews })).unwrap();
        request.check(&Limits::default()).unwrap()
    }

    #[test]
    fn an_entry_that_is_wrong_is_wrong_by_itself() {
        let cases = [
            (json!({"result": "pass"}), None, "reviews[0].trace_id"),
            (json!({"trace_id": 7, "result": "pass"}), None, "reviews[0].trace_id"),
            (json!({"trace_id": "a"}), Some("a"), "reviews[0].result"),
            (json!({"trace_id": "a", "result": "success"}), Some("a"), "reviews[0].result"),
            (json!({"trace_id": "a", "result": "pass", "alpha": 2}), Some("a"), "reviews[0].alpha"),
            (json!({"trace_id": "a", "result": "pass", "score": -0.1}), Some("a"), "reviews[0].score"),
            (json!({"trace_id": "a", "result": "pass", "alpha": "much"}), Some("a"), "reviews[0].alpha"),
            (json!({"trace_id": "a", "result": "pass", "reflection": []}), Some("a"), "reviews[0].reflection"),
            (
                json!({"trace_id": "a", "result": "pass", "reflection": {"summary": 1}}),
                Some("a"),
                "reviews[0].reflection.summary",
            ),
            (json!(["a", "pass"]), None, "reviews[0]"),
            (json!(null), None, "reviews[0]"),
        ];
        for (entry, trace_id, path) in cases {
            let entries = checked(json!([entry, {"trace_id": "b", "result": "pass"}]));
            assert_eq!(entries[0].trace_id.as_deref(), trace_id, "{entry}");
            let violation = entries[0].review.clone().unwrap_err();
            assert_eq!(violation.path, path, "{entry}: {violation}");
            assert!(!violation.problem.contains("line"), "{violation}");
            assert_eq!(entries[1].review.as_ref().map(|review| review.result), Ok(Outcome::Pass));
        }
    }

    #[test]
    fn what_a_client_collects_is_what_the_server_reads() {
        let reflection = ReflectionRequest { summary: Some("s".into()), ..ReflectionRequest::default() };
        let review = BulkReview {
            trace_id: "a".into(),
            result: Some(Outcome::Fail),
            score: Some(0.75),
            feedback_text: Some("f".into()),
            alpha: Some(0.1),
            reflection: Some(reflection),
            supersedes: Some(true),
        };
        let request: BulkReviewRequest = [review.clone(), BulkReview::default()].into_iter().collect();
        let sent = serde_json::to_string(&request).unwrap();
        let came: BulkReviewRequest = serde_json::from_str(&sent).unwrap();
        assert_eq!(came, request);
        let entries = came.check(&Limits::default()).unwrap();
        assert_eq!(entries[0].review, review.check(&Limits::default()));
        assert!(entries[1].review.is_err());
    }

    #[test]
    fn more_than_the_most_are_refused_together() {
        let one = BulkReview { trace_id: "a".into(), result: Some(Outcome::Pass), ..BulkReview::default() };
        let of = |count| std::iter::repeat_n(one.clone(), count).collect::<BulkReviewRequest>();
        assert_eq!(of(MAX_BULK_REVIEWS).check(&Limits::default()).unwrap().len(), MAX_BULK_REVIEWS);
        assert_eq!(of(MAX_BULK_REVIEWS + 1).check(&Limits::default()).unwrap_err().path, "reviews");
    }
}
