//! Old lessons inside a run are not evidence.

use std::borrow::Cow;

const OPENING: &str = "<relevant_memories";
const CLOSING: &str = "</relevant_memories>";

/// The text without the blocks of memories that a client put into it. A block that is not closed goes on to the end.
pub(crate) fn without(text: &str) -> Cow<'_, str> {
    let Some((before, mut rest)) = text.split_once(OPENING) else {
        return Cow::Borrowed(text);
    };
    let mut kept = before.to_owned();
    while let Some((_, after)) = rest.split_once(CLOSING) {
        match after.split_once(OPENING) {
            Some((between, next)) => {
                kept.push_str(between);
                rest = next;
            }
            None => {
                kept.push_str(after);
                break;
            }
        }
    }
    Cow::Owned(kept)
}

/// What the blocks hold: the other part of [`without`].
pub(crate) fn blocks(text: &str) -> impl Iterator<Item = &str> {
    text.split(OPENING).skip(1).map(|block| {
        let inside = block.split_once(CLOSING).map_or(block, |(inside, _)| inside);
        inside.split_once('>').map_or(inside, |(_, inside)| inside)
    })
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
    use super::*;

    #[test]
    fn blocks_are_left_out() {
        assert_eq!(without("plain"), "plain");
        assert_eq!(without("a<relevant_memories>x</relevant_memories>b"), "ab");
        assert_eq!(
            without("a<relevant_memories>x</relevant_memories>b<relevant_memories n=\"2\">y</relevant_memories>c"),
            "abc"
        );
        assert_eq!(without("a<relevant_memories>never closed"), "a");
        let two = "a<relevant_memories>x</relevant_memories>b<relevant_memories n=\"2\">y</relevant_memories>c";
        assert_eq!(blocks(two).collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(blocks("none").count(), 0);
        assert_eq!(before("task\n\n<relevant_memories>x</relevant_memories>more"), "task\n\n");
    }

    #[test]
    fn memory_tools_are_known_under_a_prefix() {
        for tool in ["retrieve_memories", "mcp__reflect__retrieve_memories", "reflect.create_memory"] {
            assert!(is_memory_tool(tool), "{tool}");
        }
        assert!(!is_memory_tool("memories"));
    }
}
