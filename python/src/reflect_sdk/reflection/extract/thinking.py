"""The tags that models think between."""

from __future__ import annotations

import re
from typing import NamedTuple

from .cursor import Cursor

_TAG = re.compile(
    r"<(/?)(think|thinking|thought|thoughts|reasoning|scratchpad|inner_monologue)(?: [^<\n{>]{0,98})?>",
    re.IGNORECASE | re.ASCII,
)
_PAIRS = (
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
    ("<|channel|>analysis<|message|>", "<|channel|>final<|message|>"),
)


class Mark(NamedTuple):
    """A mark that was passed."""

    ends_behind: str | None
    """Thinking starts, and ends behind these words; none where thinking that began before the reply did ends here."""


def pass_mark(cursor: Cursor) -> Mark | None:
    """Passes the mark that is here, if one is."""
    for opening, closing in _PAIRS:
        if cursor.sees(opening):
            cursor.bump(len(opening))
            return Mark(closing)
        if cursor.sees(closing):
            cursor.bump(len(closing))
            return Mark(None)
    found = _TAG.match(cursor.text, cursor.at)
    if not found:
        return None
    cursor.at = found.end()
    return Mark(None if found.group(1) else f"</{found.group(2)}>")
