"""The three steps, for reflectors of one's own."""

from __future__ import annotations

from typing import Any

import pytest

from reflect_sdk.reflection import ReflectionLevel, ReflectionType, Reflector


class Plain(Reflector):
    async def analyze(self, context: dict[str, Any]) -> dict[str, Any]:
        return {
            "summary": f"saw {context['input']}",
            "key_findings": ["f"],
            "insights": ["i"],
            "suggestions": ["s"],
        }


async def test_the_steps_after_the_first_pass_on_what_it_found() -> None:
    result = await Plain().reflect({"input": "x"})
    assert (result.summary, result.key_findings, result.insights, result.suggestions) == ("saw x", ["f"], ["i"], ["s"])
    assert (result.reflection_type, result.level) == (ReflectionType.INSIGHT, ReflectionLevel.MEDIUM)
    assert result.metadata == {"reflector": "reflector"}


def test_without_the_first_step_there_is_no_reflector() -> None:
    with pytest.raises(TypeError, match="analyze"):
        Reflector()  # type: ignore[abstract]


async def test_suggestions_follow_from_insights_and_the_analysis() -> None:
    class Own(Reflector):
        async def analyze(self, context: dict[str, Any]) -> dict[str, Any]:
            return {"summary": "s", "root_causes": ["c"], "insights": ["first"]}

        async def insight(self, analysis: dict[str, Any]) -> dict[str, Any]:
            return {"insights": [f"because {analysis['root_causes'][0]}"]}

        async def suggest(self, insights: dict[str, Any]) -> dict[str, Any]:
            return {"suggestions": [f"{insights['insights'][0]} so mend {insights['root_causes'][0]}"]}

    result = await Own("own", ReflectionType.PATTERN, ReflectionLevel.DEEP).reflect({})
    assert (result.insights, result.suggestions) == (["because c"], ["because c so mend c"])
    assert (result.reflection_type, result.level, result.metadata) == ("pattern", "deep", {"reflector": "own"})


async def test_a_second_step_may_change_the_suggestions() -> None:
    class Own(Plain):
        async def insight(self, analysis: dict[str, Any]) -> dict[str, Any]:
            return {"insights": [], "suggestions": ["derived"]}

    assert (await Own().reflect({"input": "x"})).suggestions == ["derived"]


async def test_one_text_is_a_list_of_one_and_nothing_is_an_empty_list() -> None:
    """Fixed: in the reference a loop over suggestions that are a text went letter by letter."""

    class Odd(Reflector):
        async def analyze(self, context: dict[str, Any]) -> dict[str, Any]:
            return {"summary": None, "suggestions": "do x", "root_causes": None, "key_findings": [1]}

    result = await Odd().reflect({})
    assert (result.summary, result.suggestions, result.root_causes, result.key_findings) == ("", ["do x"], [], ["1"])


@pytest.mark.parametrize("step", ["analyze", "insight", "suggest"])
async def test_an_error_in_any_step_surfaces(step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fails(self: Reflector, _: dict[str, Any]) -> dict[str, Any]:
        raise RuntimeError(step)

    monkeypatch.setattr(Plain, step, fails)
    with pytest.raises(RuntimeError, match=step):
        await Plain().reflect({"input": "x"})
