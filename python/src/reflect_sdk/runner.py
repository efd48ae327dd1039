"""Carrying out plans: the only code that differs between blocking and asynchronous calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any

import anyio
import anyio.to_thread
import httpx

from reflect_sdk.attempts import Endpoint, Rejoin, attempts
from reflect_sdk.call import Call, Pause, Plan, T
from reflect_sdk.pool import AsyncPool, Pool

Step = Call[Any] | Pause | Rejoin | httpx.Request


class Runner:
    """Carries plans out on the caller's thread. Many threads may use one."""

    def __init__(self, pool: Pool) -> None:
        self.pool = pool

    def run(self, plan: Plan[T], endpoint: Endpoint) -> T:
        return self._drive(iter(plan), endpoint)

    def _drive(self, steps: Generator[Any, Any, T], endpoint: Endpoint) -> T:
        try:
            step: Step = next(steps)
            while True:
                try:
                    outcome = self._take(step, endpoint)
                except Exception as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    def _take(self, step: Step, endpoint: Endpoint) -> Any:
        if isinstance(step, httpx.Request):
            return self.pool.send(step, endpoint.base_url)
        if isinstance(step, Call):
            return self._drive(attempts(step, endpoint), endpoint)
        if isinstance(step, Rejoin):
            return step.find()
        return time.sleep(step.seconds)


class AsyncRunner:
    """Carries plans out on the running event loop. Many loops may use one."""

    def __init__(self, pool: AsyncPool) -> None:
        self.pool = pool

    async def run(self, plan: Plan[T], endpoint: Endpoint) -> T:
        return await self._drive(iter(plan), endpoint)

    async def find(self, find: Callable[[], Endpoint]) -> Endpoint:
        """Finds the server on a thread: it may have to be started."""
        return await anyio.to_thread.run_sync(find)

    async def _drive(self, steps: Generator[Any, Any, T], endpoint: Endpoint) -> T:
        try:
            step: Step = next(steps)
            while True:
                try:
                    outcome = await self._take(step, endpoint)
                except Exception as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]

    async def _take(self, step: Step, endpoint: Endpoint) -> Any:
        if isinstance(step, httpx.Request):
            return await self.pool.send(step, endpoint.base_url)
        if isinstance(step, Call):
            return await self._drive(attempts(step, endpoint), endpoint)
        if isinstance(step, Rejoin):
            return await self.find(step.find)
        return await anyio.sleep(step.seconds)
