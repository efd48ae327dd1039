"""Small calls of our client, of the published one and of httpx with its connections kept, against one server, in turns.

`cargo xtask bench python` runs it, with `REFLECT_BIN` naming the server. The Python that runs it has `reflect-sdk` and httpx; ours is
taken from this repository.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from reflect_process import MASTER_KEY, SETTINGS, running
from worker import MESSAGES, PROJECT, TASK

HERE = Path(__file__).resolve().parent
# The disk is not what is compared here.
IN_MEMORY = Path("/dev/shm")
MEMORIES = 20
ROUNDS = 8
ROUND_S = 0.4
CALLS = ("get", "query", "create")
WAYS = ("sync", "async")
CLIENTS = ("ours", "httpx", "published")

FASTER_THAN_PUBLISHED = 20.0
SLOWER_THAN_HTTPX = 1.3


@dataclass
class Worker:
    """A process that makes one client's calls, and the times of each round."""

    process: subprocess.Popen[str]
    rounds: dict[str, list[list[float]]] = field(default_factory=lambda: {call: [] for call in CALLS})

    def round(self, call: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(call, ROUND_S, file=self.process.stdin, flush=True)
        self.rounds[call].append(json.loads(self.process.stdout.readline()))

    def per_second(self, call: str) -> float:
        """Of the median round."""
        return statistics.median(len(times) / sum(times) for times in self.rounds[call])

    def p50(self, call: str) -> float:
        return statistics.median(itertools.chain.from_iterable(self.rounds[call]))


@contextmanager
def worker(client: str, way: str, url: str, trace_id: str) -> Iterator[Worker]:
    environment = dict(os.environ)
    if client == "ours":
        environment["PYTHONPATH"] = str(HERE.parent / "src")
    command = [sys.executable, str(HERE / "worker.py"), client, way, url, MASTER_KEY, trace_id]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, text=True
    ) as process:
        yield Worker(process)
        assert process.stdin is not None
        process.stdin.close()


def fill(url: str) -> str:
    """Stores a few lessons and a trace, whose id it gives."""
    headers = {"Authorization": f"Bearer {MASTER_KEY}"}
    with httpx.Client(base_url=f"{url}/v1/projects/{PROJECT}", headers=headers) as client:

        def store(**more: Any) -> str:
            answer = client.post("/traces", json={"task": TASK, "trajectory": MESSAGES, **more})
            return str(answer.raise_for_status().json()["trace_id"])

        for number in range(MEMORIES):
            lesson = {"guidance": f"Look order {number} up before you refund it."}
            store(task=f"Refund order {number}", review={"result": "fail", "reflection": lesson})
        return store()


def report(workers: dict[tuple[str, str], Worker]) -> bool:
    """Prints the figures, and says whether every target is met."""
    print(f"one call after the other, {ROUNDS} alternating rounds of {ROUND_S} s\n")
    print(f"{'call':8}{'way':7}{'client':11}{'calls/s':>9}{'p50 ms':>9}{'x published':>13}{'p50 / httpx':>13}")
    missed = []
    for call, way in itertools.product(CALLS, WAYS):
        published, raw = workers["published", way], workers["httpx", way]
        for client in CLIENTS:
            one = workers[client, way]
            faster = one.per_second(call) / published.per_second(call)
            slower = one.p50(call) / raw.p50(call)
            figures = f"{one.per_second(call):9.0f}{one.p50(call) * 1e3:9.3f}{faster:13.1f}{slower:13.2f}"
            print(f"{call:8}{way:7}{client:11}{figures}")
            if client == "ours" and (faster < FASTER_THAN_PUBLISHED or slower > SLOWER_THAN_HTTPX):
                missed.append(f"{call}, {way}: {faster:.1f} x published, {slower:.2f} x httpx")
    targets = f"at least {FASTER_THAN_PUBLISHED:.0f} x published, at most {SLOWER_THAN_HTTPX} x httpx at p50"
    print(f"\ntargets: {targets}: {'met' if not missed else 'MISSED by ' + '; '.join(missed)}")
    return not missed


def main() -> None:
    os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"
    with tempfile.TemporaryDirectory(dir=IN_MEMORY if IN_MEMORY.is_dir() else None) as folder, ExitStack() as stack:
        server = stack.enter_context(running(Path(os.environ["REFLECT_BIN"]), Path(folder), SETTINGS))
        trace_id = fill(server.url)
        workers = {
            (client, way): stack.enter_context(worker(client, way, server.url, trace_id))
            for client, way in itertools.product(CLIENTS, WAYS)
        }
        for _, call, one in itertools.product(range(ROUNDS), CALLS, workers.values()):
            one.round(call)
        sys.exit(0 if report(workers) else 1)


if __name__ == "__main__":
    main()
