//! Old lessons inside a run are not evidence.
//!
//! Clients put them into a block of their own. Only a block that is closed is taken out: whoever opens one and never closes
//! it would otherwise hide the rest of a text from its judge.

use std::{borrow::Cow, ops::Range};

const OPENING: &str = "<relevant_memories";
const CLOSING: &str = "</relevant_memories>";

/// The blocks of a text.
struct Blocks {
    /// Those that are closed, in order, with their tags; one inside another counts as part of it.
    closed: Vec<Range<usize>>,
    /// Where the first one begins that is not.
    unclosed: Option<usize>,
}

impl Blocks {
    /// Linear in the text.
    fn find(text: &str) -> Self {
        let mut open: Vec<usize> = Vec::new();
        let mut closed: Vec<Range<usize>> = Vec::new();
        for (start, _) in text.match_indices('<') {
            let rest = text.get(start..).unwrap_or_default();
            if opens(rest) {
                open.push(start);
            } else if rest.starts_with(CLOSING)
                && let Some(opening) = open.pop()
            {
                while closed.pop_if(|inner| inner.start > opening).is_some() {}
                closed.push(opening..start + CLOSING.len());
            }
        }
        Self { closed, unclosed: open.first().copied() }
    }
}

fn opens(rest: &str) -> bool {
    let after = rest.strip_prefix(OPENING);
    after.is_some_and(|after| after.starts_with(|next: char| next == '>' || next.is_whitespace()))
}

/// The text without the closed blocks of memories that a client put into it.
pub(crate) fn without(text: &str) -> Cow<'_, str> {
    up_to(text, text.len(), &Blocks::find(text))
}

/// The same, and a block that is not closed goes on to the end: for rules that must rather miss something than learn an old
/// lesson again that was cut off.
pub(crate) fn without_any(text: &str) -> Cow<'_, str> {
    let blocks = Blocks::find(text);
    up_to(text, blocks.unclosed.unwrap_or(text.len()), &blocks)
}

/// The text without its closed blocks, for a prompt: tags that are left are made plain text.
pub(crate) fn own_words(text: &str) -> Cow<'_, str> {
    let kept = without(text);
    if !kept.contains("relevant_memories") {
        return kept;
    }
    let plain = kept.replace(OPENING, "&lt;relevant_memories").replace("</relevant_memories", "&lt;/relevant_memories");
    Cow::Owned(plain)
}

fn up_to<'a>(text: &'a str, end: usize, blocks: &Blocks) -> Cow<'a, str> {
    let mut kept = String::new();
    let mut from = 0;
    for block in blocks.closed.iter().take_while(|block| block.start < end) {
        kept.push_str(text.get(from..block.start).unwrap_or_default());
        from = block.end;
    }
    let rest = text.get(from..end).unwrap_or_default();
    if from == 0 {
        return Cow::Borrowed(rest);
    }
    // Our own prompts repeat the task after the block.
    if rest.trim() != kept.trim() {
        kept.push_str(rest);
    }
    Cow::Owned(kept)
}

/// What the closed blocks hold: the other part of [`without`].
pub(crate) fn blocks(text: &str) -> impl Iterator<Item = &str> {
    Blocks::find(text).closed.into_iter().map(|block| {
        let inside = text.get(block.start + OPENING.len()..block.end - CLOSING.len()).unwrap_or_default();
        inside.split_once('>').map_or(inside, |(_, inside)| inside)
    })
}

/// What follows a block's opening that is never closed.
pub(crate) fn unclosed(text: &str) -> Option<&str> {
    text.get(Blocks::find(text).unclosed? + OPENING.len()..)
}

/// What stands before the first block. Clients append the block to the task, so this is the task.
pub(crate) fn before(text: &str) -> &str {
    text.split_once(OPENING).map_or(text, |(before, _)| before)
}

/// Whether a tool is the memory's own, under whatever prefix a client gives it. What it answers is old lessons.
pub(crate) fn is_memory_tool(tool: &str) -> bool {
    let bare = tool.rsplit(['.', '/', ':']).next().unwrap_or(tool);
    let bare = bare.rsplit("__").next().unwrap_or(bare);
    matches!(bare, "retrieve_memories" | "create_memory")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_are_left_out() {
        assert_eq!(without("plain"), "plain");
        assert_eq!(without("a<relevant_memories>x</relevant_memories>b"), "ab");
        let two = "a<relevant_memories>x</relevant_memories>b<relevant_memories n=\"2\">y</relevant_memories>c";
        assert_eq!(without(two), "abc");
        assert_eq!(blocks(two).collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(blocks("none").count(), 0);
        assert_eq!(without("task\n\n<relevant_memories>x</relevant_memories>\n\ntask"), "task\n\n");
        assert_eq!(before("task\n\n<relevant_memories>x</relevant_memories>more"), "task\n\n");
    }

    #[test]
    fn a_block_inside_another_is_part_of_it() {
        let nested = "a<relevant_memories>x<relevant_memories>y</relevant_memories>z</relevant_memories>b";
        assert_eq!(without(nested), "ab");
        assert_eq!(blocks(nested).count(), 1);
    }

    #[test]
    fn what_is_not_closed_hides_nothing() {
        let open = "a<relevant_memories>never closed";
        assert_eq!((without(open).as_ref(), without_any(open).as_ref()), (open, "a"));
        assert_eq!((blocks(open).count(), unclosed(open)), (0, Some(">never closed")));
        assert_eq!(own_words(open), "a&lt;relevant_memories>never closed");
        let then_closed = "a<relevant_memories b <relevant_memories>x</relevant_memories>c";
        assert_eq!(without(then_closed), "a<relevant_memories b c");
        assert_eq!(without_any(then_closed), "a");
        assert_eq!(without("x</relevant_memories>y"), "x</relevant_memories>y");
        assert_eq!(without("<relevant_memories_count>3"), "<relevant_memories_count>3");
        assert_eq!(own_words("<relev<relevant_memories></relevant_memories>ant_memories>"), "&lt;relevant_memories>");
    }

    #[test]
    fn memory_tools_are_known_under_a_prefix() {
        for tool in ["retrieve_memories", "mcp__reflect__retrieve_memories", "reflect.create_memory"] {
            assert!(is_memory_tool(tool), "{tool}");
        }
        assert!(!is_memory_tool("memories"));
    }

    proptest! {
        #[test]
        fn every_character_is_in_a_block_or_kept_unless_it_repeats_the_task(
            pieces in prop::collection::vec(prop::sample::select(vec!["<relevant_memories>", "</relevant_memories>", "é", "<", "x"]), 0..12)
        ) {
            let text = pieces.concat();
            let mut outside = text.clone();
            for block in Blocks::find(&text).closed.into_iter().rev() {
                outside.replace_range(block, "");
            }
            let kept = without(&text);
            let left_out = outside.strip_prefix(&*kept);
            prop_assert!(left_out.is_some_and(|rest| rest.is_empty() || rest.trim() == kept.trim()), "{:?}", left_out);
            prop_assert!(!own_words(&text).contains("<relevant_memories"));
        }
    }
}
