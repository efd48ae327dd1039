"""A project's skill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reflect_sdk.models.written_by import WrittenBy


class Skill(str):
    """The skill document: a text, with what is known about it.

    >>> skill = client.get_skill()  # doctest: +SKIP
    >>> Path("SKILL.md").write_text(skill)  # doctest: +SKIP
    """

    version: int
    """Counts up."""
    name: str
    description: str
    n_passed: int
    n_failed: int
    memory_ids: list[str]
    """The memories that it was written from."""
    created_at: str | None
    written_by: WrittenBy | None

    @property
    def content(self) -> str:
        """The whole Markdown document with its front matter."""
        return str(self)

    def _repr_markdown_(self) -> str:
        return str(self)

    @classmethod
    def from_api(cls, payload: Mapping[str, Any]) -> Skill:
        skill = cls(payload["content"])
        skill.version = payload["version"]
        skill.name = payload.get("name", "")
        skill.description = payload.get("description", "")
        skill.n_passed = payload.get("n_passed", 0)
        skill.n_failed = payload.get("n_failed", 0)
        skill.memory_ids = list(payload.get("memory_ids", []))
        skill.created_at = payload.get("created_at")
        written_by = payload.get("written_by")
        skill.written_by = WrittenBy.from_api(written_by) if written_by else None
        return skill
