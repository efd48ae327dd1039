"""Who wrote a lesson."""

from __future__ import annotations

from dataclasses import dataclass

from reflect_sdk.models.base import Model


@dataclass(slots=True)
class WrittenBy(Model):
    """Who wrote a lesson or a skill, so that a reader can weigh it."""

    reflector: str
    """`builtin`, `llm`, `editor`, `author`, or `client:NAME`."""
    version: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    millis: int | None = None
    stands_in_for: str | None = None
    """The model that was to write and was not there in time."""
