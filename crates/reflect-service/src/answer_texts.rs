//! How long the texts of an answer are together.
//!
//! Clients put them into prompts, and a client that is older than our block puts in all of them.

use reflect_api::MemoryAnswer;
use reflect_core::water_level;

/// The most characters.
const MOST: usize = 100_000;

/// What a text ends with that was cut.
const CUT: &str = " […]";

/// Cuts the longest texts, until all of them have room.
pub(crate) fn shorten(memories: &mut [MemoryAnswer]) {
    // A character has at least a byte: counting these is enough, nearly always.
    if memories.iter_mut().flat_map(texts).map(|text| text.len()).sum::<usize>() <= MOST {
        return;
    }
    let lengths: Vec<usize> = memories.iter_mut().flat_map(texts).map(|text| text.chars().count()).collect();
    let level = water_level(&lengths, MOST).unwrap_or(0);
    for (text, length) in memories.iter_mut().flat_map(texts).zip(lengths) {
        if length > level {
            let kept: String = text.chars().take(level.saturating_sub(CUT.chars().count())).collect();
            *text = format!("{}{CUT}", kept.trim_end());
        }
    }
}

fn texts(memory: &mut MemoryAnswer) -> [&mut String; 6] {
    let MemoryAnswer { task, reflection, summary, key_mistake, correct_action, guidance, .. } = memory;
    [task, reflection, summary, key_mistake, correct_action, guidance]
}
