"""The published client: the decorator, sync and async."""

import pytest
from reflect_sdk import TraceResult, reflect_trace

from runs import AFTER_ONE_PASS, POLL_S, conversation, learn, utility


def only_trace(client):
    [trace] = client.list_traces()
    return trace


def test_a_trace_result_is_handed_in_whole_and_its_output_returned(client):
    @reflect_trace(client, task=lambda question: question, blocking=True)
    def answer(ctx, question):
        return TraceResult(
            output="Paris, said briefly",
            trajectory=conversation(ctx.augmented_task, "Paris"),
            result="fail",
            feedback_text="name the country too",
            model="gpt-5.4-mini",
            metadata={"run": 7},
        )

    assert answer.__name__ == "answer"
    assert answer("What is the capital of France?") == "Paris, said briefly"
    trace = only_trace(client)
    assert (trace.task, trace.final_response) == ("What is the capital of France?", "Paris")
    assert (trace.model, trace.metadata, trace.review_status) == ("gpt-5.4-mini", {"run": 7}, "reviewed")
    assert (trace.review.result, trace.review.feedback_text) == ("fail", "name the country too")


def test_a_string_is_both_the_trajectory_and_the_final_response(client):
    @reflect_trace(client)
    def answer(ctx, question):
        return f"an answer to {question}"

    assert answer("this") == "an answer to this"
    trace = only_trace(client)
    assert trace.task == "this"
    assert trace.trajectory == [{"role": "assistant", "content": "an answer to this"}]
    assert (trace.final_response, trace.review_status) == ("an answer to this", "pending")
    assert client.review_trace(trace.id, result="pass").review_status == "reviewed"


def test_any_other_value_is_returned_and_nothing_handed_in(client):
    @reflect_trace(client)
    def answer(ctx, question):
        return {"question": question}

    assert answer("structured") == {"question": "structured"}
    assert client.list_traces() == []


def test_the_task_can_be_fixed(client):
    @reflect_trace(client, task="summarise a report")
    def answer(ctx, report):
        return "short"

    answer("long long report")
    assert only_trace(client).task == "summarise a report"


def test_the_task_can_be_made_from_the_arguments(client):
    @reflect_trace(client, task=lambda city, *, days: f"plan {days} days in {city}")
    def plan(ctx, city, *, days):
        return "walk"

    plan("Lisbon", days=3)
    assert only_trace(client).task == "plan 3 days in Lisbon"


def test_without_a_task_and_arguments_the_task_is_unknown(client):
    @reflect_trace(client)
    def wander(ctx):
        return "somewhere"

    wander()
    assert only_trace(client).task == "unknown"


def test_without_the_context_the_function_keeps_its_signature(client):
    @reflect_trace(client, inject_context=False)
    def answer(question):
        return question.upper()

    assert answer("plain") == "PLAIN"
    assert only_trace(client).task == "plain"


def test_the_memories_shown_to_the_function_are_credited(client):
    shown = learn(client, "sort a list").created_memory_id
    learn(client, "an unrelated errand in town")

    @reflect_trace(client, limit=1, lambda_=0.0, blocking=True)
    def answer(ctx, question):
        assert ctx.memory_ids == [shown]
        return TraceResult(output="sorted", trajectory="sorted", result="pass")

    answer("sort a list")
    assert utility(client, shown, "sort a list") == pytest.approx(AFTER_ONE_PASS)


def test_an_exception_passes_through_and_nothing_is_handed_in(client):
    @reflect_trace(client)
    def answer(ctx, question):
        raise ValueError("no idea")

    with pytest.raises(ValueError, match="no idea"):
        answer("hard")
    assert client.list_traces() == []


@pytest.mark.parametrize("auto_fail", [True, False])
def test_an_exception_after_the_function_set_its_output_is_a_fail_unless_switched_off(client, auto_fail):
    @reflect_trace(client, blocking=True, auto_fail_on_exception=auto_fail)
    def answer(ctx, question):
        ctx.set_output(trajectory="half an answer")
        raise ValueError("ran out of words")

    with pytest.raises(ValueError, match="ran out of words"):
        answer("hard")
    reviews = [(trace.review.result, trace.review.feedback_text) for trace in client.list_traces()]
    assert reviews == ([("fail", "ran out of words")] if auto_fail else [])


async def test_an_asynchronous_function_hands_in_a_trace_result(client):
    @reflect_trace(client, task=lambda question: question, blocking=True)
    async def answer(ctx, question):
        return TraceResult(output="4", trajectory=conversation(question, "4"), result="pass")

    assert await answer("2 + 2?") == "4"
    [memory] = await client.query_memories_async("2 + 2?")
    assert only_trace(client).created_memory_id == memory.id


async def test_an_asynchronous_function_hands_in_a_string(client):
    @reflect_trace(client, task="small talk", inject_context=False)
    async def answer(name):
        return f"hello {name}"

    assert await answer("Ada") == "hello Ada"
    trace = only_trace(client)
    assert (trace.task, trace.final_response, trace.review_status) == ("small talk", "hello Ada", "pending")


async def test_an_asynchronous_exception_after_the_output_is_a_fail(client):
    @reflect_trace(client)
    async def answer(ctx, question):
        ctx.set_output(trajectory="half an answer")
        raise ValueError("ran out of words")

    with pytest.raises(ValueError, match="ran out of words"):
        await answer("hard")
    trace = client.wait_for_trace(only_trace(client).id, require_reviewed=True, poll_interval=POLL_S)
    assert (trace.review.result, trace.review.feedback_text) == ("fail", "ran out of words")
