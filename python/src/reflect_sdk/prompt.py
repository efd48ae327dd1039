"""Memories as a block of a prompt: the same text that every client of ours writes.

A prompt is the task, the block, and the task once more. Every text in the block is escaped, so that none can leave its place or open
another.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reflect_sdk.models.memory import Memory

INSTRUCTIONS = (
    "The lessons above come from earlier, similar tasks. Names, numbers and answers in them belong to those tasks. Now do the "
    "task at hand, and follow each lesson that fits it."
)

REPEATED_TASK = 2_000
"""The longest task, in characters, that stands in a prompt twice."""

# Unicode's White_Space. `str.strip()` alone would take U+001C to U+001F as well.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def prompt_with_memories(task: str, memories: Sequence[Memory]) -> str:
    """The task, the block, and the task again; the task alone when there are no memories.

    A small model answers what it read last, and that should be its task; a long task is not worth its tokens a second time. The task
    is not escaped: it is what the agent was asked, word for word.
    """
    block = format_memory_block(memories)
    if not block:
        return task
    return f"{task}\n\n{block}" if len(task) > REPEATED_TASK else f"{task}\n\n{block}\n\n{task}"


def format_memory_block(memories: Sequence[Memory]) -> str:
    """The block for these memories, in the order given but for failures that nobody explained, which come last."""
    if not memories:
        return ""
    in_order = sorted(memories, key=_is_unexplained_failure)
    blocks = "".join(_memory(memory) for memory in in_order)
    return f"<relevant_memories>\n{blocks}<instructions>{escape(INSTRUCTIONS)}</instructions>\n</relevant_memories>"


def escape(text: str) -> str:
    """Entities for `&`, `<`, `>` and `"`; control characters other than line breaks and tabs left out."""
    return CONTROLS.sub("", text).translate(ENTITIES)


def _memory(memory: Memory) -> str:
    outcome = {True: "success", False: "failure", None: "unknown"}[memory.success]
    lines = [
        f'<memory id="{escape(memory.id)}" q_value="{memory.q_value:.2f}" similarity="{memory.similarity:.2f}" '
        f'outcome="{outcome}">\n',
        _element("past_task", memory.task),
    ]
    if _has_only_a_summary(memory):
        lines.append(_element("reflection", _only_text(memory)))
    lines += [
        _element("guidance", memory.guidance),
        _element("correct_action", memory.correct_action),
        _element("key_mistake", memory.key_mistake),
        "</memory>\n",
    ]
    return "".join(lines)


def _element(tag: str, text: str) -> str:
    text = text.strip(SPACE)
    return f"<{tag}>{escape(text)}</{tag}>\n" if text else ""


def _has_only_a_summary(memory: Memory) -> bool:
    return not any(part.strip(SPACE) for part in (memory.guidance, memory.correct_action, memory.key_mistake))


def _is_unexplained_failure(memory: Memory) -> bool:
    return memory.success is False and _has_only_a_summary(memory)


def _only_text(memory: Memory) -> str:
    """What a memory without parts says: its summary, or the one text that older servers know."""
    parts = (("", memory.guidance), ("Correct action: ", memory.correct_action), ("Key mistake: ", memory.key_mistake))
    lines = [f"{name}{part}" for name, part in parts if part]
    return "\n".join(lines) if lines else memory.summary or memory.reflection
