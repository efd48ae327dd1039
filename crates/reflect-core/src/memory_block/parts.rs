//! One memory of the block, its texts made plain.

use super::{
    FLOOR, MemoryBlockEntry,
    text::{cut, escape, plain},
};

/// A memory's texts, each with its tag, and what stands before them.
pub(super) struct Parts {
    head: String,
    texts: Vec<(&'static str, String)>,
}

const TAIL: &str = "</memory>\n";

impl Parts {
    pub(super) fn of(memory: &MemoryBlockEntry<'_>) -> Self {
        let outcome = match memory.success {
            Some(true) => "success",
            Some(false) => "failure",
            None => "unknown",
        };
        let head = format!(
            "<memory id=\"{}\" q_value=\"{:.2}\" similarity=\"{:.2}\" outcome=\"{outcome}\">\n",
            escape(memory.id),
            memory.q_value,
            memory.similarity,
        );
        let lesson = memory.lesson;
        let reflection = if lesson.has_only_a_summary() { lesson.text() } else { String::new() };
        let texts = [
            ("past_task", memory.task),
            ("reflection", &reflection),
            ("guidance", &lesson.guidance),
            ("correct_action", &lesson.correct_action),
            ("key_mistake", &lesson.key_mistake),
        ];
        let texts = texts.into_iter().map(|(tag, text)| (tag, plain(text))).filter(|(_, text)| !text.is_empty());
        Self { head, texts: texts.collect() }
    }

    /// How many characters each text has.
    pub(super) fn lengths(&self) -> impl Iterator<Item = usize> {
        self.texts.iter().map(|(_, text)| text.chars().count())
    }

    /// How many characters stand around the texts.
    pub(super) fn frame(&self) -> usize {
        let tags: usize = self.texts.iter().map(|(tag, _)| element(tag, "").len()).sum();
        self.head.chars().count() + tags + TAIL.len()
    }

    /// How many characters it takes with each text as short as it may be.
    pub(super) fn least(&self) -> usize {
        self.frame() + self.lengths().map(|length| length.min(FLOOR)).sum::<usize>()
    }

    /// As it stands in the block, no text longer than `level`.
    pub(super) fn written(&self, level: usize) -> String {
        let texts: String = self.texts.iter().map(|(tag, text)| element(tag, &cut(text, level))).collect();
        format!("{}{texts}{TAIL}", self.head)
    }
}

fn element(tag: &str, text: &str) -> String {
    format!("<{tag}>{text}</{tag}>\n")
}
