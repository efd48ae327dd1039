"""Traces and reviews on a real server, beyond what the published client knows."""

from datetime import datetime, timedelta, timezone

import pytest

from agent_runs import POLL_S, author, conversation, learn
from reflect_sdk import AuthoredReflection, RefusedError, TraceReview, WrittenBy

TASK = "count the unpaid orders"


def stored(client, task: str = TASK, **more) -> str:
    return client.create_trace(task=task, trajectory=conversation(task, "412"), **more).id


def test_a_review_can_be_corrected_and_taken_back(client):
    client.update_settings(learning="constant")
    shown = author(client, TASK)
    trace_id = stored(client, retrieved_memory_ids=[shown])
    client.review_trace(trace_id, result="pass", alpha=0.5)
    with pytest.raises(RefusedError, match="supersedes"):
        client.review_trace(trace_id, result="fail")
    corrected = client.review_trace(trace_id, result="fail", alpha=0.5, supersedes=True)
    assert corrected.review is not None
    assert (corrected.review.result, corrected.review.source) == ("fail", "api")
    assert client.get_memory(shown).q_value == 0.25
    assert client.take_back_review(trace_id).review is None
    assert client.get_memory(shown).q_value == 0.5


def test_a_review_says_how_well_a_run_went(client):
    shown = author(client, TASK)
    trace_id = stored(client, retrieved_memory_ids=[shown])
    reviewed = client.review_trace(trace_id, result="fail", score=0.75, alpha=0.2)
    assert reviewed.review is not None
    assert (reviewed.review.result, reviewed.review.score) == ("fail", 0.75)
    stored(client, retrieved_memory_ids=[shown], review_result="pass", score=0.5)
    assert [credit.reward for credit in client.get_memory(shown).credits] == [0.5, 0.75]


async def test_a_review_can_be_corrected_and_taken_back_asynchronously(client):
    trace_id = stored(client)
    await client.review_trace_async(trace_id, result=True)
    corrected = await client.review_trace_async(trace_id, result=False, supersedes=True)
    assert corrected.review is not None
    assert corrected.review.result == "fail"
    assert (await client.take_back_review_async(trace_id)).review_status == "pending"


def test_a_review_can_bring_its_lesson_along(client):
    lesson = AuthoredReflection(guidance="Filter on the status.", written_by=WrittenBy("mine", model="m"))
    trace = client.review_trace(stored(client), result="fail", reflection=lesson)
    memory = client.get_memory(trace.created_memory_id)
    assert memory.guidance == "Filter on the status."
    assert memory.written_by is not None
    assert (memory.written_by.reflector, memory.written_by.model) == ("client:mine", "m")
    again = client.review_trace(stored(client), result="pass", reflection={"guidance": "As a dict."})
    assert client.get_memory(again.created_memory_id).guidance == "As a dict."


def test_many_are_reviewed_at_once_and_each_has_its_own_answer(client):
    first, second = stored(client), stored(client)
    reviews = [TraceReview(first, "success"), {"trace_id": second, "result": False, "feedback_text": "Wrong."}]
    outcomes = client.review_traces([*reviews, {"trace_id": "nobody", "result": "pass"}])
    assert [outcome.status for outcome in outcomes] == ["accepted", "accepted", "refused"]
    assert outcomes[2].error is not None
    assert outcomes[2].error.code == "not_found"
    traces = client.wait_for_traces([first, second], poll_interval=POLL_S)
    assert [(trace.id, trace.review.result) for trace in traces] == [(first, "pass"), (second, "fail")]
    assert [outcome.status for outcome in client.review_traces(reviews)] == ["repeated", "repeated"]


async def test_waiting_for_many_ends_when_the_time_of_all_is_over(client):
    assert await client.wait_for_traces_async([]) == []
    with pytest.raises(TimeoutError):
        await client.wait_for_traces_async([stored(client), stored(client)], poll_interval=POLL_S, wait_timeout=0.3)


async def test_more_than_one_request_takes_are_reviewed(client):
    trace_id = stored(client)
    unknown = [{"trace_id": f"nobody-{number}", "result": "pass"} for number in range(500)]
    outcomes = await client.review_traces_async([*unknown, TraceReview(trace_id, "pass")], idempotency_key="all")
    assert [outcome.trace_id for outcome in outcomes[499:]] == ["nobody-499", trace_id]
    assert outcomes[500].status == "accepted"
    assert await client.review_traces_async([]) == []


def test_a_trace_that_did_not_fail_is_not_retried(client):
    with pytest.raises(RefusedError) as raised:
        client.retry_trace(stored(client))
    assert raised.value.code == "not_failed"


async def test_a_failed_trace_is_retried(failing_client):
    submission = failing_client.create_trace(task=TASK, trajectory="said", review_result="pass")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="fault injected") as raised:
            failing_client.wait_for_trace(submission.id, require_reviewed=True, poll_interval=POLL_S)
        assert raised.value.trace_id == submission.id
        assert (await failing_client.retry_trace_async(submission.id)).ingest_status in (
            "queued",
            "processing",
            "failed",
        )


async def test_traces_are_deleted_with_or_without_what_they_taught(client):
    kept, gone = learn(client, TASK), learn(client, "another")
    assert client.delete_traces([kept.id, "nobody"]).trace_ids == [kept.id]
    assert (await client.delete_traces_async([gone.id], cascade=True)).deleted == 1
    assert [memory.id for memory in client.list_memories()] == [kept.created_memory_id]


def test_traces_are_found_by_everything_the_server_filters_by(client):
    passed = learn(client, TASK, model="gpt-5.4-mini", metadata={"try": 2, "tags": ["sql", "slow"], "live": True})
    failed = learn(client, "list the customers", result="fail", feedback_text="Missed the WHERE clause")
    pending = stored(client, "pending one")
    hour = timedelta(hours=1)
    now = datetime.now(timezone.utc)
    found = {
        passed.id: [
            {"result": "success"},
            {"model": "gpt-5.4-mini"},
            {"metadata": {"try": 2}},
            {"metadata": {"tags": "slow", "live": True}},
            {"text": "ORDERS unpaid"},
        ],
        failed.id: [{"result": False}, {"text": "where clause", "review_status": "reviewed"}],
        pending: [{"review_status": "pending", "ingest_status": "completed", "since": now - hour, "until": now + hour}],
    }
    for trace_id, filters in found.items():
        for one in filters:
            assert [trace.id for trace in client.list_traces(**one)] == [trace_id], one
    assert client.list_traces(since=datetime.now() + hour) == []
    [summary, *_] = client.list_traces(summary=True)
    assert (summary.id, summary.trajectory, summary.final_response) == (pending, [], "412")


async def test_traces_are_listed_whole_and_page_by_page(client):
    newest_first = [stored(client, f"number {number}") for number in range(5)][::-1]
    assert [trace.id for trace in client.list_traces()] == newest_first
    assert [trace.id for trace in client.list_traces(limit=3)] == newest_first[:3]
    assert [trace.id for trace in client.iter_traces(page_size=2)] == newest_first
    assert [trace.id async for trace in client.iter_traces_async(page_size=2)] == newest_first
    assert [trace.id for trace in await client.list_traces_async(limit=1, text="number 3")] == newest_first[1:2]


def test_an_iterator_reads_no_page_before_it_is_reached(client):
    newest_first = [stored(client, f"number {number}") for number in range(4)][::-1]
    traces = client.iter_traces(page_size=2)
    assert [next(traces).id, next(traces).id] == newest_first[:2]
    client.delete_traces(newest_first[2:])
    assert list(traces) == []


def test_a_lone_surrogate_and_big_numbers_come_back_as_they_went(client):
    messages = [{"role": "user", "content": "\ud800 ü", "n": 2**80, "x": 0.1}]
    trace = client.get_trace(client.create_trace(task="odd", trajectory=messages).id)
    assert trace.trajectory == messages


def test_the_same_request_by_name_is_stored_once(client):
    first = stored(client, idempotency_key="run-1")
    assert stored(client, idempotency_key="run-1") == first
    with pytest.raises(RefusedError) as raised:
        stored(client, "another", idempotency_key="run-1")
    assert raised.value.code == "idempotency_key_reused"
