"""Takes the Python snippets out of a seed document's text.

A snippet follows a line that says `python`. It ends before the first line that is not indented and does not begin as
code does: the documents were copied from web pages, so nothing else marks the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_STARTS = re.compile(r"\s|$|\)|@|#|from |import |class |(async )?def |(async )?with |if |for |[a-z_.]+( = |\()")


def snippets(text: str) -> Iterator[str]:
    """The snippets in the order in which they stand in the text."""
    _, *parts = re.split(r"^python$\n", text, flags=re.MULTILINE)
    for part in parts:
        first, *rest = part.split("\n")
        lines = [first]
        for line in rest:
            if not _STARTS.match(line):
                break
            lines.append(line)
        yield "\n".join(lines).rstrip() + "\n"
