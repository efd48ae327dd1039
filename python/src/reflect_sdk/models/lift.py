"""Whether memories help."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from reflect_sdk.models.base import Model


@dataclass(slots=True)
class LiftArm(Model):
    """Tasks that were answered with memories, or had to do without. A task counts once a day, with its first run."""

    tasks: int
    reviewed: int
    """Those whose run has a review that counts."""
    passed: int
    unrecorded: int
    """Those of which no run was recorded, or none that could be joined to the query."""
    unreviewed: int
    judged: int
    """Those whose run the judge reviewed."""
    unnamed: int
    """Those whose run did not name its query."""
    pass_rate: float | None = None


@dataclass(slots=True)
class Difference(Model):
    """A difference of two pass rates, with an interval of 95 % that holds for one look."""

    points: float
    low: float
    high: float


@dataclass(slots=True)
class Lift(Model):
    """Whether memories help: tasks with memories against those that did without at random."""

    nested: ClassVar[Mapping[str, Any]] = {
        "with_memories": LiftArm.from_api,
        "without_memories": LiftArm.from_api,
        "difference": Difference.from_api,
    }

    sentence: str
    """The whole report in plain words."""
    verdict: str
    """`helps`, `hurts` or `not_known_yet`. It may be looked at after every run."""
    holdout: float
    """The share of tasks that do without memories now."""
    with_memories: LiftArm
    without_memories: LiftArm
    evidence: float
    """How much speaks against "memories make no difference": 20 is a verdict."""
    more_runs_for_ten_points: int
    reviews_depend_on_arm: bool
    """Whether one arm is reviewed more often than chance allows. There is no verdict then."""
    difference: Difference | None = None
    """None below ten reviewed runs without memories."""
    more_runs: int | None = None
    """About how many more reviewed runs a verdict takes if the difference is as measured."""
    share: float | None = None
    """The share of the tasks in this report; None if none was drawn yet."""
    since: str | None = None
