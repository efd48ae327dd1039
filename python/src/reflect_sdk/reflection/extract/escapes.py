"""Backslashes inside texts."""

from __future__ import annotations

import re

from .cursor import Cursor
from .notes import Notes

_PLAIN = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_HEX = re.compile(r"[0-9a-fA-F]{0,4}")
_REPLACEMENT = "\ufffd"


def read_escape(cursor: Cursor, text: list[str], notes: Notes) -> bool:
    """Reads the escape that starts here. False when the reply ended inside it."""
    cursor.bump()
    character = cursor.peek()
    if not character:
        return False
    if character == "u":
        return _read_unicode(cursor, text, notes)
    if character in _PLAIN:
        text.append(_PLAIN[character])
        cursor.bump()
        return True
    notes.add("escapes")
    if character == "'":
        text.append("'")
        cursor.bump()
    else:
        # JSON has no such escape: most often it is a regular expression or a path, so the backslash is meant.
        text.append("\\")
    return True


def _read_unicode(cursor: Cursor, text: list[str], notes: Notes) -> bool:
    first = _read_hex(cursor)
    if first is None:
        if cursor.is_at_end():
            return False
        notes.add("escapes")
        text.append("\\u")
        return True
    if not 0xD800 <= first < 0xE000:
        text.append(chr(first))
        return True
    back = cursor.at
    if first < 0xDC00 and cursor.sees("\\u"):
        cursor.bump()
        second = _read_hex(cursor)
        if second is not None and 0xDC00 <= second < 0xE000:
            text.append(chr(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00)))
            return True
        # Six characters at most, read once more as an escape of their own.
        cursor.go_back(back)
    notes.add("escapes")
    text.append(_REPLACEMENT)
    return True


def _read_hex(cursor: Cursor) -> int | None:
    """Four hexadecimal digits behind the `u` that is here.

    Without them only the `u` is passed, unless the reply ends in them.
    """
    cursor.bump()
    start = cursor.at
    digits = cursor.take(_HEX)
    if len(digits) == 4:
        return int(digits, 16)
    if not cursor.is_at_end():
        cursor.go_back(start)
    return None
