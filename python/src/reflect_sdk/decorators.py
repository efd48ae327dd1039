"""`@reflect_trace`: a function whose every call is traced."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Concatenate, Literal, ParamSpec, Protocol, overload

from reflect_sdk.client import ReflectClient
from reflect_sdk.context import TraceContext
from reflect_sdk.models.memory import Match
from reflect_sdk.models.trace import TrajectoryInput

P = ParamSpec("P")


class Decorator(Protocol):
    """Keeps the parameters of a function."""

    def __call__(self, function: Callable[P, Any], /) -> Callable[P, Any]: ...


class InjectingDecorator(Protocol):
    """Takes the context from the parameters of a function."""

    def __call__(self, function: Callable[Concatenate[TraceContext, P], Any], /) -> Callable[P, Any]: ...


@dataclass(slots=True)
class TraceResult:
    """What a decorated function returns to say more than its answer."""

    output: Any
    """What the caller gets."""
    trajectory: TrajectoryInput
    """The messages of the run, or a text."""
    result: str | bool | None = None
    """`pass` or `fail`; None to review later."""
    feedback_text: str | None = None
    model: str | None = None
    metadata: Mapping[str, Any] | None = None
    task: str | None = None
    """What the run turned out to be about, if that is not what memories were looked for by."""
    alpha: float | None = None
    score: float | None = None
    """How well the run went, 0 to 1."""


@overload
def reflect_trace(
    client: ReflectClient,
    *,
    task: str | Callable[..., str] | None = None,
    limit: int = 10,
    lambda_: float | None = 0.5,
    mmr_lambda: float | None = None,
    match: Match | None = None,
    metadata_filter: Mapping[str, Any] | None = None,
    similarity_threshold: float | None = None,
    sitting_out: float | None = None,
    blocking: bool = False,
    auto_fail_on_exception: bool = True,
    inject_context: Literal[True] = True,
    reference_context: str | None = None,
    alpha: float | None = None,
) -> InjectingDecorator: ...
@overload
def reflect_trace(
    client: ReflectClient,
    *,
    task: str | Callable[..., str] | None = None,
    limit: int = 10,
    lambda_: float | None = 0.5,
    mmr_lambda: float | None = None,
    match: Match | None = None,
    metadata_filter: Mapping[str, Any] | None = None,
    similarity_threshold: float | None = None,
    sitting_out: float | None = None,
    blocking: bool = False,
    auto_fail_on_exception: bool = True,
    inject_context: Literal[False],
    reference_context: str | None = None,
    alpha: float | None = None,
) -> Decorator: ...
def reflect_trace(
    client: ReflectClient,
    *,
    task: str | Callable[..., str] | None = None,
    limit: int = 10,
    lambda_: float | None = 0.5,
    mmr_lambda: float | None = None,
    match: Match | None = None,
    metadata_filter: Mapping[str, Any] | None = None,
    similarity_threshold: float | None = None,
    sitting_out: float | None = None,
    blocking: bool = False,
    auto_fail_on_exception: bool = True,
    inject_context: bool = True,
    reference_context: str | None = None,
    alpha: float | None = None,
) -> Any:
    """Traces every call of a function, blocking or asynchronous: memories before it, the trace after it.

        @reflect_trace(client, task=lambda question: question)
        def answer(ctx: TraceContext, question: str) -> TraceResult:
            response = my_llm(ctx.augmented_task)
            return TraceResult(output=response, trajectory=response, result="pass")

        answer("Parse the CSV and return the top 5 rows")

    A function that returns a text is traced with that text alone; one that returns anything else but a `TraceResult` is not traced.

    Args:
        client: Where traces go.
        task: The task of every call, or a function of the call's arguments; the first argument when None.
        limit: How many memories at most.
        lambda_: The weight of utility against similarity, 0 to 1; None is the project's setting.
        mmr_lambda: The weight of score against diversity; None is the project's setting.
        match: What of a memory the task is compared with; None is the project's setting.
        metadata_filter: What the metadata of a memory's trace must hold.
        similarity_threshold: The least similarity; None is the project's setting.
        sitting_out: How often the most doubtful memory sits out; None is the project's setting.
        blocking: Whether to wait until the lesson is there.
        auto_fail_on_exception: Whether an exception after `set_output` is submitted as a fail.
        inject_context: Whether the function gets a `TraceContext` before its own arguments.
        reference_context: A policy, a schema or a gold answer for whoever writes the lesson.
        alpha: The step by which the review moves the memories, 0 to 1.
    """
    options: dict[str, Any] = {
        "limit": limit,
        "lambda_": lambda_,
        "mmr_lambda": mmr_lambda,
        "match": match,
        "metadata_filter": metadata_filter,
        "similarity_threshold": similarity_threshold,
        "sitting_out": sitting_out,
        "blocking": blocking,
        "auto_fail_on_exception": auto_fail_on_exception,
        "reference_context": reference_context,
        "alpha": alpha,
    }

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def traced_async(*args: Any, **kwargs: Any) -> Any:
                async with client.trace_async(_task_of(task, args, kwargs), **options) as context:
                    shown = (context, *args) if inject_context else args
                    return _recorded(context, await function(*shown, **kwargs))

            return traced_async

        @functools.wraps(function)
        def traced(*args: Any, **kwargs: Any) -> Any:
            with client.trace(_task_of(task, args, kwargs), **options) as context:
                shown = (context, *args) if inject_context else args
                return _recorded(context, function(*shown, **kwargs))

        return traced

    return decorate


def _task_of(task: str | Callable[..., str] | None, args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    if isinstance(task, str):
        return task
    if task is not None:
        return task(*args, **kwargs)
    return str(args[0]) if args else "unknown"


def _recorded(context: TraceContext, returned: Any) -> Any:
    """Sets the output that a function's return value means, and gives the caller's share of it."""
    if isinstance(returned, TraceResult):
        context.set_output(
            trajectory=returned.trajectory,
            result=returned.result,
            feedback_text=returned.feedback_text,
            model=returned.model,
            metadata=returned.metadata,
            task=returned.task,
            score=returned.score,
            alpha=returned.alpha,
        )
        return returned.output
    if isinstance(returned, str):
        context.set_output(trajectory=returned, final_response=returned)
    return returned
