"""The last resort: replies that answer in `key: value` lines, as YAML or as headings."""

from __future__ import annotations

import re
from typing import Any

from .coerce import without_bullet
from .names import same_name
from .shape import Kind, Shape, ShapeKey

_COLONS = re.compile("[:：]+")


def read_lines(text: str, shape: Shape) -> dict[str, Any]:
    """Reads the known keys from lines that begin with them. A key in the middle of a sentence is not read."""
    found: dict[ShapeKey, list[str]] = {}
    current: ShapeKey | None = None
    for line in map(str.strip, text.split("\n")):
        if not line or line.startswith(("```", "~~~")):
            continue
        labelled = _label(line, shape)
        if labelled:
            current, rest = labelled
            found[current] = []
            _push(found[current], rest)
        elif line.startswith("#"):
            current = None
        elif current:
            _push(found[current], line)
    return {key.name: lines if key.kind is Kind.TEXT_LIST else "\n".join(lines) for key, lines in found.items()}


def _push(lines: list[str], line: str) -> None:
    bare = without_bullet(line)
    line = (line if bare is None else bare).strip()
    while line.startswith("**"):
        line = line[2:]
    line = line.strip()
    if len(line) > 1 and line.startswith('"') and line.endswith('"'):
        line = line[1:-1]
    # `|` and `>` announce a block in YAML.
    if line not in ("", "|", ">"):
        lines.append(line)


def _label(line: str, shape: Shape) -> tuple[ShapeKey, str] | None:
    """The known key that a line begins with, and what follows it."""
    heading = line.startswith("#")
    bare = without_bullet(line)
    line = (line if bare is None else bare).lstrip("#").strip()
    colons = _COLONS.search(line)
    if colons:
        name, rest = line[: colons.start()], line[colons.end() :]
    elif heading:
        name, rest = line, ""
    else:
        return None
    name = name.strip("*_\"'` \t\u00a0\u3000")
    key = next((key for key in shape.keys if same_name(name, key.name)), None)
    if key is None:
        return None
    while rest.startswith("**"):
        rest = rest[2:]
    return key, rest.strip()
