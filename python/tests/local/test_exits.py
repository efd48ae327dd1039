"""However a process ends, its lease ends with it: no server is left, and nothing is said about it."""

from __future__ import annotations

import os
import signal

import pytest

from local.users import Folder, eventually, finish, line, start


def test_a_fork_in_the_middle_of_a_request_disturbs_neither(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFLECT_FAULT_REFLECTOR", "hang")
    monkeypatch.setenv("REFLECT_REVIEW_DEADLINE", "2")
    printed = finish(
        start(
            folder,
            """
            trace = client.create_trace(task="Count", trajectory="3")
            reviewed = []
            review = threading.Thread(target=lambda: reviewed.append(client.review_trace(trace.id, result="fail")))
            review.start()
            while client.get_trace(trace.id).ingest_status != "processing":
                pass
            children = []
            for _ in range(4):
                child = os.fork()
                if child == 0:
                    mine = client.create_trace(task="Mine", trajectory="3")
                    os._exit(0 if client.get_trace(mine.id).task == "Mine" else 1)
                children.append(child)
            print([os.waitpid(child, 0)[1] for child in children])
            review.join()
            print(reviewed[0].review.result, len(client.list_traces(limit=9)))
            """,
            "-Wignore::DeprecationWarning",  # of forks beside threads, which is what this is about
        )
    )
    assert printed == "[0, 0, 0, 0]\nfail 5\n"


def test_a_child_that_outlives_its_parent_does_not_keep_the_server(folder: Folder) -> None:
    """It was forked with the lease open, and never uses Reflect."""
    parent = start(
        folder,
        """
        client.health()
        if os.fork() == 0:
            sys.stdin.read()
            os._exit(0)
        print("ready", flush=True)
        os._exit(0)
        """,
    )
    assert line(parent) == "ready"
    parent.wait()
    folder.wait_until_unused()
    parent.communicate()


def test_a_killed_user_leaves_no_server(folder: Folder) -> None:
    user = start(folder, "client.health(); print('ready', flush=True); signal.pause()")
    assert line(user) == "ready"
    os.kill(user.pid, signal.SIGKILL)
    user.communicate()
    folder.wait_until_unused()


IN_FLIGHT = {
    "thread": """
        threading.Thread(target=client.review_trace, args=(trace.id,), kwargs={"result": "fail"}, daemon=True).start()
        while client.get_trace(trace.id).ingest_status != "processing":
            pass
        print("leaving")
        """,
    "task": """
        async def main():
            task = asyncio.create_task(client.review_trace_async(trace.id, result="fail"))
            while (await client.get_trace_async(trace.id)).ingest_status != "processing":
                pass
            print("leaving")
        asyncio.run(main())
        """,
}


@pytest.mark.parametrize("how", IN_FLIGHT)
def test_an_exit_with_a_call_in_flight_is_quiet(folder: Folder, how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFLECT_FAULT_REFLECTOR", "hang")
    program = "\ntrace = client.create_trace(task='Count', trajectory='3')\n"
    user = start(folder, program + "\n".join(text.removeprefix(" " * 8) for text in IN_FLIGHT[how].splitlines()))
    assert finish(user) == "leaving\n"


def test_nothing_is_warned_about(folder: Folder) -> None:
    """Neither the lease nor the server, where Python is asked to complain about what nobody closed."""
    finish(start(folder, "client.health(); client._runner.pool.close()", "-Xdev", "-Werror"))


def test_a_lease_goes_with_its_client(folder: Folder) -> None:
    client = folder.client()
    client.health()
    del client
    folder.wait_until_unused()


def test_the_dead_are_buried(folder: Folder) -> None:
    """A server is its starter's child: once killed it would stay in the list of processes for as long as its starter lives."""
    with folder.client() as client:
        client.health()
        first = folder.owner()
        os.kill(first, signal.SIGKILL)
        eventually(lambda: (client.health() and folder.owner() != first) or None, "another server is there")
        with pytest.raises(ProcessLookupError):
            os.kill(first, 0)
