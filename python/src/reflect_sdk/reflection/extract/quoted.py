"""Texts in quotes: JSON's own, and those that models write instead."""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple

from .cursor import Cursor
from .escapes import read_escape
from .notes import Notes


class Quote(NamedTuple):
    """Which quotes a text is in."""

    open: str
    close: tuple[str, ...]
    run: re.Pattern[str]
    """What cannot end the text, nor needs a look."""


def _quote(opening: str, *closing: str) -> Quote:
    ends = "".join(re.escape(close[0]) for close in closing)
    return Quote(opening, closing, re.compile(rf"[^\\\x00-\x1f{ends}]*"))


_DOUBLE = _quote('"', '"')
_QUOTES = (
    _quote('"""', '"""'),
    _DOUBLE,
    _quote("'''", "'''"),
    _quote("'", "'"),
    _quote("“", "”", "“"),
    _quote("”", "”", "“"),
    _quote("„", "“", "”"),
    _quote("‘", "’", "‘"),
    _quote("«", "»"),
)

_LONGEST_LOOK = 64
"""The longest word that is looked at to tell a key from prose: looking stays cheap."""


class Position(Enum):
    """Where a text stands, which decides what may follow it."""

    KEY = 0
    VALUE_OF_OBJECT = 1
    ITEM_OF_ARRAY = 2


class Quoted(NamedTuple):
    """A text as it was read."""

    text: str
    closed: bool
    """False when the reply ended first."""


def opening_quote(cursor: Cursor) -> Quote | None:
    """The quotes that open here, if any."""
    character = cursor.peek()
    if not character or character not in "\"'“”„‘«":
        return None
    found = next(quote for quote in _QUOTES if cursor.sees(quote.open))
    # An empty text is not the start of three quotes: what follows it tells.
    if found.open == '"""' and cursor.look(cursor.at + 3) in (",", "}", "]", ":"):
        return _DOUBLE
    return found


def read_quoted(cursor: Cursor, quote: Quote, position: Position, notes: Notes) -> Quoted:
    """Reads a text whose opening quote is here.

    A quote inside it that nothing fitting follows was not escaped, and is taken as a part of the text. In valid JSON
    something fitting always follows, so valid texts are read exactly.
    """
    cursor.bump(len(quote.open))
    if quote.open != '"':
        notes.add("quotes")
    parts: list[str] = []
    while True:
        parts.append(cursor.take(quote.run))
        character = cursor.peek()
        if not character:
            return Quoted("".join(parts), closed=False)
        if character == "\\":
            if not read_escape(cursor, parts, notes):
                return Quoted("".join(parts), closed=False)
        elif character < " ":
            if character == "\n" and position is not Position.KEY and _next_line_is_a_key(cursor):
                notes.add("quotes")
                return Quoted("".join(parts).rstrip().rstrip(","), closed=True)
            notes.add("escapes")
            parts.append(character)
            cursor.bump()
        else:
            close = next((close for close in quote.close if cursor.sees(close)), None)
            if close and _ends_here(cursor, len(close), position):
                cursor.bump(len(close))
                return Quoted("".join(parts), closed=True)
            if close:
                notes.add("quotes")
            parts.append(character)
            cursor.bump()


def _ends_here(cursor: Cursor, quote_length: int, position: Position) -> bool:
    """Whether what follows a closing quote fits its position."""
    if position is Position.KEY:
        return True
    at = cursor.after_blanks(cursor.at + quote_length)
    after = cursor.look(at)
    if after == ",":
        return _comma_goes_on(cursor, at + 1, position)
    if after == "/":
        return cursor.look(at + 1) in ("/", "*")
    return after in ("", "\n", "\r", "}", "]", ";", "#", "，", "\u00a0", "\u3000")


def _comma_goes_on(cursor: Cursor, after_comma: int, position: Position) -> bool:
    """Whether what follows a comma is another key or item."""
    at = cursor.after_blanks(after_comma)
    character = cursor.look(at)
    if character == '"' and position is Position.VALUE_OF_OBJECT:
        return _is_key(cursor, at)
    if character.isascii() and character.isalpha():
        follower = cursor.look(cursor.after_blanks(_word_end(cursor, at)))
        return follower in (",", "]", "") if position is Position.ITEM_OF_ARRAY else follower == ":"
    return True


def _is_key(cursor: Cursor, quote: int) -> bool:
    """Whether a quoted key and its colon stand here. One too long to be looked at counts as such."""
    for at in range(quote + 1, quote + _LONGEST_LOOK):
        character = cursor.look(at)
        if character in ("", "\\", "\n"):
            return True
        if character == '"':
            return cursor.look(cursor.after_blanks(at + 1)) in (":", "\n", "\r", "/", "")
    return True


def _word_end(cursor: Cursor, start: int) -> int:
    at = start
    while at < start + _LONGEST_LOOK:
        character = cursor.look(at)
        if not (character.isascii() and (character.isalnum() or character == "_")):
            break
        at += 1
    return at


def _next_line_is_a_key(cursor: Cursor) -> bool:
    """Whether a line break inside a text is followed by the next key of the object: then a closing quote was
    forgotten."""
    quote = cursor.after_blanks(cursor.at + 1)
    if cursor.look(quote) != '"':
        return False
    end = _word_end(cursor, quote + 1)
    if end == quote + 1 or cursor.look(end) != '"':
        return False
    return cursor.look(cursor.after_blanks(end + 1)) == ":"
