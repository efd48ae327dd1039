"""What every group of operations stands on."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from reflect_sdk.call import join_path
from reflect_sdk.models.memory import Memory
from reflect_sdk.retrievals import Retrievals

MemoryFormatter = Callable[[str, Sequence[Memory]], str]
"""Writes a prompt from a task and its memories."""


class Operations:
    """The part of a client that operations see. They say what to send; the client sends it."""

    project_id: str
    _retrievals: Retrievals
    _formatter: MemoryFormatter | None
    max_prompt_chars: int

    def _path(self, *parts: str) -> str:
        """The path of something in the project."""
        return join_path("v1", "projects", self.project_id, *parts)
