"""Memories: asking for them, writing them, looking after them."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from reflect_sdk.call import Call, Steps, giving, nothing_of, once, reading, reading_each
from reflect_sdk.method import operation
from reflect_sdk.models.memory import (
    AugmentedTask,
    Match,
    Memories,
    Memory,
    MemoryDetail,
    MemoryMap,
    Retrieval,
    Revision,
)
from reflect_sdk.operations.base import Operations
from reflect_sdk.prompt import fitting, prompt_with_memories


class MemoryOperations(Operations):
    """Memories of the project."""

    @operation
    def query_memories(
        self,
        task: str | None = None,
        *,
        limit: int = 10,
        lambda_: float | None = 0.5,
        metadata_filter: Mapping[str, Any] | None = None,
        similarity_threshold: float | None = None,
        mmr_lambda: float | None = None,
        match: Match | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        sitting_out: float | None = None,
        explain: bool = False,
        idempotency_key: str | None = None,
    ) -> Steps[Memories]:
        """The memories that serve a task best, best first.

            for memory in client.query_memories("Refund order A-17", limit=3):
                print(memory.score, memory.reflection)

        Args:
            task: The task at hand.
            limit: How many memories at most, 1 to 1,000.
            lambda_: The weight of utility against similarity: 0 is pure similarity, 1 pure utility, None the project's setting.
            metadata_filter: What the metadata of a memory's trace must hold.
            similarity_threshold: The least similarity, -1 to 1; None is the project's setting.
            mmr_lambda: The weight of score against diversity, 1 for no diversity; None is the project's setting (0.7).
            match: What of a memory the task is compared with: the `task` that it was learned from, its `lesson`, or `both`, of which the
                nearer counts; None is the project's setting (`both`).
            messages: A conversation instead of a task; `intent` of the answer says what was searched for.
            sitting_out: How often the most doubtful memory sits out, 0 (never) to 0.5; None is the project's setting (0.3).
            explain: Whether each memory says why it is where it is.
            idempotency_key: A name for this query, so that chance decides alike when it is sent again: nothing else sits out. Queries
                get one of their own; yours is for a retry across restarts of your program.
        """
        memories = yield from self._query(
            task=task,
            messages=None if messages is None else list(messages),
            limit=limit,
            lambda_=lambda_,
            metadata_filter=metadata_filter,
            similarity_threshold=similarity_threshold,
            mmr_lambda=mmr_lambda,
            match=match,
            sitting_out=sitting_out,
            explain=explain or None,
            idempotency_key=idempotency_key,
        )
        if searched := task or memories.intent:
            self._retrievals.remember(searched, memories)
        return memories

    query_memories_async = query_memories.as_async()

    @operation
    def augment_with_memories(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = 0.5,
        metadata_filter: Mapping[str, Any] | None = None,
        similarity_threshold: float | None = None,
        mmr_lambda: float | None = None,
        match: Match | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        sitting_out: float | None = None,
        idempotency_key: str | None = None,
    ) -> Steps[AugmentedTask]:
        """The task with its memories, ready for a prompt.

            augmented = client.augment_with_memories("Refund order A-17", limit=3)
            answer = my_agent(augmented.augmented_task)

        Pass the ids of `augmented.memories` on to `create_trace`, or nothing is learned about them. With `messages` the
        conversation is searched by, and the prompt still holds `task`; the rest is as for `query_memories`.
        """
        return self._augment(
            task,
            messages=messages,
            limit=limit,
            lambda_=lambda_,
            metadata_filter=metadata_filter,
            similarity_threshold=similarity_threshold,
            mmr_lambda=mmr_lambda,
            match=match,
            sitting_out=sitting_out,
            idempotency_key=idempotency_key,
        )

    augment_with_memories_async = augment_with_memories.as_async()

    def _augment(
        self, task: str, messages: Sequence[Mapping[str, Any]] | None = None, **options: Any
    ) -> Steps[AugmentedTask]:
        """What was searched by is remembered under the task, which is what the trace will name."""
        asked = {"task": task} if messages is None else {"messages": list(messages)}
        memories = yield from self._query(**asked, **options)
        self._retrievals.remember(task, memories)
        if self._formatter is not None:
            prompt = self._formatter(task, memories)
        else:
            prompt = prompt_with_memories(task, memories, self.max_prompt_chars)
            # Nothing is learned about a memory that had no room.
            shown = {memory.id for memory in fitting(memories, self.max_prompt_chars)}
            memories[:] = [memory for memory in memories if memory.id in shown]
        return AugmentedTask(prompt, memories, task=task, retrieval_id=memories.retrieval_id)

    def _query(self, *, idempotency_key: str | None = None, **options: Any) -> Call[Memories]:
        body = {name.rstrip("_"): value for name, value in options.items() if value is not None}
        # Made here, once for all tries: who sits out does not change with them.
        headers = {"Idempotency-Key": idempotency_key or str(uuid.uuid4())}
        return Call("POST", self._path("memory", "query"), _memories, body=body, headers=headers, only_reads=True)

    @operation
    def get_memory(self, memory_id: str) -> Call[MemoryDetail]:
        """One memory, with the newest steps of its utility as `credits`."""
        return Call("GET", self._path("memories", memory_id), reading(MemoryDetail.from_api))

    get_memory_async = get_memory.as_async()

    @operation
    def list_memory_revisions(self, memory_id: str) -> Call[list[Revision]]:
        """What a memory says and said before it was rewritten, newest first."""
        path = self._path("memories", memory_id, "revisions")
        return Call("GET", path, reading_each(Revision.from_api))

    list_memory_revisions_async = list_memory_revisions.as_async()

    @operation
    def memory_map(self) -> Call[MemoryMap]:
        """A map of the project's memories: each a point in two dimensions, near those about similar tasks."""
        return Call("GET", self._path("memories", "map"), reading(MemoryMap.from_api))

    memory_map_async = memory_map.as_async()

    @operation
    def get_retrieval(self, retrieval_id: str) -> Call[Retrieval]:
        """One answered query: what was asked, with which settings, and what was shown. The log keeps them for a while only."""
        path = self._path("retrievals", retrieval_id)
        return Call("GET", path, reading(Retrieval.from_api))

    get_retrieval_async = get_retrieval.as_async()

    @operation
    def edit_memory(
        self,
        memory_id: str,
        *,
        status: str | None = None,
        retired: bool | None = None,
        pinned: bool | None = None,
        summary: str | None = None,
        guidance: str | None = None,
        key_mistake: str | None = None,
        correct_action: str | None = None,
        applicable_tools: Sequence[str] | None = None,
    ) -> Call[MemoryDetail]:
        """Changes what a memory says, or whether it is shown. What is None stays, and its record stays as well.

            client.edit_memory(memory_id, guidance="Look the order up first.", pinned=True)

        A memory that is `pinned` is never left out because it is believed to hurt, and never sits out of an answer.
        """
        change = {
            "status": status,
            "retired": retired,
            "pinned": pinned,
            "summary": summary,
            "guidance": guidance,
            "key_mistake": key_mistake,
            "correct_action": correct_action,
            "applicable_tools": None if applicable_tools is None else list(applicable_tools),
        }
        body = {name: value for name, value in change.items() if value is not None}
        return Call("PATCH", self._path("memories", memory_id), reading(MemoryDetail.from_api), body=body)

    edit_memory_async = edit_memory.as_async()

    @operation
    def disable_memory(self, memory_id: str) -> Call[MemoryDetail]:
        """Shows a memory to no query any more. `enable_memory` takes that back."""
        return self._set_status(memory_id, "disabled")

    disable_memory_async = disable_memory.as_async()

    @operation
    def enable_memory(self, memory_id: str) -> Call[MemoryDetail]:
        """Shows a disabled memory again."""
        return self._set_status(memory_id, "active")

    enable_memory_async = enable_memory.as_async()

    @operation
    def bring_back_memory(self, memory_id: str) -> Call[MemoryDetail]:
        """Shows a memory again that queries leave out: what it is believed to add is forgotten, and it is tried like a new one."""
        path, body = self._path("memories", memory_id), {"retired": False}
        return Call("PATCH", path, reading(MemoryDetail.from_api), body=body)

    bring_back_memory_async = bring_back_memory.as_async()

    def _set_status(self, memory_id: str, status: str) -> Call[MemoryDetail]:
        path, body = self._path("memories", memory_id), {"status": status}
        return Call("PATCH", path, reading(MemoryDetail.from_api), body=body)

    @operation
    def delete_memory(self, memory_id: str) -> Steps[None]:
        """Erases what a memory says. Its ledger is kept for audit."""
        call = Call("DELETE", self._path("memories", memory_id), nothing_of)
        return once(call, "not_found", giving(None))

    delete_memory_async = delete_memory.as_async()


def _memories(response: httpx.Response) -> Memories:
    answer = response.json()
    distilled = answer if isinstance(answer, dict) else {"memories": answer}
    held_out = response.headers.get("x-reflect-held-out")
    return Memories(
        [Memory.from_api(memory) for memory in distilled["memories"]],
        retrieval_id=response.headers.get("x-retrieval-id"),
        partial_search=response.headers.get("x-reflect-partial-search"),
        approximate_search=response.headers.get("x-reflect-approximate-search"),
        nothing_found=response.headers.get("x-reflect-nothing-found"),
        held_out=float(held_out) if held_out else None,
        intent=distilled.get("intent"),
        distilled_by=distilled.get("distilled_by"),
    )
