//! Conditions on what texts say: part of the SQL where the database can call our functions, else checked row by row as they come.

use std::ops::ControlFlow;

use reflect_core::Lesson;

use crate::{
    error::StoreResult,
    sql::{Dialect, Read, Row, Value, to_json},
    sqlite::dialect,
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

    fn holds(&self, row: &dyn Row) -> StoreResult<bool> {
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

/// A list of ids that a query finds, page by page.
pub(crate) struct Search<'a> {
    /// The column with the ids.
    pub(crate) id: &'static str,
    /// `FROM …`.
    pub(crate) tables: &'a str,
    /// What SQL can tell.
    pub(crate) conditions: String,
    /// What it is told with.
    pub(crate) params: Vec<Value<'a>>,
    /// What texts have to say. Those that read the most come last.
    pub(crate) checks: Vec<TextCheck>,
    /// The columns that the list is ordered by.
    pub(crate) order: String,
    /// How many at most.
    pub(crate) limit: usize,
}

impl Search<'_> {
    /// Hands over each row that is found, up to the limit.
    pub(crate) fn each(
        mut self,
        read: &dyn Read,
        mut each: impl FnMut(&dyn Row) -> StoreResult<()>,
    ) -> StoreResult<()> {
        if self.checks.is_empty() || read.dialect() == Dialect::Sqlite {
            let sql = self.select()?;
            return read.each_row(&sql, &self.params, &mut |row| each(row).map(ControlFlow::Continue));
        }
        let mut left = self.limit;
        let columns: Vec<&str> = self.checks.iter().flat_map(TextCheck::columns).copied().collect();
        let Self { id, tables, conditions, order, .. } = &self;
        let sql = format!("SELECT {id}, {} {tables} WHERE {conditions} ORDER BY {order}", columns.join(", "));
        read.walk(&sql, &self.params, &mut |row| {
            for check in &self.checks {
                if !check.holds(row)? {
                    return Ok(ControlFlow::Continue(()));
                }
            }
            each(row)?;
            left = left.saturating_sub(1);
            Ok(if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })
    }

    /// The whole search as a statement with our functions in it.
    pub(crate) fn select(&mut self) -> StoreResult<String> {
        let mut conditions = self.conditions.clone();
        for check in &self.checks {
            self.params.push(dialect::bound(check)?);
            conditions += &format!(" AND {}", dialect::condition(check, self.params.len()));
        }
        self.params.push(self.limit.into());
        let (Self { id, tables, order, .. }, limit) = (&self, self.params.len());
        Ok(format!("SELECT {id} {tables} WHERE {conditions} ORDER BY {order} LIMIT ?{limit}"))
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
