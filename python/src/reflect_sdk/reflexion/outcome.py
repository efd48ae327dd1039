"""What came of a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from .evaluation import Attempt, Evaluation
from .lesson import Lesson

AnswerPolicy = Literal["best", "last", "error"]
StopReason = Literal["passed", "trials_used_up", "unknown_verdict", "evaluator_failed", "stopped_by_hook", "failed"]
Stage = Literal["actor", "evaluator", "reflector", "hook", "memory"]

_CERTAINTY = {"pass": 2, "unknown": 1, "fail": 0}


@dataclass(frozen=True)
class Trial:
    """One trial, as it is kept."""

    number: int
    """From 1."""
    attempt: Attempt
    evaluation: Evaluation
    success: bool
    """The verdict is a pass, or the score is high enough."""
    started_at: datetime
    ended_at: datetime
    lesson: Lesson | None = None
    """What was learned from it; none after the last trial."""
    shown: list[Lesson] = field(default_factory=list[Lesson])
    """The lessons that it began with."""

    @property
    def answer(self) -> str:
        return self.attempt.answer

    def rank(self) -> tuple[bool, float, int, bool]:
        """What trials are compared by: success, score, certainty, whether there is an answer at all."""
        score = self.evaluation.score
        if score is None:
            score = 1.0 if self.evaluation.passed else 0.0
        return self.success, score, _CERTAINTY[self.evaluation.verdict.outcome], bool(self.answer.strip())


@dataclass(frozen=True)
class Trouble:
    """An error that the run went on without."""

    trial: int
    stage: Stage
    error: str


@dataclass(frozen=True)
class Outcome:
    """What came of a run: an answer, why it ended, and every trial."""

    task: str
    answer: str
    """Of the trial that passed; else of the best one, or as the answer policy says. Empty without any trial."""
    stop: StopReason
    trials: list[Trial]
    stopped_because: str = ""
    """What the hook that stopped the run said."""
    troubles: list[Trouble] = field(default_factory=list[Trouble])

    @property
    def passed(self) -> bool:
        return bool(self.trials) and self.trials[-1].success

    @property
    def best_trial(self) -> Trial | None:
        """Of several that are equal, the last."""
        return max(reversed(self.trials), key=Trial.rank, default=None)


class RunError(Exception):
    """A stage failed. What was reached is in `outcome`, and the error itself in `__cause__`."""

    def __init__(self, stage: Stage, trial: int, outcome: Outcome, error: BaseException) -> None:
        super().__init__(f"the {stage} failed in trial {trial}: {error or type(error).__name__}")
        self.stage = stage
        self.trial = trial
        self.outcome = outcome


class NotPassedError(Exception):
    """No trial passed, and the answer policy is `error`. The trials are in `outcome`."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(f"no trial of {len(outcome.trials)} passed: {outcome.stop}")
        self.outcome = outcome
