"""The published client: traces and their reviews, and waiting for both."""

import json
import time
import uuid

import httpx
import pytest
from reflect_sdk import ReflectClient, Review, Trace, TraceSubmission

from reflect_process import MASTER_KEY
from runs import AFTER_ONE_PASS, POLL_S, client_of, code_of, conversation, learn, memory_by_id, refused, utility

MESSAGES = [
    {"role": "system", "content": "You look after orders.", "cache_control": {"type": "ephemeral"}},
    {"role": "user", "content": [{"type": "text", "text": "Where is order 7?"}]},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": '{"order_id": 7}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "name": "get_order", "content": "shipped ✓"},
    {"role": "assistant", "content": [{"type": "text", "text": "It was "}, {"type": "text", "text": "shipped."}]},
]


@pytest.mark.postgres
def test_an_unreviewed_trace_is_stored_whole_and_pending(client):
    submission = client.create_trace(
        task="Where is order 7?",
        trajectory=MESSAGES,
        final_response="shipped, I think",
        retrieved_memory_ids=["mem-abc", str(uuid.uuid4())],
        model="gpt-5.4-mini",
        metadata={"source": "cli", "nested": {"deep": [1, 2.5, None, True, "ü"]}},
    )
    assert isinstance(submission, TraceSubmission)
    assert submission.ingest_status == "completed"

    trace = client.get_trace(submission.id)
    assert isinstance(trace, Trace)
    assert str(uuid.UUID(trace.id)) == submission.id
    assert trace.task == "Where is order 7?"
    assert trace.trajectory == MESSAGES
    assert trace.final_response == "shipped, I think"
    assert trace.model == "gpt-5.4-mini"
    assert trace.metadata == {"source": "cli", "nested": {"deep": [1, 2.5, None, True, "ü"]}}
    assert (trace.review_status, trace.ingest_status) == ("pending", "completed")
    assert (trace.review, trace.created_memory_id, trace.last_ingest_error) == (None, None, None)


def test_unknown_retrieved_memory_ids_are_kept_on_the_trace(client):
    unknown = ["mem-abc", str(uuid.uuid4()), "an id with spaces / and ümlauts"]
    trace = learn(client, "uses memories nobody knows", retrieved_memory_ids=unknown)
    assert trace.retrieved_memory_ids == unknown
    assert trace.review_status == "reviewed"


async def test_create_and_get_trace_async(client):
    submission = await client.create_trace_async(
        task="asked asynchronously", trajectory=MESSAGES, final_response="done", metadata={"n": 1}
    )
    trace = await client.get_trace_async(submission.id)
    assert (trace.task, trace.final_response, trace.metadata) == ("asked asynchronously", "done", {"n": 1})
    assert trace.trajectory == MESSAGES


@pytest.mark.parametrize(
    ("given", "stored", "final_response"),
    [
        pytest.param(MESSAGES, MESSAGES, "It was shipped.", id="a list of messages"),
        pytest.param(json.dumps(MESSAGES), MESSAGES, "It was shipped.", id="JSON text of a list"),
        pytest.param("All done.", [{"role": "assistant", "content": "All done."}], "All done.", id="plain text"),
        pytest.param("[not json", [{"role": "assistant", "content": "[not json"}], "[not json", id="almost JSON"),
        pytest.param([{"role": "user", "content": "hi?"}], [{"role": "user", "content": "hi?"}], "", id="no answer"),
        pytest.param([], [], "", id="nothing said"),
    ],
)
def test_a_trajectory_is_a_list_or_a_text(client, given, stored, final_response):
    trace = client.get_trace(client.create_trace(task="say something", trajectory=given).id)
    assert trace.trajectory == stored
    assert trace.final_response == final_response


@pytest.mark.postgres
def test_an_inline_review_is_queued_and_ends_reviewed(client):
    submission = client.create_trace(
        task="add 2 and 2", trajectory=conversation("2+2?", "4"), review_result="pass", feedback_text="well done"
    )
    assert submission.ingest_status == "queued"

    trace = client.wait_for_trace(submission.id, require_reviewed=True, poll_interval=POLL_S)
    assert (trace.review_status, trace.ingest_status) == ("reviewed", "completed")
    assert trace.ingest_attempts >= 1
    assert isinstance(trace.review, Review)
    assert (trace.review.trace_id, trace.review.result) == (trace.id, "pass")
    assert (trace.review.feedback_text, trace.review.mode) == ("well done", "inline")
    assert memory_by_id(client, trace.created_memory_id, "add 2 and 2").success is True


@pytest.mark.parametrize(
    ("said", "stored"), [("pass", "pass"), ("success", "pass"), ("fail", "fail"), ("failure", "fail")]
)
def test_inline_results_and_their_aliases(client, said, stored):
    trace = learn(client, "try it", result=said)
    assert trace.review.result == stored
    assert memory_by_id(client, trace.created_memory_id, "try it").success is (stored == "pass")


def test_create_trace_and_wait_without_a_review_returns_at_once(client):
    trace = client.create_trace_and_wait(task="not judged", trajectory=conversation("q", "a"))
    assert (trace.review_status, trace.created_memory_id) == ("pending", None)


@pytest.mark.postgres
async def test_create_trace_and_wait_async_returns_with_the_memory(client):
    trace = await client.create_trace_and_wait_async(
        task="wait for it",
        trajectory=conversation("q", "a"),
        review_result="fail",
        feedback_text="too slow",
        poll_interval=POLL_S,
    )
    assert (trace.review_status, trace.review.feedback_text) == ("reviewed", "too slow")
    assert [memory.id for memory in await client.query_memories_async("wait for it")] == [trace.created_memory_id]


def test_wait_for_trace_without_a_review_needs_only_the_trace(client):
    submission = client.create_trace(task="only stored", trajectory="said")
    assert client.wait_for_trace(submission.id).review_status == "pending"


async def test_wait_for_trace_async_sees_the_review(client):
    submission = await client.create_trace_async(task="async", trajectory="said", review_result="pass")
    trace = await client.wait_for_trace_async(submission.id, require_reviewed=True, poll_interval=POLL_S)
    assert trace.review_status == "reviewed"


@pytest.mark.postgres
def test_waiting_for_a_trace_whose_ingestion_failed_raises_its_reason(failing_server, project_id):
    client = client_of(failing_server, project_id)
    with pytest.raises(RuntimeError, match="fault injected"):
        learn(client, "cannot be reflected upon")

    [trace] = client.list_traces()
    assert (trace.ingest_status, trace.review_status) == ("failed", "pending")
    assert "fault injected" in trace.last_ingest_error
    assert trace.created_memory_id is None
    assert client.query_memories("cannot be reflected upon") == []


async def test_waiting_asynchronously_for_a_trace_whose_ingestion_failed_raises_its_reason(failing_server, project_id):
    client = client_of(failing_server, project_id)
    submission = await client.create_trace_async(task="cannot", trajectory="said", review_result="fail")
    with pytest.raises(RuntimeError, match="fault injected"):
        await client.wait_for_trace_async(submission.id, poll_interval=POLL_S, require_reviewed=True)


def test_waiting_too_long_raises_a_timeout(hanging_server, project_id):
    client = client_of(hanging_server, project_id)
    with pytest.raises(TimeoutError):
        learn(client, "never reflected upon", wait_timeout=0.5)
    [trace] = client.list_traces()
    assert trace.ingest_status in ("queued", "processing")
    assert trace.review_status == "pending"


async def test_waiting_too_long_asynchronously_raises_a_timeout(hanging_server, project_id):
    client = client_of(hanging_server, project_id)
    submission = await client.create_trace_async(task="never", trajectory="said", review_result="pass")
    with pytest.raises(TimeoutError):
        await client.wait_for_trace_async(
            submission.id, require_reviewed=True, poll_interval=POLL_S, wait_timeout=0.5
        )


def test_waiting_for_a_review_that_nobody_gave_raises_a_timeout(client):
    submission = client.create_trace(task="never judged", trajectory="said")
    with pytest.raises(TimeoutError):
        client.wait_for_trace(submission.id, require_reviewed=True, poll_interval=POLL_S, wait_timeout=0.2)


@pytest.mark.parametrize("unknown", [str(uuid.UUID(int=7)), "abc-123"])
def test_waiting_for_an_unknown_trace_polls_until_the_timeout(client, unknown):
    with pytest.raises(TimeoutError):
        client.wait_for_trace(unknown, poll_interval=POLL_S, wait_timeout=0.2)


def test_a_review_while_the_inline_one_is_queued_is_refused(hanging_server, project_id):
    client = client_of(hanging_server, project_id)
    submission = client.create_trace(task="busy", trajectory="said", review_result="pass")
    with refused(409) as raised:
        client.review_trace(submission.id, result="fail")
    assert code_of(raised) == "review_in_progress"


@pytest.mark.postgres
def test_utilities_move_when_the_review_is_accepted_not_when_its_lesson_is_written(hanging_server, project_id):
    client = client_of(hanging_server, project_id)
    memory_id = author_memory(client, "sort a list")
    client.create_trace(
        task="sort a list", trajectory="sorted", retrieved_memory_ids=[memory_id], review_result="pass"
    )
    assert utility(client, memory_id, "sort a list") == pytest.approx(AFTER_ONE_PASS)


def author_memory(client: ReflectClient, task: str) -> str:
    """A memory whose lesson comes with the review. The client has no method for it, and it needs no reflector."""
    body = {
        "task": task,
        "trajectory": [],
        "review": {"result": "pass", "reflection": {"summary": f"how to {task}", "guidance": "use the library"}},
    }
    response = httpx.post(
        f"{client.base_url}/v1/projects/{client.project_id}/traces",
        json=body,
        headers={"Authorization": f"Bearer {MASTER_KEY}"},
    )
    assert response.json()["ingest_status"] == "completed"
    return client.get_trace(response.json()["trace_id"]).created_memory_id


def test_a_deferred_pass_answers_with_the_memory_that_it_made(client):
    submission = client.create_trace(task="rename a file", trajectory=conversation("rename", "renamed"))
    trace = client.review_trace(submission.id, result="pass")
    assert (trace.id, trace.review_status, trace.ingest_status) == (submission.id, "reviewed", "completed")
    assert (trace.review.result, trace.review.mode, trace.review.feedback_text) == ("pass", "deferred", None)
    assert [memory.id for memory in client.query_memories("rename a file")] == [trace.created_memory_id]


def test_a_deferred_fail_puts_the_feedback_into_the_lesson(client):
    submission = client.create_trace(task="count the paid orders", trajectory=conversation("count", "120"))
    feedback = "Missed the WHERE clause, so it counted unpaid orders too"
    trace = client.review_trace(submission.id, result="fail", feedback_text=feedback)
    assert (trace.review.result, trace.review.feedback_text) == ("fail", feedback)

    memory = memory_by_id(client, trace.created_memory_id, "count the paid orders")
    assert memory.success is False
    assert "WHERE clause" in memory.reflection


@pytest.mark.parametrize(("said", "stored"), [("success", "pass"), ("failure", "fail")])
def test_deferred_results_have_aliases(client, said, stored):
    submission = client.create_trace(task="alias", trajectory="said")
    assert client.review_trace(submission.id, result=said).review.result == stored


@pytest.mark.postgres
def test_the_same_review_again_answers_the_same_and_changes_nothing(client):
    shown = learn(client, "shown to the run").created_memory_id
    submission = client.create_trace(task="reviewed twice", trajectory="said", retrieved_memory_ids=[shown])
    first = client.review_trace(submission.id, result="pass", feedback_text="good")
    second = client.review_trace(submission.id, result="pass", feedback_text="good")
    assert second == first
    assert utility(client, shown, "shown to the run") == pytest.approx(AFTER_ONE_PASS)
    assert len(client.query_memories("reviewed twice", limit=100)) == 2


@pytest.mark.parametrize(
    "other", [{"result": "fail", "feedback_text": "good"}, {"result": "pass", "feedback_text": "better"}]
)
def test_a_different_second_review_is_refused_and_changes_nothing(client, other):
    shown = learn(client, "shown to the run").created_memory_id
    submission = client.create_trace(task="reviewed twice", trajectory="said", retrieved_memory_ids=[shown])
    first = client.review_trace(submission.id, result="pass", feedback_text="good")
    with refused(409) as raised:
        client.review_trace(submission.id, **other)
    assert code_of(raised) == "already_reviewed"
    assert client.get_trace(submission.id) == first
    assert utility(client, shown, "shown to the run") == pytest.approx(AFTER_ONE_PASS)


def test_the_same_review_after_an_inline_one_answers_the_same_trace(client):
    trace = learn(client, "inline first", feedback_text="good")
    assert client.review_trace(trace.id, result="pass", feedback_text="good") == trace


def test_reviewing_an_unknown_trace_is_refused(client):
    with refused(404):
        client.review_trace(str(uuid.uuid4()), result="pass")


def test_an_unknown_result_is_refused_and_the_trace_stays_pending(client):
    submission = client.create_trace(task="judged oddly", trajectory="said")
    with refused(422):
        client.review_trace(submission.id, result="maybe")
    assert client.get_trace(submission.id).review is None


@pytest.mark.postgres
def test_traces_are_listed_newest_first_and_by_review_status(client):
    first = client.create_trace(task="first", trajectory="said").id
    second = learn(client, "second").id
    third = client.create_trace(task="third", trajectory=MESSAGES).id
    assert [trace.id for trace in client.list_traces()] == [third, second, first]
    assert [trace.id for trace in client.list_traces(review_status="pending")] == [third, first]
    assert [trace.id for trace in client.list_traces(review_status="reviewed")] == [second]
    assert client.list_traces()[0].trajectory == MESSAGES
    assert client.list_traces()[1] == client.get_trace(second)


def test_a_project_without_traces_lists_none(client):
    assert client.list_traces() == []
    assert client.list_traces(review_status="reviewed") == []


def test_an_unknown_review_status_is_refused(client):
    with refused(422):
        client.list_traces(review_status="perhaps")


def test_an_unknown_trace_is_not_found(client):
    with refused(404):
        client.get_trace(str(uuid.uuid4()))


async def test_an_unknown_trace_is_not_found_asynchronously(client):
    with refused(404):
        await client.get_trace_async(str(uuid.uuid4()))


def test_a_deferred_review_answers_long_before_the_client_gives_up(client):
    submission = client.create_trace(task="quickly now", trajectory="said")
    before = time.monotonic()
    client.review_trace(submission.id, result="pass")
    assert time.monotonic() - before < 10
