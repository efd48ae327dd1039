"""Joining a folder's server, which is started if there is none."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import httpx

from reflect_sdk.errors import LocalModeError
from reflect_sdk.local.lease import Lease, take_lease
from reflect_sdk.local.process import TAKEN, ServerProcess

PATIENCE_S = 60.0
"""How long a start may take. Only a database that is being migrated, or a machine that is very busy, comes near it."""

PAUSE_S = 0.005
"""Between two looks whether a server that was just started has opened its socket."""

LONG_PAUSE_S = 0.05
"""Before another one is started."""


class Joined(NamedTuple):
    """A server that this process uses."""

    url: str
    api_key: str
    lease: Lease | None
    """None with a server that somebody runs by hand, which does not end with its users."""

    @property
    def is_alive(self) -> bool:
        return self.lease is None or self.lease.is_alive


def join(folder: Path, api_key: str | None) -> Joined:
    """Joins the folder's server. Of several processes that start one at the same time, one succeeds, and the others join that."""
    deadline = time.monotonic() + PATIENCE_S
    started: ServerProcess | None = None
    while (patience := deadline - time.monotonic()) > 0:
        if joined := _join_by_lease(folder, api_key, patience):
            return joined
        pause = PAUSE_S
        if started is None:
            started = ServerProcess(folder)
        elif (status := started.status()) is not None:
            if status == TAKEN and (joined := _join_by_address(folder, api_key, patience)):
                return joined
            if status not in (0, TAKEN):
                raise LocalModeError(f"the server of `{folder}` does not start: {started.errors()}")
            # The owner is about to end, or has only just begun; or our own was without users for too long.
            started, pause = None, LONG_PAUSE_S
        time.sleep(pause)
    raise LocalModeError(f"the server of `{folder}` did not answer within {PATIENCE_S:.0f} s; see `server.log` there")


def _join_by_lease(folder: Path, api_key: str | None, patience: float) -> Joined | None:
    with suppress(TimeoutError):
        if lease := take_lease(folder, patience):
            for key in _keys(folder, api_key):
                return Joined(lease.url, key, lease)
            raise LocalModeError(_locked(folder, lease.url))
    return None


def _join_by_address(folder: Path, api_key: str | None, patience: float) -> Joined | None:
    """Joins a server that somebody runs by hand, which gives no leases, by the address in `owner.lock`.

    The file outlives the server, and another program may have its port then; so it is believed only just after a process has heard
    that the folder is taken.
    """
    try:
        url = json.loads((folder / "owner.lock").read_text())["url"]
    except (OSError, ValueError, KeyError):
        return None
    if url is None:
        return None
    # A server that gives leases does so before it writes its address.
    if joined := _join_by_lease(folder, api_key, patience):
        return joined
    with suppress(httpx.TransportError), httpx.Client(base_url=url, trust_env=False) as http:
        for key in _keys(folder, api_key):
            if http.get("/v1/projects", headers={"Authorization": f"Bearer {key}"}).status_code != 401:
                return Joined(url, key, None)
        raise LocalModeError(_locked(folder, url))
    return None


def _keys(folder: Path, api_key: str | None) -> Iterator[str]:
    """The folder's own key, and those to try where an operator has set another."""
    with suppress(OSError):
        yield (folder / "master.key").read_text().strip()
    yield from filter(None, [api_key, os.environ.get("REFLECT_MASTER_KEY")])


def _locked(folder: Path, url: str) -> str:
    return f"the server of `{folder}` at {url} has a master key of its own; pass it as `api_key`"
