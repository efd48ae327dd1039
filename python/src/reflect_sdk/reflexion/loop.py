"""The loop: try, evaluate, reflect, try again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime, timezone
from typing import Any, Literal

from ..reflection import Reflector
from .evaluation import Attempt, Evaluation, FinishedAttempt
from .hooks import Hooks, Stop
from .lesson import Lesson
from .memory import LatestLessons, ProjectMemory
from .outcome import AnswerPolicy, NotPassedError, Outcome, RunError, Stage, StopReason, Trial, Trouble
from .prompt import with_lessons
from .steps import Steps, calling, carry_out, carry_out_async


@dataclass
class _Run:
    """A run so far."""

    task: str
    trials: list[Trial] = field(default_factory=list[Trial])
    troubles: list[Trouble] = field(default_factory=list[Trouble])

    def outcome(self, stop: StopReason, policy: AnswerPolicy, because: str = "") -> Outcome:
        outcome = Outcome(self.task, "", stop, self.trials, because, self.troubles)
        # Of an answer that could not be judged, nobody can say whether it is worse than those before.
        wants_last = policy == "last" or stop in ("unknown_verdict", "evaluator_failed")
        last = self.trials[-1] if self.trials else None
        chosen = last if wants_last and stop != "passed" else outcome.best_trial
        return replace(outcome, answer=chosen.answer if chosen else "")


class Reflexion:
    """An agent that learns from its own failed trials.

        agent = Reflexion(act=my_agent, evaluate=lambda finished: finished.answer == "four", client=client)
        outcome = agent.run("What is 2 + 2?")

    Each trial starts anew, with the lessons so far before the task. There is no lesson after the last trial, and none
    where nothing would keep it. An error of the agent, the evaluator or a hook ends the run with a `RunError` that carries
    what was reached; a lesson or a memory that is not to be had is done without, and noted in `troubles`.

    Args:
        act: Called with the prompt (the lessons, then the task); answers a text or an `Attempt`. Async or not.
        evaluate: Called with a `FinishedAttempt`; answers an `Evaluation` or a `bool`. Async or not. Take the most exact
            one that you can get: a wrong pass cannot be made good.
        reflector: Writes the lesson of a failed trial, such as a `GeneralReflector`. Without one the server of `client`
            does; without that, the evaluator's feedback is the lesson.
        client: A `ReflectClient`: its project remembers beyond the run.
        max_trials: With 1 or less there is one trial.
        memory_size: How many lessons of the run a trial is shown; 0 for none.
        earlier_lessons: How many lessons of earlier runs it is shown besides.
        success_score: A score that counts as a success whatever the verdict.
        answer_policy: What a run answers in which nothing passed: `best` by score, `last`, or `error` to raise.
        unknown_policy: `fail` goes on after a verdict that is unknown; `stop` ends the run.
        hooks: Called in between; may stop the run, or replace feedback and lesson.
        on_event: Called with each event, a dictionary: `trial_start`, `reflection_generated`, `trial_end`.
    """

    def __init__(
        self,
        act: Callable[[str], Any],
        evaluate: Callable[[FinishedAttempt], Any],
        *,
        reflector: Reflector | None = None,
        client: Any = None,
        max_trials: int = 3,
        memory_size: int = 3,
        earlier_lessons: int = 3,
        success_score: float | None = None,
        answer_policy: AnswerPolicy = "best",
        unknown_policy: Literal["fail", "stop"] = "fail",
        hooks: Hooks | None = None,
        on_event: Callable[[dict[str, Any]], Any] | None = None,
    ) -> None:
        self.act = act
        self.evaluate = evaluate
        self.reflector = reflector
        self.max_trials = max_trials
        self.success_score = success_score
        self.answer_policy: AnswerPolicy = answer_policy
        self.unknown_policy = unknown_policy
        self.hooks = hooks or Hooks()
        self.on_event = on_event
        self._latest = LatestLessons(memory_size)
        self._project = ProjectMemory(client, earlier_lessons=earlier_lessons) if client is not None else None

    def run(self, task: str) -> Outcome:
        """Tries the task until a trial passes or none is left. Not for use inside a running event loop."""
        return carry_out(self._steps(_Run(task)))

    async def run_async(self, task: str) -> Outcome:
        """The same, on the running event loop."""
        return await carry_out_async(self._steps(_Run(task)))

    def _steps(self, run: _Run) -> Steps[Outcome]:
        stop: tuple[StopReason, str] | None = None
        while stop is None:
            stop = yield from self._trial(run, len(run.trials) + 1)
        outcome = run.outcome(stop[0], self.answer_policy, stop[1])
        if self.answer_policy == "error" and not outcome.passed:
            raise NotPassedError(outcome)
        return outcome

    def _trial(self, run: _Run, number: int) -> Steps[tuple[StopReason, str] | None]:
        control = yield from self._guarded(run, "hook", number, self.hooks.on_trial_start, number)
        if isinstance(control, Stop):
            return "stopped_by_hook", control.why
        self._emit("trial_start", number)
        shown = yield from self._recall(run, number)
        started_at = _now()
        try:
            made = yield from self._guarded(run, "actor", number, self.act, with_lessons(run.task, shown))
        except RunError as error:
            self._emit("trial_end", number, success=False, feedback=f"the trial was cut off: {error}")
            raise
        finished = FinishedAttempt(number, run.task, Attempt.of(made), started_at, _now())
        # Should the evaluator fail, the answer in hand is not lost.
        unjudged = Evaluation.unknown("the evaluator failed")
        trial = Trial(number, finished.attempt, unjudged, False, started_at, finished.ended_at, shown=shown)
        trial, stop = yield from self._judge(run, trial, finished)
        if stop is None:
            trial, stop = yield from self._learn(run, trial)
        else:
            trial = yield from self._remember(run, trial)
        run.trials.append(replace(trial, ended_at=_now()))
        control = yield from self._guarded(run, "hook", number, self.hooks.on_trial_end, number, trial.evaluation)
        self._emit_end(trial)
        if stop is None and isinstance(control, Stop):
            return "stopped_by_hook", control.why
        return stop

    def _judge(
        self, run: _Run, trial: Trial, finished: FinishedAttempt
    ) -> Steps[tuple[Trial, tuple[StopReason, str] | None]]:
        """Evaluates an attempt, and says why the run ends with it if it does."""

        def evaluation_of(said: Any) -> Evaluation:
            return Evaluation.of(said)

        run.trials.append(trial)
        said = yield from self._guarded(run, "evaluator", trial.number, self.evaluate, finished)
        evaluation = yield from self._guarded(run, "evaluator", trial.number, evaluation_of, said)
        control = yield from self._guarded(run, "hook", trial.number, self.hooks.on_evaluated, finished, evaluation)
        run.trials.pop()
        if isinstance(control, str):
            evaluation = evaluation.saying(control)
        scored = self.success_score is not None and (evaluation.score or 0.0) >= self.success_score
        trial = replace(trial, evaluation=evaluation, success=evaluation.passed or scored)
        return trial, self._stop_after(trial, control)

    def _stop_after(self, trial: Trial, control: Any) -> tuple[StopReason, str] | None:
        if trial.success:
            return "passed", ""
        if isinstance(control, Stop):
            return "stopped_by_hook", control.why
        if self.unknown_policy == "stop" and not trial.evaluation.verdict.is_known:
            return "unknown_verdict", trial.evaluation.verdict.reason
        return ("trials_used_up", "") if trial.number >= self.max_trials else None

    def _learn(self, run: _Run, trial: Trial) -> Steps[tuple[Trial, tuple[StopReason, str] | None]]:
        """Learns from a trial that failed and has a next one."""
        if self._latest.size == 0 and self._project is None:
            return trial, None
        is_remembered = self._project is not None and self.reflector is None
        if is_remembered:
            trial = yield from self._remember(run, trial)
        else:
            trial = replace(trial, lesson=(yield from self._reflect(run, trial)))
        if trial.lesson is None and trial.evaluation.feedback.strip():
            trial = replace(trial, lesson=Lesson(trial.evaluation.feedback.strip(), trial=trial.number, success=False))
        stop: tuple[StopReason, str] | None = None
        if trial.lesson:
            hook = self.hooks.on_reflection_generated
            control = yield from self._guarded(run, "hook", trial.number, hook, trial.number, trial.lesson.text)
            if isinstance(control, Stop):
                stop = "stopped_by_hook", control.why
            elif isinstance(control, str):
                trial = replace(trial, lesson=Lesson(control, id=trial.lesson.id, trial=trial.number, success=False))
            self._emit("reflection_generated", trial.number, reflection=trial.lesson.text if trial.lesson else "")
        if not is_remembered:
            trial = yield from self._remember(run, trial)
        return trial, stop

    def _reflect(self, run: _Run, trial: Trial) -> Steps[Lesson | None]:
        if self.reflector is None:
            return None
        context: dict[str, Any] = {
            "input": run.task,
            "output": trial.answer,
            "error": trial.evaluation.feedback or "The attempt did not pass.",
            "iteration": trial.number,
            "steps": trial.attempt.trajectory or None,
            "lessons_so_far": [lesson.text for lesson in trial.shown] or None,
        }
        given = {name: value for name, value in context.items() if value is not None}
        try:
            result = yield from self._guarded(run, "reflector", trial.number, self.reflector.reflect, given)
        except RunError as error:
            run.troubles.append(Trouble(trial.number, "reflector", str(error.__cause__)))
            return None
        lesson = Lesson.of_reflection(result)
        if result.is_degraded or not lesson.text.strip():
            run.troubles.append(Trouble(trial.number, "reflector", "the lesson is of no use: it says nothing"))
            return None
        return replace(lesson, trial=trial.number, success=False, score=trial.evaluation.score)

    def _recall(self, run: _Run, number: int) -> Steps[list[Lesson]]:
        own = self._latest.select(run.trials)
        if self._project is None:
            return own
        try:
            earlier = yield from self._project.recall(run.task, run.trials)
        except Exception as error:
            run.troubles.append(Trouble(number, "memory", str(error)))
            earlier = []
        return earlier + own

    def _remember(self, run: _Run, trial: Trial) -> Steps[Trial]:
        if self._project is None:
            return trial
        try:
            return replace(trial, lesson=(yield from self._project.remember(run.task, trial)))
        except Exception as error:
            run.troubles.append(Trouble(trial.number, "memory", str(error)))
            return trial

    def _guarded(self, run: _Run, stage: Stage, number: int, function: Callable[..., Any], *args: Any) -> Steps[Any]:
        try:
            return (yield calling(function, *args))
        except Exception as error:
            stop: StopReason = "evaluator_failed" if stage == "evaluator" else "failed"
            raise RunError(stage, number, run.outcome(stop, self.answer_policy), error) from error

    def _emit_end(self, trial: Trial) -> None:
        optional = {"score": trial.evaluation.score, "feedback": trial.evaluation.feedback or None}
        given = {name: value for name, value in optional.items() if value is not None}
        self._emit("trial_end", trial.number, success=trial.success, **given)

    def _emit(self, event: str, number: int, **fields: Any) -> None:
        if self.on_event:
            self.on_event({"event": event, "trial_number": number, **fields})


def _now() -> datetime:
    return datetime.now(timezone.utc)
