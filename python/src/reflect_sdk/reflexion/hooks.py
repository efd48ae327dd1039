"""Looking on, and stepping in."""

from __future__ import annotations

from typing import Any, NamedTuple

from .evaluation import Evaluation, FinishedAttempt


class Stop(NamedTuple):
    """Answered by a hook to end the run."""

    why: str = ""


class Hooks:
    """Methods that a run calls; override those that you need, async or not. Each may answer `Stop("why")`.

    Of a trial that fails: start, evaluated, reflection generated, end. Of the last one: start, evaluated, end. Each hook
    comes before the event of the same name. What a hook raises ends the run.
    """

    def on_trial_start(self, trial: int) -> Any:
        """Before a trial."""

    def on_evaluated(self, finished: FinishedAttempt, evaluation: Evaluation) -> Any:
        """After the evaluator. A text takes the place of its feedback."""

    def on_reflection_generated(self, trial: int, reflection: str) -> Any:
        """With a new lesson. A text takes its place."""

    def on_trial_end(self, trial: int, evaluation: Evaluation) -> Any:
        """After a trial, once it is recorded."""
