"""Traced blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk.call import Steps
from reflect_sdk.context import TraceContext
from reflect_sdk.models.memory import Match
from reflect_sdk.operations.memories import MemoryOperations
from reflect_sdk.operations.traces import TraceOperations
from reflect_sdk.scope import Opening, scoped


class ScopeOperations(MemoryOperations, TraceOperations):
    """`trace` and `trace_async`."""

    @scoped
    def trace(
        self,
        task: str,
        *,
        limit: int = 10,
        lambda_: float | None = 0.5,
        metadata_filter: Mapping[str, Any] | None = None,
        similarity_threshold: float | None = None,
        mmr_lambda: float | None = None,
        match: Match | None = None,
        sitting_out: float | None = None,
        messages: Sequence[Mapping[str, Any]] | None = None,
        idempotency_key: str | None = None,
        blocking: bool = False,
        auto_fail_on_exception: bool = True,
        reference_context: str | None = None,
        alpha: float | None = None,
    ) -> Opening:
        """Fetches memories on entry and submits the trace on exit, with the right memory ids.

            with client.trace("Refund order A-17", limit=3) as ctx:
                answer = my_agent(ctx.augmented_task)
                ctx.set_output(trajectory=messages, result="pass")

        Without `set_output` nothing is submitted. An exception after it is submitted as a fail and goes on.

        Args:
            task: What the agent is asked to do.
            limit: How many memories at most.
            lambda_: The weight of utility against similarity, 0 to 1; None is the project's setting.
            metadata_filter: What the metadata of a memory's trace must hold.
            similarity_threshold: The least similarity, -1 to 1; None is the project's setting.
            mmr_lambda: The weight of score against diversity; None is the project's setting.
            match: What of a memory the task is compared with; None is the project's setting.
            sitting_out: How often the most doubtful memory sits out, 0 (never) to 0.5; None is the project's setting.
            messages: A conversation to look for memories by, instead of the task.
            idempotency_key: A name for the query on entry, so that chance decides alike when it is sent again. The trace has its own.
            blocking: Whether to wait on exit until the lesson is there.
            auto_fail_on_exception: Whether an exception after `set_output` is submitted as a fail.
            reference_context: A policy, a schema or a gold answer for whoever writes the lesson.
            alpha: The step by which the review moves the memories, 0 to 1.
        """
        options = {
            "messages": messages,
            "limit": limit,
            "lambda_": lambda_,
            "metadata_filter": metadata_filter,
            "similarity_threshold": similarity_threshold,
            "mmr_lambda": mmr_lambda,
            "match": match,
            "sitting_out": sitting_out,
            "idempotency_key": idempotency_key,
        }
        steps = self._open(task, options, reference_context, alpha)
        return Opening(steps, blocking=blocking, auto_fail_on_exception=auto_fail_on_exception)

    trace_async = trace.as_async()

    def _open(
        self, task: str, options: dict[str, Any], reference_context: str | None, alpha: float | None
    ) -> Steps[TraceContext]:
        augmented = yield from self._augment(task, **options)
        return TraceContext(augmented, reference_context=reference_context, alpha=alpha)
