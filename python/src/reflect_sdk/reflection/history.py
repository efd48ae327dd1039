"""What was reflected so far."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from .kinds import ReflectionLevel, ReflectionType
from .result import ReflectionResult


@dataclass(slots=True)
class ReflectionHistory:
    """Reflections in the order they came, with counts.

    Counts cover everything that was ever added; `capacity` limits only how many results are kept to be read again.
    Without it everything is kept; 0 keeps none.

    >>> history = ReflectionHistory()
    >>> history.summarize()["total"]
    0
    """

    total_count: int = field(default=0, init=False)
    success_count: int = field(default=0, init=False)
    failure_count: int = field(default=0, init=False)
    capacity: int | None = field(default=None, kw_only=True)
    _results: deque[ReflectionResult] = field(init=False, repr=False, compare=False)
    _counts: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.capacity is not None and self.capacity < 0:
            raise ValueError(f"`capacity` is {self.capacity}; it has to be 0 or more")
        self._results = deque(maxlen=self.capacity)
        self._counts = {kind.value: 0 for kind in ReflectionType}

    def add(self, result: ReflectionResult) -> None:
        """Adds a result at the end; the oldest one goes if the capacity asks for it."""
        self._results.append(result)
        self.total_count += 1
        self._counts[ReflectionType(result.reflection_type).value] += 1
        self.success_count = self._counts["success"]
        self.failure_count = self._counts["failure"]

    def get_recent(self, n: int = 5) -> list[ReflectionResult]:
        """The newest `n` that are kept, oldest first. 0 and less give none; more than there are gives all."""
        return list(self._results)[-n:] if n > 0 else []

    def get_by_type(self, rtype: ReflectionType) -> list[ReflectionResult]:
        """Those kept of one type, oldest first."""
        return [result for result in self._results if result.reflection_type == rtype]

    def summarize(self) -> dict[str, Any]:
        """`total`, `success`, `failure`, and `types` with the count of each type; those without any are 0."""
        return {
            "total": self.total_count,
            "success": self.success_count,
            "failure": self.failure_count,
            "types": dict(self._counts),
        }

    def __iter__(self) -> Iterator[ReflectionResult]:
        """Those kept, oldest first."""
        return iter(self._results)

    def to_dict(self) -> dict[str, Any]:
        """The history as values that JSON knows: what the Rust crate `reflection` writes for one, too."""
        capacity = {} if self.capacity is None else {"capacity": self.capacity}
        counts = {kind: count for kind, count in self._counts.items() if count}
        return {**capacity, "counts": counts, "results": [asdict(result) for result in self._results]}

    @classmethod
    def from_dict(cls, written: dict[str, Any]) -> ReflectionHistory:
        """The history that `to_dict` has written."""
        history = cls(capacity=written.get("capacity"))
        for result in written["results"]:
            kinds = {
                "reflection_type": ReflectionType(result["reflection_type"]),
                "level": ReflectionLevel(result["level"]),
            }
            history._results.append(ReflectionResult(**{**result, **kinds}))
        history._counts.update({ReflectionType(kind).value: count for kind, count in written["counts"].items()})
        history.total_count = sum(history._counts.values())
        history.success_count, history.failure_count = history._counts["success"], history._counts["failure"]
        return history
