"""A busy user: one client, threads that block and threads with event loops, each writing down what was acknowledged."""

from __future__ import annotations

import asyncio
import os
import sys
import threading

from reflect_sdk import ReflectClient

THREADS = 8
TASKS = 4
RUNS = 8
"""How many runs each thread stores."""


class Worker:
    def __init__(self, folder: str, name: str, acknowledged: str) -> None:
        self.client = ReflectClient.local(folder)
        self.name = name
        self.acknowledged = os.open(acknowledged, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def work(self) -> None:
        threads = [threading.Thread(target=self._block if n % 2 else self._loop, args=(n,)) for n in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _block(self, thread: int) -> None:
        for run in range(RUNS):
            task = f"{self.name} {thread} {run}"
            self._note(task, self.client.create_trace(task=task, trajectory="3", **review(run)).id)

    def _loop(self, thread: int) -> None:
        asyncio.run(self._gather(thread))

    async def _gather(self, thread: int) -> None:
        await asyncio.gather(*[self._store(thread, first) for first in range(TASKS)])

    async def _store(self, thread: int, first: int) -> None:
        for run in range(first, RUNS, TASKS):
            task = f"{self.name} {thread} {run}"
            self._note(task, (await self.client.create_trace_async(task=task, trajectory="3", **review(run))).id)

    def _note(self, task: str, trace_id: str) -> None:
        os.write(self.acknowledged, f"{trace_id} {task}\n".encode())


def review(run: int) -> dict[str, str]:
    return {} if run % 4 else {"review_result": "fail", "feedback_text": "Count again."}


if __name__ == "__main__":
    Worker(*sys.argv[1:]).work()
