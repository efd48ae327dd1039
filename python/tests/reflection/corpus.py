"""Reads the corpora that the Rust crates are tested with; `crates/reflect-llm/tests/corpus/README.md` says how they
are written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from reflect_sdk.reflection.extract import Kind, Shape

CRATES = Path(__file__).parents[3] / "crates"
REPLIES = CRATES / "reflect-llm" / "tests" / "corpus"
VERDICTS = CRATES / "reflection" / "tests" / "corpus" / "verdicts.jsonl"


class Case(NamedTuple):
    """A reply and what must come out of it."""

    name: str
    shape: Shape
    status: str
    notes: list[str]
    reply: str
    expected: Any
    """An object, or the words `some` and `none`."""


def _with_lists(shape: Shape) -> Shape:
    for key in ("key_findings", "root_causes", "insights", "suggestions"):
        shape = shape.optional(key, Kind.TEXT_LIST)
    return shape


SHAPES = {
    "lesson": _with_lists(Shape().required("summary", Kind.TEXT)),
    "loose": _with_lists(Shape().optional("summary", Kind.TEXT)),
    "verdict": Shape()
    .required("verdict", Kind.TEXT)
    .optional("reason", Kind.TEXT)
    .optional("score", Kind.NUMBER)
    .optional("passed", Kind.BOOL),
    "any": Shape(),
}


def replies() -> list[Case]:
    """Every reply of the corpus, file by file."""
    texts = [path.read_bytes().decode() for path in sorted(REPLIES.glob("*.txt"))]
    return [case for text in texts for case in _read_file(text)]


def verdicts() -> list[dict[str, str]]:
    """Every labelled reply of a judge."""
    return [json.loads(line) for line in VERDICTS.read_text().split("\n") if line]


_CASE = re.compile(
    r"^## (?P<name>.*)\n(?P<labels>(?:\w+: .*\n)*)<<<(?P<json> json)?\n"
    r"(?P<reply>(?s:.*?))^>>>\n(?P<value>(?:(?!## ).*\n?)*)",
    re.MULTILINE,
)


def _read_file(text: str) -> Iterator[Case]:
    for case in _CASE.finditer(text):
        labels = dict(label.split(": ", 1) for label in case["labels"].split("\n") if label)
        reply, value = case["reply"].removesuffix("\n"), case["value"].strip()
        yield Case(
            name=case["name"],
            shape=SHAPES[labels["shape"]],
            status=labels["status"],
            notes=labels["notes"].split(", ") if "notes" in labels else [],
            reply=_unescaped(reply) if case["json"] else reply,
            expected=value if value in ("none", "some") else json.loads(value),
        )


def _unescaped(body: str) -> str:
    pieces = json.loads(body)
    return pieces if isinstance(pieces, str) else "".join(text * times for text, times in pieces)
