"""What a run remembers from trial to trial, and beyond."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from .lesson import Lesson, without_copies
from .outcome import Trial
from .steps import Steps, asking


class LatestLessons:
    """Recalls the newest lessons of the run, and forgets the oldest first."""

    def __init__(self, size: int = 3) -> None:
        if size < 0:
            raise ValueError(f"`memory_size` is {size}; it has to be 0 or more")
        self.size = size

    def select(self, trials: Sequence[Trial]) -> list[Lesson]:
        """What it recalls, oldest first."""
        lessons = without_copies(trial.lesson for trial in trials if trial.lesson)
        return lessons[-self.size :] if self.size else []


class ProjectMemory:
    """Remembers in a Reflect project: what one run learned, the next one knows.

    Before the first trial the lessons for the task are fetched. Every trial is stored as a trace: its verdict is the
    review, and the lessons that it was shown are credited. A lesson of the run's own reflector goes along; without one the
    server writes it. A trial whose verdict is unknown is stored without a review.
    """

    def __init__(self, client: Any, *, earlier_lessons: int = 3, patience: float = 30.0) -> None:
        self.client = client
        self.earlier_lessons = earlier_lessons
        self.patience = patience

    def recall(self, task: str, trials: Sequence[Trial]) -> Steps[list[Lesson]]:
        """Lessons of earlier runs: asked for once a run."""
        if trials:
            return [lesson for lesson in trials[0].shown if lesson.trial is None]
        if self.earlier_lessons <= 0:
            return []
        found = yield asking(self.client, "query_memories", task=task, limit=self.earlier_lessons)
        # The best comes first from the server, and last in a prompt: nearest to the task.
        return [Lesson.of_memory(memory) for memory in reversed(found)]

    def remember(self, task: str, trial: Trial) -> Steps[Lesson | None]:
        """Stores a trial; answers its lesson as the project keeps it, be it the trial's own or the server's."""
        verdict = trial.evaluation.verdict
        request: dict[str, Any] = {
            "task": task,
            "trajectory": trial.attempt.messages(),
            "final_response": trial.answer,
            "retrieved_memory_ids": [lesson.id for lesson in trial.shown if lesson.id],
            "metadata": {"reflexion_trial": trial.number},
        }
        if not trial.success and not verdict.is_known:
            yield asking(self.client, "create_trace", **request)
            return trial.lesson
        request["review_result"] = trial.success
        request["feedback_text"] = trial.evaluation.feedback.strip() or None
        request["score"] = trial.evaluation.score
        if trial.lesson:
            request["reflection"] = _authored(trial.lesson)
        trace = yield asking(self.client, "create_trace_and_wait", wait_timeout=self.patience, **request)
        if trial.lesson:
            return replace(trial.lesson, id=trace.created_memory_id)
        if trial.success or not trace.created_memory_id:
            return None
        memory = yield asking(self.client, "get_memory", trace.created_memory_id)
        return Lesson.of_memory(memory, trial.number)


def _authored(lesson: Lesson) -> dict[str, str]:
    parts = {
        "summary": lesson.text,
        "key_mistake": lesson.key_mistake,
        "correct_action": lesson.correct_action,
        "guidance": lesson.guidance,
    }
    return {name: text for name, text in parts.items() if text}
