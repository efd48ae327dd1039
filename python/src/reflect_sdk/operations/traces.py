"""Traces: recording runs and looking them up one by one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reflect_sdk.call import Call, Steps, once, reading
from reflect_sdk.method import operation
from reflect_sdk.models.trace import AuthoredReflection, DeletedTraces, Trace, TraceSubmission, TrajectoryInput
from reflect_sdk.operations.base import Operations
from reflect_sdk.operations.new_trace import NewTrace
from reflect_sdk.operations.wait import waiting, waiting_for_all


class TraceOperations(Operations):
    """Traces of the project."""

    @operation
    def create_trace(
        self,
        *,
        task: str,
        trajectory: TrajectoryInput,
        final_response: str | None = None,
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        review_result: str | bool | None = None,
        feedback_text: str | None = None,
        reference_context: str | None = None,
        score: float | None = None,
        alpha: float | None = None,
        reflection: AuthoredReflection | Mapping[str, Any] | None = None,
        retrieval_id: str | None = None,
        idempotency_key: str | None = None,
    ) -> Call[TraceSubmission]:
        """Records a run and goes on; with a review, its lesson is written in the background.

            client.create_trace(
                task="Refund order A-17",
                trajectory=messages,
                retrieved_memory_ids=[memory.id for memory in augmented.memories],
                review_result="fail",
                feedback_text="Refunded order A-71 instead",
            )

        Args:
            task: What the agent was asked to do. Later queries are compared with it.
            trajectory: The messages of the run, as LLM APIs write them, or a text.
            final_response: The agent's answer; the text of the last assistant message when None.
            retrieved_memory_ids: The memories that were in the prompt, so that they are credited.
            model: The model that the agent used.
            metadata: Anything to find the run by later.
            review_result: `pass` or `success`, `fail` or `failure`, True or False; None to review later.
            feedback_text: What was wrong, or right. Specific words make specific lessons.
            reference_context: A policy, a schema or a gold answer for whoever writes the lesson.
            score: How well the run went, 0 to 1, such as the share of tests that passed; it counts together with a result.
            alpha: The step by which the review moves the memories, 0 to 1; None is the project's setting.
            reflection: The lesson, written by you; no reflector is asked then.
            retrieval_id: The query behind the run; found by itself where this client asked it.
            idempotency_key: A name for this request, so that sending it twice stores it once. Calls get one of their own; yours is
                for a retry across restarts of your program.
        """
        new_trace = NewTrace(
            task=task,
            trajectory=trajectory,
            final_response=final_response,
            retrieved_memory_ids=retrieved_memory_ids,
            model=model,
            metadata=metadata,
            review_result=review_result,
            feedback_text=feedback_text,
            reference_context=reference_context,
            score=score,
            alpha=alpha,
            reflection=reflection,
            retrieval_id=retrieval_id,
            idempotency_key=idempotency_key,
        )
        return self._create(new_trace)

    create_trace_async = create_trace.as_async()

    def _create(self, new_trace: NewTrace) -> Call[TraceSubmission]:
        path, read = self._path("traces"), reading(TraceSubmission.from_api)
        body = new_trace.body(self._retrievals)
        return Call("POST", path, read, body=body, idempotency_key=new_trace.idempotency_key)

    def _create_and_wait(self, new_trace: NewTrace, poll_interval: float, wait_timeout: float) -> Steps[Trace]:
        submission = yield from self._create(new_trace)
        require_reviewed = new_trace.review_result is not None
        patience = {"poll_interval": poll_interval, "wait_timeout": wait_timeout}
        return (yield from self._wait(submission.id, require_reviewed=require_reviewed, **patience))

    def _wait(
        self, trace_id: str, *, require_reviewed: bool, poll_interval: float = 0.25, wait_timeout: float = 60.0
    ) -> Steps[Trace]:
        return waiting(self._look(trace_id), trace_id, require_reviewed, poll_interval, wait_timeout)

    @operation
    def create_memory(
        self,
        *,
        task: str,
        result: str | bool,
        summary: str = "",
        guidance: str = "",
        key_mistake: str = "",
        correct_action: str = "",
        applicable_tools: Sequence[str] = (),
        retrieved_memory_ids: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Call[TraceSubmission]:
        """Stores a lesson that you wrote yourself, at once: no run, no reflector.

        client.create_memory(task="Refund an order", result="fail", guidance="Look the order up first.")
        """
        reflection = AuthoredReflection(
            summary=summary,
            guidance=guidance,
            key_mistake=key_mistake,
            correct_action=correct_action,
            applicable_tools=applicable_tools,
        )
        new_trace = NewTrace(
            task=task,
            trajectory=[],
            retrieved_memory_ids=retrieved_memory_ids,
            metadata=metadata,
            review_result=result,
            reflection=reflection,
            idempotency_key=idempotency_key,
        )
        return self._create(new_trace)

    create_memory_async = create_memory.as_async()

    @operation
    def create_trace_and_wait(
        self,
        *,
        task: str,
        trajectory: TrajectoryInput,
        final_response: str | None = None,
        retrieved_memory_ids: Sequence[str] = (),
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        review_result: str | bool | None = None,
        feedback_text: str | None = None,
        reference_context: str | None = None,
        score: float | None = None,
        alpha: float | None = None,
        reflection: AuthoredReflection | Mapping[str, Any] | None = None,
        retrieval_id: str | None = None,
        idempotency_key: str | None = None,
        poll_interval: float = 0.25,
        wait_timeout: float = 60.0,
    ) -> Steps[Trace]:
        """Records a run and waits until its lesson is there, so that the very next query can find it.

        As `create_trace`, then as `wait_for_trace`. Without a review there is nothing to wait for.
        """
        new_trace = NewTrace(
            task=task,
            trajectory=trajectory,
            final_response=final_response,
            retrieved_memory_ids=retrieved_memory_ids,
            model=model,
            metadata=metadata,
            review_result=review_result,
            feedback_text=feedback_text,
            reference_context=reference_context,
            score=score,
            alpha=alpha,
            reflection=reflection,
            retrieval_id=retrieval_id,
            idempotency_key=idempotency_key,
        )
        return self._create_and_wait(new_trace, poll_interval, wait_timeout)

    create_trace_and_wait_async = create_trace_and_wait.as_async()

    @operation
    def wait_for_trace(
        self,
        trace_id: str,
        *,
        require_reviewed: bool = False,
        poll_interval: float = 0.25,
        wait_timeout: float = 60.0,
    ) -> Steps[Trace]:
        """Waits until a trace is stored or, with `require_reviewed`, until its review has become a memory.

        A server that cannot be reached meanwhile is waited for as well.

        Args:
            trace_id: The trace.
            require_reviewed: Whether to wait for the lesson.
            poll_interval: The longest pause between two looks, in seconds. The first looks come sooner.
            wait_timeout: How long to wait at most, in seconds.

        Raises:
            IngestFailedError: The lesson could not be written (a `RuntimeError`).
            WaitTimeoutError: The time is over (a `TimeoutError`).
        """
        patience = {"poll_interval": poll_interval, "wait_timeout": wait_timeout}
        return self._wait(trace_id, require_reviewed=require_reviewed, **patience)

    wait_for_trace_async = wait_for_trace.as_async()

    @operation
    def wait_for_traces(
        self,
        trace_ids: Sequence[str],
        *,
        require_reviewed: bool = True,
        poll_interval: float = 0.25,
        wait_timeout: float = 600.0,
    ) -> Steps[list[Trace]]:
        """Waits for many traces, as after `review_traces`; on a terminal with a bar. Errors as of `wait_for_trace`."""
        looks = {trace_id: self._look(trace_id) for trace_id in trace_ids}
        return waiting_for_all(looks, require_reviewed, poll_interval, wait_timeout)

    wait_for_traces_async = wait_for_traces.as_async()

    @operation
    def get_trace(self, trace_id: str) -> Call[Trace]:
        """One trace, whole."""
        return self._look(trace_id)

    get_trace_async = get_trace.as_async()

    def _look(self, trace_id: str) -> Call[Trace]:
        return Call("GET", self._path("traces", trace_id), reading(Trace.from_api))

    @operation
    def retry_trace(self, trace_id: str) -> Steps[Trace]:
        """Works a failed trace again."""
        call = Call("POST", self._path("traces", trace_id, "retry"), reading(Trace.from_api))
        return once(call, "not_failed", self._look(trace_id))

    retry_trace_async = retry_trace.as_async()

    @operation
    def delete_traces(self, trace_ids: Sequence[str], *, cascade: bool = False) -> Call[DeletedTraces]:
        """Erases traces. What they taught stays, unless `cascade` is set. Ids that are not there are not counted.

        Where an answer was lost and the call repeated, what the first try erased is not counted either.
        """
        body: dict[str, Any] = {"trace_ids": list(trace_ids)}
        if cascade:
            body["cascade"] = True
        return Call("POST", self._path("traces", "delete"), reading(DeletedTraces.from_api), body=body)

    delete_traces_async = delete_traces.as_async()
