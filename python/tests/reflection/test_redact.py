"""Redaction, beyond the vectors that the Rust crate writes."""

from __future__ import annotations

import time

import pytest

from reflect_sdk.reflection import GeneralReflector, Redactor


async def test_a_judge_does_not_see_what_is_redacted() -> None:
    prompts: list[str] = []

    def judge(prompt: str) -> str:
        prompts.append(prompt)
        return '{"summary": "ok"}'

    await GeneralReflector(judge, redact=Redactor()).reflect(
        {"input": "write to ann@mail.example", "user": "a@b.example"}
    )
    assert "ann@mail" not in prompts[0]
    assert prompts[0].count("[email]") == 2


@pytest.mark.parametrize("pattern", ["(", "x*", ("x", ""), ("x", "a]b"), ("x", "a\nb")])
def test_a_pattern_that_cannot_be_used_is_refused(pattern: str | tuple[str, str]) -> None:
    with pytest.raises(ValueError, match=r"redaction|empty text|label"):
        Redactor(patterns=[pattern])


@pytest.mark.parametrize(
    "piece", ["a.", "a@", "1 ", "a:", "sk-", "sk-ab-", "ab_", "-----BEGIN PRIVATE KEY", "+49 ", "://", ":@", "password"]
)
def test_no_text_takes_long(piece: str) -> None:
    text = piece * (40_000 // len(piece))
    before = time.process_time()
    Redactor(phone_numbers=True)(text)
    assert time.process_time() - before < 2.0
