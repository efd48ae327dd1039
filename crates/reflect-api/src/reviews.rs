//! Reviews on the wire.

use reflect_core::{Lesson, NewReview, Outcome, Review, ReviewSource, Timestamp, WrittenBy, WrittenLesson};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{Limits, Violation, checks, object::maybe_object, whole::maybe_count};

/// How a run went.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReviewRequest {
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

/// A lesson in its parts. One without any words is as good as none.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReflectionRequest {
    /// One sentence: what was tried and how it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub summary: Option<String>,
    /// Advice that a next run can act on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub guidance: Option<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub key_mistake: Option<String>,
    /// What to do instead, or what worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000_000)]
    pub correct_action: Option<String>,
    /// Tools that the lesson is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<crate::status::NameSchema>>, max_items = 10_000)]
    pub applicable_tools: Option<Vec<String>>,
    /// Tools that the run called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<crate::status::NameSchema>>, max_items = 10_000)]
    pub tools_used: Option<Vec<String>>,
    /// Who wrote it; `author` when absent.
    #[serde(default, deserialize_with = "maybe_object", skip_serializing_if = "Option::is_none")]
    pub written_by: Option<WrittenByRequest>,
}

/// Who wrote a lesson, as the client says. The memory shows it as a claim: `reflector` gets `client:` in front.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct WrittenByRequest {
    /// The name of the reflector or the person. No control characters.
    #[schema(min_length = 1, max_length = 256, pattern = r"^[^\u0000-\u001F\u007F-\u009F]+$")]
    pub reflector: String,
    /// The version of its rules or of its prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256, pattern = r"^[^\u0000]*$")]
    pub version: Option<String>,
    /// The model that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 256, pattern = r"^[^\u0000]*$")]
    pub model: Option<String>,
    /// Tokens that went to the model for this lesson.
    #[serde(default, deserialize_with = "maybe_count", skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 9_007_199_254_740_991_i64)]
    pub input_tokens: Option<u64>,
    /// Tokens that came back.
    #[serde(default, deserialize_with = "maybe_count", skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 9_007_199_254_740_991_i64)]
    pub output_tokens: Option<u64>,
    /// How long the model took, in milliseconds.
    #[serde(default, deserialize_with = "maybe_count", skip_serializing_if = "Option::is_none")]
    #[schema(maximum = 9_007_199_254_740_991_i64)]
    pub millis: Option<u64>,
}

impl From<&str> for WrittenByRequest {
    fn from(reflector: &str) -> Self {
        Self { reflector: reflector.to_owned(), ..Self::default() }
    }
}

impl From<WrittenBy> for WrittenByRequest {
    fn from(written_by: WrittenBy) -> Self {
        Self {
            reflector: written_by.reflector,
            version: Some(written_by.version),
            model: written_by.model,
            input_tokens: written_by.input_tokens,
            output_tokens: written_by.output_tokens,
            millis: written_by.millis,
        }
    }
}

impl WrittenByRequest {
    fn check(self) -> Result<WrittenBy, Violation> {
        checks::shown_name("reflector", &self.reflector)?;
        let version = self.version.unwrap_or_default();
        checks::name("version", &version)?;
        self.model.as_ref().map_or(Ok(()), |model| checks::name("model", model))?;
        let written_by = WrittenBy {
            model: self.model,
            input_tokens: self.input_tokens,
            output_tokens: self.output_tokens,
            millis: self.millis,
            ..WrittenBy::new(self.reflector, version)
        };
        Ok(written_by.claimed_by_client())
    }
}

impl From<Lesson> for ReflectionRequest {
    fn from(lesson: Lesson) -> Self {
        let said = |text: String| Some(text).filter(|text| !text.is_empty());
        Self {
            summary: said(lesson.summary),
            guidance: said(lesson.guidance),
            key_mistake: said(lesson.key_mistake),
            correct_action: said(lesson.correct_action),
            applicable_tools: Some(lesson.applicable_tools),
            tools_used: Some(lesson.tools_used),
            written_by: None,
        }
    }
}

impl ReviewRequest {
    /// The review, if it is one.
    pub fn check(self, limits: &Limits) -> Result<NewReview, Violation> {
        let result = self.result.ok_or_else(|| Violation::new("result", "is missing; it is `pass` or `fail`"))?;
        checks::maybe_text("feedback_text", self.feedback_text.as_ref(), limits)?;
        checks::between("score", self.score, 0.0, 1.0)?;
        checks::between("alpha", self.alpha, 0.0, 1.0)?;
        let reflection = self.reflection.map_or(Ok(None), |reflection| reflection.check(limits));
        Ok(NewReview {
            result,
            score: self.score,
            feedback_text: self.feedback_text,
            alpha: self.alpha,
            reflection: reflection.map_err(|violation| violation.under("reflection"))?,
            source: ReviewSource::Api,
            supersedes: self.supersedes.unwrap_or(false),
        })
    }
}

impl ReflectionRequest {
    /// With who wrote it: a name, or a [`WrittenByRequest`] with version, model and cost.
    #[must_use]
    pub fn written_by(self, written_by: impl Into<WrittenByRequest>) -> Self {
        Self { written_by: Some(written_by.into()), ..self }
    }

    /// With the tools that the run called.
    #[must_use]
    pub fn tools_used<T: Into<String>>(self, tools: impl IntoIterator<Item = T>) -> Self {
        Self { tools_used: Some(tools.into_iter().map(Into::into).collect()), ..self }
    }

    fn check(self, limits: &Limits) -> Result<Option<WrittenLesson>, Violation> {
        let parts = [
            ("summary", &self.summary),
            ("guidance", &self.guidance),
            ("key_mistake", &self.key_mistake),
            ("correct_action", &self.correct_action),
        ];
        for (path, part) in parts {
            checks::maybe_text(path, part.as_ref(), limits)?;
        }
        let silent = parts.iter().all(|(_, part)| part.as_ref().is_none_or(|part| part.trim().is_empty()));
        let applicable_tools = self.applicable_tools.unwrap_or_default();
        checks::names("applicable_tools", &applicable_tools, limits)?;
        let tools_used = self.tools_used.unwrap_or_default();
        checks::names("tools_used", &tools_used, limits)?;
        let written_by = self.written_by.map_or_else(|| Ok(WrittenBy::author()), WrittenByRequest::check);
        let written_by = written_by.map_err(|violation| violation.under("written_by"))?;
        let lesson = Lesson {
            summary: self.summary.unwrap_or_default(),
            key_mistake: self.key_mistake.unwrap_or_default(),
            correct_action: self.correct_action.unwrap_or_default(),
            guidance: self.guidance.unwrap_or_default(),
            applicable_tools,
            tools_used,
            tells: None,
        };
        Ok((!silent).then_some(WrittenLesson { lesson, written_by }))
    }
}

/// A review that counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReviewAnswer {
    /// Its id.
    pub id: Uuid,
    /// The run it judges.
    pub trace_id: Uuid,
    /// `pass` or `fail`.
    #[schema(value_type = crate::status::OutcomeName)]
    pub result: Outcome,
    /// How well the run went, from 0 to 1. Absent where the review did not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub score: Option<f64>,
    /// The reviewer's words.
    pub feedback_text: Option<String>,
    /// Whether it came with the trace (`inline`) or later (`deferred`).
    #[schema(value_type = crate::status::ReviewModeName)]
    pub mode: reflect_core::ReviewMode,
    /// Who reviewed: `api`, `console` or `judge`.
    #[schema(value_type = crate::status::ReviewSourceName)]
    pub source: ReviewSource,
    /// The step size that applied.
    pub alpha: f64,
    /// When it was accepted.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
}

impl From<Review> for ReviewAnswer {
    fn from(review: Review) -> Self {
        Self {
            id: review.id.as_uuid(),
            trace_id: review.trace_id.as_uuid(),
            result: review.result,
            score: review.score,
            feedback_text: review.feedback_text,
            mode: review.mode,
            source: review.source,
            alpha: review.alpha,
            created_at: review.created_at,
        }
    }
}
