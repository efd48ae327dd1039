"""A folder's server, as one client uses it."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from weakref import WeakSet

from reflect_sdk.local.join import Joined, join
from reflect_sdk.local.process import forget_children


class LocalServer:
    """A folder's server. Many threads may use one."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Nothing is started yet."""
        self.folder = Path(folder).expanduser().absolute()
        self._joined: Joined | None = None
        self._joining = threading.Lock()
        _in_use.add(self)

    def at_hand(self) -> Joined | None:
        """The server, if it is known and has not gone. Never waits."""
        joined = self._joined
        return joined if joined is not None and joined.is_alive else None

    def join(self, api_key: str | None = None, *, lost: str | None = None) -> Joined:
        """The server, which is started or waited for if need be.

        Args:
            api_key: A key to try with a server that somebody runs by hand with a master key of its own.
            lost: The address at which nobody answered.
        """
        if (joined := self.at_hand()) and joined.url != lost:
            return joined
        with self._joining:
            if (joined := self.at_hand()) and joined.url != lost:
                return joined
            self.let_go()
            joined = self._joined = join(self.folder, api_key)
            return joined

    def let_go(self) -> None:
        """Gives the lease back. A later call takes a new one."""
        joined, self._joined = self._joined, None
        if joined is not None and joined.lease is not None:
            joined.lease.close()

    def _start_over(self) -> None:
        """In a forked process: the lease is the parent's, and its thread may have been joining."""
        self.let_go()
        self._joining = threading.Lock()


_in_use: WeakSet[LocalServer] = WeakSet()


def _after_fork() -> None:
    forget_children()
    for server in list(_in_use):
        server._start_over()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
