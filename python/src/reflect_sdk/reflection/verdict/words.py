"""The words of a verdict, and those that change what they mean."""

from __future__ import annotations

import re
from enum import Enum


class Word(Enum):
    """What a single word says."""

    PASS = 0
    FAIL = 1
    NEITHER = 2
    """A verdict that is neither."""


def word_set(text: str) -> frozenset[str]:
    """The words of a line, parted by blanks."""
    return frozenset(text.split())


_VERDICTS = {
    **dict.fromkeys(word_set("pass passed passes success successful succeed succeeded succeeds"), Word.PASS),
    **dict.fromkeys(word_set("fail failed fails failure unsuccessful"), Word.FAIL),
    **dict.fromkeys(word_set("unknown unclear undecided partial inconclusive n/a none null"), Word.NEITHER),
}
_NEGATIONS = word_set("not no never cannot hardly without neither nor")
_HEDGES = word_set(
    "would could should may might must can if unless whether requires require needs need answer asked said says wrote "
    "written writes printed prints claimed claims contains line between either almost nearly when until to tests test"
)
_SUPPOSITIONS = word_set(
    "would could may might if unless whether either or asked said says wrote printed prints claimed claims contains "
    "between almost nearly when until requires require must"
)
_SOMEBODY_ELSE = word_set(
    "agent tool output was wrote printed returned said log quoting quote run transcript trajectory instructs instructed"
)
_RETRACTIONS = word_set("actually wait no however correction reconsidering but")
_CONDITIONS = word_set("if unless otherwise assuming supposing provided would should only when")
_WORD = re.compile(r"(?:[^\W_]|['’])+")


def verdict_word(word: str) -> Word | None:
    """What this word says when it stands for a verdict. Whole words only."""
    return _VERDICTS.get(word.lower())


def negates(word: str) -> bool:
    """Turns a verdict word after it around."""
    lower = word.lower().replace("’", "'")
    return lower.endswith("n't") or lower in _NEGATIONS


def hedges(word: str) -> bool:
    """Makes a sentence speak of what might be, what was asked, or what somebody else said."""
    return word.lower() in _HEDGES


def supposes(word: str) -> bool:
    """Makes a sentence speak of what might be, or leaves the choice open.

    A fail in such a sentence is no verdict either.
    """
    return word.lower() in _SUPPOSITIONS


def retracts(word: str) -> bool:
    """Takes an earlier verdict back."""
    return word.lower() in _RETRACTIONS


def conditions(word: str) -> bool:
    """Makes what it stands with depend on something."""
    return word.lower() in _CONDITIONS


def announces_quotation(line: str) -> bool:
    """Whether a line ends in a colon and what follows is somebody else's."""
    return line.rstrip().endswith(":") and any(without_genitive(word) in _SOMEBODY_ELSE for word in words(line))


def without_genitive(word: str) -> str:
    """The word in lower case and without `'s`."""
    return word.lower().removesuffix("'s").removesuffix("’s")


def words(text: str) -> list[str]:
    """The words of a text: letters, digits and apostrophes in a row."""
    return _WORD.findall(text)
