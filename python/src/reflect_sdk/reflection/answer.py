"""What a judge answers, and how it is read."""

from __future__ import annotations

from functools import reduce
from typing import Any

from .extract import Extracted, Kind, ParseStatus, Shape, without_thinking
from .kinds import ReflectionLevel

LISTS = ("key_findings", "root_causes", "insights", "suggestions")
SHAPE = reduce(lambda shape, key: shape.optional(key, Kind.TEXT_LIST), LISTS, Shape().required("summary", Kind.TEXT))

FALLBACK_SUMMARY = 200
"""How many characters of an answer that could not be read become the summary."""


def read_answer(found: Extracted, level: ReflectionLevel) -> dict[str, Any]:
    """What an answer says; where it could not be read, its first words are the summary and `parse_error` is set.

    Keys that nobody asked for are kept.
    """
    value = found.value or {}
    analysis: dict[str, Any] = {**value, "summary": str(value.get("summary") or "").strip(), **read_lists(value)}
    metadata: dict[str, Any] = {
        "parse_status": found.status.value,
        "parse_notes": [note.to_json() for note in found.notes],
        "raw": found.raw,
    }
    analysis["metadata"] = metadata
    if found.status is ParseStatus.FALLBACK:
        analysis["parse_error"] = metadata["parse_error"] = True
        analysis["summary"] = analysis["summary"] or without_thinking(found.raw).strip()[:FALLBACK_SUMMARY]
    if level == ReflectionLevel.SHALLOW:
        for key in LISTS:
            analysis[key] = analysis[key][:1]
    return analysis


def read_lists(value: dict[str, Any]) -> dict[str, list[str]]:
    """The four lists, without what is empty."""
    return {key: [text.strip() for text in value.get(key, []) if text.strip()] for key in LISTS}


def add_new(texts: list[str], more: list[str]) -> None:
    """Adds what is not there yet, in order."""
    texts.extend(text for text in dict.fromkeys(more) if text not in set(texts))
