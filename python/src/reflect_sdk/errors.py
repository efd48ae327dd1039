"""What can go wrong, by what a caller would do about it.

Every error is a `ReflectError`. Each is also the error that code written for `httpx` or for the standard library expects in its
place, so `except httpx.HTTPStatusError` and `except TimeoutError` go on working.
"""

from __future__ import annotations

import httpx

TRANSIENT_STATUSES = frozenset({408, 429, 500, 502, 503, 504})


class ReflectError(Exception):
    """Anything that this package raises by itself."""

    @property
    def may_pass(self) -> bool:
        """Whether the same call may well succeed later."""
        return False


class SettingsError(ReflectError, ValueError):
    """A setting of the client is missing or wrong. Nothing was sent."""


class LocalModeError(ReflectError, RuntimeError):
    """Local mode cannot work here: there is no binary, or the server of the folder does not start."""


class RefusedError(ReflectError, httpx.HTTPStatusError):
    """The server refused or failed; `code` says why and `message` has its own words."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        response: httpx.Response,
        path: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        status = f"'{response.status_code} {response.reason_phrase}' for {response.request.method} {response.url}"
        httpx.HTTPStatusError.__init__(
            self, f"{message} ({code}; {status})", request=response.request, response=response
        )
        self.message = message
        """What was wrong, and what to do about it."""
        self.code = code
        """Its stable name, such as `already_reviewed`; `http_502` and the like where something else than Reflect answered."""
        self.status = response.status_code
        self.path = path
        """The field that is wrong, where it is a field."""
        self.request_id = request_id
        """Names the request in the server's log."""
        self.retry_after = retry_after
        """Seconds after which to come back, where the server said so."""
        self.may_be_done = False
        """Whether an earlier try of the same call may have been done, although nobody said so."""

    @property
    def may_pass(self) -> bool:
        return self.status in TRANSIENT_STATUSES


class UnreachableError(ReflectError, httpx.ConnectError):
    """Nobody answered: the server is down, or its URL is wrong, or the connection broke."""

    @property
    def may_pass(self) -> bool:
        return True


class TimedOutError(ReflectError, httpx.ReadTimeout):
    """An answer took longer than the client's `timeout`."""

    @property
    def may_pass(self) -> bool:
        return True


class NotUnderstoodError(ReflectError, ValueError):
    """An answer that does not follow the protocol: another program listens there, or a proxy spoke."""


class IngestFailedError(ReflectError, RuntimeError):
    """The lesson of a trace could not be written. The trace is kept; `client.retry_trace` tries again."""

    def __init__(self, message: str, *, trace_id: str) -> None:
        super().__init__(message)
        self.trace_id = trace_id


class WaitTimeoutError(ReflectError, TimeoutError):
    """The time to wait for a trace is over. It may still be worked."""

    def __init__(self, message: str, *, trace_id: str) -> None:
        super().__init__(message)
        self.trace_id = trace_id


class ForgottenMemoriesWarning(UserWarning):
    """A run was shown memories, and its trace names none: nothing is learned about them."""
