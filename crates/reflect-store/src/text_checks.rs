//! Conditions on what texts say.

use reflect_core::Lesson;

use crate::{
    error::StoreResult,
    sql::{Row, to_json},
    texts::{Filters, MissingWords, folded, names_id},
};

/// One condition.
pub(crate) enum TextCheck {
    /// That the task or the lesson of a memory hold these words, which are folded.
    LessonWords(String),
    /// That the task, the final response or the feedback of a trace hold these words, which are folded.
    TraceWords(String),
    /// That a trace names the memory whose id has these hexadecimal digits.
    NamesMemory(String),
    /// That the metadata of a trace has these keys, with values that read like this.
    Metadata(Filters),
}

impl TextCheck {
    pub(crate) fn lesson_words(text: &str) -> Self {
        Self::LessonWords(folded(text))
    }

    pub(crate) fn trace_words(text: &str) -> Self {
        Self::TraceWords(folded(text))
    }

    /// What it looks at.
    pub(crate) const fn columns(&self) -> &'static [&'static str] {
        match self {
            Self::LessonWords(_) => &["task", "lesson"],
            Self::TraceWords(_) => &["t.task", "t.final_response", "r.feedback_text"],
            Self::NamesMemory(_) => &["t.retrieved_memory_ids"],
            Self::Metadata(_) => &["t.metadata"],
        }
    }

    /// Whether a row meets it.
    pub(crate) fn holds(&self, row: &dyn Row) -> StoreResult<bool> {
        Ok(match self {
            Self::LessonWords(words) => hold_words(words, &lesson_texts(row)?),
            Self::TraceWords(words) => {
                hold_words(words, &[row.get("task")?, row.get("final_response")?, row.get("feedback_text")?])
            }
            Self::NamesMemory(digits) => names_id(&row.get::<String>("retrieved_memory_ids")?, digits),
            Self::Metadata(filters) => filters.match_all(&row.get::<String>("metadata")?),
        })
    }
}

/// The task of a memory, and what its lesson says.
fn lesson_texts(row: &dyn Row) -> StoreResult<[Option<String>; 6]> {
    let Lesson { summary, key_mistake, correct_action, guidance, applicable_tools, .. } = row.json("lesson")?;
    let tools = to_json("applicable_tools", &applicable_tools)?;
    Ok([row.get("task")?, Some(summary), Some(key_mistake), Some(correct_action), Some(guidance), Some(tools)])
}

fn hold_words(words: &str, texts: &[Option<String>]) -> bool {
    let mut missing = MissingWords::new(words);
    missing.look_into(None) || texts.iter().any(|text| missing.look_into(text.as_deref()))
}
