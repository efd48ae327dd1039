"""Walks over a reply once and finds the objects in it.

What is inside an object is passed together with it, so marks of thinking and fences inside texts are never taken for
real.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from .cursor import Cursor
from .notes import Notes
from .object import read_object
from .thinking import pass_mark

_PROSE = re.compile(r"[^{ \t\n\r`~<\[\]◁,\ufeff]+")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+\-]*")
_FENCES = {"`": re.compile("`+"), "~": re.compile("~+")}
_FOR_JSON = {"", "json", "json5", "jsonc", "jsonl", "javascript", "js", "text"}


@dataclass
class Candidate:
    """An object in a reply."""

    value: dict[str, Any]
    notes: Notes
    sound: bool
    """It neither broke off nor needed a guess."""
    fenced: bool
    """It is inside a fence that is meant for JSON."""
    in_array: bool
    in_open_thinking: bool
    """It is inside a thinking block that never ended."""
    end: int


@dataclass
class Scan:
    """What was found in a reply."""

    candidates: list[Candidate] = field(default_factory=list[Candidate])
    thinking_stripped: bool = False
    thinking_unclosed: bool = False
    prose: bool = False
    """Words are around the objects."""
    said: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """The parts of the reply that are no thinking."""
    steps: int = 0
    last_word: int = 0

    def ends_with(self, candidate: Candidate) -> bool:
        """Whether nothing but blanks and a fence's end follow a candidate."""
        return self.last_word < candidate.end


def scan(text: str) -> Scan:
    """Finds every object in `text`."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.cursor = Cursor(text)
        self.found = Scan()
        # Inside a fence, and whether it is one for JSON.
        self.fence: bool | None = None
        # The last thing that was passed was a `[`, or a `,` behind an item of an array.
        self.array = False
        # None inside a thinking block that never ends.
        self.said_from: int | None = 0
        # Closing marks that do not come any more.
        self.absent: set[str] = set()

    def scan(self) -> Scan:
        while character := self.cursor.peek():
            self._pass(character)
        end = self.cursor.at
        if self.said_from is not None and self.said_from < end:
            self.found.said.append((self.said_from, end))
        self.found.steps = self.cursor.steps
        return self.found

    def _pass(self, character: str) -> None:
        cursor = self.cursor
        if character == "{":
            self._pass_object()
        elif character in " \t\n\r":
            cursor.bump()
        elif character in "`~" and (cursor.sees("```") or cursor.sees("~~~")):
            self._pass_fence(character)
        elif character in "<[◁" and self._pass_thinking():
            pass
        elif character in "[,]\ufeff":
            self.array = character == "[" or (character == "," and self.array)
            cursor.bump()
        else:
            self.array = False
            self.found.prose = True
            if not cursor.take(_PROSE):
                cursor.bump()
            self.found.last_word = cursor.at - 1

    def _pass_object(self) -> None:
        start = self.cursor.at
        read = read_object(self.cursor)
        if read is None:
            self.found.prose = True
            self.found.last_word = start
            self.array = False
            return
        self.found.candidates.append(
            Candidate(
                value=read.value,
                notes=read.notes,
                sound=read.sound,
                fenced=self.fence is True,
                in_array=self.array,
                in_open_thinking=self.found.thinking_unclosed,
                end=self.cursor.at,
            )
        )

    def _pass_fence(self, mark: str) -> None:
        self.cursor.take(_FENCES[mark])
        if self.fence is not None:
            self.fence = None
            return
        self.fence = self.cursor.take(_LANGUAGE).lower() in _FOR_JSON

    def _pass_thinking(self) -> bool:
        start = self.cursor.at
        mark = pass_mark(self.cursor)
        if mark is None:
            return False
        if mark.ends_behind is None:
            self._forget_what_was_thought()
        elif not self.found.thinking_unclosed:
            # Once a block is open to the end, looking for the end of another would only cost time.
            self._pass_block(start, mark.ends_behind)
        return True

    def _pass_block(self, start: int, close: str) -> None:
        if self.said_from is not None:
            self.found.said.append((self.said_from, start))
        # A closing mark that was not found once is not looked for again: that would be quadratic.
        if close.lower() not in self.absent and self.cursor.skip_past(close):
            self.found.thinking_stripped = True
            self.said_from = self.cursor.at
            return
        self.absent.add(close.lower())
        self.found.thinking_unclosed = True
        self.said_from = None

    def _forget_what_was_thought(self) -> None:
        """What seemed never to end has ended, and what was taken for its inside is gone."""
        found = self.found
        found.candidates.clear()
        found.said.clear()
        found.prose = False
        found.last_word = 0
        found.thinking_unclosed = False
        found.thinking_stripped = True
        self.fence = None
        self.said_from = self.cursor.at
