"""What was done, each thing once."""

from __future__ import annotations

from collections.abc import Iterable

from .shape import Note

MOST = 64
"""More notes than this are of no use to anybody, and the bound keeps looking for doubles cheap."""

HARMLESS = {"thinking_stripped", "fenced", "prose_around", "several_candidates"}
"""Notes that say what was around an object, and nothing about the object."""


class Notes:
    """Notes in the order in which they were made."""

    def __init__(self) -> None:
        self.all: list[Note] = []

    def add(self, word: str, detail: str | int | None = None) -> None:
        self.extend((Note(word, detail),))

    def extend(self, notes: Iterable[Note]) -> None:
        for note in notes:
            if len(self.all) < MOST and note not in self.all:
                self.all.append(note)

    def are_clean(self) -> bool:
        """Whether nothing had to be mended."""
        return all(note.word in HARMLESS for note in self.all)
