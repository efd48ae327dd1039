from __future__ import annotations

import json

import pytest

from reflect_sdk.reflection import ReflectionHistory, ReflectionLevel, ReflectionResult, ReflectionType


def result(kind: ReflectionType = ReflectionType.INSIGHT, summary: str = "s") -> ReflectionResult:
    return ReflectionResult(kind, ReflectionLevel.MEDIUM, summary)


def test_only_successes_and_failures_have_counters_of_their_own() -> None:
    history = ReflectionHistory()
    for kind in (ReflectionType.SUCCESS, ReflectionType.SUCCESS, ReflectionType.FAILURE, ReflectionType.INSIGHT):
        history.add(result(kind))
    assert (history.total_count, history.success_count, history.failure_count) == (4, 2, 1)
    assert [len(history.get_by_type(kind)) for kind in ReflectionType] == [2, 1, 0, 0, 1]
    assert history.summarize() == {
        "total": 4,
        "success": 2,
        "failure": 1,
        "types": {"success": 2, "failure": 1, "optimization": 0, "pattern": 0, "insight": 1},
    }


def test_recent_ones_come_oldest_first() -> None:
    history = ReflectionHistory()
    for number in range(10):
        history.add(result(summary=str(number)))
    assert [recent.summary for recent in history.get_recent(3)] == ["7", "8", "9"]
    assert len(history.get_recent()) == 5
    assert len(history.get_recent(99)) == 10


@pytest.mark.parametrize("n", [0, -1, -5])
def test_asking_for_none_gives_none(n: int) -> None:
    """Fixed: in the reference, 0 answered all, and a negative number all but the first few."""
    history = ReflectionHistory()
    history.add(result())
    assert history.get_recent(n) == []


def test_a_bound_drops_the_oldest_and_still_counts_them() -> None:
    history = ReflectionHistory(capacity=2)
    for number in range(3):
        history.add(result(ReflectionType.SUCCESS, str(number)))
    assert [recent.summary for recent in history.get_recent()] == ["1", "2"]
    assert (history.total_count, history.success_count) == (3, 3)
    with pytest.raises(ValueError, match="`capacity` is -1"):
        ReflectionHistory(capacity=-1)


def test_histories_share_nothing() -> None:
    one, other = ReflectionHistory(), ReflectionHistory()
    one.add(result())
    assert (other.total_count, other.get_recent()) == (0, [])


def test_a_history_is_gone_through_written_down_and_goes_on_from_there() -> None:
    history = ReflectionHistory(capacity=2)
    for number in range(3):
        history.add(result(ReflectionType.FAILURE, str(number)))
    assert [kept.summary for kept in history] == ["1", "2"]
    written = json.loads(json.dumps(history.to_dict()))
    assert (written["capacity"], written["counts"]) == (2, {"failure": 3})
    read = ReflectionHistory.from_dict(written)
    assert (read, list(read)) == (history, list(history))
    read.add(result(ReflectionType.SUCCESS, "3"))
    assert ([kept.summary for kept in read], read.summarize()["total"]) == (["2", "3"], 4)
    assert "capacity" not in ReflectionHistory().to_dict()
