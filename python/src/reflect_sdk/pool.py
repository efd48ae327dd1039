"""Pooled connections: one pool for each process, and one for each event loop.

A forked child must not read from its parent's sockets, and a socket belongs to the loop that opened it; both get a pool of their own
on first use. Nothing here takes a lock, so a fork at any moment leaves none taken.

Requests go to httpx's transports and not through its clients, whose cookies, redirects and authentication we have no use for: they take
a fifth of the time of a small call.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import AsyncGenerator
from functools import cache
from typing import Any, NamedTuple
from urllib.request import getproxies, proxy_bypass

import httpx

LIMITS = httpx.Limits(max_connections=100, max_keepalive_connections=100, keepalive_expiry=30.0)
USED_ONCE = httpx.Limits(max_connections=1, max_keepalive_connections=0)
"""A connection that is closed with its answer."""


class Pool:
    """Connections for threads."""

    def __init__(self, *, through_proxies: bool = True) -> None:
        self._through_proxies = through_proxies
        self._transports: dict[tuple[int, str], httpx.HTTPTransport] = {}

    def send(self, request: httpx.Request, base_url: str) -> httpx.Response:
        key = (os.getpid(), base_url)
        transport = self._transports.get(key)
        if transport is None:
            made = httpx.HTTPTransport(**_settings(request.url, self._through_proxies))
            transport = self._transports.setdefault(key, made)
        response = transport.handle_request(request)
        response.request = request
        if _is_stream(response):
            return response
        try:
            response.read()
        except BaseException:
            response.close()
            raise
        return response

    def close(self) -> None:
        """Closes this process's connections. A later call opens new ones."""
        for key in [key for key in self._transports if key[0] == os.getpid()]:
            self._transports.pop(key).close()


class AsyncPool:
    """Connections for event loops."""

    def __init__(self, *, through_proxies: bool = True) -> None:
        self._through_proxies = through_proxies
        self._kept: dict[tuple[asyncio.AbstractEventLoop, str], _Kept] = {}

    async def send(self, request: httpx.Request, base_url: str) -> httpx.Response:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            # Not asyncio, such as trio: httpx runs there too, and the connection is used once.
            settings = _settings(request.url, self._through_proxies, USED_ONCE)
            return await _answer(httpx.AsyncHTTPTransport(**settings), request)
        kept = self._kept.get((loop, base_url))
        if kept is None:
            self._forget_closed_loops()
            transport = httpx.AsyncHTTPTransport(**_settings(request.url, self._through_proxies))
            kept = self._kept[loop, base_url] = _Kept(transport, _until_the_loop_ends(transport))
            await anext(kept.ending)
        return await _answer(kept.transport, request)

    async def close(self) -> None:
        """Closes the running loop's connections. A later call opens new ones."""
        loop = asyncio.get_running_loop()
        for key in [key for key in self._kept if key[0] is loop]:
            await self._kept.pop(key).ending.aclose()

    def _forget_closed_loops(self) -> None:
        for key in [key for key in list(self._kept) if key[0].is_closed()]:
            self._kept.pop(key, None)


class _Kept(NamedTuple):
    transport: httpx.AsyncHTTPTransport
    ending: AsyncGenerator[None, None]


async def _answer(transport: httpx.AsyncHTTPTransport, request: httpx.Request) -> httpx.Response:
    response = await transport.handle_async_request(request)
    response.request = request
    if _is_stream(response):
        return response
    try:
        await response.aread()
    except BaseException:
        await response.aclose()
        raise
    return response


def _is_stream(response: httpx.Response) -> bool:
    """Whether an answer has no end; a refusal always has one."""
    return bool(response.request.extensions.get("streams")) and response.is_success


async def _until_the_loop_ends(transport: httpx.AsyncHTTPTransport) -> AsyncGenerator[None, None]:
    """`asyncio.run` closes the loop's generators before the loop, and this one closes the connections while that can be awaited."""
    try:
        yield
    finally:
        await transport.aclose()


def _settings(url: httpx.URL, through_proxies: bool, limits: httpx.Limits = LIMITS) -> dict[str, Any]:
    proxy = _proxy(url) if through_proxies else None
    return {"verify": _tls(url, proxy), "limits": limits, "proxy": proxy}


def _proxy(url: httpx.URL) -> str | None:
    """The proxy that the environment names for this server, in `HTTP_PROXY` and the like."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all")
    if not proxy or proxy_bypass(url.netloc.decode()):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _tls(url: httpx.URL, proxy: str | None) -> ssl.SSLContext:
    """Loading the certificates takes longer than a hundred calls, so it is done only where TLS may be spoken."""
    if url.scheme == "http" and proxy is None:
        return _without_certificates()
    return _with_certificates()


@cache
def _with_certificates() -> ssl.SSLContext:
    return httpx.create_ssl_context()


@cache
def _without_certificates() -> ssl.SSLContext:
    """Trusts nobody."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
