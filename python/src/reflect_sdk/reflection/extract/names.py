"""Names that are spelt otherwise."""

from __future__ import annotations

from typing import Any

_SEPARATORS = str.maketrans("", "", "_- ")


def find_key(value: dict[str, Any], name: str) -> str | None:
    """The key of the object that is meant by `name`: itself, or one that is only spelt otherwise."""
    if name in value:
        return name
    return next((key for key in value if same_name(key, name)), None)


def same_name(one: str, other: str) -> bool:
    """Whether two names differ in case and separators alone: `keyFindings`, `Key findings`, `key-findings`."""
    return one.translate(_SEPARATORS).lower() == other.translate(_SEPARATORS).lower()
