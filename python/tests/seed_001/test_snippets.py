"""Runs every snippet of the guide "Traces and reviews" on a real server, and holds it to what the guide says about it.

The snippets lie beside this file as they stand in the document. What is put in their place to run them:

- `[...]` as a trajectory is `messages`, and the id `"abc-123"` that of a stored trace;
- `client`, `messages`, `response`, `my_agent`, `my_llm` and the names that an earlier snippet imports come from here;
- `my_llm` is asynchronous where it is awaited;
- what is awaited at the top is awaited by the test.

Nothing else is changed. With `REFLECT_SEEDS` naming the folder of the documents, the snippets are held against them.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from agent_runs import author, conversation
from reflect_sdk import ReflectClient, Trace, TraceContext, TraceResult, reflect_trace
from seed_snippets import beside, document, needs_documents, run_snippet, unmarked_snippets

SNIPPETS = beside(__file__)
TASK = "Parse the CSV and return the top 5 rows"
ANSWER = "Here are the top 5 rows"
Names = dict[str, Any]


@pytest.fixture
def names(client: ReflectClient) -> Names:
    """What the guide takes for granted, with a lesson that every task finds."""
    author(client, TASK)
    return {
        "client": client,
        "messages": conversation(TASK, ANSWER),
        "response": ANSWER,
        "my_agent": lambda prompt: ANSWER,
        "my_llm": lambda messages: ANSWER,
        "trace_id": client.create_trace(task="waits for its review", trajectory="said").id,
        "reflect_trace": reflect_trace,
        "TraceContext": TraceContext,
        "TraceResult": TraceResult,
        "__name__": "snippet",
    }


async def my_async_llm(prompt: str) -> str:
    return ANSWER


def reviewed(names: Names, trace_id: str, result: str) -> Trace:
    trace: Trace = names["client"].wait_for_trace(trace_id, require_reviewed=True)
    assert trace.created_memory_id
    assert trace.review is not None
    assert trace.review.result == result
    return trace


async def context_manager(names: Names) -> None:
    context = names["ctx"]
    assert context.augmented_task.startswith(f"{TASK}\n\n<relevant_memories>")
    trace = reviewed(names, context.trace_id, "pass")
    assert (trace.task, trace.final_response, trace.model) == (TASK, ANSWER, "gpt-5.4-mini")
    assert trace.retrieved_memory_ids == [memory.id for memory in context.memories]
    assert len(trace.retrieved_memory_ids) == 1


async def blocking(names: Names) -> None:
    created = names["client"].get_trace(names["ctx"].trace_id).created_memory_id
    assert created in [memory.id for memory in names["client"].query_memories("...")]


async def async_variant(names: Names) -> None:
    assert reviewed(names, names["ctx"].trace_id, "pass").task == "Debug login timeout"


async def decorator(names: Names) -> None:
    assert names["result"] == ANSWER
    [newest] = names["client"].list_traces(limit=1)
    trace = reviewed(names, newest.id, "pass")
    assert (trace.task, trace.model, len(trace.retrieved_memory_ids)) == (TASK, "gpt-5.4-mini", 1)


async def two_return_types(names: Names) -> None:
    names["result"] = names["answer"](TASK)
    await decorator(names)


async def async_support(names: Names) -> None:
    before = names["client"].list_traces()
    assert inspect.iscoroutinefunction(names["answer"])
    assert await names["answer"](TASK) is None
    # A function that returns nothing has nothing to record.
    assert names["client"].list_traces() == before


async def explicit_calls(names: Names) -> None:
    trace = reviewed(names, names["submission"].id, "pass")
    assert trace.retrieved_memory_ids == [memory.id for memory in names["augmented"].memories]
    assert (trace.final_response, len(trace.retrieved_memory_ids)) == (ANSWER, 1)


async def create_and_wait(names: Names) -> None:
    assert names["submission"].ingest_status == "queued"
    assert names["trace"].review_status == "reviewed"
    assert names["trace"].created_memory_id
    reviewed(names, names["submission"].id, "pass")


async def inline_reviews(names: Names) -> None:
    assert names["answer"]("a question") == ANSWER
    of_decorator, of_call, of_block, *_ = names["client"].list_traces(limit=3)
    assert of_decorator.task == "a question"
    assert of_block.id == names["ctx"].trace_id
    for trace in (of_decorator, of_call, of_block):
        reviewed(names, trace.id, "pass")


async def deferred_reviews(names: Names) -> None:
    trace = names["trace"]
    assert (trace.id, trace.review_status) == (names["ctx"].trace_id, "reviewed")
    assert trace.created_memory_id
    assert trace.review.feedback_text == "Summary missed the revenue decline in Q3"


async def listing(names: Names) -> None:
    assert names["trace"].id == names["trace_id"]
    assert [trace.id for trace in names["pending"]] == [names["trace_id"]]
    assert [trace.review_status for trace in names["reviewed"]] == ["reviewed"]
    assert names["all_traces"] == names["pending"] + names["reviewed"]


CLAIMS: dict[str, Callable[[Names], Awaitable[None]]] = {
    claim.__name__: claim
    for claim in (
        context_manager,
        blocking,
        async_variant,
        decorator,
        two_return_types,
        async_support,
        explicit_calls,
        create_and_wait,
        inline_reviews,
        deferred_reviews,
        listing,
    )
}


@pytest.mark.parametrize("name", SNIPPETS)
async def test_a_snippet_does_what_the_guide_says(names: Names, name: str) -> None:
    code = SNIPPETS[name].replace("[...]", "messages").replace('"abc-123"', "trace_id")
    if "await my_llm" in code:
        names["my_llm"] = my_async_llm
    await run_snippet(code, names)
    await CLAIMS[name](names)


@needs_documents
def test_the_snippets_are_those_of_the_document() -> None:
    assert list(unmarked_snippets(document("001"))) == list(SNIPPETS.values())
