"""The lease of a folder's server."""

from __future__ import annotations

import os
import socket
from pathlib import Path

LONGEST_PATH = 100
"""Bytes that a socket's address holds on every system."""


class Lease(socket.socket):
    """A connection that keeps the server running. The kernel closes it when the process ends, and the server closes it when it ends."""

    url: str

    def __del__(self) -> None:
        # Nothing to warn about: it is meant to be closed with whatever held it.
        self.close()

    @property
    def is_alive(self) -> bool:
        """Whether the server has not gone. It says nothing after its address, so there is never anything to read but the end."""
        try:
            return self.recv(1, socket.MSG_PEEK) != b""
        except BlockingIOError:
            return True
        except OSError:
            return False


def take_lease(folder: Path, patience: float) -> Lease | None:
    """A lease of the folder's server, once it answers requests; None where there is no server, or one that is about to end."""
    lease = Lease(socket.AF_UNIX)
    lease.settimeout(patience)
    try:
        _connect(lease, folder)
        lease.url = _address(lease)
        lease.setblocking(False)
    except OSError as error:
        lease.close()
        if isinstance(error, TimeoutError):
            raise
        return None
    return lease


def _connect(lease: Lease, folder: Path) -> None:
    path = os.fsencode(folder / "lease.sock")
    if len(path) <= LONGEST_PATH:
        return lease.connect(path)
    # Linux names an open folder by its descriptor.
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        return lease.connect(f"/proc/self/fd/{descriptor}/lease.sock")
    finally:
        os.close(descriptor)


def _address(lease: Lease) -> str:
    """The line that a server sends as soon as it answers requests."""
    line = b""
    while not line.endswith(b"\n"):
        received = lease.recv(1024)
        if not received:
            raise ConnectionResetError("the server has ended")
        line += received
    return line.decode().strip()
