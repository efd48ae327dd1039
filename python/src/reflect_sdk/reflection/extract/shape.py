"""What is looked for in a reply, and what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple


class Kind(Enum):
    """What a value has to be."""

    TEXT = "text"
    """A text.

    Numbers and booleans are written out; a list of texts is joined by line breaks; null is the empty text.
    """
    TEXT_LIST = "text_list"
    """A list of texts. One text becomes a list of one; null an empty list; items that are no texts are written out."""
    BOOL = "bool"
    """True or false. The words `true`, `yes`, `false` and `no` are taken for what they say; nothing else is."""
    NUMBER = "number"
    """A number, or null for none. A text that is a number is taken for it; `85%` is 0.85."""
    ANY = "any"
    """Whatever it is."""


class ShapeKey(NamedTuple):
    """One key of a shape."""

    name: str
    kind: Kind
    required: bool


@dataclass(frozen=True)
class Shape:
    """The keys that an answer has to have, and may have.

    Other keys are kept as they are; without keys, any object fits.

    >>> Shape().required("summary", Kind.TEXT).optional("insights", Kind.TEXT_LIST).keys[0].name
    'summary'
    """

    keys: tuple[ShapeKey, ...] = ()

    def required(self, name: str, kind: Kind) -> Shape:
        """Needs this key."""
        return Shape((*self.keys, ShapeKey(name, kind, True)))

    def optional(self, name: str, kind: Kind) -> Shape:
        """Knows this key, and does without it."""
        return Shape((*self.keys, ShapeKey(name, kind, False)))


class ParseStatus(str, Enum):
    """How the value was come by."""

    CLEAN = "clean"
    """A valid JSON object of the shape, at most with words, a fence or a thinking block around it."""
    REPAIRED = "repaired"
    """An object that had to be mended, or whose values had to be turned into what the shape asks for: the notes say
    how."""
    FALLBACK = "fallback"
    """No object of the shape.

    The value is absent, incomplete, or was read from `key: value` lines: the notes say which.
    """


class Note(NamedTuple):
    """One thing that was done to get at the value: `truncated`, or with a detail `coerced(insights)`."""

    word: str
    detail: str | int | None = None

    def to_json(self) -> Any:
        """The note as the server writes it: a word, or an object of the word and its detail."""
        return self.word if self.detail is None else {self.word: self.detail}


@dataclass(frozen=True)
class Extracted:
    """What came out of a reply."""

    value: dict[str, Any] | None
    """The object, its known keys of the kinds that the shape names."""
    status: ParseStatus
    notes: list[Note] = field(default_factory=list[Note])
    """What was done, in order, each thing once."""
    raw: str = ""
    """The reply as it came."""
