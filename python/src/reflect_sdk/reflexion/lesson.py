"""What a trial taught."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from reflect_sdk.models.memory import Memory, MemoryDetail

from ..reflection import ReflectionResult
from ..reflection.texts import one_line


@dataclass(frozen=True)
class Lesson:
    """A lesson, where it came from, and how it fared."""

    text: str
    key_mistake: str = ""
    correct_action: str = ""
    guidance: str = ""
    id: str | None = None
    """The memory that keeps it, if a project does."""
    trial: int | None = None
    """The trial of this run that taught it; none for lessons of earlier runs."""
    task: str | None = None
    """The past task, for lessons of earlier runs."""
    success: bool | None = None
    score: float | None = None

    @classmethod
    def of_memory(cls, memory: Memory | MemoryDetail, trial: int | None = None) -> Lesson:
        """A memory of a project; of an earlier run, unless a trial is named."""
        return cls(
            text=memory.reflection,
            key_mistake=memory.key_mistake,
            correct_action=memory.correct_action,
            guidance=memory.guidance,
            id=memory.id,
            trial=trial,
            task=memory.task if trial is None else None,
            success=memory.success,
            score=memory.q_value if trial is None else None,
        )

    @classmethod
    def of_reflection(cls, result: ReflectionResult) -> Lesson:
        """What a reflector found: its causes are the mistake, its suggestions what to do."""
        mistake, guidance = " ".join(result.root_causes), " ".join([*result.suggestions, *result.insights])
        text = " ".join(part for part in (result.summary, mistake, guidance) if part)
        return cls(text=text, key_mistake=mistake, guidance=guidance or result.summary)


def without_copies(lessons: Iterable[Lesson]) -> list[Lesson]:
    """The lessons in order, without those that a later one says again, letter case and white space aside.

    A lesson that only repeats another would push an older, different one out of a bounded memory.
    """
    kept: dict[str, Lesson] = {}
    for lesson in reversed(list(lessons)):
        kept.setdefault(one_line(lesson.text).lower(), lesson)
    return list(kept.values())[::-1]
