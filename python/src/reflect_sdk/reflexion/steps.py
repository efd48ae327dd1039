"""The loop is written once, as steps that somebody carries out: one by one, or awaiting each."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator
from functools import partial
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Step(NamedTuple):
    """Something to call."""

    call: Callable[[], Any]
    call_async: Callable[[], Any]


Steps = Generator[Step, Any, T]


def calling(function: Callable[..., Any], *args: Any) -> Step:
    """Calls a function of the user's, async or not."""
    call = partial(function, *args)
    return Step(call, call)


def asking(client: Any, method: str, *args: Any, **parameters: Any) -> Step:
    """Calls a method of a client, or its asynchronous twin."""
    twin = getattr(client, f"{method}_async")
    return Step(partial(getattr(client, method), *args, **parameters), partial(twin, *args, **parameters))


def carry_out(steps: Steps[T]) -> T:
    """Carries the steps out. What turns out to be awaitable is awaited on a loop of the run's own."""
    loop: asyncio.AbstractEventLoop | None = None
    answer: Any = None
    error: BaseException | None = None
    try:
        while True:
            step = steps.throw(error) if error else steps.send(answer)
            error = None
            try:
                answer = step.call()
                if inspect.isawaitable(answer):
                    loop = loop or _new_loop(answer)
                    answer = loop.run_until_complete(_awaited(answer))
            except Exception as raised:
                error = raised
    except StopIteration as finished:
        return finished.value  # type: ignore[no-any-return]
    finally:
        if loop:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()


async def carry_out_async(steps: Steps[T]) -> T:
    """Carries the steps out on the running loop. A plain function is called as it is, and holds the loop up meanwhile."""
    answer: Any = None
    error: BaseException | None = None
    try:
        while True:
            step = steps.throw(error) if error else steps.send(answer)
            error = None
            try:
                answer = step.call_async()
                if inspect.isawaitable(answer):
                    answer = await answer
            except Exception as raised:
                error = raised
    except StopIteration as finished:
        return finished.value  # type: ignore[no-any-return]


def _new_loop(waiting: Any) -> asyncio.AbstractEventLoop:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.new_event_loop()
    if inspect.iscoroutine(waiting):
        waiting.close()
    raise RuntimeError("a part of the run is async, and an event loop is running already: await `run_async` instead")


async def _awaited(awaitable: Awaitable[T]) -> T:
    return await awaitable
