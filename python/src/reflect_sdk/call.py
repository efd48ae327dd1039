"""Calls as values: what to send and how to read the answer, with nothing said about who sends it.

A plan is a call, or a generator that yields calls and pauses and gets their answers. It is written once; a blocking runner and an
asynchronous one (`runner.py`) carry it out.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar
from urllib.parse import quote

import httpx

from reflect_sdk.errors import RefusedError, SettingsError

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait this long before the next step."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Call(Generic[T]):
    """One request and how its answer is read."""

    method: str
    path: str
    read: Callable[[httpx.Response], T]
    params: tuple[tuple[str, str], ...] = ()
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    only_reads: bool = False
    """Whether it changes nothing although it is not a GET."""
    idempotency_key: str | None = None
    """The caller's name for a write; it gets one of its own when None."""
    repeat: bool = True
    """Whether it may be sent again whatever happened. Only what the server would do a second time may not."""
    with_key: bool = True
    retries: int | None = None
    """How often to try again; the client's setting when None."""
    timeout: float | None = None
    """Seconds for one try; the client's setting when None."""
    streams: bool = False
    """Whether the answer has no end: it is handed out when it begins."""

    @property
    def writes(self) -> bool:
        return self.method != "GET" and not self.only_reads

    def __iter__(self) -> Steps[T]:
        answer: T = yield self
        return answer


Steps = Generator["Call[Any] | Pause", Any, T]


class Plan(Protocol[T_co]):
    """A call, or steps that yield calls."""

    def __iter__(self) -> Generator[Call[Any] | Pause, Any, T_co]: ...


def join_path(*parts: str) -> str:
    """A path whose parts are percent-encoded one by one, so that an id may hold a slash.

    >>> join_path("v1", "projects", "team/agent one")
    '/v1/projects/team%2Fagent%20one'
    """
    if not all(parts):
        raise SettingsError("an id is empty, and the call would mean something else without it")
    return "".join(f"/{_encode(part)}" for part in parts)


def _encode(part: str) -> str:
    # A part of dots alone would be taken for a way up the path.
    return "%2E" * len(part) if part in (".", "..") else quote(part, safe="")


def once(call: Call[T], already: str, instead: Plan[T]) -> Steps[T]:
    """Sends a call that the server refuses with the code `already` once it is done.

    After a try whose answer was lost, that refusal says that the try got through: then `instead` gives the answer.
    """
    try:
        return (yield from call)
    except RefusedError as error:
        if not (error.may_be_done and error.code == already):
            raise
    return (yield from instead)


def giving(value: T) -> Steps[T]:
    """Steps that send nothing."""
    yield from ()
    return value


def json_of(response: httpx.Response) -> Any:
    return response.json()


def nothing_of(response: httpx.Response) -> None:
    del response


def reading(read: Callable[[Any], T]) -> Callable[[httpx.Response], T]:
    """Reads one JSON value."""
    return lambda response: read(response.json())


def reading_each(read: Callable[[Any], T]) -> Callable[[httpx.Response], list[T]]:
    """Reads a JSON list."""
    return lambda response: [read(item) for item in response.json()]
