"""Chooses among the objects of a reply."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .fit import fit, fits_as_it_is
from .json_types import is_list, is_object
from .notes import Notes
from .scan import Candidate, Scan, scan
from .shape import Shape

MOST_ENCODINGS = 3
"""Texts inside texts inside texts: more is nobody's answer."""


@dataclass
class Chosen:
    """The object that was chosen."""

    value: dict[str, Any]
    notes: Notes
    fits: bool


class Chooser:
    """Chooses by a shape, and counts the steps that it takes beyond those of the scan."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.steps = 0

    def choose(self, found: Scan, encodings: int = 0) -> Chosen | None:
        """The best object.

        One that fits before one that has only some of the keys; in a fence before outside; itself before inside
        another; with more known keys; whole before broken; last before first.
        """
        self.steps += found.steps
        said = [candidate for candidate in found.candidates if not candidate.in_open_thinking]
        best = self._best_of(said, encodings)
        if best and best.fits:
            return best
        # A thinking block that never ended: only what ends the reply can be its answer.
        thought = [candidate for candidate in found.candidates if candidate.in_open_thinking]
        last = [candidate for candidate in thought[-1:] if found.ends_with(candidate)]
        answer = self._best_of(last, encodings)
        if answer and answer.fits:
            answer.notes.add("thinking_unclosed")
            return answer
        return best

    def _best_of(self, candidates: list[Candidate], encodings: int) -> Chosen | None:
        best: Chosen | None = None
        best_rank: tuple[bool, bool, bool, int, bool] | None = None
        fitting = 0
        for candidate in candidates:
            own = fit(candidate.value, self.shape)
            inner = None if own.fits else self._unwrap(candidate.value, encodings)
            if own.fits or (inner is None and own.known_keys > 0):
                chosen = _chosen(candidate, candidate.value, own.fits)
            elif inner is not None:
                chosen = _chosen(candidate, inner[0], True)
                chosen.notes.extend(inner[1].all)
            else:
                continue
            fitting += chosen.fits
            known_keys = fit(chosen.value, self.shape).known_keys
            rank = (chosen.fits, candidate.fenced, inner is None, known_keys, candidate.sound)
            if best_rank is None or rank >= best_rank:
                best, best_rank = chosen, rank
        if best is None or best_rank is None:
            return None
        notes = Notes()
        if best_rank[1]:
            notes.add("fenced")
        if fitting > 1:
            notes.add("several_candidates", fitting)
        notes.extend(best.notes.all)
        best.notes = notes
        return best

    def _unwrap(self, value: dict[str, Any], encodings: int) -> tuple[dict[str, Any], Notes] | None:
        """The one object inside `value` that fits as it is. None if several fit: nobody said which of them is meant."""
        found: tuple[dict[str, Any], Notes] | None = None
        todo: list[tuple[str, Any]] = list(value.items())
        while todo:
            key, item = todo.pop()
            self.steps += 1
            if is_list(item):
                todo.extend((key, entry) for entry in item)
                continue
            if is_object(item) and not fits_as_it_is(item, self.shape):
                todo.extend(item.items())
                continue
            if is_object(item):
                one: tuple[dict[str, Any], Notes] | None = (item, Notes())
            else:
                one = self._decode(item, encodings) if isinstance(item, str) else None
            if one is None:
                continue
            if found is not None:
                return None
            one[1].add("unwrapped", key)
            found = one
        return found

    def _decode(self, text: str, encodings: int) -> tuple[dict[str, Any], Notes] | None:
        """The object that a text holds, if it fits."""
        if encodings >= MOST_ENCODINGS or "{" not in text:
            return None
        chosen = self.choose(scan(text), encodings + 1)
        if chosen is None or not chosen.fits:
            return None
        chosen.notes.add("double_encoded")
        return chosen.value, chosen.notes


def _chosen(candidate: Candidate, value: dict[str, Any], fits: bool) -> Chosen:
    if candidate.in_array:
        candidate.notes.add("taken_from_array")
    return Chosen(value, candidate.notes, fits)
