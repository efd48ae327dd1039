"""A position in a text, and a count of how often it was looked at."""

from __future__ import annotations

import re

FEW = 8
"""What may always be gone back over: callers do so only behind a position that they never come back to."""


class Cursor:
    """Reads characters and counts every look, so that a test can hold the whole extraction to being linear."""

    __slots__ = ("_may_go_back", "at", "steps", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.steps = 0
        # As much as there is, so that going back at most doubles the work.
        self._may_go_back = len(text)

    def is_at_end(self) -> bool:
        return self.at >= len(self.text)

    def peek(self) -> str:
        """The character here; empty at the end."""
        return self.look(self.at)

    def look(self, at: int) -> str:
        self.steps += 1
        return self.text[at : at + 1]

    def bump(self, characters: int = 1) -> None:
        self.at = min(self.at + characters, len(self.text))

    def sees(self, words: str) -> bool:
        """Whether the text goes on so from here."""
        return self.sees_at(self.at, words)

    def sees_at(self, at: int, words: str) -> bool:
        self.steps += 1
        return self.text.startswith(words, at)

    def take(self, run: re.Pattern[str]) -> str:
        """Moves over what the pattern matches from here, and hands it out."""
        found = run.match(self.text, self.at)
        passed = found.group() if found else ""
        self.at += len(passed)
        self.steps += len(passed) + 1
        return passed

    def since(self, start: int) -> str:
        return self.text[start : self.at]

    def after_blanks(self, at: int) -> int:
        """The first position at or after this one where blanks and tabs end."""
        while self.look(at) in (" ", "\t"):
            at += 1
        return at

    def go_back(self, to: int) -> None:
        """Goes back to an earlier position, unless too much was gone back over already."""
        distance = self.at - to
        if distance <= FEW:
            self.at = to
        elif distance <= self._may_go_back:
            self._may_go_back -= distance
            self.at = to

    def skip_past(self, words: str) -> bool:
        """Moves behind the next occurrence of `words` without regard to case, or stays and says so."""
        found = re.compile(re.escape(words), re.IGNORECASE | re.ASCII).search(self.text, self.at)
        self.steps += (found.start() if found else len(self.text)) - self.at
        if found:
            self.at = found.end()
        return found is not None
