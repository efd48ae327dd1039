"""What holds for any reply: nothing raises, valid JSON is read exactly, and no pass comes from nowhere."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from reflect_sdk.reflection import parse_verdict
from reflect_sdk.reflection.extract import Shape, extract_json, extract_json_counting

from .corpus import SHAPES

PIECES = [
    *"{}[]\"',:\\/#.%-+?\n\x00\x1f é日“”：，\ufeff",
    *(
        "```",
        "```json",
        "<think>",
        "</think>",
        "[THINK]",
        "◁think▷",
        "//",
        "/*",
        "*/",
        "...",
        '"""',
        "'''",
        "\\u",
        "d83d",
    ),
    *("summary", "insights", "verdict", "Verdict:", "pass", "fail", "not", "if", "true", "None", "1.5", "<html"),
]
TEXTS = ["", "a}b{", 'q"\\\n', "é", 'x,"y":1', '", "z": "', "</think>", "```"]


def any_reply(dice: random.Random) -> str:
    return "".join(dice.choices(PIECES, k=dice.randint(0, dice.choice([10, 60, 400]))))


def any_value(dice: random.Random, depth: int = 0) -> Any:
    if depth > 3 or dice.random() < 0.5:
        return dice.choice([1, -2.5, True, False, None, *TEXTS])
    count = range(dice.randint(0, 3))
    if dice.random() < 0.5:
        return [any_value(dice, depth + 1) for _ in count]
    return {dice.choice(["a", "b", "x y"]): any_value(dice, depth + 1) for _ in count}


@pytest.mark.parametrize("seed", range(10))
def test_anything_is_read_in_steps_that_grow_with_it(seed: int) -> None:
    dice = random.Random(seed)
    for reply in (any_reply(dice) for _ in range(200)):
        for shape in (SHAPES["lesson"], SHAPES["any"]):
            found, steps = extract_json_counting(reply, shape)
            assert found.raw == reply
            assert steps <= 40 * (len(reply) + 20), reply
            json.dumps(found.value)


@pytest.mark.parametrize("seed", range(10))
def test_valid_json_is_read_exactly(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(200):
        value = {"summary": "s", "value": any_value(dice)}
        for text in (json.dumps(value), json.dumps(value, ensure_ascii=False, indent=1)):
            found = extract_json(text, Shape())
            assert (json.dumps(found.value), found.status) == (json.dumps(value), "clean"), text


@pytest.mark.parametrize("seed", range(10))
def test_nothing_passes_without_a_word_for_it(seed: int) -> None:
    dice = random.Random(seed)
    for reply in (any_reply(dice) for _ in range(200)):
        verdict = parse_verdict(reply).verdict
        assert verdict.outcome != "pass" or "pass" in reply or "true" in reply, reply
