"""Traces and their reviews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from reflect_sdk.models.base import Model
from reflect_sdk.models.written_by import WrittenBy
from reflect_sdk.views import card, conversation, shown

TrajectoryInput = Sequence[Mapping[str, Any]] | str
"""Messages as LLM APIs write them, a JSON text of such a list, or any other text."""


@dataclass(slots=True, repr=False)
class Review(Model):
    """How a run went."""

    id: str
    trace_id: str
    result: str
    """`pass` or `fail`."""
    feedback_text: str | None = None
    mode: str = "deferred"
    """`inline` when it came with its trace, else `deferred`."""
    source: str = "api"
    """`api`, `console` or `judge`."""
    score: float | None = None
    """How well the run went, 0 to 1, where the review says so."""
    alpha: float | None = None
    """The step by which it moved the memories that the run was shown."""
    created_at: str | None = None

    def __repr__(self) -> str:
        return shown(self, "result", "feedback_text", "mode", "source", "score", "alpha", "id")


@dataclass(slots=True, repr=False)
class Trace(Model):
    """A run, as it was."""

    nested: ClassVar[Mapping[str, Any]] = {"review": Review.from_api}

    id: str
    task: str
    trajectory: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    """Its messages; empty in a summary."""
    final_response: str = ""
    retrieved_memory_ids: list[str] = field(default_factory=list[str])
    """The memories that the run was shown."""
    review_status: str = "pending"
    """`pending`, or `reviewed` once its lesson can be found."""
    ingest_status: str = "completed"
    """`queued`, `processing`, `completed` or `failed`."""
    ingest_attempts: int = 0
    last_ingest_error: str | None = None
    model: str | None = None
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    created_memory_id: str | None = None
    """The memory that its review made."""
    review: Review | None = None
    reference_context: str | None = None
    retrieval_id: str | None = None
    """The query that showed it its memories."""
    warnings: list[str] = field(default_factory=list[str])
    created_at: str | None = None

    def __repr__(self) -> str:
        return shown(
            self, "id", "task", "final_response", "review_status", "ingest_status", "review", "created_memory_id"
        )

    def _repr_html_(self) -> str:
        about = (
            "id",
            "task",
            "model",
            "metadata",
            "review_status",
            "ingest_status",
            "last_ingest_error",
            "review",
            "warnings",
        )
        return card(self, *about, "created_memory_id", "created_at") + conversation(self.trajectory)


@dataclass(slots=True)
class TraceSubmission(Model):
    """A trace that was accepted."""

    id: str = field(metadata={"wire": "trace_id"})
    ingest_status: str
    """`queued` while its lesson is to be written, else `completed`."""
    warnings: list[str] = field(default_factory=list[str])
    """What looks wrong about it."""

    @property
    def trace_id(self) -> str:
        return self.id


@dataclass(slots=True)
class AuthoredReflection:
    """A lesson that you wrote yourself; no reflector is asked then."""

    summary: str = ""
    guidance: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    applicable_tools: Sequence[str] = ()
    tools_used: Sequence[str] = ()
    written_by: WrittenBy | None = None


@dataclass(slots=True)
class TraceReview:
    """One review of many."""

    trace_id: str
    result: str | bool
    feedback_text: str | None = None
    alpha: float | None = None
    reflection: AuthoredReflection | Mapping[str, Any] | None = None
    supersedes: bool = False
    score: float | None = None
    """How well the run went, 0 to 1."""


@dataclass(slots=True)
class BulkReviewError(Model):
    """Why one review of many was refused."""

    code: str
    message: str
    path: str | None = None


@dataclass(slots=True)
class BulkReviewOutcome(Model):
    """What became of one review of many."""

    nested: ClassVar[Mapping[str, Any]] = {"error": BulkReviewError.from_api}

    trace_id: str | None
    status: str
    """`accepted`, `repeated` or `refused`."""
    ingest_status: str | None = None
    error: BulkReviewError | None = None


@dataclass(slots=True)
class DeletedTraces(Model):
    """What was deleted."""

    deleted: int
    trace_ids: list[str]
