"""How replies are read, row by row beside the reference implementation: each test says whether ours does the same, or
what it fixes and why. The Rust crate has the same tests."""

from __future__ import annotations

import pytest

from reflect_sdk.reflection import GeneralReflector, ReflectionLevel, ReflectionResult


async def reflect_on(reply: str) -> ReflectionResult:
    async def judge(prompt: str) -> str:
        return reply

    return await GeneralReflector(judge, level=ReflectionLevel.MEDIUM).reflect({"input": "x"})


@pytest.mark.parametrize("reply", ['```json\n{"summary": "ok"}\n```', 'Here: {"summary": "ok"} Hope that helps!'])
async def test_a_fence_or_prose_around_the_object_is_read(reply: str) -> None:
    """Same as the reference."""
    result = await reflect_on(reply)
    assert (result.summary, result.metadata["parse_status"]) == ("ok", "clean")


async def test_braces_in_prose_before_the_object_are_passed_over() -> None:
    """Same as the reference."""
    result = await reflect_on('set {a,b} then {"summary": "real", "insights": ["i"]}')
    assert (result.summary, result.insights) == ("real", ["i"])


async def test_the_last_of_two_objects_wins() -> None:
    """Fixed: the reference takes the first. Models correct themselves by writing again."""
    result = await reflect_on('{"summary": "draft"}\nBetter:\n{"summary": "final"}')
    assert result.summary == "final"
    assert {"several_candidates": 2} in result.metadata["parse_notes"]


async def test_thinking_is_not_the_answer() -> None:
    """Fixed: the reference took the draft out of the thinking block."""
    assert (await reflect_on('<think>{"summary": "draft"}</think>{"summary": "final"}')).summary == "final"


async def test_an_object_in_an_array_is_found() -> None:
    """Same as the reference for a list of one. Of several, the reference takes the first; ours the last."""
    assert (await reflect_on('[{"summary": "inside"}]')).summary == "inside"
    result = await reflect_on('[{"summary": "one"}, {"summary": "two"}]')
    assert result.summary == "two"
    assert "taken_from_array" in result.metadata["parse_notes"]


async def test_braces_inside_texts_are_just_text() -> None:
    """Fixed: the reference counted braces inside texts and gave up on valid JSON."""
    result = await reflect_on(r'{"summary": "close } and open { and \" quote", "insights": ["}{"]}')
    assert (result.summary, result.insights) == ('close } and open { and " quote', ["}{"])
    assert result.metadata["parse_status"] == "clean"


async def test_a_truncated_object_is_mended_and_its_inner_one_is_not_taken_for_it() -> None:
    """Fixed: the reference answered a complete inner object as if it were the whole."""
    result = await reflect_on('{"summary": "outer", "extra": {"insights": ["inner"]}, "suggestions": ["do x')
    assert (result.summary, result.insights, result.metadata["parse_status"]) == ("outer", [], "repaired")


@pytest.mark.parametrize("reply", ['{"summary": "ok",}', "{'summary': 'ok'}", '{"summary": "ok" // the gist\n}'])
async def test_commas_quotes_and_comments_are_mended(reply: str) -> None:
    """Fixed: all three were parse errors in the reference, with the raw text as summary."""
    result = await reflect_on(reply)
    assert (result.summary, result.metadata["parse_status"]) == ("ok", "repaired")
    assert "parse_error" not in result.metadata


@pytest.mark.parametrize("reply", ["{}", "", "{" * 8_000, "It was slow."])
async def test_a_reply_without_an_answer_is_a_parse_error_that_reaches_the_result(reply: str) -> None:
    """Fixed: in the reference only somebody who called the first step alone could see it."""
    result = await reflect_on(reply)
    assert (result.metadata["parse_error"], result.metadata["raw"]) == (True, reply)
    assert result.summary == reply[:200]


async def test_values_of_other_types_become_what_is_expected() -> None:
    """Fixed: the reference handed these on as they were."""
    result = await reflect_on(
        '{"summary": 7, "key_findings": null, "root_causes": "one cause", "insights": [1, {"a": 2}],'
        ' "suggestions": "x"}'
    )
    assert (result.summary, result.key_findings, result.root_causes) == ("7", [], ["one cause"])
    assert (result.insights, result.suggestions) == (["1", '{"a":2}'], ["x"])


async def test_not_a_number_is_survived() -> None:
    """Same as the reference: they are accepted. Ours says that they are no JSON."""
    result = await reflect_on('{"summary": "ok", "score": NaN, "limit": Infinity}')
    assert (result.summary, result.metadata["parse_status"]) == ("ok", "repaired")


async def test_what_nobody_asked_for_is_kept_in_the_analysis() -> None:
    """Same as the reference: what is nested stays nested, and is there for whoever wants it."""

    async def judge(prompt: str) -> str:
        return 'Here:\n{"summary": "s", "detail": {"nested": {"x": 1}}}\nDone.'

    analysis = await GeneralReflector(judge).analyze({})
    assert (analysis["summary"], analysis["detail"]) == ("s", {"nested": {"x": 1}})
