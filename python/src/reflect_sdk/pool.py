"""Pooled connections: one pool for each process, and one for each event loop.

A forked child must not read from its parent's sockets, and a socket belongs to the loop that opened it; both get a pool of their own
on first use. Nothing here takes a lock, so a fork at any moment leaves none taken.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncGenerator
from functools import cache
from typing import NamedTuple
from urllib.request import getproxies

import httpx

LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=100, keepalive_expiry=30.0)


class Pool:
    """Connections for threads."""

    def __init__(self) -> None:
        self._clients: dict[tuple[int, bool], httpx.Client] = {}

    def client(self, base_url: str) -> httpx.Client:
        key = (os.getpid(), base_url.startswith("https:"))
        client = self._clients.get(key)
        if client is None:
            client = self._clients.setdefault(key, httpx.Client(verify=_tls(base_url), limits=LIMITS))
        return client

    def close(self) -> None:
        """Closes this process's connections. A later call opens new ones."""
        for key in [key for key in self._clients if key[0] == os.getpid()]:
            self._clients.pop(key).close()


class AsyncPool:
    """Connections for event loops."""

    def __init__(self) -> None:
        self._kept: dict[tuple[asyncio.AbstractEventLoop, bool], _Kept] = {}

    async def send(self, request: httpx.Request, base_url: str) -> httpx.Response:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            # Not asyncio, such as trio: httpx runs there too, and the connection is used once.
            async with httpx.AsyncClient(verify=_tls(base_url)) as client:
                return await client.send(request)
        key = (loop, base_url.startswith("https:"))
        kept = self._kept.get(key)
        if kept is None:
            self._forget_closed_loops()
            client = httpx.AsyncClient(verify=_tls(base_url), limits=LIMITS)
            kept = self._kept[key] = _Kept(client, _until_the_loop_ends(client))
            await anext(kept.ending)
        return await kept.client.send(request)

    async def close(self) -> None:
        """Closes the running loop's connections. A later call opens new ones."""
        loop = asyncio.get_running_loop()
        for key in [key for key in self._kept if key[0] is loop]:
            await self._kept.pop(key).ending.aclose()

    def _forget_closed_loops(self) -> None:
        for key in [key for key in list(self._kept) if key[0].is_closed()]:
            self._kept.pop(key, None)


class _Kept(NamedTuple):
    client: httpx.AsyncClient
    ending: AsyncGenerator[None, None]


async def _until_the_loop_ends(client: httpx.AsyncClient) -> AsyncGenerator[None, None]:
    """`asyncio.run` closes the loop's generators before the loop, and this one closes the connections while that can be awaited."""
    try:
        yield
    finally:
        await client.aclose()


def _tls(base_url: str) -> ssl.SSLContext:
    """Loading the certificates takes longer than a hundred calls, so it is done only where TLS may be spoken."""
    if base_url.startswith("http://") and not getproxies():
        return _without_certificates()
    return _with_certificates()


@cache
def _with_certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()


@cache
def _without_certificates() -> ssl.SSLContext:
    """Trusts nobody."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
