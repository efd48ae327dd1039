"""Methods that are made, not written.

A method of the client says *what* to do and returns it: a plan, the calls for pages, how a traced block opens. A decorator makes of it
the method that a caller sees, and `as_async()` the same one for event loops:

    @operation
    def get_trace(self, trace_id: str) -> Call[Trace]: ...

    get_trace_async = get_trace.as_async()
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Coroutine
from types import MethodType
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from reflect_sdk.call import Plan

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")


class Method(Generic[P, R]):
    """A method that type checkers see with the parameters of one function and the result of another."""

    def __init__(self, build: Callable[..., Any], function: Callable[..., R], *, suffix: str = "") -> None:
        self.build = build
        """Returns what the method does, without doing it."""
        self.function = function
        function.__name__ = f"{build.__name__}{suffix}"
        function.__qualname__ = f"{build.__qualname__}{suffix}"
        function.__doc__ = build.__doc__
        function.__module__ = build.__module__
        function.__dict__["build"] = build
        function.__dict__["__signature__"] = _signature(build)

    @overload
    def __get__(self, client: None, owner: type, /) -> Callable[Concatenate[Any, P], R]: ...
    @overload
    def __get__(self, client: object, owner: type | None = None, /) -> Callable[P, R]: ...
    def __get__(self, client: object | None, owner: type | None = None, /) -> Any:
        return self.function if client is None else MethodType(self.function, client)


class operation(Method[P, T]):  # noqa: N801 - it is used as a decorator
    """Carries a plan out and waits for it."""

    def __init__(self, build: Callable[Concatenate[Any, P], Plan[T]]) -> None:
        def call(client: Any, /, *args: Any, **kwargs: Any) -> T:
            return client._run(build(client, *args, **kwargs))  # type: ignore[no-any-return]

        super().__init__(build, call)

    def as_async(self) -> Method[P, Coroutine[Any, Any, T]]:
        build = self.build

        async def call(client: Any, /, *args: Any, **kwargs: Any) -> T:
            return await client._run_async(build(client, *args, **kwargs))  # type: ignore[no-any-return]

        return Method(build, call, suffix="_async")


def _signature(build: Callable[..., Any]) -> inspect.Signature:
    """As a caller sees it: a method that returns `Call[Trace]` comes to a `Trace`."""
    signature = inspect.signature(build)
    returned = str(signature.return_annotation)
    for description in ("Call[", "Steps["):
        if returned.startswith(description):
            return signature.replace(return_annotation=returned[len(description) : -1])
    return signature.replace(return_annotation=inspect.Signature.empty)
