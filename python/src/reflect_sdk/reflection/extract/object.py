"""Reads one object, mending what can be mended.

Every character is passed once; where the text stops making sense, reading ends there and what was read so far is
closed.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from .bare import Bare, read_bare
from .blanks import skip_blanks
from .cursor import Cursor
from .frames import Frames, Wants
from .notes import Notes
from .quoted import Position, opening_quote, read_quoted

_KEY = re.compile(r"[A-Za-z0-9_\-$]*")
_CONTROL = re.compile(r"[\x00-\x1f]")
_COMMAS = (",", ";", "，", "、")


class ReadObject(NamedTuple):
    """An object as it was read."""

    value: dict[str, Any]
    notes: Notes
    sound: bool
    """False when it broke off, or when a word without quotes was taken for a text."""


def read_object(cursor: Cursor) -> ReadObject | None:
    """Reads the object whose brace is here.

    Leaves the cursor behind it, or where it stopped making sense. None when not even one key with a value was there,
    unless it is the empty object.
    """
    reader = _Reader(cursor)
    cursor.bump()
    value = reader.read()
    broken = value is None
    if value is None:
        value = reader.frames.close_all()
        if not value:
            return None
        reader.frames.notes.add("truncated")
    return ReadObject(value, reader.frames.notes, not broken and not reader.guessed)


class _Reader:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.frames = Frames()
        self.guessed = False

    def read(self) -> dict[str, Any] | None:
        """Reads to the end of the object; none where it breaks off."""
        while True:
            skip_blanks(self.cursor, self.frames.notes)
            character = self.cursor.peek()
            if not character:
                return None
            if character in "}]":
                whole = self._close(character)
                if whole is not None:
                    return whole
                continue
            wants = self.frames.wants()
            if wants is Wants.KEY_OR_END:
                goes_on = self._read_key(character)
            elif wants is Wants.VALUE:
                goes_on = self._read_value(character)
            else:
                goes_on = self._read_comma(character)
            if not goes_on:
                return None

    def _read_key(self, character: str) -> bool:
        cursor, notes = self.cursor, self.frames.notes
        if character in _COMMAS:
            notes.add("commas")
            cursor.bump()
            return True
        start = cursor.at
        quote = opening_quote(cursor)
        if quote:
            quoted = read_quoted(cursor, quote, Position.KEY, notes)
            if not quoted.closed:
                # A key that was JSON to the end of the reply was cut off, and a brace in it opens no object. One that
                # runs over a line was no key.
                key = cursor.since(start)
                if not key.startswith('"') or _CONTROL.search(key):
                    cursor.go_back(start + 1)
                return False
            name = quoted.text
        else:
            name = cursor.take(_KEY)
            if not name:
                return False
            notes.add("quotes")
        skip_blanks(cursor, notes)
        colon = cursor.peek()
        if colon not in (":", "："):
            if colon:
                # It was no key, so what it held may hold an object.
                cursor.go_back(start + 1)
            return False
        if colon == "：":
            notes.add("commas")
        cursor.bump()
        self.frames.set_key(name)
        return True

    def _read_value(self, character: str) -> bool:
        cursor, frames = self.cursor, self.frames
        if character in "{[":
            cursor.bump()
            (frames.open_object if character == "{" else frames.open_array)()
            return True
        in_array = frames.in_array()
        if character in _COMMAS:
            if in_array:
                frames.notes.add("commas")
                cursor.bump()
            else:
                frames.notes.add("literals")
                frames.put(None)
            return True
        quote = opening_quote(cursor)
        if quote:
            position = Position.ITEM_OF_ARRAY if in_array else Position.VALUE_OF_OBJECT
            quoted = read_quoted(cursor, quote, position, frames.notes)
            # Of a text that broke off, what came is kept; nothing came of an empty one.
            if quoted.closed or quoted.text:
                frames.put(quoted.text)
            return quoted.closed
        return self._read_word()

    def _read_word(self) -> bool:
        start = self.cursor.at
        what, value = read_bare(self.cursor, self.frames.notes)
        if what is Bare.GUESSED:
            if not self._word_ends_here():
                self.cursor.go_back(start + 1)
                return False
            self.guessed = True
        elif what is not Bare.VALUE:
            return False
        self.frames.put(value)
        return True

    def _read_comma(self, character: str) -> bool:
        after_comma = character in _COMMAS
        if after_comma:
            if character != ",":
                self.frames.notes.add("commas")
            self.cursor.bump()
        else:
            if not (character in "\"'" or (character == "{" and self.frames.in_array())):
                return False
            self.frames.notes.add("commas")
        self.frames.go_on(after_comma=after_comma)
        return True

    def _close(self, bracket: str) -> dict[str, Any] | None:
        """Closes what the bracket here closes. Hands out the whole object when it was the outermost."""
        frames = self.frames
        self.cursor.bump()
        if frames.in_array() == (bracket == "]"):
            return frames.close_one()
        frames.notes.add("brackets")
        if bracket == "]":
            # Without an open array it is one too many; with one, a brace is missing before it.
            if not frames.has_open_arrays():
                return None
        elif frames.depth() == 2 and self._comma_follows():
            return frames.close_one()
        frames.close_one()
        return frames.close_one()

    def _word_ends_here(self) -> bool:
        at = self.cursor.after_blanks(self.cursor.at)
        return self.cursor.look(at) in (",", "}", "]", ";", "\n", "\r", "#")

    def _comma_follows(self) -> bool:
        return self.cursor.look(self.cursor.after_blanks(self.cursor.at)) == ","
