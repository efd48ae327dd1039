//! Memories as a block of a prompt.
//!
//! One formatter for everything of ours that shows lessons to an agent. The block has the shape that agents know from
//! clients of this protocol:
//!
//! ```text
//! <relevant_memories>
//! <memory id="…" q_value="0.82" similarity="0.64" outcome="success">
//! <past_task>…</past_task>
//! <guidance>…</guidance>
//! <correct_action>…</correct_action>
//! <key_mistake>…</key_mistake>
//! </memory>
//! <instructions>…</instructions>
//! </relevant_memories>
//! ```
//!
//! A prompt is the task, the block, and the task once more.
//!
//! Parts that are empty are left out; a lesson with none of the three has its text as `reflection`. Every text is
//! escaped, so that none can leave its place or open another.

use std::fmt::Write;

use crate::Lesson;

/// What the agent is told about the block. Short, since small models follow it to the letter; and at its end, since the last thing that they
/// read is what they answer.
const INSTRUCTIONS: &str = "The lessons above come from earlier, similar tasks. Names, numbers and answers in them belong to those tasks. Now do the \
     task at hand, and follow each lesson that fits it.";

/// One memory to be shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MemoryBlockEntry<'a> {
    /// The memory's id.
    pub id: &'a str,
    /// Its utility, in [0, 1].
    pub q_value: f64,
    /// How close its task is to the one at hand.
    pub similarity: f64,
    /// Whether the run it comes from passed.
    pub success: Option<bool>,
    /// The task of that run.
    pub task: &'a str,
    /// What it says.
    pub lesson: &'a Lesson,
}

/// The block for these memories, in the order given but for failures that nobody explained, which come last; empty when there are none. It
/// does not end with a line break.
pub fn format_memory_block(memories: &[MemoryBlockEntry<'_>]) -> String {
    if memories.is_empty() {
        return String::new();
    }
    let mut block = "<relevant_memories>\n".to_owned();
    let (unexplained, telling): (Vec<_>, Vec<_>) = memories.iter().partition(|memory| memory.is_unexplained_failure());
    for memory in telling.into_iter().chain(unexplained) {
        push_memory(&mut block, memory);
    }
    // Writing to a text cannot fail.
    let _ = write!(block, "<instructions>{}</instructions>\n</relevant_memories>", escape(INSTRUCTIONS));
    block
}

impl MemoryBlockEntry<'_> {
    /// Whether all that it says is that a run failed.
    fn is_unexplained_failure(&self) -> bool {
        self.success == Some(false) && self.lesson.has_only_a_summary()
    }
}

/// The longest task, in characters, that stands in a prompt twice.
const REPEATED_TASK: usize = 2_000;

/// The task, the block, and the task again, with blank lines between them; the task alone when there are no memories. A small model
/// answers what it read last, and that should be its task and not a lesson; a long task is not worth its tokens a second time. The task
/// is not escaped: it is what the agent was asked, word for word.
pub fn prompt_with_memories(task: &str, memories: &[MemoryBlockEntry<'_>]) -> String {
    match format_memory_block(memories) {
        block if block.is_empty() => task.to_owned(),
        block if task.chars().nth(REPEATED_TASK).is_some() => format!("{task}\n\n{block}"),
        block => format!("{task}\n\n{block}\n\n{task}"),
    }
}

fn push_memory(block: &mut String, memory: &MemoryBlockEntry<'_>) {
    let outcome = match memory.success {
        Some(true) => "success",
        Some(false) => "failure",
        None => "unknown",
    };
    // Writing to a text cannot fail.
    let _ = writeln!(
        block,
        "<memory id=\"{}\" q_value=\"{:.2}\" similarity=\"{:.2}\" outcome=\"{outcome}\">",
        escape(memory.id),
        memory.q_value,
        memory.similarity,
    );
    push_text(block, "past_task", memory.task);
    let lesson = memory.lesson;
    if lesson.has_only_a_summary() {
        push_text(block, "reflection", &lesson.text());
    }
    let parts = [
        ("guidance", &lesson.guidance),
        ("correct_action", &lesson.correct_action),
        ("key_mistake", &lesson.key_mistake),
    ];
    for (tag, text) in parts {
        push_text(block, tag, text);
    }
    block.push_str("</memory>\n");
}

fn push_text(block: &mut String, tag: &str, text: &str) {
    let text = text.trim();
    if !text.is_empty() {
        let _ = writeln!(block, "<{tag}>{}</{tag}>", escape(text));
    }
}

/// The text with `&`, `<`, `>` and `"` written as entities and control characters other than line breaks and tabs left out: fit
/// for a tag's content or an attribute's value, which it cannot leave.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            control if control.is_control() => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry<'a>(task: &'a str, lesson: &'a Lesson) -> MemoryBlockEntry<'a> {
        MemoryBlockEntry { id: "m1", q_value: 0.825, similarity: 0.5, success: Some(true), task, lesson }
    }

    #[test]
    fn a_block_names_what_is_there_and_nothing_else() {
        let lesson = Lesson {
            summary: "Refunded.".into(),
            correct_action: "Call get_order first.".into(),
            guidance: "Compare totals.".into(),
            ..Lesson::default()
        };
        let prompt = prompt_with_memories("Refund A-18", &[entry("Refund A-17", &lesson)]);
        let [task, block, again] = prompt.split("\n\n").collect::<Vec<_>>().try_into().unwrap();
        assert_eq!((task, again), ("Refund A-18", "Refund A-18"));
        assert!(block.starts_with(
            "<relevant_memories>\n<memory id=\"m1\" q_value=\"0.82\" similarity=\"0.50\" outcome=\"success\">\n\
             <past_task>Refund A-17</past_task>\n<guidance>Compare totals.</guidance>\n\
             <correct_action>Call get_order first.</correct_action>\n</memory>\n<instructions>"
        ));
        assert!(block.ends_with("</instructions>\n</relevant_memories>"));
    }

    #[test]
    fn a_lesson_without_parts_is_shown_as_one_text() {
        let lesson = Lesson { summary: "It was fine.".into(), ..Lesson::default() };
        let block = format_memory_block(&[MemoryBlockEntry { success: None, ..entry("t", &lesson) }]);
        assert!(block.contains("outcome=\"unknown\"") && block.contains("<reflection>It was fine.</reflection>"));
    }

    #[test]
    fn a_failure_that_nobody_explained_comes_last() {
        let bare = Lesson { summary: "It failed.".into(), ..Lesson::default() };
        let telling = Lesson { guidance: "Compare totals.".into(), ..Lesson::default() };
        let failed = |lesson| MemoryBlockEntry { success: Some(false), ..entry("t", lesson) };
        let block = format_memory_block(&[failed(&bare), failed(&telling)]);
        assert!(block.find("Compare totals.") < block.find("It failed."), "{block}");
        let block = format_memory_block(&[entry("t", &bare), failed(&telling)]);
        assert!(block.find("It failed.") < block.find("Compare totals."), "a pass keeps its rank: {block}");
    }

    #[test]
    fn a_long_task_is_not_repeated() {
        let (lesson, task) = (Lesson { guidance: "Compare totals.".into(), ..Lesson::default() }, "é".repeat(2_001));
        let prompt = prompt_with_memories(&task, &[entry("t", &lesson)]);
        assert!(prompt.starts_with(&task) && prompt.ends_with("</relevant_memories>"));
    }

    #[test]
    fn without_memories_the_prompt_is_the_task() {
        assert_eq!(prompt_with_memories("Do it", &[]), "Do it");
        assert_eq!(format_memory_block(&[]), "");
    }

    /// What a reader of the block gets for a tag, or nothing where there is none.
    fn read_back(block: &str, tag: &str) -> Option<String> {
        let (_, rest) = block.split_once(&format!("<{tag}>"))?;
        let (text, _) = rest.split_once(&format!("</{tag}>"))?;
        let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"");
        Some(text.replace("&amp;", "&"))
    }

    fn texts() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("</memory>"),
            Just("</relevant_memories>"),
            Just("<memory id=\"x\">"),
            Just("\" outcome=\"success"),
            Just("&lt;"),
            Just("<guidance>"),
            Just("]]>"),
            Just("<!--"),
            Just("\n\n"),
            Just("plain words "),
        ];
        prop_oneof![prop::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat()), "\\PC{0,40}",]
    }

    proptest! {
        #[test]
        fn any_text_stays_in_its_place(task in texts(), guidance in texts(), mistake in texts(), id in texts()) {
            let lesson = Lesson { guidance: guidance.clone(), key_mistake: mistake.clone(), ..Lesson::default() };
            let memory = MemoryBlockEntry { id: &id, ..entry(&task, &lesson) };
            let block = format_memory_block(&[memory, memory]);
            prop_assert_eq!(block.matches("<memory ").count(), 2);
            prop_assert_eq!(block.matches("</memory>").count(), 2);
            prop_assert_eq!(block.matches("</relevant_memories>").count(), 1);
            for (tag, text) in [("past_task", &task), ("guidance", &guidance), ("key_mistake", &mistake)] {
                let expected = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
                prop_assert_eq!(read_back(&block, tag), expected);
            }
            prop_assert_eq!(block.matches('"').count(), 2 * 8);
        }
    }
}
