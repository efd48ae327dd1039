"""Starting a folder's server."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from reflect_sdk.local.binary import find_binary

TAKEN = 3
"""The status of a server that found the folder in use."""

GRACE_S = 2
"""Seconds that a server waits for the next user. Notebooks and scripts that follow each other find it still running."""

# These are for clients, or would let a server have a key that is not in the folder.
NOT_THE_SERVERS = frozenset(
    f"REFLECT_{name}"
    for name in ("LOCAL", "BINARY", "API_URL", "API_KEY", "PROJECT_ID", "MASTER_KEY", "MASTER_KEY_FILE")
)


class ServerProcess:
    """A server that was started just now. It belongs to everybody who joins it, and outlives its parent if need be."""

    def __init__(self, folder: Path) -> None:
        _reap()
        # A file and not a pipe: a fork in another thread would keep the pipe's end open. It has no name, and goes with its last user.
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - it is read when the process has ended
        self._process = _Popen(
            [find_binary(), "serve", "--listen", "127.0.0.1:0", "--data", folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=_environment(),
            # Ctrl-C in a terminal and a killed process group end the user, not the others' server.
            start_new_session=True,
        )
        _children.append(self._process)

    def __del__(self) -> None:
        self._errors.close()

    def status(self) -> int | None:
        """Its exit status, None while it runs."""
        return self._process.poll()

    def errors(self) -> str:
        """What it said on standard error while it started."""
        self._errors.seek(0)
        return self._errors.read().decode(errors="replace").strip().removeprefix("reflect: ")


class _Popen(subprocess.Popen[bytes]):
    def __del__(self) -> None:
        """Says nothing about a process that is still running: it is meant to be."""


_children: list[_Popen] = []


def forget_children() -> None:
    """In a forked process: they are the parent's."""
    _children.clear()


def _reap() -> None:
    """Takes note of servers that have ended, which the system keeps on its books until then."""
    _children[:] = [child for child in _children if child.poll() is None]


def _environment() -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in NOT_THE_SERVERS}
    return {"REFLECT_UNTIL_UNUSED": str(GRACE_S), **inherited}
