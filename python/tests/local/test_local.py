"""Local mode: one server for everybody, found, started and left behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from reflect_process import MASTER_KEY, running

from local.users import PATIENCE_S, Folder, finish, line, start
from reflect_sdk import LocalModeError, ReflectClient


def test_a_client_brings_its_own_server_and_the_lessons_stay(folder: Folder) -> None:
    with folder.client() as client:
        client.create_memory(task="Ship the parcel", result="pass", guidance="Weigh it first.")
        first = folder.owner()
        assert client.base_url.startswith("http://127.0.0.1:")
    folder.wait_until_unused()
    with folder.client() as client:
        assert [memory.guidance for memory in client.query_memories("Ship the parcel")] == ["Weigh it first."]
        assert folder.owner() != first


async def test_the_same_from_an_event_loop(folder: Folder) -> None:
    async with folder.client() as client:
        await client.create_memory_async(task="Ship the parcel", result="pass", guidance="Weigh it first.")
        assert len(await client.query_memories_async("Ship the parcel")) == 1


def test_clients_and_processes_share_a_server(folder: Folder) -> None:
    with folder.client() as client, client.for_project("other") as other:
        client.health()
        other.create_trace(task="Count", trajectory="3")
        printed = finish(
            start(folder, "client.project_id = 'other'; print(client.list_traces(limit=9)[0].task, client.base_url)")
        )
        assert printed == f"Count {client.base_url}\n"
        assert other.base_url == client.base_url
        assert folder.servers() == [folder.owner()]


@pytest.mark.parametrize("api_key", [None, "rf_live_any_key"])
def test_a_variable_is_enough_and_any_key_will_do(
    folder: Folder, api_key: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFLECT_LOCAL", str(folder.path))
    monkeypatch.setenv("REFLECT_MASTER_KEY", "a-key-of-some-other-server")
    with ReflectClient(base_url="http://localhost:8000", api_key=api_key) as client, ReflectClient.from_env() as other:
        assert client.list_projects() == other.list_projects() == []
        assert repr(client) == f"ReflectClient.local('{folder.path}', project_id='default')"
    assert ReflectClient(base_url="http://elsewhere:8000").base_url == "http://elsewhere:8000"
    assert "elsewhere" in repr(ReflectClient(base_url="http://elsewhere:8000"))


def test_proxies_are_for_others(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    with folder.client() as client:
        client.health()


def test_a_folder_may_lie_deep(folder: Folder) -> None:
    folder.path = folder.path / ("deep/" * 40)
    with folder.client() as client:
        client.health()


@pytest.mark.parametrize("settings", [{}, {"REFLECT_MASTER_KEY": MASTER_KEY}])
def test_a_server_that_somebody_runs_is_joined(
    binary: Path, tmp_path: Path, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFLECT_BINARY", str(binary))
    with running(binary, tmp_path, settings) as process:
        if settings:
            with pytest.raises(LocalModeError, match="has a master key of its own; pass it"):
                ReflectClient.local(process.data).list_projects()
        with ReflectClient.local(process.data, api_key=MASTER_KEY) as client:
            assert client.list_projects() == []
            assert client.base_url == process.url
        assert process.is_running


async def test_a_killed_server_is_started_again(folder: Folder) -> None:
    with folder.client() as client:
        stored = client.create_trace(task="Count", trajectory="3")
        os.kill(folder.owner(), signal.SIGKILL)
        folder.wait_until_unused()
        assert client.get_trace(stored.id).task == "Count"
        os.kill(folder.owner(), signal.SIGKILL)
        folder.wait_until_unused()
        assert (await client.get_trace_async(stored.id)).task == "Count"
        await client.close_async()


def test_a_request_under_way_survives_the_death_of_the_server(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The review waits for a lesson that never comes; meanwhile the server dies, and the next one has the review."""
    monkeypatch.setenv("REFLECT_FAULT_REFLECTOR", "hang")
    monkeypatch.setenv("REFLECT_REVIEW_DEADLINE", "3")
    reviewer = start(
        folder,
        """
        trace = client.create_trace(task="Count", trajectory="3")
        print(trace.id, flush=True)
        print(client.review_trace(trace.id, result="fail").review.result)
        """,
    )
    trace_id = line(reviewer)
    with folder.client() as client:
        while client.get_trace(trace_id).ingest_status != "processing":
            pass
        os.kill(folder.owner(), signal.SIGKILL)
        assert finish(reviewer) == "fail\n"


def test_ctrl_c_ends_the_user_and_not_the_server(folder: Folder) -> None:
    # Whoever is started in the background ignores it, unless it says otherwise.
    heed = "signal.signal(signal.SIGINT, signal.default_int_handler)"
    user = start(folder, f"{heed}; client.health(); print('ready', flush=True); signal.pause()")
    assert line(user) == "ready"
    with folder.client() as client:
        client.health()
        server = folder.owner()
        os.killpg(user.pid, signal.SIGINT)
        user.communicate(timeout=PATIENCE_S)
        os.kill(server, 0)
        client.health()
        assert folder.owner() == server


def test_a_server_that_does_not_start_says_why(folder: Folder, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(LocalModeError, match="does not start: making the folder"):
        ReflectClient.local(file / "data").health()


def test_where_there_is_no_binary_everything_else_works(
    client: ReflectClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFLECT_BINARY", str(tmp_path / "nothing"))
    with pytest.raises(LocalModeError, match="which is not a program that can be run"):
        ReflectClient.local(tmp_path)
    monkeypatch.delenv("REFLECT_BINARY")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LocalModeError, match=r"this installation of reflect-memory has none.*ReflectClient\(base_url="):
        ReflectClient.local(tmp_path)
    assert client.health()["status"] == "ok"
