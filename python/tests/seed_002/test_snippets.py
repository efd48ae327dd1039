"""Runs every snippet of the reference page "Traces and reviews" on a real server, and holds it to what the page says about it.

The snippets lie beside this file as they stand in the document. What is put in their place to run them:

- `[...]` as a trajectory is `messages`, and the id `"abc-123"` that of a stored trace;
- `client`, `messages`, and the `submission` that is waited for come from here.

Nothing else is changed: the memories `mem-abc` and `mem-def` do not exist, and a trace may name them all the same. With
`REFLECT_SEEDS` naming the folder of the documents, the snippets are held against them.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from typing import Any

import pytest

from agent_runs import conversation
from reflect_sdk import ReflectClient, Trace, TraceSubmission
from seed_snippets import beside, document, needs_documents, run_snippet, unmarked_snippets

SNIPPETS = beside(__file__)
Names = dict[str, Any]


@pytest.fixture
def names(client: ReflectClient) -> Names:
    messages = conversation("Count the rows", "There are 5.")
    return {
        "client": client,
        "messages": messages,
        "submission": client.create_trace(task="Count the rows", trajectory=messages, review_result="pass"),
        "trace_id": client.create_trace(task="waits for its review", trajectory=messages).id,
    }


def assert_reviewed(trace: Trace, result: str) -> None:
    assert isinstance(trace, Trace)
    assert trace.review is not None
    assert (trace.review_status, trace.review.result) == ("reviewed", result)
    assert trace.created_memory_id


def create_trace(names: Names) -> None:
    submission = names["submission"]
    assert isinstance(submission, TraceSubmission)
    assert (str(uuid.UUID(submission.id)), submission.ingest_status) == (submission.id, "completed")
    trace = names["client"].get_trace(submission.id)
    assert trace.retrieved_memory_ids == ["mem-abc", "mem-def"]
    assert trace.metadata == {"source": "cli", "run_id": "run-123"}
    assert (trace.final_response, trace.model) == ("Here are the top 5 rows: ...", "gpt-5.4-mini")


def inline_review(names: Names) -> None:
    assert names["submission"].ingest_status == "queued"
    trace = names["client"].wait_for_trace(names["submission"].id, require_reviewed=True)
    assert_reviewed(trace, "pass")


def deferred_review(names: Names) -> None:
    assert names["trace"].id == names["submission"].id
    assert_reviewed(names["trace"], "fail")


def waiting(names: Names) -> None:
    assert_reviewed(names["trace"], "pass")


def create_and_wait(names: Names) -> None:
    assert_reviewed(names["trace"], "pass")


def listing(names: Names) -> None:
    names["client"].wait_for_trace(names["submission"].id, require_reviewed=True)
    assert names["trace"].id == names["trace_id"]
    assert names["trace_id"] in [trace.id for trace in names["pending"]]
    assert {trace.id for trace in names["all_traces"]} == {names["trace_id"], names["submission"].id}


CLAIMS: dict[str, Callable[[Names], None]] = {
    claim.__name__: claim for claim in (create_trace, inline_review, deferred_review, waiting, create_and_wait, listing)
}


@pytest.mark.parametrize("name", SNIPPETS)
async def test_a_snippet_does_what_the_page_says(names: Names, name: str) -> None:
    await run_snippet(SNIPPETS[name].replace("[...]", "messages").replace('"abc-123"', "trace_id"), names)
    CLAIMS[name](names)


@needs_documents
def test_the_snippets_are_those_of_the_document() -> None:
    assert list(unmarked_snippets(document("002"))) == list(SNIPPETS.values())
