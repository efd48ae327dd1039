"""What a judge made of a run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal


@dataclass(frozen=True)
class Verdict:
    """Pass, fail, or that it cannot be told and why."""

    outcome: Literal["pass", "fail", "unknown"]
    reason: str = ""
    """Why it cannot be told; empty for pass and fail."""

    @property
    def is_known(self) -> bool:
        """Whether it is a pass or a fail."""
        return self.outcome != "unknown"

    def __str__(self) -> str:
        return self.outcome


PASS = Verdict("pass")
FAIL = Verdict("fail")


def unknown(reason: str) -> Verdict:
    """It cannot be told, and why."""
    return Verdict("unknown", reason)


class VerdictSource(str, Enum):
    """Where a verdict was found."""

    JSON = "json"
    LINE = "line"
    SENTENCE = "sentence"
    NOWHERE = "nowhere"


@dataclass(frozen=True)
class ReadVerdict:
    """A verdict and what stood around it."""

    verdict: Verdict
    confidence: float | None
    """How sure the judge is, in [0, 1], if it says so."""
    explanation: str
    """Its reasons: from the JSON, else the reply itself, shortened."""
    source: VerdictSource


EXPLANATION_LIMIT = 1_000
"""The most characters of an explanation that are kept."""
