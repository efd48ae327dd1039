"""An attempt, and what an evaluator says about it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from ..reflection.verdict import FAIL, PASS, Verdict


@dataclass(frozen=True)
class Attempt:
    """What an agent made of a task in one trial: for agents that can tell more than their answer."""

    answer: str
    trajectory: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """What was said and done in this trial, as `reflect_sdk.converters` write it; the answer alone when empty."""

    @classmethod
    def of(cls, made: Any) -> Attempt:
        """An attempt as it is, anything else as its answer."""
        return made if isinstance(made, cls) else cls("" if made is None else str(made))

    def messages(self) -> list[dict[str, Any]]:
        """The trajectory, which is never empty."""
        return self.trajectory or [{"role": "assistant", "content": self.answer}]


@dataclass(frozen=True)
class FinishedAttempt:
    """An attempt with the number of its trial: what evaluators read."""

    trial: int
    """From 1."""
    task: str
    """As it was given, without what was remembered."""
    attempt: Attempt
    started_at: datetime
    ended_at: datetime

    @property
    def answer(self) -> str:
        return self.attempt.answer

    @property
    def trajectory(self) -> list[dict[str, Any]]:
        return self.attempt.messages()


@dataclass(frozen=True)
class Evaluation:
    """Whether an attempt passed, how good it is, and what to say about it.

    >>> Evaluation.fail("write the number as a word").scored(0.4).passed
    False
    """

    verdict: Verdict
    score: float | None = None
    """In [0, 1]. Of several failed trials, the best one is answered with."""
    feedback: str = ""

    @classmethod
    def passing(cls, feedback: str = "") -> Evaluation:
        """It did what was asked."""
        return cls(PASS, feedback=feedback)

    @classmethod
    def fail(cls, feedback: str = "") -> Evaluation:
        """It did not, and why. The lesson is made of it."""
        return cls(FAIL, feedback=feedback)

    @classmethod
    def unknown(cls, why: str) -> Evaluation:
        """It cannot be told, and why."""
        return cls(Verdict("unknown", why), feedback=why)

    @classmethod
    def of(cls, said: Any) -> Evaluation:
        """An evaluation as it is; true and false as pass and fail."""
        if isinstance(said, cls):
            return said
        if isinstance(said, bool):
            return cls(PASS if said else FAIL)
        raise TypeError(f"an evaluator has to answer an `Evaluation` or a `bool`, not `{type(said).__name__}`")

    def scored(self, score: float) -> Evaluation:
        """The same with a score, brought into [0, 1]."""
        return replace(self, score=min(max(score, 0.0), 1.0) if score == score else 0.0)

    def saying(self, feedback: str) -> Evaluation:
        """The same with other feedback."""
        return replace(self, feedback=feedback)

    @property
    def passed(self) -> bool:
        return self.verdict == PASS
