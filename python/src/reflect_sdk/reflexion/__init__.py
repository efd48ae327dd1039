"""Reflexion: try, evaluate, reflect, try again.

    from reflect_sdk.reflexion import Evaluation, Reflexion

    def evaluate(finished):
        return True if finished.answer == "four" else Evaluation.fail("write the number as a word")

    outcome = Reflexion(act=my_agent, evaluate=evaluate, client=client).run("What is 2 + 2?")

The method is that of *Reflexion: Language Agents with Verbal Reinforcement Learning* (NeurIPS 2023), with the defaults and
events of the Rust crate `reflexion`. Without a signal from outside, trying again makes answers worse: the evaluator decides
whether any of this helps.
"""

from .evaluation import Attempt, Evaluation, FinishedAttempt
from .hooks import Hooks, Stop
from .lesson import Lesson
from .loop import Reflexion
from .outcome import NotPassedError, Outcome, RunError, Trial, Trouble

__all__ = [
    "Attempt",
    "Evaluation",
    "FinishedAttempt",
    "Hooks",
    "Lesson",
    "NotPassedError",
    "Outcome",
    "Reflexion",
    "RunError",
    "Stop",
    "Trial",
    "Trouble",
]
