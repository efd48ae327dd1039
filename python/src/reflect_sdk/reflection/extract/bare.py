"""Numbers, and words without quotes."""

from __future__ import annotations

import math
import re
from enum import Enum
from typing import Any, NamedTuple

from .cursor import Cursor
from .notes import Notes

_WORD = re.compile(r"[A-Za-z0-9+\-._%$]*")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_LITERALS: dict[str, Any] = {"true": True, "false": False, "null": None}
_NOTHING = {"null", "none", "nil", "undefined", "nan", "infinity", "inf"}


class Bare(Enum):
    """What a word without quotes is."""

    VALUE = 0
    GUESSED = 1
    """A text, since nothing else makes sense of it."""
    CUT_OFF = 2
    """The reply ended in it, so more of it may be missing."""
    NOTHING = 3
    """No word."""


class BareWord(NamedTuple):
    """A word without quotes and its value."""

    what: Bare
    value: Any = None


def read_bare(cursor: Cursor, notes: Notes) -> BareWord:
    """Reads the number or the word that is here."""
    word = cursor.take(_WORD)
    if not word:
        return BareWord(Bare.NOTHING)
    if cursor.is_at_end():
        return BareWord(Bare.CUT_OFF)
    if word in _LITERALS:
        return BareWord(Bare.VALUE, _LITERALS[word])
    if _NUMBER.fullmatch(word):
        number = parse_number(word)
        if number is not None:
            return BareWord(Bare.VALUE, number)
    odd = word.lstrip("+-").lower()
    if odd in ("true", "false") or odd in _NOTHING:
        notes.add("literals")
        return BareWord(Bare.VALUE, _LITERALS.get(odd))
    plain = word.replace("_", "")
    if _WHOLE.fullmatch(plain) or _FLOAT.fullmatch(plain):
        # `+1`, `.5`, `5.`, `007`, `1_000`, and numbers that are too large to be held.
        notes.add("literals")
        return BareWord(Bare.VALUE, parse_number(plain))
    notes.add("quotes")
    return BareWord(Bare.GUESSED, word)


def parse_number(text: str) -> int | float | None:
    """The number that a text is, and nothing around it; none for what is no finite number."""
    if _WHOLE.fullmatch(text) and len(text) < 40 and -(2**63) <= int(text) < 2**64:
        return int(text)
    if not _FLOAT.fullmatch(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None
