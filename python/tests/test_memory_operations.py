"""Memories on a real server: asked for, written, edited, hidden, listed, deleted."""

import pytest

from agent_runs import author, learn
from reflect_sdk import MemoryDetail, RefusedError

TASK = "refund an order"


def test_an_authored_memory_is_there_at_once(client):
    submission = client.create_memory(
        task=TASK,
        summary="The wrong order was refunded.",
        guidance="Look the order up first.",
        result="failure",
        key_mistake="Trusted the number in the mail.",
        correct_action="Call get_order.",
        applicable_tools=["get_order"],
        metadata={"team": "shop"},
    )
    assert submission.ingest_status == "completed"
    assert submission.trace_id == submission.id
    [memory] = client.query_memories(TASK, metadata_filter={"team": "shop"})
    assert (memory.success, memory.guidance) == (False, "Look the order up first.")
    assert (memory.key_mistake, memory.correct_action) == ("Trusted the number in the mail.", "Call get_order.")
    assert memory.applicable_tools == ["get_order"]
    assert client.query_memories(TASK, metadata_filter={"team": "support"}) == []


async def test_an_authored_memory_is_there_at_once_asynchronously(client):
    await client.create_memory_async(task=TASK, summary="s", guidance="g", result="pass")
    [memory] = await client.query_memories_async(TASK)
    assert memory.guidance == "g"


def test_a_memory_is_found_by_what_it_says(client):
    author(client, "Ticket 4711", guidance="Always verify that the order exists before processing a return.")
    asked = "Process the return of an order: does it exist?"
    [by_lesson] = client.query_memories(asked, match="lesson", similarity_threshold=-1)
    [by_task] = client.query_memories(asked, match="task", similarity_threshold=-1)
    assert by_lesson.similarity > by_task.similarity + 0.2
    assert client.update_settings(match="task").match == "task"
    [by_setting] = client.query_memories(asked, similarity_threshold=-1)
    assert by_setting.similarity == by_task.similarity


def test_a_query_can_be_explained_and_floored(client):
    author(client, TASK)
    author(client, "water the plants on the balcony")
    [best, other] = client.query_memories(TASK, explain=True, mmr_lambda=1.0, lambda_=0.0)
    assert best.explain is not None
    assert (best.explain.similarity_rank, best.explain.uses) == (1, 0)
    floor = (best.similarity + other.similarity) / 2
    assert [memory.id for memory in client.query_memories(TASK, similarity_threshold=floor)] == [best.id]
    assert client.query_memories(TASK)[0].explain is None


def test_a_conversation_can_be_searched_by(client):
    author(client, TASK)
    memories = client.query_memories(messages=[{"role": "user", "content": "please refund an order"}])
    assert memories.intent == "please refund an order"
    assert memories.distilled_by == "builtin"
    assert [memory.task for memory in memories] == [TASK]
    augmented = client.augment_with_memories("Help", messages=[{"role": "user", "content": "refund an order"}])
    assert augmented.augmented_task.startswith("Help\n\n<relevant_memories>")


def test_task_and_messages_together_are_refused(client):
    with pytest.raises(RefusedError) as raised:
        client.query_memories(TASK, messages=[{"role": "user", "content": "x"}])
    assert raised.value.status == 422


def test_a_memory_is_edited_hidden_shown_again_and_deleted(client):
    memory_id = author(client, TASK, summary="before")
    edited = client.edit_memory(memory_id, guidance="Ask twice.", applicable_tools=["ask"])
    assert isinstance(edited, MemoryDetail)
    assert (edited.guidance, edited.summary, edited.revision) == ("Ask twice.", "before", 2)
    assert edited.written_by is not None
    assert edited.written_by.reflector == "editor"
    assert client.disable_memory(memory_id).status == "disabled"
    assert client.query_memories(TASK) == []
    assert client.enable_memory(memory_id).status == "active"
    assert [memory.id for memory in client.query_memories(TASK)] == [memory_id]
    assert client.delete_memory(memory_id) is None
    with pytest.raises(RefusedError):
        client.get_memory(memory_id)


async def test_a_memory_is_edited_hidden_shown_again_and_deleted_asynchronously(client):
    memory_id = author(client, TASK)
    assert (await client.edit_memory_async(memory_id, summary="after")).summary == "after"
    assert (await client.disable_memory_async(memory_id)).status == "disabled"
    assert (await client.enable_memory_async(memory_id)).status == "active"
    await client.delete_memory_async(memory_id)
    assert await client.list_memories_async() == []


def test_a_single_memory_has_its_ledger(client):
    client.update_settings(learning="constant")
    memory_id = author(client, TASK)
    run = learn(client, "use it", retrieved_memory_ids=[memory_id], alpha=0.5)
    memory = client.get_memory(memory_id)
    [credit] = memory.credits
    assert (credit.trace_id, credit.result, credit.reward, credit.alpha) == (run.id, "pass", 1.0, 0.5)
    assert (memory.q_value, memory.uses, memory.passes, memory.fails) == (0.75, 1, 1, 0)


async def test_what_hurts_is_listed_with_its_evidence_and_brought_back(client):
    memory_id = author(client, TASK)
    assert client.list_memories(retired=True) == []
    for number in range(10):
        learn(client, f"run {number}", result="fail", retrieved_memory_ids=[memory_id])
    [memory] = client.list_memories(retired=True)
    assert memory.id == memory_id
    assert memory.retirement is not None
    assert memory.retirement.worth < -memory.retirement.deviation
    assert [found.id async for found in client.iter_memories_async(retired=True)] == [memory_id]
    back = client.bring_back_memory(memory_id)
    assert (back.retirement, back.q_value, back.uses) == (None, 0.5, 10)
    assert await client.list_memories_async(retired=True) == []
    assert (await client.bring_back_memory_async(memory_id)).retirement is None


async def test_a_pinned_memory_is_never_left_out_until_it_is_unpinned(client):
    memory_id = author(client, TASK)
    assert client.get_memory(memory_id).pinned is False
    assert client.edit_memory(memory_id, pinned=True).pinned is True
    for number in range(10):
        learn(client, f"run {number}", result="fail", retrieved_memory_ids=[memory_id])
    assert client.list_memories(retired=True) == []
    assert [memory.id for memory in client.list_memories() if memory.pinned] == [memory_id]
    found = client.query_memories(TASK, limit=20, sitting_out=0.5)
    assert [memory.id for memory in found] == [memory_id]
    assert (await client.edit_memory_async(memory_id, pinned=False)).pinned is False
    assert [memory.id for memory in client.list_memories(retired=True)] == [memory_id]


async def test_memories_are_listed_whole_and_page_by_page(client):
    made = [author(client, f"{TASK} number {number}") for number in range(5)]
    client.disable_memory(made[0])
    newest_first = made[::-1]
    assert [memory.id for memory in client.list_memories()] == newest_first
    assert [memory.id for memory in client.list_memories(limit=2)] == newest_first[:2]
    assert [memory.id for memory in client.list_memories(status="disabled")] == made[:1]
    assert [memory.id for memory in client.iter_memories(page_size=2)] == newest_first
    assert [memory.id async for memory in client.iter_memories_async(page_size=2)] == newest_first
    assert [memory.id for memory in await client.list_memories_async(status="active")] == newest_first[:-1]
