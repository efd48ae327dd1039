"""What stands between the parts of an object and means nothing."""

from __future__ import annotations

import re

from .cursor import Cursor
from .notes import Notes

ODD_BLANKS = "\u00a0\u3000\ufeff\u200b\u2009\u202f\u2028"
"""Blanks that JSON does not know and that editors and models put in."""

_BLANKS = re.compile(r"[ \t\n\r]*")
_LINE = re.compile(r"[^\n]*")


def skip_blanks(cursor: Cursor, notes: Notes) -> None:
    """Passes blanks, comments, and dots that stand for "more of the same"."""
    while True:
        cursor.take(_BLANKS)
        character = cursor.peek()
        if character == "#" or (character == "/" and cursor.sees("//")):
            notes.add("comments")
            cursor.take(_LINE)
        elif character == "/" and cursor.sees("/*"):
            notes.add("comments")
            if not cursor.skip_past("*/"):
                cursor.at = len(cursor.text)
        elif character == "." and cursor.sees("..."):
            notes.add("comments")
            cursor.bump(3)
        elif character == "…":
            notes.add("comments")
            cursor.bump()
        elif character and character in ODD_BLANKS:
            notes.add("escapes")
            cursor.bump()
        else:
            return
