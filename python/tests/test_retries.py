"""Calls are tried again where that is safe and may help, with the same name; nothing else is."""

import time

import httpx
import pytest

from reflect_sdk import ReflectClient, RefusedError, TimedOutError, UnreachableError
from scripted_server import Answer, refused, scripted

STORED = Answer(200, {"trace_id": "t1", "ingest_status": "completed"})
BROKEN = Answer(None)
SOON = httpx.Timeout(30.0, read=0.1)
TRACE = {"task": "t", "trajectory": "said"}


def client_of(server, **settings) -> ReflectClient:
    return ReflectClient(base_url=server.url, api_key="key", **{"retry_pause": 0.01, **settings})


def test_a_named_write_is_repeated_under_the_same_name():
    with (
        scripted(BROKEN, Answer(502, "proxy"), refused(503, "backlogged"), STORED) as server,
        client_of(server) as client,
    ):
        assert client.create_trace(**TRACE).id == "t1"
    names = {request.headers["idempotency-key"] for request in server.requests}
    assert (len(server.requests), len(names)) == (4, 1)


async def test_a_named_write_is_repeated_asynchronously():
    with scripted(BROKEN, refused(503, "backlogged"), STORED) as server:
        async with client_of(server) as client:
            assert (await client.create_trace_async(**TRACE)).id == "t1"
    assert len({request.headers["idempotency-key"] for request in server.requests}) == 1


def test_two_writes_have_two_names_and_a_callers_name_is_kept():
    with scripted(STORED) as server, client_of(server) as client:
        client.create_trace(**TRACE)
        client.create_trace(**TRACE)
        client.create_trace(**TRACE, idempotency_key="mine")
    names = [request.headers["idempotency-key"] for request in server.requests]
    assert len(set(names)) == 3
    assert names[2] == "mine"


def test_a_query_has_one_name_for_all_tries_and_a_callers_name_is_kept():
    with scripted(BROKEN, Answer(200, [])) as server, client_of(server) as client:
        client.query_memories("t")
        client.query_memories("t")
        client.query_memories("t", idempotency_key="mine")
        client.augment_with_memories("t", idempotency_key="mine")
        with client.trace("t", idempotency_key="mine"):
            pass
    first, again, other, *mine = [request.headers["idempotency-key"] for request in server.requests]
    assert first == again != other
    assert mine == ["mine"] * 3


async def test_a_query_has_one_name_for_all_tries_asynchronously():
    with scripted(BROKEN, Answer(200, [])) as server:
        async with client_of(server) as client:
            await client.query_memories_async("t", idempotency_key="mine")
            async with client.trace_async("t", idempotency_key="mine"):
                pass
    assert [request.headers["idempotency-key"] for request in server.requests] == ["mine"] * 3


BOOTSTRAPPED = Answer(200, {"user_id": "ada", "project_id": "p", "api_key": "rf_live_k"})


def bootstrap(server):
    return ReflectClient.bootstrap(base_url=server.url, bootstrap_token="t", user_id="ada", project_id="p")


@pytest.mark.parametrize("failure", [BROKEN, Answer(500, "?"), refused(500, "internal")])
def test_what_would_be_done_twice_is_not_repeated_once_it_may_have_been_done(failure):
    with scripted(failure) as server, pytest.raises((RefusedError, UnreachableError)):
        bootstrap(server)
    assert len(server.requests) == 1


def test_what_would_be_done_twice_is_repeated_when_the_server_turned_it_away():
    with scripted(refused(503, "backlogged"), BOOTSTRAPPED) as server:
        assert bootstrap(server).api_key == "rf_live_k"


def test_a_refusal_after_being_turned_away_is_not_taken_for_success():
    answers = refused(503, "backlogged"), refused(404, "not_found")
    with scripted(*answers) as server, client_of(server) as client, pytest.raises(RefusedError, match="not_found"):
        client.delete_memory("m1")
    assert len(server.requests) == 2


def test_a_refusal_that_will_not_pass_is_not_repeated():
    with scripted(refused(404, "not_found")) as server, client_of(server) as client, pytest.raises(RefusedError):
        client.get_trace("t1")
    assert len(server.requests) == 1


def test_the_retries_come_to_an_end():
    with scripted(refused(503, "backlogged")) as server, client_of(server, retries=2) as client:
        with pytest.raises(RefusedError) as raised:
            client.list_projects()
    assert (raised.value.code, len(server.requests)) == ("backlogged", 3)


def test_the_server_says_when_to_come_back():
    answers = refused(429, "too_many_failures", Retry_After="1"), Answer(200, [])
    with scripted(*answers) as server, client_of(server) as client:
        before = time.monotonic()
        assert client.list_projects() == []
        assert time.monotonic() - before >= 1
        assert len(server.requests) == 2


def test_a_server_that_wants_to_be_left_alone_for_long_is_an_error_at_once():
    with scripted(refused(503, "unavailable", Retry_After="3600")) as server, client_of(server) as client:
        with pytest.raises(RefusedError) as raised:
            client.list_projects()
    assert (raised.value.retry_after, len(server.requests)) == (3600, 1)


def test_an_answer_that_never_comes_times_out():
    with scripted(Answer(hang=True)) as server, client_of(server, timeout=SOON, retries=0) as client:
        with pytest.raises(TimedOutError, match=r"did not answer within 0\.1 s") as raised:
            client.list_projects()
    assert isinstance(raised.value, httpx.TimeoutException)


async def test_an_answer_that_never_comes_times_out_asynchronously():
    with scripted(Answer(hang=True)) as server:
        async with client_of(server, timeout=SOON, retries=0) as client:
            with pytest.raises(TimedOutError):
                await client.list_projects_async()


def test_waiting_outlasts_a_server_that_is_away_for_a_while():
    trace = {"id": "t1", "task": "t", "review_status": "reviewed", "ingest_status": "completed"}
    with scripted(BROKEN, refused(404, "not_found"), refused(503, "unavailable"), Answer(200, trace)) as server:
        with client_of(server) as client:
            assert client.wait_for_trace("t1", require_reviewed=True, poll_interval=0.01).id == "t1"


def test_a_look_that_hangs_is_given_up_at_the_deadline():
    with scripted(Answer(hang=True)) as server, client_of(server) as client:
        before = time.monotonic()
        with pytest.raises(TimeoutError, match=r"not ready after 0\.3 s"):
            client.wait_for_trace("t1", wait_timeout=0.3)
        assert time.monotonic() - before < 5


def test_calls_share_a_connection():
    with scripted(Answer(200, [])) as server, client_of(server) as client:
        for _ in range(5):
            client.list_projects()
    assert len({request.connection for request in server.requests}) == 1
