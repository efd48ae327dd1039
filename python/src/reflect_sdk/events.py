"""What changes in a project, as it changes: server-sent events, opened once and iterated over in two ways."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Concatenate

import httpx

from reflect_sdk.call import Call
from reflect_sdk.errors import TimedOutError, UnreachableError
from reflect_sdk.method import Method, P
from reflect_sdk.models.project import Changed

MOST_SILENCE_S = 45.0
"""How long a stream may be silent; the server sends something every 15 s."""


class Events(Iterator[Changed]):
    """The changes of a project, one after the other; ends when the server stops or the key may no longer read the project."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._lines = response.iter_lines()

    def __next__(self) -> Changed:
        with _explained(self._response):
            for line in self._lines:
                changed = _read(line)
                if changed is not None:
                    return changed
        self.close()
        raise StopIteration

    def close(self) -> None:
        """Stops following."""
        self._response.close()

    def __enter__(self) -> Events:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncEvents(AsyncIterator[Changed]):
    """The changes of a project, for event loops."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._lines = response.aiter_lines()

    async def __anext__(self) -> Changed:
        with _explained(self._response):
            async for line in self._lines:
                changed = _read(line)
                if changed is not None:
                    return changed
        await self.close()
        raise StopAsyncIteration

    async def close(self) -> None:
        """Stops following."""
        await self._response.aclose()

    async def __aenter__(self) -> AsyncEvents:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class following(Method[P, Events]):  # noqa: N801 - it is used as a decorator
    """Opens a stream and hands it out."""

    def __init__(self, build: Callable[Concatenate[Any, P], Call[httpx.Response]]) -> None:
        def follow(client: Any, /, *args: Any, **kwargs: Any) -> Events:
            return Events(client._run(build(client, *args, **kwargs)))

        super().__init__(build, follow)

    def as_async(self) -> Method[P, Coroutine[Any, Any, AsyncEvents]]:
        build = self.build

        async def follow(client: Any, /, *args: Any, **kwargs: Any) -> AsyncEvents:
            return AsyncEvents(await client._run_async(build(client, *args, **kwargs)))

        return Method(build, follow, suffix="_async")


def _read(line: str) -> Changed | None:
    """Comments and the names of events say nothing."""
    return Changed.from_api(json.loads(line.removeprefix("data:"))) if line.startswith("data:") else None


@contextmanager
def _explained(response: httpx.Response) -> Iterator[None]:
    try:
        yield
    except httpx.ReadTimeout as error:
        raise TimedOutError(f"{response.url} was silent for {MOST_SILENCE_S:.0f} s") from error
    except httpx.TransportError as error:
        raise UnreachableError(f"the events of {response.url} broke off: {error or type(error).__name__}") from error
