"""Lists of traces and memories: whole, or a page at a time."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from reflect_sdk.call import Call, Steps
from reflect_sdk.method import operation
from reflect_sdk.models.memory import Credit, MemoryDetail
from reflect_sdk.models.trace import Trace
from reflect_sdk.operations.base import Operations
from reflect_sdk.outcome import outcome_name
from reflect_sdk.paged import Page, Pages, paged, reading_page
from reflect_sdk.views import Items

T = TypeVar("T")

LONGEST_PAGE = 1_000


class TraceList(Items[Trace]):
    """Traces, newest first."""

    columns = ("created_at", "task", "final_response", "review_status", "ingest_status", "model")


class MemoryList(Items[MemoryDetail]):
    """Memories, newest first."""

    columns = ("task", "reflection", "status", "q_value", "uses", "passes", "fails")


class ListOperations(Operations):
    """Lists, newest first."""

    @operation
    def list_traces(
        self,
        *,
        review_status: str | None = None,
        ingest_status: str | None = None,
        result: str | bool | None = None,
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        text: str | None = None,
        memory_id: str | None = None,
        summary: bool = False,
        limit: int | None = None,
    ) -> Steps[TraceList]:
        """The project's traces, newest first; all of them without `limit`. Of several filters, all must match.

            client.list_traces(review_status="pending", since="2026-11-01T00:00:00Z", limit=50)

        Args:
            review_status: `pending` or `reviewed`.
            ingest_status: `queued`, `processing`, `completed` or `failed`.
            result: How they were reviewed: `pass` or `fail`.
            model: The model that the agent used.
            metadata: What their metadata holds under each key.
            since: Stored at or after this time.
            until: Stored before this time.
            text: Words that occur in the task, the final response or the feedback, in any order.
            memory_id: A memory that they name as shown to their run.
            summary: Whether to leave the trajectories out.
            limit: How many at most.
        """
        found = _filters(review_status, ingest_status, result, model, metadata, since, until, text, summary)
        filters = found + _given(memory_id=memory_id)
        page_size = None if limit is None else min(max(limit, 1), LONGEST_PAGE)
        return (yield from _all(partial(self._trace_page, filters, page_size), TraceList(), limit))

    list_traces_async = list_traces.as_async()

    @paged
    def iter_traces(
        self,
        *,
        review_status: str | None = None,
        ingest_status: str | None = None,
        result: str | bool | None = None,
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        text: str | None = None,
        memory_id: str | None = None,
        summary: bool = False,
        page_size: int = 100,
    ) -> Pages[Trace]:
        """The project's traces one after the other, read a page at a time; filters as for `list_traces`.

        for trace in client.iter_traces(review_status="pending"): ...
        """
        found = _filters(review_status, ingest_status, result, model, metadata, since, until, text, summary)
        filters = found + _given(memory_id=memory_id)
        return partial(self._trace_page, filters, page_size)

    iter_traces_async = iter_traces.as_async()

    @operation
    def list_memories(
        self,
        *,
        status: str | None = None,
        retired: bool = False,
        distinct: bool = False,
        same_as: str | None = None,
        text: str | None = None,
        order: str | None = None,
        direction: str | None = None,
        limit: int | None = None,
    ) -> Steps[MemoryList]:
        """The project's memories, newest first; all of them without `limit`.

            client.list_memories(order="utility", limit=10)

        Args:
            status: `active` or `disabled`.
            retired: Only those that queries leave out, since they are believed to hurt.
            distinct: Of those that say the same only the one that most runs saw, with `runs_alike`; not together with
                `text`.
            same_as: Only those that say the same as this memory, itself among them.
            text: Words that occur in the task or the lesson, in any order.
            order: `created`, `updated`, `utility` or `uses`.
            direction: `desc`, the newest, the best, the most used first; or `asc`.
            limit: How many at most.
        """
        which = _given(status=status, retired=_flag(retired), distinct=_flag(distinct), same_as=same_as)
        filters = which + _given(text=text, order=order, direction=direction)
        page_size = LONGEST_PAGE if limit is None else min(max(limit, 1), LONGEST_PAGE)
        return (yield from _all(partial(self._memory_page, filters, page_size), MemoryList(), limit))

    list_memories_async = list_memories.as_async()

    @paged
    def iter_memories(
        self,
        *,
        status: str | None = None,
        retired: bool = False,
        distinct: bool = False,
        same_as: str | None = None,
        text: str | None = None,
        order: str | None = None,
        direction: str | None = None,
        page_size: int = 100,
    ) -> Pages[MemoryDetail]:
        """The project's memories one after the other, read a page at a time; filters as for `list_memories`."""
        which = _given(status=status, retired=_flag(retired), distinct=_flag(distinct), same_as=same_as)
        filters = which + _given(text=text, order=order, direction=direction)
        return partial(self._memory_page, filters, page_size)

    iter_memories_async = iter_memories.as_async()

    def _trace_page(
        self, filters: tuple[tuple[str, str], ...], page_size: int | None, cursor: str | None
    ) -> Call[Page[Trace]]:
        params = filters + _given(limit=page_size, cursor=cursor)
        return Call("GET", self._path("traces"), reading_page(Trace.from_api), params=params)

    @paged
    def iter_credits(self, memory_id: str, *, page_size: int = 100) -> Pages[Credit]:
        """The steps of a memory's utility that count, newest first, read a page at a time."""
        return partial(self._credit_page, memory_id, page_size)

    iter_credits_async = iter_credits.as_async()

    def _credit_page(self, memory_id: str, page_size: int, cursor: str | None) -> Call[Page[Credit]]:
        path, params = self._path("memories", memory_id, "credits"), _given(limit=page_size, cursor=cursor)
        return Call("GET", path, reading_page(Credit.from_api), params=params)

    def _memory_page(
        self, filters: tuple[tuple[str, str], ...], page_size: int, cursor: str | None
    ) -> Call[Page[MemoryDetail]]:
        params = filters + _given(limit=page_size, cursor=cursor)
        return Call("GET", self._path("memories"), reading_page(MemoryDetail.from_api), params=params)


L = TypeVar("L", bound="list[Any]")


def _all(pages: Pages[Any], into: L, limit: int | None) -> Steps[L]:
    """Reads pages until there are no more, or enough."""
    cursor = None
    while limit is None or len(into) < limit:
        page = yield from pages(cursor)
        into.extend(page.items)
        cursor = page.next_cursor
        if cursor is None:
            break
    if limit is not None:
        del into[limit:]
    return into


def _filters(
    review_status: str | None,
    ingest_status: str | None,
    result: str | bool | None,
    model: str | None,
    metadata: Mapping[str, Any] | None,
    since: datetime | str | None,
    until: datetime | str | None,
    text: str | None,
    summary: bool,
) -> tuple[tuple[str, str], ...]:
    named = _given(
        review_status=review_status,
        ingest_status=ingest_status,
        result=None if result is None else outcome_name(result),
        model=model,
        since=since,
        until=until,
        text=text,
        view="summary" if summary else None,
    )
    # Strings are compared as they are, numbers and booleans by their JSON.
    under_keys = {f"metadata.{key}": value for key, value in (metadata or {}).items()}
    return named + tuple((k, v if isinstance(v, str) else json.dumps(v)) for k, v in under_keys.items())


def _flag(is_set: bool) -> str | None:
    return "true" if is_set else None


def _given(**values: str | int | datetime | None) -> tuple[tuple[str, str], ...]:
    return tuple((name, _text(value)) for name, value in values.items() if value is not None)


def _text(value: str | int | datetime) -> str:
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    return str(value)
