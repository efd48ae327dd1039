"""Processes that use a folder in local mode."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from reflect_sdk import ReflectClient

PATIENCE_S = 120
"""Generous, because the machine may be compiling beside us; nothing waits this long when all is well."""

T = TypeVar("T")

PREAMBLE = """
import asyncio, os, signal, sys, threading
from reflect_sdk import ReflectClient

path = sys.argv[1]
client = ReflectClient.local(path)
"""


class Folder:
    """A data folder, and what is known of it from outside."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def client(self) -> ReflectClient:
        return ReflectClient.local(self.path)

    def owner(self) -> int:
        """The process id of the server that has or had the folder."""
        return eventually(self._read_owner, "somebody has the folder")

    def _read_owner(self) -> int | None:
        try:
            return int(json.loads((self.path / "owner.lock").read_text())["pid"])
        except (OSError, ValueError):
            return None  # it is being written

    def servers(self) -> list[int]:
        """The processes that serve the folder, by what the system knows of them."""
        return [int(process.name) for process in Path("/proc").glob("[0-9]*") if self._is_served_by(process)]

    def _is_served_by(self, process: Path) -> bool:
        try:
            arguments = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            return False  # it ended while we looked
        return b"serve" in arguments and os.fsencode(self.path) in arguments

    def wait_until_unused(self) -> None:
        eventually(lambda: not self.servers() or None, f"no server of {self.path} is left")


def eventually(answer: Callable[[], T | None], what: str) -> T:
    """Asks until there is an answer, and fails when that takes too long."""
    deadline = time.monotonic() + PATIENCE_S
    while (found := answer()) is None:
        assert time.monotonic() < deadline, f"waited too long until {what}"
        time.sleep(0.02)
    return found


def start(folder: Folder, program: str, *options: str) -> subprocess.Popen[str]:
    """Starts a program that has a `client` of the folder. It reads from us and says something to us."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, *options, "-c", PREAMBLE + textwrap.dedent(program), str(folder.path)],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def line(process: subprocess.Popen[str]) -> str:
    """The next line that a program prints."""
    assert process.stdout is not None
    said = process.stdout.readline()
    if not said:
        _, errors = process.communicate(timeout=PATIENCE_S)
        raise AssertionError(f"the program ended: {errors}")
    return said.strip()


def finish(process: subprocess.Popen[str]) -> str:
    """What a program prints until it ends, which it must do well and without complaints."""
    printed, errors = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, errors) == (0, ""), errors
    return printed
