//! Memories: lessons with a record of how well they served.

use serde::{Deserialize, Serialize};

use crate::{Lesson, MemoryId, RawJson, Timestamp, TraceId, learning::Tally, text_enum::text_enum};

text_enum! {
    /// Whether a memory is shown.
    MemoryStatus {
        /// Queries may answer with it.
        Active = "active",
        /// Kept and still credited for earlier runs, but no query answers with it.
        Disabled = "disabled",
    }
}

/// Who wrote a lesson, so that a reader can weigh it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenBy {
    /// The reflector's name: `builtin`, `author` for a lesson that came with its review, `editor` for a later edit.
    pub reflector: String,
    /// The version of the rules or prompt that the reflector followed.
    pub version: String,
    /// The model that was asked, as its provider names it; none for rules and people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens that went to the model, over all of its calls for this lesson.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    /// Tokens that came back from it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    /// How long writing took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub millis: Option<u64>,
    /// The reflector that should have written and could not. Its own lesson may still come, as a later revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stands_in_for: Option<String>,
}

impl WrittenBy {
    /// Written by this reflector without a model.
    pub fn new(reflector: impl Into<String>, version: impl Into<String>) -> Self {
        Self {
            reflector: reflector.into(),
            version: version.into(),
            model: None,
            input_tokens: None,
            output_tokens: None,
            millis: None,
            stands_in_for: None,
        }
    }

    /// The same, marked as standing in for another reflector.
    #[must_use]
    pub fn standing_in_for(self, reflector: impl Into<String>) -> Self {
        Self { stands_in_for: Some(reflector.into()), ..self }
    }
}

/// A lesson, the task it is about, and what became of the runs that saw it.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its id, the same across revisions.
    pub id: MemoryId,
    /// The run it was learned from.
    pub trace_id: TraceId,
    /// The task of that run; this is what similarity is measured against.
    pub task: String,
    /// What it says.
    pub lesson: Lesson,
    /// Whether that run passed.
    pub success: Option<bool>,
    /// Whether queries may answer with it.
    pub status: MemoryStatus,
    /// Counts up from 1 whenever the lesson changes.
    pub revision: u32,
    /// Who wrote this revision.
    pub written_by: WrittenBy,
    /// Utility and counts: the cached fold of its ledger.
    pub tally: Tally,
    /// The metadata of its trace, which filters read.
    pub metadata: RawJson,
    /// When the first revision was written.
    pub created_at: Timestamp,
    /// When the current revision was written.
    pub updated_at: Timestamp,
}

impl Memory {
    /// Whether a skill may be made of it: queries may answer with it, and how its run went is known.
    pub fn may_be_in_a_skill(&self) -> bool {
        self.status == MemoryStatus::Active && self.success.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_from_before_there_were_models_still_read() {
        let stored = r#"{"reflector":"builtin","version":"1"}"#;
        let written_by: WrittenBy = serde_json::from_str(stored).unwrap();
        assert_eq!(written_by, WrittenBy::new("builtin", "1"));
        assert_eq!(serde_json::to_string(&written_by).unwrap(), stored);
    }

    #[test]
    fn everything_known_about_a_writer_is_kept() {
        let written_by = WrittenBy {
            model: Some("m-1".into()),
            input_tokens: Some(1_200),
            output_tokens: Some(90),
            millis: Some(2_500),
            ..WrittenBy::new("llm", "2").standing_in_for("other")
        };
        let json = serde_json::to_string(&written_by).unwrap();
        assert_eq!(serde_json::from_str::<WrittenBy>(&json).unwrap(), written_by);
    }
}
