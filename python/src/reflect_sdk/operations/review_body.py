"""A review as the server takes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from reflect_sdk.models.trace import AuthoredReflection
from reflect_sdk.outcome import outcome_name


def review_body(
    result: str | bool,
    feedback_text: str | None,
    *,
    score: float | None = None,
    alpha: float | None = None,
    reflection: AuthoredReflection | Mapping[str, Any] | None = None,
    supersedes: bool = False,
) -> dict[str, Any]:
    """Its JSON. What says nothing is left out, but for the feedback, which clients always sent."""
    body: dict[str, Any] = {"result": outcome_name(result), "feedback_text": feedback_text}
    if score is not None:
        body["score"] = score
    if alpha is not None:
        body["alpha"] = alpha
    if reflection is not None:
        body["reflection"] = _reflection(reflection)
    if supersedes:
        body["supersedes"] = True
    return body


def _reflection(reflection: AuthoredReflection | Mapping[str, Any]) -> dict[str, Any]:
    """The parts that say something."""
    parts = asdict(reflection) if isinstance(reflection, AuthoredReflection) else dict(reflection)
    if isinstance(written_by := parts.get("written_by"), dict):
        parts["written_by"] = {name: value for name, value in written_by.items() if value is not None}
    return {name: value for name, value in parts.items() if value}
