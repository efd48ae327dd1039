"""One client for many threads, many event loops and a forked process."""

import asyncio
import gc
import os
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest

from reflect_sdk import ReflectClient
from scripted_server import Answer, scripted


def client_of(server) -> ReflectClient:
    return ReflectClient(base_url=server.url, api_key="key")


def test_threads_share_a_client():
    with scripted(Answer(200, [])) as server, client_of(server) as client, ThreadPoolExecutor(8) as threads:
        together = threading.Barrier(8)

        def ask(_: int) -> list[object]:
            together.wait(30)
            return [client.list_projects() for _ in range(5)]

        assert list(threads.map(ask, range(8))) == [[[]] * 5] * 8
    assert len({request.connection for request in server.requests}) <= 8


def test_each_event_loop_has_connections_of_its_own_and_leaves_none_open():
    with scripted(Answer(200, [])) as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        client = client_of(server)

        async def ask() -> None:
            await asyncio.gather(*(client.list_projects_async() for _ in range(3)))
            await client.list_projects_async()

        for _ in range(3):
            asyncio.run(ask())
        connections = {request.connection for request in server.requests}
        gc.collect()
        assert [str(warning.message) for warning in caught if "socket" in str(warning.message)] == []
    assert len(server.requests) == 12
    assert 3 <= len(connections) <= 9


def test_a_client_that_is_dropped_closes_its_connections():
    with scripted(Answer(200, [])) as server, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ResourceWarning)
        client_of(server).list_projects()
        gc.collect()
        assert [str(warning.message) for warning in caught if "socket" in str(warning.message)] == []


def test_a_closed_client_opens_again():
    with scripted(Answer(200, [])) as server, client_of(server) as client:
        client.list_projects()
        client.close()
        assert client.list_projects() == []
    assert len({request.connection for request in server.requests}) == 2


def test_a_forked_process_does_not_read_its_parents_answers():
    with scripted(Answer(200, [])) as server, client_of(server) as client:
        client.list_projects()
        child = os.fork()
        if child == 0:
            try:
                client.list_projects()
                os._exit(0)
            except BaseException:
                os._exit(1)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0
        client.list_projects()
    parents, childs = {server.requests[i].connection for i in (0, 2)}, server.requests[1].connection
    assert len(parents) == 1
    assert childs not in parents


def test_an_interpreter_that_ends_with_a_call_in_flight_ends():
    program = (
        "import sys, threading, time\n"
        "from reflect_sdk import ReflectClient\n"
        "client = ReflectClient(base_url=sys.argv[1], api_key='key', retries=0)\n"
        "threading.Thread(target=client.list_projects, daemon=True).start()\n"
        "sys.stdin.readline()\n"
    )
    with scripted(Answer(hang=True)) as server:
        command = [sys.executable, "-c", program, server.url]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        process = subprocess.Popen(command, stdin=subprocess.PIPE, env=environment, text=True)
        while not server.requests:
            assert process.poll() is None
        process.communicate("go\n", timeout=30)
        assert process.returncode == 0


@pytest.mark.parametrize("name", ["HTTP_PROXY", "all_proxy"])
async def test_a_proxy_of_the_environment_is_used_where_no_exception_names_the_server(monkeypatch, name):
    monkeypatch.setenv("no_proxy", "127.0.0.1,.internal.example")
    monkeypatch.delenv("NO_PROXY", raising=False)
    with scripted(Answer(200, [])) as server, scripted(Answer(200, [])) as proxy:
        monkeypatch.setenv(name, proxy.url.removeprefix("http://"))
        with ReflectClient(base_url="http://reflect.example:8000", api_key="key") as outside:
            outside.list_projects()
            await outside.list_projects_async()
            await outside.close_async()
        with client_of(server) as inside:
            inside.list_projects()
    assert [request.path for request in proxy.requests] == ["http://reflect.example:8000/v1/projects"] * 2
    assert [request.path for request in server.requests] == ["/v1/projects"]
