"""Small things about text that several parts need."""

from __future__ import annotations


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters; an ellipsis marks a cut."""
    if len(text) <= limit:
        return text
    return text[: max(limit - 1, 0)].rstrip() + "…"


def one_line(text: str) -> str:
    """The text with every run of blanks and line breaks as one blank."""
    return " ".join(text.split())


def lines_of(text: str) -> list[str]:
    """The lines of a text. Only a line feed ends one, unlike in `str.splitlines`."""
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    if lines[-1] == "":
        lines.pop()
    return lines
