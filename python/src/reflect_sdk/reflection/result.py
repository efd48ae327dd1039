"""The outcome of one reflection."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .kinds import ReflectionLevel, ReflectionType


@dataclass(frozen=True, slots=True)
class ReflectionResult:
    """What one reflection found.

    >>> ReflectionResult(ReflectionType.INSIGHT, ReflectionLevel.MEDIUM, "Fine.").suggestions
    []
    """

    reflection_type: ReflectionType
    """What it is about: set by the reflector's configuration, never by a model."""
    level: ReflectionLevel
    summary: str
    """One sentence."""
    key_findings: list[str] = field(default_factory=list[str])
    """Notable observations."""
    root_causes: list[str] = field(default_factory=list[str])
    """The reasons underneath."""
    insights: list[str] = field(default_factory=list[str])
    """Patterns and learnings."""
    suggestions: list[str] = field(default_factory=list[str])
    """What to do better."""
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    """Whatever else is known: at least `reflector`, the name of who reflected. `GeneralReflector` says what it adds."""

    @property
    def is_degraded(self) -> bool:
        """Whether this stands in for a reflection that failed."""
        return self.metadata.get("degraded") is True
