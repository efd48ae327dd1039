"""The published client: the context manager, sync and async."""

import pytest
from reflect_sdk import TraceContext

from runs import AFTER_ONE_FAIL, AFTER_ONE_PASS, POLL_S, conversation, learn, utility

TASK = "answer the billing question"


class AgentCrashed(Exception):
    pass


def test_a_blocking_context_leaves_a_memory_for_the_very_next_query(client):
    with client.trace(TASK, blocking=True) as ctx:
        assert isinstance(ctx, TraceContext)
        assert (ctx.task, ctx.augmented_task, ctx.memories, ctx.memory_ids) == (TASK, TASK, [], [])
        ctx.set_output(
            trajectory=conversation(TASK, "42 euros"), result="pass", model="gpt-5.4-mini", metadata={"run": 1}
        )
        assert ctx.trace_id is None

    [memory] = client.query_memories(TASK)
    trace = client.get_trace(ctx.trace_id)
    assert trace.created_memory_id == memory.id
    assert (trace.task, trace.final_response, trace.model, trace.metadata) == (
        TASK,
        "42 euros",
        "gpt-5.4-mini",
        {"run": 1},
    )


def test_the_context_credits_the_memories_that_it_showed(client):
    shown = learn(client, TASK).created_memory_id
    with client.trace(TASK, limit=1, lambda_=0.2, blocking=True) as ctx:
        assert ctx.memory_ids == [shown]
        assert ctx.augmented_task.startswith(f"{TASK}\n\n<relevant_memories>")
        ctx.set_output(trajectory=conversation(ctx.augmented_task, "ok"), final_response="ok", result="pass")
    assert client.get_trace(ctx.trace_id).retrieved_memory_ids == [shown]
    assert utility(client, shown, TASK) == pytest.approx(AFTER_ONE_PASS)


def test_a_context_that_does_not_block_hands_in_and_goes_on(client):
    with client.trace(TASK) as ctx:
        ctx.set_output(trajectory="said", result="failure", feedback_text="wrong amount")
    trace = client.wait_for_trace(ctx.trace_id, require_reviewed=True, poll_interval=POLL_S)
    assert (trace.review.result, trace.review.feedback_text, trace.review.mode) == ("fail", "wrong amount", "inline")


def test_a_context_without_a_result_can_be_reviewed_later(client):
    shown = learn(client, TASK).created_memory_id
    with client.trace(TASK) as ctx:
        ctx.set_output(trajectory="said")
    assert client.get_trace(ctx.trace_id).review_status == "pending"

    trace = client.review_trace(ctx.trace_id, result="fail", feedback_text="missed the discount")
    assert (trace.review_status, trace.review.mode) == ("reviewed", "deferred")
    assert utility(client, shown, TASK) == pytest.approx(AFTER_ONE_FAIL)


def test_a_blocking_context_without_a_result_stores_the_trace(client):
    with client.trace(TASK, blocking=True) as ctx:
        ctx.set_output(trajectory="said")
    assert client.get_trace(ctx.trace_id).review_status == "pending"


def test_a_context_without_output_hands_nothing_in(client):
    with client.trace(TASK) as ctx:
        pass
    assert ctx.trace_id is None
    assert client.list_traces() == []


def test_an_exception_after_the_output_hands_in_a_fail_with_its_message(client):
    shown = learn(client, TASK).created_memory_id
    with pytest.raises(AgentCrashed), client.trace(TASK, blocking=True) as ctx:
        ctx.set_output(trajectory="said", result="pass")
        raise AgentCrashed("the card reader caught fire")
    trace = client.get_trace(ctx.trace_id)
    assert (trace.review_status, trace.review.result) == ("reviewed", "fail")
    assert trace.review.feedback_text == "the card reader caught fire"
    assert utility(client, shown, TASK) == pytest.approx(AFTER_ONE_FAIL)


def test_an_exception_leaves_the_feedback_that_was_given(client):
    with pytest.raises(AgentCrashed), client.trace(TASK, blocking=True) as ctx:
        ctx.set_output(trajectory="said", result="pass", feedback_text="looked fine")
        raise AgentCrashed("late")
    review = client.get_trace(ctx.trace_id).review
    assert (review.result, review.feedback_text) == ("fail", "looked fine")


def test_an_exception_with_auto_fail_off_hands_nothing_in(client):
    with pytest.raises(AgentCrashed), client.trace(TASK, auto_fail_on_exception=False) as ctx:
        ctx.set_output(trajectory="said", result="pass")
        raise AgentCrashed("kept to myself")
    assert ctx.trace_id is None
    assert client.list_traces() == []


def test_an_exception_before_the_output_hands_nothing_in(client):
    with pytest.raises(AgentCrashed), client.trace(TASK) as ctx:
        raise AgentCrashed("too early")
    assert ctx.trace_id is None
    assert client.list_traces() == []


async def test_an_asynchronous_blocking_context_leaves_a_memory_for_the_very_next_query(client):
    async with client.trace_async(TASK, blocking=True) as ctx:
        assert ctx.trace_id is None
        ctx.set_output(trajectory=conversation(TASK, "42 euros"), result="success")
    [memory] = await client.query_memories_async(TASK)
    trace = await client.get_trace_async(ctx.trace_id)
    assert (trace.created_memory_id, trace.review.result) == (memory.id, "pass")


async def test_an_asynchronous_context_credits_the_memories_that_it_showed(client):
    shown = learn(client, TASK).created_memory_id
    async with client.trace_async(TASK, limit=3, lambda_=0.9) as ctx:
        assert ctx.memory_ids == [shown]
        ctx.set_output(trajectory="said", result="fail", feedback_text="wrong amount")
    trace = await client.wait_for_trace_async(ctx.trace_id, require_reviewed=True, poll_interval=POLL_S)
    assert trace.retrieved_memory_ids == [shown]
    assert utility(client, shown, TASK) == pytest.approx(AFTER_ONE_FAIL)


async def test_an_asynchronous_context_without_a_result_can_be_reviewed_later(client):
    async with client.trace_async(TASK) as ctx:
        ctx.set_output(trajectory="said")
    assert (await client.get_trace_async(ctx.trace_id)).review_status == "pending"
    assert client.review_trace(ctx.trace_id, result="pass").review_status == "reviewed"


async def test_an_asynchronous_exception_after_the_output_hands_in_a_fail_with_its_message(client):
    with pytest.raises(AgentCrashed):
        async with client.trace_async(TASK, blocking=True) as ctx:
            ctx.set_output(trajectory="said", result="pass")
            raise AgentCrashed("the card reader caught fire")
    review = (await client.get_trace_async(ctx.trace_id)).review
    assert (review.result, review.feedback_text) == ("fail", "the card reader caught fire")


async def test_an_asynchronous_exception_with_auto_fail_off_hands_nothing_in(client):
    with pytest.raises(AgentCrashed):
        async with client.trace_async(TASK, auto_fail_on_exception=False) as ctx:
            ctx.set_output(trajectory="said", result="pass")
            raise AgentCrashed("kept to myself")
    assert client.list_traces() == []


async def test_an_asynchronous_exception_before_the_output_hands_nothing_in(client):
    with pytest.raises(AgentCrashed):
        async with client.trace_async(TASK):
            raise AgentCrashed("too early")
    assert client.list_traces() == []
