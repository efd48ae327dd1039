"""A run to be recorded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reflect_sdk.models.trace import AuthoredReflection, TrajectoryInput
from reflect_sdk.operations.review_body import review_body
from reflect_sdk.retrievals import Retrievals


@dataclass(slots=True, kw_only=True)
class NewTrace:
    """The arguments of `create_trace`, which says what each means."""

    task: str
    trajectory: TrajectoryInput
    final_response: str | None = None
    retrieved_memory_ids: Sequence[str] = ()
    model: str | None = None
    metadata: Mapping[str, Any] | None = None
    review_result: str | bool | None = None
    feedback_text: str | None = None
    reference_context: str | None = None
    score: float | None = None
    alpha: float | None = None
    reflection: AuthoredReflection | Mapping[str, Any] | None = None
    retrieval_id: str | None = None
    idempotency_key: str | None = None

    def body(self, retrievals: Retrievals) -> dict[str, Any]:
        """Its JSON, joined to the query behind it."""
        memory_ids = list(self.retrieved_memory_ids)
        retrieval_id = self.retrieval_id or retrievals.behind(self.task, memory_ids)
        if not memory_ids and retrieval_id is None:
            retrievals.warn_if_forgotten(self.task, self.trajectory)
        if retrieval_id is not None:
            retrievals.name(retrieval_id)
        body: dict[str, Any] = {
            "task": self.task,
            "trajectory": self.trajectory if isinstance(self.trajectory, str) else list(self.trajectory),
            "retrieved_memory_ids": memory_ids,
            "model": self.model,
            "metadata": dict(self.metadata or {}),
        }
        optional = {
            "final_response": self.final_response,
            "reference_context": self.reference_context,
            "retrieval_id": retrieval_id,
        }
        body.update((name, value) for name, value in optional.items() if value is not None)
        # Feedback, a score or a step without a result is no review.
        if self.review_result is not None:
            body["review"] = review_body(
                self.review_result, self.feedback_text, score=self.score, alpha=self.alpha, reflection=self.reflection
            )
        return body
