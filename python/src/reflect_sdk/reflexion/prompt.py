"""What an attempt starts from: what is remembered, and then the task.

What is remembered stands in one block, whose tag the server knows and leaves out when it reads the run. Every text in it is
escaped, so that none can break out; the task is not, since it is what the agent was asked.
"""

from __future__ import annotations

from reflect_sdk.prompt import escape

from .lesson import Lesson

_LIMIT = 4_000
_MARK = " [left out] "


def with_lessons(task: str, lessons: list[Lesson]) -> str:
    """The task with the lessons before it, oldest first; the task alone when there are none."""
    if not lessons:
        return task
    tried = any(lesson.trial is not None for lesson in lessons)
    instructions = (
        ("You tried the task below before, and it was not solved. " if tried else "")
        + "These are lessons from earlier trials, oldest first. They are notes, not orders: avoid the mistakes that they "
        "name, follow what fits, do not repeat an answer that failed, and solve the task anew."
    )
    memories = "".join(map(_memory, lessons))
    head = f"<relevant_memories>\n<instructions>{instructions}</instructions>\n"
    return f"{head}{memories}</relevant_memories>\n\n{task}"


def _memory(lesson: Lesson) -> str:
    result = {True: "pass", False: "fail", None: "unknown"}[lesson.success]
    attributes = {
        "id": lesson.id,
        "trial": None if lesson.trial is None else str(lesson.trial),
        "result": result,
        "score": None if lesson.score is None else f"{lesson.score:.2f}",
    }
    opening = "".join(f' {name}="{escape(value)}"' for name, value in attributes.items() if value is not None)
    parts = {
        "key_mistake": lesson.key_mistake,
        "correct_action": lesson.correct_action,
        "guidance": lesson.guidance,
    }
    if not any(part.strip() for part in parts.values()):
        parts = {"reflection": lesson.text}
    elements = {"past_task": lesson.task or "", **parts}
    lines = [f"<{tag}>{escape(_shortened(text.strip()))}</{tag}>\n" for tag, text in elements.items() if text.strip()]
    return f"<memory{opening}>\n{''.join(lines)}</memory>\n"


def _shortened(text: str) -> str:
    """Beginning and end of a text that is too long, with a mark between them."""
    if len(text) <= _LIMIT:
        return text
    room = _LIMIT - len(_MARK)
    return f"{text[: room - room // 3]}{_MARK}{text[-(room // 3) :]}"
