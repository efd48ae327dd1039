"""Reviews of traces that are already stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from reflect_sdk.call import Call, Steps, once, reading
from reflect_sdk.method import operation
from reflect_sdk.models.trace import AuthoredReflection, BulkReviewOutcome, Trace, TraceReview
from reflect_sdk.operations.base import Operations
from reflect_sdk.operations.review_body import review_body
from reflect_sdk.progress import Progress

MOST_AT_ONCE = 500


class ReviewOperations(Operations):
    """Reviews in the project."""

    @operation
    def review_trace(
        self,
        trace_id: str,
        *,
        result: str | bool,
        feedback_text: str | None = None,
        score: float | None = None,
        alpha: float | None = None,
        reflection: AuthoredReflection | Mapping[str, Any] | None = None,
        supersedes: bool = False,
        idempotency_key: str | None = None,
    ) -> Call[Trace]:
        """Reviews a stored trace and waits for its lesson, up to the server's deadline.

            client.review_trace(trace_id, result="fail", feedback_text="The WHERE clause is missing")

        Args:
            trace_id: The trace.
            result: `pass` or `success`, `fail` or `failure`, True or False.
            feedback_text: The reviewer's words. Specific ones make specific lessons.
            score: How well the run went, 0 to 1, such as the share of tests that passed; None counts a pass as 1 and a fail as 0.
            alpha: The step by which the review moves the memories that the run was shown, 0 to 1.
            reflection: The lesson, written by you; no reflector is asked then.
            supersedes: Whether to replace an earlier, different review.
            idempotency_key: A name for this request; calls get one of their own.
        """
        body = review_body(
            result, feedback_text, score=score, alpha=alpha, reflection=reflection, supersedes=supersedes
        )
        path, read = self._path("traces", trace_id, "review"), reading(Trace.from_api)
        return Call("POST", path, read, body=body, idempotency_key=idempotency_key)

    review_trace_async = review_trace.as_async()

    @operation
    def take_back_review(self, trace_id: str) -> Steps[Trace]:
        """Takes a review back: everything ends as if it had never been."""
        call = Call("DELETE", self._path("traces", trace_id, "review"), reading(Trace.from_api))
        return once(call, "not_found", Call("GET", self._path("traces", trace_id), reading(Trace.from_api)))

    take_back_review_async = take_back_review.as_async()

    @operation
    def review_traces(
        self, reviews: Iterable[TraceReview | Mapping[str, Any]], *, idempotency_key: str | None = None
    ) -> Steps[list[BulkReviewOutcome]]:
        """Reviews many traces. Each is accepted or refused by itself; lessons are written in the background.

            client.review_traces({"trace_id": trace.id, "result": "pass"} for trace in client.iter_traces(review_status="pending"))

        They go to the server 500 at a time. Sending the same reviews again is safe: they answer `repeated`.
        """
        bodies = [_bulk_body(review) for review in reviews]
        outcomes: list[BulkReviewOutcome] = []
        with Progress("reviewing", total=len(bodies)) as progress:
            for start in range(0, len(bodies), MOST_AT_ONCE):
                progress.show(start)
                # A key of the caller's must name each request by itself.
                key = f"{idempotency_key}-{start}" if idempotency_key and start else idempotency_key
                outcomes += yield from self._review_some(bodies[start : start + MOST_AT_ONCE], key)
        return outcomes

    review_traces_async = review_traces.as_async()

    def _review_some(self, bodies: list[dict[str, Any]], key: str | None) -> Call[list[BulkReviewOutcome]]:
        read = reading(lambda answer: [BulkReviewOutcome.from_api(outcome) for outcome in answer["reviews"]])
        return Call("POST", self._path("traces", "review"), read, body={"reviews": bodies}, idempotency_key=key)


def _bulk_body(review: TraceReview | Mapping[str, Any]) -> dict[str, Any]:
    one = review if isinstance(review, TraceReview) else TraceReview(**review)
    body = review_body(
        one.result,
        one.feedback_text,
        score=one.score,
        alpha=one.alpha,
        reflection=one.reflection,
        supersedes=one.supersedes,
    )
    return {"trace_id": one.trace_id, **body}
