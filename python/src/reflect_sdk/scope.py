"""`client.trace`: memories on entry, the trace on exit."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Concatenate

from reflect_sdk.call import Steps
from reflect_sdk.context import TraceContext
from reflect_sdk.method import Method, P
from reflect_sdk.operations.new_trace import NewTrace

logger = logging.getLogger("reflect_sdk")


@dataclass(frozen=True, slots=True)
class Opening:
    """How a scope begins and how it is to end."""

    steps: Steps[TraceContext]
    blocking: bool
    auto_fail_on_exception: bool


class TraceScope:
    """A `with` block that is traced. It can be entered once."""

    def __init__(self, client: Any, opening: Opening) -> None:
        self._client = client
        self._opening = opening
        self._context: TraceContext

    def __enter__(self) -> TraceContext:
        self._context = self._client._run(self._opening.steps)
        return self._context

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        new_trace = _ending(self._context, self._opening, error)
        if new_trace is None:
            return
        try:
            self._client._run(_submitting(self._client, self._context, new_trace, self._opening.blocking))
        except Exception:
            _say_or_raise(error)


class AsyncTraceScope:
    """An `async with` block that is traced. It can be entered once."""

    def __init__(self, client: Any, opening: Opening) -> None:
        self._client = client
        self._opening = opening
        self._context: TraceContext

    async def __aenter__(self) -> TraceContext:
        self._context = await self._client._run_async(self._opening.steps)
        return self._context

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        new_trace = _ending(self._context, self._opening, error)
        if new_trace is None:
            return
        try:
            steps = _submitting(self._client, self._context, new_trace, self._opening.blocking)
            await self._client._run_async(steps)
        except Exception:
            _say_or_raise(error)


def _ending(context: TraceContext, opening: Opening, error: BaseException | None) -> NewTrace | None:
    """The trace to submit, if any. A run that broke off after it set its output failed."""
    new_trace = context._output
    if new_trace is None or (error is not None and not opening.auto_fail_on_exception):
        return None
    if error is not None:
        new_trace.review_result = "fail"
        new_trace.feedback_text = new_trace.feedback_text or str(error) or type(error).__name__
    return new_trace


def _submitting(client: Any, context: TraceContext, new_trace: NewTrace, blocking: bool) -> Steps[None]:
    submission = yield from client._create(new_trace)
    context._trace_id = submission.id
    if blocking:
        yield from client._wait(submission.id, require_reviewed=new_trace.review_result is not None)


def _say_or_raise(error: BaseException | None) -> None:
    """The block's own exception comes first: that its trace was not submitted is only logged."""
    if error is None:
        raise
    logger.warning("the trace of a run that broke off was not submitted", exc_info=True)


class scoped(Method[P, TraceScope]):  # noqa: N801 - it is used as a decorator
    """Gives a traced block, from a method that says how it opens."""

    def __init__(self, build: Callable[Concatenate[Any, P], Opening]) -> None:
        super().__init__(build, lambda client, /, *args, **kwargs: TraceScope(client, build(client, *args, **kwargs)))

    def as_async(self) -> Method[P, AsyncTraceScope]:
        build = self.build

        def scope(client: Any, /, *args: Any, **kwargs: Any) -> AsyncTraceScope:
            return AsyncTraceScope(client, build(client, *args, **kwargs))

        return Method(build, scope, suffix="_async")
