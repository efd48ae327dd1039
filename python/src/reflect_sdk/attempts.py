"""One call, tried as often as is safe."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import httpx

from reflect_sdk.body import encode
from reflect_sdk.call import Call, Pause, T
from reflect_sdk.errors import (
    NotUnderstoodError,
    ReflectError,
    RefusedError,
    SettingsError,
    TimedOutError,
    UnreachableError,
)
from reflect_sdk.refusal import refusal, was_turned_away

LONGEST_PAUSE_S = 30.0
"""Whatever the server asks for: who waits longer should be told instead."""

UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)
"""The failures after which the server surely has nothing."""

HEADERS = {"Accept": "application/json", "Accept-Encoding": "gzip, deflate", "User-Agent": "reflect-memory-python"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """How a server is reached."""

    base_url: str
    api_key: str | None
    timeout: httpx.Timeout
    retries: int
    retry_pause: float
    rejoin: Callable[[], Endpoint] | None = None
    """Finds the server where it is now, if it may have been started anew. May take a while."""


@dataclass(frozen=True, slots=True)
class Rejoin:
    """Find the server again; answered with an `Endpoint`."""

    find: Callable[[], Endpoint]


def attempts(call: Call[T], endpoint: Endpoint) -> Generator[httpx.Request | Pause | Rejoin, Any, T]:
    """Yields requests to be sent and pauses between them; ends with what the answer says."""
    request = _request(call, endpoint)
    retries = endpoint.retries if call.retries is None else call.retries
    failures = 0
    may_be_done = False
    while True:
        cause: Exception | None = None
        failure: ReflectError
        try:
            response: httpx.Response = yield request
        except httpx.TransportError as error:
            cause = error
            failure = _missed(error, call, endpoint)
            surely_undone = isinstance(error, UNSENT)
        else:
            if response.is_success:
                return _read(call, response)
            failure = refusal(response)
            failure.may_be_done = may_be_done
            surely_undone = was_turned_away(response)
        failures += 1
        pause = _pause(failure, failures, endpoint.retry_pause)
        again = surely_undone or (call.repeat and failure.may_pass)
        if not again or failures > retries or pause > LONGEST_PAUSE_S:
            raise failure from cause
        may_be_done = may_be_done or not surely_undone
        yield Pause(pause)
        if cause is not None and endpoint.rejoin is not None:
            endpoint = yield Rejoin(endpoint.rejoin)
            _send_to(endpoint, request)


def _request(call: Call[Any], endpoint: Endpoint) -> httpx.Request:
    headers = {**HEADERS, **call.headers}
    if call.writes:
        # Made here, once for all tries.
        headers["Idempotency-Key"] = call.idempotency_key or str(uuid.uuid4())
    if call.with_key:
        if not endpoint.api_key:
            raise SettingsError(
                "there is no API key; pass `api_key`, or set REFLECT_API_KEY and use `ReflectClient.from_env()`"
            )
        headers["Authorization"] = f"Bearer {endpoint.api_key.strip()}"
    content = None
    if call.body is not None:
        headers["Content-Type"] = "application/json"
        content = encode(call.body)
    _check(headers)
    timeout = endpoint.timeout if call.timeout is None else httpx.Timeout(call.timeout)
    try:
        return httpx.Request(
            call.method,
            _url(f"{endpoint.base_url}{call.path}"),
            params=call.params or None,
            headers=headers,
            content=content,
            extensions={"timeout": timeout.as_dict(), "streams": call.streams},
        )
    except httpx.InvalidURL as error:
        raise SettingsError(f"`base_url` cannot be read: {error}") from error


def _check(headers: Mapping[str, str]) -> None:
    """Refuses what no header can carry, without showing it: it may be a key with a slip in it."""
    for name, value in headers.items():
        if not (value.isascii() and value.isprintable()):
            what = "the API key" if name == "Authorization" else f"the header `{name}`"
            raise SettingsError(f"{what} holds characters that cannot be sent; was more copied than was meant?")


@lru_cache(maxsize=256)
def _url(text: str) -> httpx.URL:
    """A program's calls go to a few URLs again and again, and reading one takes as long as building the rest of the request."""
    return httpx.URL(text)


def _send_to(endpoint: Endpoint, request: httpx.Request) -> None:
    """The same request, named as before, goes to another address."""
    address = httpx.URL(endpoint.base_url)
    request.url = request.url.copy_with(netloc=address.netloc)
    request.headers["Host"] = address.netloc.decode()


def _read(call: Call[T], response: httpx.Response) -> T:
    try:
        return call.read(response)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        problem = f"the answer of {response.url} cannot be read: {error!r}; is a Reflect server there?"
        raise NotUnderstoodError(problem) from error


def _missed(error: httpx.TransportError, call: Call[Any], endpoint: Endpoint) -> ReflectError:
    if isinstance(error, httpx.TimeoutException) and not isinstance(error, httpx.ConnectTimeout):
        seconds = endpoint.timeout.read if call.timeout is None else call.timeout
        return TimedOutError(f"the server at {endpoint.base_url} did not answer within {seconds} s")
    if isinstance(error, httpx.UnsupportedProtocol):
        return UnreachableError(f"`{endpoint.base_url}` is no URL of a server; it reads like `http://localhost:8000`")
    reason = str(error) or type(error).__name__
    question = "does it speak HTTPS?" if "SSL" in reason else "is it running?"
    return UnreachableError(f"the server at {endpoint.base_url} cannot be reached: {reason}; {question}")


def _pause(failure: ReflectError, failures: int, first: float) -> float:
    """Doubles with each failure and varies, so that clients do not come back in step; the server's wish counts if it is longer."""
    backoff = min(first * 2.0 ** (failures - 1), LONGEST_PAUSE_S) * random.uniform(0.5, 1.0)
    asked_for = failure.retry_after if isinstance(failure, RefusedError) else None
    return max(backoff, asked_for or 0.0)
