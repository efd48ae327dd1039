"""Many processes, threads and event loops on one folder, while processes are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from local import worker
from local.users import Folder, eventually, finish, line, start
from reflect_sdk import ReflectClient

PROCESSES = 8


class Workers:
    """Busy processes, and what they were told is stored."""

    def __init__(self, folder: Folder, notes: Path) -> None:
        notes.mkdir()
        self.notes = notes
        self.processes = [self._start(folder, str(number)) for number in range(PROCESSES)]

    def _start(self, folder: Folder, name: str) -> subprocess.Popen[str]:
        command = [sys.executable, worker.__file__, str(folder.path), name, str(self.notes / name)]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def acknowledged(self) -> dict[str, str]:
        """The task of every trace id. A line that a killed process did not finish was not acknowledged to anybody."""
        lines = [line for file in self.notes.iterdir() for line in file.read_text().splitlines(keepends=True)]
        notes = [line.strip().split(" ", 1) for line in lines if line.endswith("\n")]
        return dict(notes)

    def wait_for(self, count: int) -> None:
        eventually(lambda: len(self.acknowledged()) >= count or None, f"{count} runs are stored")


def test_what_was_acknowledged_survives_the_death_of_anybody(folder: Folder, tmp_path: Path) -> None:
    workers = Workers(folder, tmp_path / "notes")
    killed, survivors = workers.processes[:2], workers.processes[2:]
    workers.wait_for(20)
    os.kill(folder.owner(), signal.SIGKILL)
    workers.wait_for(80)
    killed[0].kill()
    workers.wait_for(140)
    os.kill(folder.owner(), signal.SIGKILL)
    workers.wait_for(200)
    killed[1].kill()
    for process in killed:
        process.communicate()
    for process in survivors:
        finish(process)

    folder.wait_until_unused()
    start_again = time.monotonic()
    with folder.client() as client:
        client.health()
        opened_in = time.monotonic() - start_again
        stored = Counter((trace.id, trace.task) for trace in client.iter_traces())
        eventually(lambda: is_idle(client) or None, "every lesson is written")
        assert client.list_traces(ingest_status="failed", limit=1) == []
    acknowledged = workers.acknowledged()
    assert len(acknowledged) >= len(survivors) * worker.THREADS * worker.RUNS
    assert set(acknowledged.items()) <= set(stored)
    tasks = Counter(task for _, task in stored)
    assert set(tasks.values()) == {1}, "a repeated call is done once"
    assert opened_in < 20, f"it took {opened_in:.1f} s"


def is_idle(client: ReflectClient) -> bool:
    return not any(client.list_traces(ingest_status=status, limit=1) for status in ("queued", "processing"))


def test_twenty_that_start_in_the_same_instant_share_one_server(folder: Folder) -> None:
    program = """
        print("ready", flush=True)
        sys.stdin.readline()
        client.create_trace(task="Count", trajectory="3")
        print(client.base_url, flush=True)
        sys.stdin.read()
        """
    users = [start(folder, program) for _ in range(20)]
    for user in users:
        assert line(user) == "ready"
    for user in users:
        assert user.stdin is not None
        user.stdin.write("go\n")
        user.stdin.flush()
    [url] = {line(user) for user in users}
    with folder.client() as client:
        assert len(client.list_traces(limit=99)) == 20
        assert client.base_url == url
        assert folder.servers() == [folder.owner()]
    for user in users:
        finish(user)
