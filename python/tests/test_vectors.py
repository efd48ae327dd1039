"""The files under `spec/vectors`, which the Rust crates write: the same inputs come to the same here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reflect_sdk import Memory, prompt_with_memories
from reflect_sdk.reflection import GeneralReflector, Redactor, ReflectionLevel, parse_verdict
from reflect_sdk.reflection.extract import extract_json
from reflection.corpus import SHAPES

FOLDER = Path(__file__).parents[2] / "spec" / "vectors"


def vectors(name: str) -> Any:
    """A parameter `vector` for every case of a file."""
    cases = json.loads((FOLDER / f"{name}.json").read_text())
    assert cases
    names = [case.get("name") or (case.get("reply") or "".join(case.get("pieces", [])))[:40] for case in cases]
    return pytest.mark.parametrize("vector", cases, ids=names)


def as_json(value: Any) -> str:
    """Tells `1`, `1.0` and `true` apart, as JSON does."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def test_every_file_is_read() -> None:
    assert {path.stem for path in FOLDER.glob("*.json")} == {
        "extraction",
        "memory_block",
        "redaction",
        "reflections",
        "verdicts",
    }


@vectors("extraction")
def test_the_same_json_is_found(vector: dict[str, Any]) -> None:
    found = extract_json(vector["reply"], SHAPES[vector["shape"]])
    assert (found.status, [note.to_json() for note in found.notes]) == (vector["status"], vector["notes"])
    assert as_json(found.value) == as_json(vector["value"])


@vectors("verdicts")
def test_the_same_verdict_is_read(vector: dict[str, Any]) -> None:
    read = parse_verdict(vector["reply"])
    assert (str(read.verdict), read.verdict.reason) == (vector["verdict"], vector["reason"])
    assert (read.confidence, read.source.value) == (vector["confidence"], vector["source"])
    assert read.explanation == vector["explanation"]


@vectors("memory_block")
def test_the_same_prompt_is_written(vector: dict[str, Any]) -> None:
    usual = {"id": "m1", "task": "Refund order A-17", "reflection": "", "q_value": 0.5, "similarity": 0.5}
    memories = [Memory(**{**usual, **memory}) for memory in vector["memories"]]
    assert prompt_with_memories(vector["task"], memories, vector["max_chars"]) == vector["prompt"]


@vectors("reflections")
async def test_a_judge_is_asked_and_understood_alike(vector: dict[str, Any]) -> None:
    replies, prompts = iter(vector["replies"]), []

    async def judge(prompt: str) -> str:
        prompts.append(prompt)
        return str(next(replies))

    level = ReflectionLevel(vector["level"])
    # The one case of this level takes a second look.
    reflector = GeneralReflector(judge, level=level, re_asks=1, second_look=level == ReflectionLevel.DEEP)
    result = await reflector.reflect(vector["context"])
    assert prompts == vector["prompts"]
    expected = vector["result"]
    metadata = {key: value for key, value in result.metadata.items() if key != "spent"}
    assert as_json(metadata) == as_json(expected["metadata"])
    for field in ("reflection_type", "level", "summary", "key_findings", "root_causes", "insights", "suggestions"):
        assert getattr(result, field) == expected[field], field


@vectors("redaction")
def test_the_same_is_redacted(vector: dict[str, Any]) -> None:
    text = "".join(vector["pieces"])
    more = Redactor(phone_numbers=True, patterns=[r"KD-\d{4}", (r"\bproject [A-Z]\w+", "project")])
    assert (Redactor()(text), more(text)) == (vector["redacted"], vector["redacted_with_more"])
