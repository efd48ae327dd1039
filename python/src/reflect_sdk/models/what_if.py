"""Configurations that are mixed at random, and what the log says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from reflect_sdk.models.base import Model
from reflect_sdk.models.lift import Difference


@dataclass(slots=True)
class Configuration(Model):
    """What a task is answered with in place of what its query asks for. What is None stays as it was asked."""

    lambda_: float | None = None
    limit: int | None = None
    """How many memories at most; never more than the query asks for."""
    similarity_threshold: float | None = None

    def to_api(self) -> dict[str, Any]:
        """The configuration as the server takes it."""
        values = {
            "lambda": self.lambda_,
            "limit": self.limit,
            "similarity_threshold": self.similarity_threshold,
        }
        return {name: value for name, value in values.items() if value is not None}


@dataclass(slots=True)
class Mixture(Model):
    """A share of tasks is answered with one of these configurations at random, each as likely as the others."""

    nested: ClassVar[Mapping[str, Any]] = {
        "configurations": lambda configurations: [Configuration.from_api(one) for one in configurations]
    }

    share: float
    """The share of tasks; 0 mixes nothing."""
    configurations: list[Configuration] = field(default_factory=list)

    def to_api(self) -> dict[str, Any]:
        """The mixture as the server takes it."""
        return {"share": self.share, "configurations": [one.to_api() for one in self.configurations]}


@dataclass(slots=True)
class MixedConfiguration(Model):
    """One configuration of a mixture."""

    nested: ClassVar[Mapping[str, Any]] = {"configuration": Configuration.from_api}

    configuration: Configuration
    probability: float
    """How probable it was to be drawn."""


@dataclass(slots=True)
class Estimate(Model):
    """The mean score of runs under a configuration, with an interval of 95 % that holds for one look."""

    value: float
    low: float
    high: float
    matching_runs: int
    """How many runs were shown what the configuration shows."""
    effective_runs: float
    """How many runs of equal weight would say as much."""


@dataclass(slots=True)
class PolicyValue(Model):
    """What the log says of a configuration: an estimate, or why there is none."""

    nested: ClassVar[Mapping[str, Any]] = {"estimate": Estimate.from_api}

    estimate: Estimate | None = None
    refusal: str | None = None


@dataclass(slots=True)
class Evaluation(Model):
    """What a configuration would have done, by the runs that were shown what it shows."""

    nested: ClassVar[Mapping[str, Any]] = {
        "mixed": lambda parts: [MixedConfiguration.from_api(part) for part in parts],
        "target": PolicyValue.from_api,
        "as_asked": PolicyValue.from_api,
        "difference": Difference.from_api,
    }

    sentence: str
    """The whole answer in plain words."""
    runs: int
    """How many reviewed runs there are in the period."""
    mixed: list[MixedConfiguration]
    target: PolicyValue
    as_asked: PolicyValue
    """The same of what was answered as asked, to compare it with."""
    since: str | None = None
    """When the first query of the period was asked; None if nothing was mixed."""
    difference: Difference | None = None
    """The target less what was answered as asked; None unless the log can tell both."""
