"""Memories as a block of a prompt: the same text that every client of ours writes.

A prompt is the task, the block, and the task once more. Every text in the block is escaped and its later lines are indented, so that
none can leave its place, open another, or pass for a heading or a role. A block is never longer than it may be.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from reflect_sdk.models.memory import Memory

DEFAULT_MAX_CHARS = 20_000
"""How long a block may be, in characters, unless somebody says otherwise."""

MAX_CHARS = range(1_000, 100_001)
"""What they may say."""

BEGIN = "<relevant_memories>\n"
END = (
    "<instructions>The lessons above come from earlier, similar tasks. Names, numbers and answers in them belong to those tasks. "
    "Now do the task at hand, and follow each lesson that fits it.</instructions>\n</relevant_memories>"
)
TAIL = "</memory>\n"
INDENT = "    "
CUT = " […]"

FLOOR = 40
"""No text is cut below this many characters; its memory is left out before that."""

REPEATED_TASK = 2_000
"""The longest task, in characters, that stands in a prompt twice."""

# Unicode's White_Space. `str.strip()` alone would take U+001C to U+001F as well.
SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))

BREAKS = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")

# Control characters, and what nobody sees: Unicode's Default_Ignorable_Code_Point, and the marks of interlinear notes.
HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    r"\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})


def prompt_with_memories(task: str, memories: Sequence[Memory], max_chars: int = DEFAULT_MAX_CHARS) -> str:
    """The task, the block, and the task again; the task alone when there are no memories.

    A small model answers what it read last, and that should be its task; a long task is not worth its tokens a second time. The task
    is not escaped: it is what the agent was asked, word for word.
    """
    block = format_memory_block(memories, max_chars)
    if not block:
        return task
    return f"{task}\n\n{block}" if len(task) > REPEATED_TASK else f"{task}\n\n{block}\n\n{task}"


def format_memory_block(memories: Sequence[Memory], max_chars: int = DEFAULT_MAX_CHARS) -> str:
    """The block for these memories, in the order of `fitting`, at most `max_chars` long; the longest texts are cut, and marked."""
    shown = [parts for _, parts in _fit(memories, max_chars)]
    if not shown:
        return ""
    lengths = [length for parts in shown for length in parts.lengths]
    level = _water_level(lengths, max_chars - len(BEGIN) - len(END) - sum(parts.frame for parts in shown))
    return BEGIN + "".join(parts.written(level) for parts in shown) + END


def fitting(memories: Sequence[Memory], max_chars: int = DEFAULT_MAX_CHARS) -> list[Memory]:
    """The memories that have room in the block: in the order given, but for failures that nobody explained, which come last."""
    return [memory for memory, _ in _fit(memories, max_chars)]


def escape(text: str) -> str:
    """Entities for `&`, `<`, `>` and `"`; control characters other than line breaks and tabs left out, and what nobody sees."""
    return HIDDEN.sub("", text).translate(ENTITIES)


@dataclass
class _Parts:
    """A memory's texts, each with its tag, and what stands before them."""

    head: str
    texts: list[tuple[str, str]]

    @classmethod
    def of(cls, memory: Memory) -> _Parts:
        outcome = {True: "success", False: "failure", None: "unknown"}[memory.success]
        head = (
            f'<memory id="{escape(memory.id)}" q_value="{memory.q_value:.2f}" similarity="{memory.similarity:.2f}" '
            f'outcome="{outcome}">\n'
        )
        texts = [
            ("past_task", memory.task),
            ("reflection", _only_text(memory) if _has_only_a_summary(memory) else ""),
            ("guidance", memory.guidance),
            ("correct_action", memory.correct_action),
            ("key_mistake", memory.key_mistake),
        ]
        return cls(head, [(tag, plain) for tag, text in texts if (plain := _plain(text))])

    @property
    def lengths(self) -> list[int]:
        return [len(text) for _, text in self.texts]

    @property
    def frame(self) -> int:
        """How many characters stand around the texts."""
        return len(self.head) + sum(len(_element(tag, "")) for tag, _ in self.texts) + len(TAIL)

    @property
    def least(self) -> int:
        """How many characters it takes with each text as short as it may be."""
        return self.frame + sum(min(length, FLOOR) for length in self.lengths)

    def written(self, level: int) -> str:
        return self.head + "".join(_element(tag, _cut(text, level)) for tag, text in self.texts) + TAIL


def _fit(memories: Sequence[Memory], max_chars: int) -> list[tuple[Memory, _Parts]]:
    room = max_chars - len(BEGIN) - len(END)
    fit = []
    for memory in sorted(memories, key=_is_unexplained_failure):
        parts = _Parts.of(memory)
        room -= parts.least
        if room < 0:
            break
        fit.append((memory, parts))
    return fit


def _water_level(sizes: list[int], room: int) -> int:
    """The highest level such that all sizes, each cut to it, add up to at most `room`."""
    for index, size in enumerate(sorted(sizes)):
        others = len(sizes) - index
        if size * others > room:
            return room // others
        room -= size
    return max(sizes, default=0)


def _plain(text: str) -> str:
    """The text without blanks around it, empty lines and what nobody sees, its later lines indented, and escaped."""
    lines = [line for line in map(escape, BREAKS.sub("\n", text).split("\n")) if line.strip(SPACE)]
    return ("\n" + INDENT).join(line.rstrip(SPACE) for line in lines).lstrip(SPACE)


def _cut(text: str, limit: int) -> str:
    """At most `limit` characters, marked where it was cut, and never cut inside an entity."""
    if len(text) <= limit:
        return text
    kept = text[: limit - len(CUT)]
    before, found, entity = kept.rpartition("&")
    return (before if found and ";" not in entity else kept).rstrip(SPACE) + CUT


def _element(tag: str, text: str) -> str:
    return f"<{tag}>{text}</{tag}>\n"


def _has_only_a_summary(memory: Memory) -> bool:
    return not any(part.strip(SPACE) for part in (memory.guidance, memory.correct_action, memory.key_mistake))


def _is_unexplained_failure(memory: Memory) -> bool:
    return memory.success is False and _has_only_a_summary(memory)


def _only_text(memory: Memory) -> str:
    """What a memory without parts says: its summary, or the one text that older servers know."""
    parts = (("", memory.guidance), ("Correct action: ", memory.correct_action), ("Key mistake: ", memory.key_mistake))
    lines = [f"{name}{part}" for name, part in parts if part]
    return "\n".join(lines) if lines else memory.summary or memory.reflection
