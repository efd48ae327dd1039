"""One client of the three, called in a loop: `python worker.py CLIENT WAY URL KEY TRACE_ID`.

Reads lines such as `query 0.5`: a call, and the seconds for which to make it again and again. Answers each with a JSON list of the
seconds that the calls took.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

PROJECT = "bench"
TASK = "Refund order A-17"
RUN = "Refund order A-18"
MESSAGES = [{"role": "user", "content": RUN}, {"role": "assistant", "content": "Done."}]
Calls = dict[str, Callable[[], Any]]


def of_package(url: str, key: str, trace_id: str, suffix: str) -> Calls:
    """The calls of whichever `reflect_sdk` is on the path."""
    from reflect_sdk import ReflectClient

    client = ReflectClient(base_url=url, api_key=key, project_id=PROJECT)
    get, query, create = (
        getattr(client, f"{name}{suffix}") for name in ("get_trace", "query_memories", "create_trace")
    )
    return {
        "get": lambda: get(trace_id),
        "query": lambda: query(TASK, limit=3),
        "create": lambda: create(task=RUN, trajectory=MESSAGES),
    }


def of_httpx(client: httpx.Client | httpx.AsyncClient, trace_id: str) -> dict[str, Callable[[], Any]]:
    """The same requests by hand."""
    create = {"task": RUN, "trajectory": MESSAGES, "retrieved_memory_ids": [], "model": None, "metadata": {}}
    query = {"task": TASK, "limit": 3, "lambda": 0.5}
    return {
        "get": lambda: client.get(f"/traces/{trace_id}"),
        "query": lambda: client.post("/memory/query", json=query),
        "create": lambda: client.post("/traces", json=create),
    }


def httpx_calls(url: str, key: str, trace_id: str) -> Calls:
    client = httpx.Client(**_settings(url, key))
    sending = of_httpx(client, trace_id)
    return {name: lambda send=send: send().raise_for_status().json() for name, send in sending.items()}


def httpx_async_calls(url: str, key: str, trace_id: str) -> Calls:
    client = httpx.AsyncClient(**_settings(url, key))

    async def read(send: Callable[[], Awaitable[httpx.Response]]) -> Any:
        return (await send()).raise_for_status().json()

    sending = of_httpx(client, trace_id)
    return {name: lambda send=send: read(send) for name, send in sending.items()}


def _settings(url: str, key: str) -> dict[str, Any]:
    return {"base_url": f"{url}/v1/projects/{PROJECT}", "headers": {"Authorization": f"Bearer {key}"}}


def timed(call: Callable[[], Any], seconds: float) -> list[float]:
    times: list[float] = []
    end = time.perf_counter() + seconds
    while (before := time.perf_counter()) < end:
        call()
        times.append(time.perf_counter() - before)
    return times


async def timed_async(call: Callable[[], Awaitable[Any]], seconds: float) -> list[float]:
    times: list[float] = []
    end = time.perf_counter() + seconds
    while (before := time.perf_counter()) < end:
        await call()
        times.append(time.perf_counter() - before)
    return times


def main() -> None:
    client, way, url, key, trace_id = sys.argv[1:]
    is_async = way == "async"
    if client == "httpx":
        calls = (httpx_async_calls if is_async else httpx_calls)(url, key, trace_id)
    else:
        calls = of_package(url, key, trace_id, "_async" if is_async else "")
    loop = asyncio.new_event_loop()
    for line in sys.stdin:
        name, seconds = line.split()
        call, long = calls[name], float(seconds)
        times = loop.run_until_complete(timed_async(call, long)) if is_async else timed(call, long)
        print(json.dumps(times), flush=True)


if __name__ == "__main__":
    main()
