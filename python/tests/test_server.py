"""The server that the other tests talk to is really there."""

import httpx
from reflect_process import ReflectProcess


def test_server_is_healthy(server: ReflectProcess) -> None:
    assert httpx.get(f"{server.url}/health").json()["status"] == "ok"
