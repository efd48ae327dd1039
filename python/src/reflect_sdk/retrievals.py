"""What this client was shown lately, so that a run is joined to the query behind it without anybody passing ids around."""

from __future__ import annotations

import sys
import warnings
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reflect_sdk.errors import ForgottenMemoriesWarning
from reflect_sdk.models.memory import Memories
from reflect_sdk.models.trace import TrajectoryInput

REMEMBERED = 128


@dataclass(slots=True)
class Retrieval:
    """One answer of a query."""

    retrieval_id: str
    task: str
    memory_ids: frozenset[str]
    is_named: bool = False
    """Whether a trace has named it."""


class Retrievals:
    """The newest answers. Takes no lock: a deque's own steps are whole."""

    def __init__(self) -> None:
        self._newest: deque[Retrieval] = deque(maxlen=REMEMBERED)

    def remember(self, task: str, memories: Memories) -> None:
        if memories.retrieval_id and (memories or memories.held_out is not None):
            shown = frozenset(memory.id for memory in memories)
            self._newest.appendleft(Retrieval(memories.retrieval_id, task, shown))

    def behind(self, task: str, memory_ids: Sequence[str]) -> str | None:
        """The newest query about this task that showed all of these memories; without any, the newest if it was held out."""
        wanted = set(memory_ids)
        for retrieval in tuple(self._newest):
            if retrieval.task == task and wanted <= retrieval.memory_ids:
                return retrieval.retrieval_id if wanted or not retrieval.memory_ids else None
        return None

    def name(self, retrieval_id: str) -> None:
        """Takes down that a trace names this query, so that nobody is warned of it any more."""
        for retrieval in tuple(self._newest):
            if retrieval.retrieval_id == retrieval_id:
                retrieval.is_named = True

    def warn_if_forgotten(self, task: str, trajectory: TrajectoryInput) -> None:
        """Warns about a trace that names no memories although the run was shown some."""
        unnamed = (retrieval for retrieval in tuple(self._newest) if not retrieval.is_named)
        if shows_memories(trajectory) or any(retrieval.task == task for retrieval in unnamed):
            warnings.warn(
                f"the run for the task {task[:80]!r} was shown memories, and its trace names none, so nothing is learned about "
                "them; pass `retrieved_memory_ids=[memory.id for memory in augmented.memories]`",
                ForgottenMemoriesWarning,
                stacklevel=_levels_to_the_caller(),
            )


def _levels_to_the_caller() -> int:
    """How far up the program stands that called this package, so that the warning points there."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(f"{__package__}"):
        level, frame = level + 1, frame.f_back
    return level


def shows_memories(trajectory: TrajectoryInput) -> bool:
    """Whether a block of memories stands in it."""
    return any("<relevant_memories" in text for text in _texts(trajectory))


def _texts(value: Any) -> list[str]:
    """The texts of messages: their content, and the parts of it."""
    if isinstance(value, str):
        return [value]
    texts: list[str] = []
    for message in value:
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str):
            texts.append(content)
        elif isinstance(content, list):
            texts += [part["text"] for part in content if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return texts
