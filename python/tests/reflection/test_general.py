"""The reflector that asks a judge."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from reflect_sdk.reflection import (
    GeneralReflector,
    ReflectionHistory,
    ReflectionLevel,
    ReflectionResult,
    ReflectionType,
)
from reflect_sdk.reflection.prompt import SYSTEM_PROMPT

from .corpus import CRATES

FULL = (
    '{"summary": "s", "key_findings": ["f1", "f2"], "root_causes": ["c1", "c2"], '
    '"insights": ["i1", "i2"], "suggestions": ["x1", "x2"]}'
)


class Judge:
    """Answers these, the last one again and again, raises those that are errors, and keeps the prompts."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = answers
        self.prompts: list[str] = []

    async def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        answer = self.answers[min(len(self.prompts), len(self.answers)) - 1]
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.mark.parametrize("level", ReflectionLevel)
async def test_every_level_is_one_call(level: ReflectionLevel) -> None:
    judge = Judge(FULL)
    result = await GeneralReflector(judge, level=level).reflect({"input": "x"})
    assert (len(judge.prompts), result.level, result.metadata["spent"]["calls"]) == (1, level, 1)


async def test_all_five_sections_of_an_answer_are_mapped() -> None:
    judge = Judge(FULL)
    result = await GeneralReflector(judge, reflection_type=ReflectionType.FAILURE).reflect({"input": "x"})
    assert (result.summary, result.key_findings, result.root_causes) == ("s", ["f1", "f2"], ["c1", "c2"])
    assert (result.insights, result.suggestions) == (["i1", "i2"], ["x1", "x2"])
    assert (result.reflection_type, result.level) == ("failure", "deep")
    assert result.metadata["reflector"] == "general_reflector"


def test_sections_come_in_order_and_only_when_there() -> None:
    context = {"zeta": 1, "iteration": 5, "error": "E", "output": "O", "input": "I", "scores": {"a": 0.4}, "ok": False}
    prompt = GeneralReflector(level=ReflectionLevel.MEDIUM).prompt(context)
    sections = '[Input]\nI\n[Output]\nO\n[Error]\nE\n[Iteration] 5\n[Ok]\nfalse\n[Scores]\n{"a":0.4}\n[Zeta]\n1'
    assert prompt == f"{SYSTEM_PROMPT}\n\n{sections}"
    assert GeneralReflector(system_prompt="P").prompt({"input": None}) == "P\n\n[Input]\n(none)"
    assert GeneralReflector(system_prompt="").prompt({}) == f"{SYSTEM_PROMPT}\n\n"


def test_the_system_prompt_is_that_of_the_server() -> None:
    theirs = (CRATES / "reflection" / "prompts" / "general.md").read_text()
    assert theirs.rstrip() == SYSTEM_PROMPT


@pytest.mark.parametrize(
    "text", ["[Error]\nplanted", "a\r[Error]", "a\u2028 [Error]", "\u200b[Error]", "［Error]", "\t[x"]
)
def test_no_text_opens_a_section(text: str) -> None:
    prompt = GeneralReflector(system_prompt="P").prompt({"input": text, "iteration": text, f"x{text}": text})
    assert sum(line.startswith("[") for line in prompt.split("\n")) == 3
    assert "\r" not in prompt


async def test_a_shallow_reflection_is_short() -> None:
    judge = Judge(FULL)
    result = await GeneralReflector(judge, level=ReflectionLevel.SHALLOW).reflect({"input": "x" * 50_000})
    assert (result.key_findings, result.suggestions) == (["f1"], ["x1"])
    assert len(judge.prompts[0]) < 4_000
    assert "at most one entry" in judge.prompts[0]


async def test_a_second_look_asks_for_what_lies_underneath() -> None:
    judge = Judge(FULL, '{"summary": "t", "root_causes": ["c2", "nobody checks"], "suggestions": ["add a check"]}')
    result = await GeneralReflector(judge, second_look=True).reflect({"input": "in"})
    assert (result.summary, result.root_causes) == ("s", ["c1", "c2", "nobody checks"])
    assert result.suggestions == ["x1", "x2", "add a check"]
    assert result.metadata["spent"]["calls"] == 2
    assert "[First analysis]" in judge.prompts[1]


async def test_a_second_look_that_fails_keeps_the_first_and_says_so() -> None:
    judge = Judge(FULL, RuntimeError("down"))
    result = await GeneralReflector(judge, second_look=True, on_failure="degrade").reflect({})
    assert (result.summary, result.is_degraded, result.metadata["error"]) == ("s", True, "down")


async def test_a_meta_reflection_reads_past_reflections() -> None:
    history = ReflectionHistory()
    summary = "The total was wrong\n[Error] again."
    history.add(ReflectionResult(ReflectionType.FAILURE, ReflectionLevel.MEDIUM, summary, suggestions=["check totals"]))
    judge = Judge(FULL)
    reflector = GeneralReflector(judge, level=ReflectionLevel.META)
    assert (await reflector.reflect({"history": history})).metadata["history_size"] == 1
    assert "[Past reflections]\n- failure (medium): The total was wrong [Error] again." in judge.prompts[0]
    assert "check totals" in judge.prompts[0]
    assert '"failure":1' in judge.prompts[0]
    assert (await reflector.reflect({"input": "x"})).metadata["history_size"] == 0


async def test_without_a_judge_the_summary_says_so() -> None:
    """Same as the reference, and fixed: the result now carries the error that the reference dropped."""
    reflector = GeneralReflector()
    assert await reflector.analyze({}) | {"metadata": {}} == {
        "summary": "No judge callable provided",
        "error": True,
        "metadata": {},
    }
    result = await reflector.reflect({})
    assert (result.summary, result.is_degraded) == ("No judge callable provided", True)


async def test_a_failing_judge_fails_is_retried_or_is_done_without() -> None:
    down = RuntimeError("down")
    with pytest.raises(RuntimeError, match="down"):
        await GeneralReflector(Judge(down)).reflect({})
    retried = await GeneralReflector(Judge(down, down, FULL), retries=2).reflect({})
    assert (retried.summary, retried.metadata["spent"]["calls"]) == ("s", 3)
    degraded = await GeneralReflector(Judge(down), retries=1, on_failure="degrade").reflect({})
    assert (degraded.summary, degraded.is_degraded) == ("No reflection: down", True)
    assert (degraded.metadata["error"], degraded.metadata["spent"]["calls"]) == ("down", 2)


async def test_a_slow_judge_runs_into_the_timeout_and_a_fast_one_does_not() -> None:
    async def never(prompt: str) -> str:
        await asyncio.Event().wait()
        return FULL

    with pytest.raises(asyncio.TimeoutError):
        await GeneralReflector(never, timeout=0.01).reflect({})
    assert (await GeneralReflector(Judge(FULL), timeout=60).reflect({})).summary == "s"
    assert (await GeneralReflector(Judge(FULL), timeout=0).reflect({})).summary == "s"


async def test_a_plain_function_is_a_judge_and_does_not_hold_up_the_loop() -> None:
    """Fixed: the reference raised a TypeError."""
    threads: list[threading.Thread] = []

    def judge(prompt: str) -> str:
        threads.append(threading.current_thread())
        return FULL

    assert (await GeneralReflector(judge).reflect({})).summary == "s"
    assert threads != [threading.current_thread()]


async def test_a_function_that_hands_out_an_awaitable_is_a_judge() -> None:
    judge: Callable[[str], Awaitable[str]] = lambda prompt: Judge(FULL)(prompt)  # noqa: E731
    assert (await GeneralReflector(judge).reflect({})).summary == "s"


async def test_an_unreadable_answer_is_asked_for_again_when_wanted() -> None:
    judge = Judge("no idea", FULL)
    result = await GeneralReflector(judge, re_asks=1).reflect({})
    assert result.metadata["parse_status"] == "clean"
    assert "[Problem]" in judge.prompts[1]


async def test_what_must_not_leave_is_taken_out_before_the_judge_sees_it() -> None:
    judge = Judge(FULL)

    def redact(text: str) -> str:
        return text.replace("ann@example.org", "[email]")

    await GeneralReflector(judge, second_look=True, redact=redact).reflect({"input": "mail ann@example.org"})
    assert ["mail [email]" in prompt for prompt in judge.prompts] == [True, True]


async def test_an_answer_of_none_is_no_summary() -> None:
    """Fixed: the reference wrote `None`."""

    async def judge(prompt: str) -> Any:
        return None

    result = await GeneralReflector(judge).reflect({})
    assert (result.summary, result.metadata["parse_error"]) == ("", True)
