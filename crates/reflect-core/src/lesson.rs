//! The lesson: what a memory says.

use serde::{Deserialize, Serialize};

use crate::Tells;

/// A lesson in its parts. Every text may be empty; none is invented to fill a gap.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lesson {
    /// One sentence: what was tried and how it ended.
    pub summary: String,
    /// On a fail: what went wrong, and where.
    pub key_mistake: String,
    /// What to do instead, or what worked.
    pub correct_action: String,
    /// Advice that a next run can act on.
    pub guidance: String,
    /// Tools that the lesson is about.
    pub applicable_tools: Vec<String>,
    /// Tools that the run called, in the order of first use.
    pub tools_used: Vec<String>,
    /// How much it tells; `None` where its writer did not say. No model says it, so it is none of a lesson's JSON.
    #[serde(skip)]
    pub tells: Option<Tells>,
}

impl Lesson {
    /// Whether it gives no advice, names no action and no mistake.
    pub fn has_only_a_summary(&self) -> bool {
        [&self.guidance, &self.correct_action, &self.key_mistake].iter().all(|part| part.trim().is_empty())
    }

    /// What it is found by: the words of [`Lesson::text`] without the names of its parts, which all lessons share.
    pub fn words(&self) -> String {
        let parts = [&self.guidance, &self.correct_action, &self.key_mistake];
        match parts.into_iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>() {
            parts if parts.is_empty() => self.summary.clone(),
            parts => parts.join("\n"),
        }
    }

    /// The lesson as one text, for clients that know only the field `reflection`. What to do comes first and bare, since it is
    /// what a reader is to act on; then the correct action and the key mistake, each on a line of its own under its name. The summary
    /// stands only where there is nothing else: whoever shows a lesson shows the task that it comes from as well.
    pub fn text(&self) -> String {
        let parts =
            [("", &self.guidance), ("Correct action: ", &self.correct_action), ("Key mistake: ", &self.key_mistake)];
        let lines = parts.iter().filter(|(_, part)| !part.is_empty()).map(|(name, part)| format!("{name}{part}"));
        match lines.collect::<Vec<_>>() {
            lines if lines.is_empty() => self.summary.clone(),
            lines => lines.join("\n"),
        }
    }
}

/// Who wrote a lesson, so that a reader can weigh it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenBy {
    /// The reflector's name: `builtin`, `editor` for a later edit; for a lesson that came with its review `author`, or
    /// `client:NAME` if the client said who wrote it.
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

    /// Whoever sent the lesson along with a review.
    pub fn author() -> Self {
        Self::new("author", "1")
    }

    /// The same, marked as what a client says: the name gets `client:` in front, so that nobody takes it for the server's own.
    #[must_use]
    pub fn claimed_by_client(self) -> Self {
        match self.reflector.starts_with("client:") {
            true => self,
            false => Self { reflector: format!("client:{}", self.reflector), ..self },
        }
    }

    /// The same, marked as standing in for another reflector.
    #[must_use]
    pub fn standing_in_for(self, reflector: impl Into<String>) -> Self {
        Self { stands_in_for: Some(reflector.into()), ..self }
    }
}

/// A lesson and who wrote it: what a reflector answers, a review brings along and a memory keeps.
///
/// Stored with a review as the lesson's own fields and `written_by` beside them; a row without the latter is the author's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenLesson {
    /// What it says.
    #[serde(flatten)]
    pub lesson: Lesson,
    /// Who wrote it.
    #[serde(default = "WrittenBy::author")]
    pub written_by: WrittenBy,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_says_what_to_do_and_the_summary_only_where_there_is_nothing_else() {
        let lesson = Lesson {
            summary: "The refund was paid twice.".into(),
            guidance: "Look up the order first.".into(),
            ..Lesson::default()
        };
        assert_eq!(lesson.text(), "Look up the order first.");
        let bare = Lesson { guidance: String::new(), ..lesson };
        assert_eq!(bare.text(), "The refund was paid twice.");
        assert_eq!(Lesson::default().text(), "");
    }

    #[test]
    fn rows_from_before_there_were_models_still_read() {
        let stored = r#"{"reflector":"builtin","version":"1"}"#;
        let written_by: WrittenBy = serde_json::from_str(stored).unwrap();
        assert_eq!(written_by, WrittenBy::new("builtin", "1"));
        assert_eq!(serde_json::to_string(&written_by).unwrap(), stored);
    }

    #[test]
    fn a_claim_is_marked_once() {
        let claimed = WrittenBy::new("llm", "2").claimed_by_client();
        assert_eq!((claimed.reflector.as_str(), claimed.version.as_str()), ("client:llm", "2"));
        assert_eq!(claimed.clone().claimed_by_client(), claimed);
    }

    #[test]
    fn a_lesson_from_before_writers_were_told_is_the_authors() {
        let lesson = Lesson { summary: "s".into(), ..Lesson::default() };
        let stored = serde_json::to_string(&lesson).unwrap();
        let written: WrittenLesson = serde_json::from_str(&stored).unwrap();
        assert_eq!(written, WrittenLesson { lesson, written_by: WrittenBy::author() });
        let claimed = WrittenLesson { written_by: WrittenBy::new("llm", "2").claimed_by_client(), ..written };
        assert_eq!(serde_json::from_str::<WrittenLesson>(&serde_json::to_string(&claimed).unwrap()).unwrap(), claimed);
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
