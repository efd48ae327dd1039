"""Every call that writes, on a real server whose answer is lost once: it is repeated, done once, and answered as if nothing had been.

The server remembers the `Idempotency-Key` of traces, reviews and new keys. The other calls carry one as well and do not need it: a
second time changes nothing, or is refused with a code that says so. A new skill and a bootstrapped project are neither, so they are not
repeated.
"""

import io
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest
from recording_proxy import Forward, RecordingProxy
from reflect_process import BOOTSTRAP_TOKEN, MASTER_KEY

from agent_runs import author, conversation, learn
from reflect_sdk import IngestFailedError, ReflectClient, RefusedError, UnreachableError


class LoseOneAnswer(Forward):
    """Passes the first request on and its answer not."""

    def forward(self) -> None:
        if len(self.server.requests) == 0:
            self.wfile = io.BytesIO()
        super().forward()

    do_GET = do_POST = do_PATCH = do_DELETE = forward  # noqa: N815 - the names that the base class calls


@contextmanager
def losing_one_answer(server_url: str) -> Iterator[RecordingProxy]:
    with RecordingProxy(server_url) as proxy:
        proxy.RequestHandlerClass = LoseOneAnswer
        thread = threading.Thread(target=proxy.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield proxy
        finally:
            proxy.shutdown()
            thread.join()


@dataclass
class Write:
    """A call that writes."""

    method: str
    arguments: Callable[[ReflectClient], dict[str, Any]]
    """What it is called with, after what it needs is there."""
    says: Callable[[Any], object]
    """What is held against `expected`, of its answer."""
    expected: object
    left: Callable[[ReflectClient], object]
    """What is held against `expected_left`, of what it left behind."""
    expected_left: object
    repeats_under_another_path: bool = False
    """Whether the answer is asked for by a GET in the end."""


RUN = {"task": "sort a list", "trajectory": conversation("sort a list", "sorted")}


def pending(client: ReflectClient) -> dict[str, Any]:
    return {"trace_id": client.create_trace(**RUN).id}


def memory(client: ReflectClient) -> dict[str, Any]:
    return {"memory_id": author(client, "sort a list")}


def only_memory(client: ReflectClient) -> Any:
    [memory] = client.list_memories()
    return memory


def key(client: ReflectClient) -> dict[str, Any]:
    return {"key_id": client.create_api_key(label="one", scopes=["trace:read"]).key.id}


def key_states(client: ReflectClient) -> list[str]:
    return [key.status for key in client.list_api_keys() if not key.is_master]


def stored(client: ReflectClient) -> int:
    return len(client.list_traces())


WRITES = [
    Write("create_trace", lambda _: RUN, lambda made: made.ingest_status, "completed", stored, 1),
    Write(
        "create_memory",
        lambda _: {"task": "sort", "result": "pass", "guidance": "g"},
        lambda made: made.ingest_status,
        "completed",
        lambda client: len(client.list_memories()),
        1,
    ),
    Write(
        "review_trace",
        lambda client: {**pending(client), "result": "pass"},
        lambda trace: trace.review.result,
        "pass",
        lambda client: len(client.list_traces(result="pass")),
        1,
    ),
    Write(
        "review_traces",
        lambda client: {"reviews": [{**pending(client), "result": "pass"}]},
        lambda outcomes: [outcome.status for outcome in outcomes],
        ["accepted"],
        lambda client: len(client.list_traces(result="pass")),
        1,
    ),
    Write(
        "take_back_review",
        lambda client: {"trace_id": learn(client, "sort a list").id},
        lambda trace: (trace.review, trace.review_status),
        (None, "pending"),
        lambda client: len(client.list_memories()),
        0,
        repeats_under_another_path=True,
    ),
    Write(
        "delete_traces",
        lambda client: {"trace_ids": list(pending(client).values())},
        # What the first try erased is not there to be counted by the second.
        lambda deleted: deleted.deleted,
        0,
        stored,
        0,
    ),
    Write(
        "edit_memory",
        lambda client: {**memory(client), "guidance": "new"},
        lambda memory: memory.guidance,
        "new",
        lambda client: only_memory(client).revision,
        2,
    ),
    Write(
        "disable_memory",
        memory,
        lambda memory: memory.status,
        "disabled",
        lambda client: only_memory(client).status,
        "disabled",
    ),
    Write("delete_memory", memory, lambda nothing: nothing, None, lambda client: len(client.list_memories()), 0),
    Write(
        "create_api_key",
        lambda _: {"label": "one", "scopes": ["trace:read"]},
        lambda made: made.key.label,
        "one",
        key_states,
        ["active"],
    ),
    Write("revoke_api_key", key, lambda key: key.status, "revoked", key_states, ["revoked"]),
    Write(
        "update_settings",
        lambda _: {"alpha": 0.1},
        lambda settings: settings.alpha,
        0.1,
        lambda client: client.get_settings().alpha,
        0.1,
    ),
    Write(
        "delete_project",
        lambda client: pending(client) and {},
        lambda deleted: (bool(deleted.project_id), deleted.traces),
        (True, 0),
        stored,
        0,
    ),
]


@pytest.mark.parametrize("write", WRITES, ids=[write.method for write in WRITES])
def test_a_write_whose_answer_is_lost_is_done_once(server, client, write: Write) -> None:
    arguments = write.arguments(client)
    with losing_one_answer(server.url) as proxy:
        through = ReflectClient(base_url=proxy.url, api_key=MASTER_KEY, project_id=client.project_id, retry_pause=0.01)
        answer = getattr(through, write.method)(**arguments)
        through.close()
    first, second, *rest = proxy.requests
    assert first == second
    assert first.headers["idempotency-key"] == second.headers["idempotency-key"]
    assert [request.method for request in rest] == (["GET"] if write.repeats_under_another_path else [])
    assert write.says(answer) == write.expected
    assert write.left(client) == write.expected_left


def test_a_failed_trace_is_worked_again_once(failing_server, failing_client) -> None:
    submission = failing_client.create_trace(**RUN, review_result="pass")
    with pytest.raises(IngestFailedError):
        failing_client.wait_for_trace(submission.id, require_reviewed=True)
    with losing_one_answer(failing_server.url) as proxy:
        through = ReflectClient(
            base_url=proxy.url, api_key=MASTER_KEY, project_id=failing_client.project_id, retry_pause=0.01
        )
        assert through.retry_trace(submission.id).id == submission.id
        through.close()


@pytest.mark.parametrize("method", ["delete_memory", "take_back_review", "retry_trace"])
def test_a_refusal_is_a_refusal_where_no_answer_was_lost(client, method: str) -> None:
    missing = author(client, "sort a list") if method == "retry_trace" else "00000000-0000-0000-0000-000000000000"
    with pytest.raises(RefusedError):
        getattr(client, method)(missing)


def test_a_skill_is_written_once(server, client) -> None:
    for number in range(5):
        author(client, f"sort list {number}")
    with losing_one_answer(server.url) as proxy:
        through = ReflectClient(base_url=proxy.url, api_key=MASTER_KEY, project_id=client.project_id, retry_pause=0.01)
        assert through.create_skill().version == 1
        through.close()
    assert len(proxy.requests) == 2
    assert len(client.list_skill_versions()) == 1


def test_what_the_server_would_do_twice_is_not_repeated(server, client) -> None:
    with losing_one_answer(server.url) as proxy, pytest.raises(UnreachableError):
        ReflectClient.bootstrap(
            base_url=proxy.url,
            bootstrap_token=BOOTSTRAP_TOKEN,
            user_id="ada",
            project_id=f"{client.project_id}-bootstrapped",
        )
    assert len(proxy.requests) == 1
