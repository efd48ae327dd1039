"""Reads the JSON object out of what a model said.

One pass over the reply, aware of strings and escapes, finds every object in it; what cannot be read ends where it stops
making sense, and the pass goes on from there. So the time is linear in the reply, whatever it holds. It prefers the
whole reply, then fences, then the object that fits the expected shape best, and among equals the last. Nothing is done
silently: the status and the notes say what was, and the reply is kept.
"""

from __future__ import annotations

import json
import re

from .choose import Chooser, Chosen
from .coerce import coerce
from .lines import read_lines
from .notes import Notes
from .scan import Scan, scan
from .shape import Extracted, Kind, Note, ParseStatus, Shape

__all__ = [
    "Extracted",
    "Kind",
    "Note",
    "ParseStatus",
    "Shape",
    "extract_json",
    "extract_json_counting",
    "without_thinking",
]

_ESCAPED = re.compile(r"\\(.?)", re.DOTALL)
_UNESCAPED = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "'": "'", "/": "/", "": ""}


def extract_json(text: str, shape: Shape) -> Extracted:
    """Finds the object of this shape in a reply.

    >>> shape = Shape().required("summary", Kind.TEXT).optional("insights", Kind.TEXT_LIST)
    >>> extract_json("Sure! {'summary': 'Check the date.', 'insights': 'formats differ',}", shape).value
    {'summary': 'Check the date.', 'insights': ['formats differ']}
    """
    return extract_json_counting(text, shape)[0]


def without_thinking(text: str) -> str:
    """A reply without what its model thought aloud.

    Thinking that never ends goes on to the end of the reply; thinking that began before the reply did goes from its
    start.

    >>> without_thinking("<think>Pass?</think>I cannot tell.")
    'I cannot tell.'
    """
    return _said(text, scan(text))


def extract_json_counting(text: str, shape: Shape) -> tuple[Extracted, int]:
    """The same, and how many steps it took: a look at a character is one. For tests that hold it to being linear."""
    reply = _trimmed(text)
    if not reply:
        return _nothing(text, Note("empty")), len(text)
    if reply[:14].lower().startswith(("<!doctype html", "<html")):
        # Proxies answer pages in passing; objects in their scripts are no answers.
        return _nothing(text, Note("web_page")), len(text)
    found = scan(reply)
    chooser = Chooser(shape)
    chosen = chooser.choose(found)
    if chosen is None or not chosen.fits:
        # What has only some of the keys is kept for the case that nothing else reads the reply better.
        chosen = _read_otherwise(reply, chooser) or chosen
    extracted = _finish(text, shape, found, chosen) if chosen else _read_as_lines(text, reply, shape, found)
    return extracted, chooser.steps


def _read_otherwise(reply: str, chooser: Chooser) -> Chosen | None:
    """Replies that are JSON in disguise: a JSON text that holds the object, one with all its quotes escaped, or
    without its braces."""
    disguise = _json_text(reply)
    note = "double_encoded"
    if disguise is None and '\\"' in reply:
        disguise = _ESCAPED.sub(lambda found: _UNESCAPED.get(found.group(1), found.group()), reply)
    elif disguise is None and reply.startswith(('"', "'")):
        disguise, note = f"{{{reply}}}", "brackets"
    if disguise is None:
        return None
    chosen = chooser.choose(scan(disguise), 1)
    if chosen is None or not chosen.fits:
        return None
    chosen.notes.add(note)
    return chosen


def _json_text(reply: str) -> str | None:
    """What a reply says that is one JSON text and nothing else."""
    if not reply.startswith('"'):
        return None
    try:
        text = json.loads(reply)
    except ValueError:
        return None
    return text if isinstance(text, str) else None


def _finish(text: str, shape: Shape, found: Scan, chosen: Chosen) -> Extracted:
    notes = _surroundings(found)
    notes.extend(chosen.notes.all)
    coerce(chosen.value, shape, notes)
    status = ParseStatus.CLEAN if notes.are_clean() else ParseStatus.REPAIRED
    if not chosen.fits:
        status = ParseStatus.FALLBACK
    return Extracted(chosen.value, status, notes.all, text)


def _read_as_lines(text: str, reply: str, shape: Shape, found: Scan) -> Extracted:
    notes = _surroundings(found)
    if found.thinking_unclosed:
        notes.add("thinking_unclosed")
    value = read_lines(_said(reply, found), shape)
    if not value:
        notes.add("no_object")
        return Extracted(None, ParseStatus.FALLBACK, notes.all, text)
    notes.add("read_lines")
    coerce(value, shape, notes)
    return Extracted(value, ParseStatus.FALLBACK, notes.all, text)


def _said(text: str, found: Scan) -> str:
    return "".join(text[start:end] for start, end in found.said)


def _surroundings(found: Scan) -> Notes:
    notes = Notes()
    if found.thinking_stripped:
        notes.add("thinking_stripped")
    if found.prose:
        notes.add("prose_around")
    return notes


def _nothing(text: str, note: Note) -> Extracted:
    return Extracted(None, ParseStatus.FALLBACK, [note], text)


def _trimmed(text: str) -> str:
    """The text without blanks and byte order marks around it."""
    trimmed = text.strip()
    while trimmed.startswith("\ufeff") or trimmed.endswith("\ufeff"):
        trimmed = trimmed.strip("\ufeff").strip()
    return trimmed
