//! The lesson: what a memory says.

use serde::{Deserialize, Serialize};

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
}

impl Lesson {
    /// The lesson as one text, for clients that know only the field `reflection`: the parts that are there, each on
    /// a line of its own under its name, the summary first and bare.
    pub fn text(&self) -> String {
        let named = [
            ("Key mistake", &self.key_mistake),
            ("Correct action", &self.correct_action),
            ("Guidance", &self.guidance),
        ];
        let mut lines: Vec<String> = Vec::new();
        if !self.summary.is_empty() {
            lines.push(self.summary.clone());
        }
        lines.extend(named.iter().filter(|(_, part)| !part.is_empty()).map(|(name, part)| format!("{name}: {part}")));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_names_the_parts_that_are_there_and_no_others() {
        let lesson = Lesson {
            summary: "The refund was paid twice.".into(),
            guidance: "Look up the order first.".into(),
            ..Lesson::default()
        };
        assert_eq!(lesson.text(), "The refund was paid twice.\nGuidance: Look up the order first.");
        assert_eq!(Lesson::default().text(), "");
    }
}
