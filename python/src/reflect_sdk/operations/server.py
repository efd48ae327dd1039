"""The server itself."""

from __future__ import annotations

from typing import Any

import httpx

from reflect_sdk.call import Call, json_of
from reflect_sdk.method import operation
from reflect_sdk.operations.base import Operations


class ServerOperations(Operations):
    """What needs no key."""

    @operation
    def health(self) -> Call[dict[str, str]]:
        """Whether the server is up, and its version."""
        return _asked("/health")

    health_async = health.as_async()

    @operation
    def ready(self) -> Call[dict[str, str]]:
        """Whether the server's parts are ready, each by name."""
        return _asked("/ready")

    ready_async = ready.as_async()

    @operation
    def metrics(self) -> Call[str]:
        """The server's counters in the text format of Prometheus."""
        return Call("GET", "/metrics", _text, with_key=False)

    metrics_async = metrics.as_async()


def _asked(path: str) -> Call[Any]:
    return Call("GET", path, json_of, with_key=False)


def _text(response: httpx.Response) -> str:
    return response.text
