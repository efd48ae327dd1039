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
//! escaped, and its later lines are indented, so that none can leave its place, open another, or pass for a heading or a role. The block is
//! never longer than it may be: the longest texts give way first.

mod parts;
mod text;

use std::ops::RangeInclusive;

use parts::Parts;

pub use self::text::escape;
use crate::{Lesson, water_level};

/// How long a block may be, in characters, unless somebody says otherwise.
pub const DEFAULT_MAX_CHARS: usize = 20_000;

/// What they may say.
pub const MAX_CHARS: RangeInclusive<usize> = 1_000..=100_000;

const BEGIN: &str = "<relevant_memories>\n";

/// What the agent is told about the block. Short, since small models follow it to the letter; and at its end, since the last thing that they
/// read is what they answer.
const END: &str = "<instructions>The lessons above come from earlier, similar tasks. Names, numbers and answers in them belong to those tasks. \
     Now do the task at hand, and follow each lesson that fits it.</instructions>\n</relevant_memories>";

const FRAME: usize = BEGIN.len() + END.len();

/// No text is cut below this many characters; its memory is left out before that.
const FLOOR: usize = 40;

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

/// The block for these memories, in the order of [`fitting`], at most `max_chars` characters long; empty when none fits. The longest texts
/// are cut, and marked. It does not end with a line break.
pub fn format_memory_block(memories: &[MemoryBlockEntry<'_>], max_chars: usize) -> String {
    let shown = fit(memories, max_chars);
    if shown.is_empty() {
        return String::new();
    }
    let lengths: Vec<usize> = shown.iter().flat_map(|(_, parts)| parts.lengths()).collect();
    let frames: usize = shown.iter().map(|(_, parts)| parts.frame()).sum();
    let level = water_level(&lengths, max_chars.saturating_sub(FRAME + frames)).unwrap_or(FLOOR);
    let memories: String = shown.iter().map(|(_, parts)| parts.written(level)).collect();
    format!("{BEGIN}{memories}{END}")
}

/// The places of the memories that have room in a block of `max_chars` characters, in its order: the order given, but for failures that
/// nobody explained, which come last. The last ones are left out if even their first words have no room.
pub fn fitting(memories: &[MemoryBlockEntry<'_>], max_chars: usize) -> Vec<usize> {
    fit(memories, max_chars).into_iter().map(|(place, _)| place).collect()
}

fn fit(memories: &[MemoryBlockEntry<'_>], max_chars: usize) -> Vec<(usize, Parts)> {
    let places = memories.iter().enumerate();
    let (unexplained, telling): (Vec<_>, Vec<_>) = places.partition(|(_, memory)| memory.is_unexplained_failure());
    let in_order = telling.into_iter().chain(unexplained).map(|(place, memory)| (place, Parts::of(memory)));
    let room = max_chars.saturating_sub(FRAME);
    let within = |taken: &mut usize, shown: (usize, Parts)| {
        *taken += shown.1.least();
        (*taken <= room).then_some(shown)
    };
    in_order.scan(0, within).collect()
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
pub fn prompt_with_memories(task: &str, memories: &[MemoryBlockEntry<'_>], max_chars: usize) -> String {
    match format_memory_block(memories, max_chars) {
        block if block.is_empty() => task.to_owned(),
        block if task.chars().nth(REPEATED_TASK).is_some() => format!("{task}\n\n{block}"),
        block => format!("{task}\n\n{block}\n\n{task}"),
    }
}

#[cfg(test)]
mod tests;
