"""How objects look in a terminal and in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Any, TypeVar

T = TypeVar("T")

LONGEST_TEXT = 80
LONGEST_LIST = 20
LONGEST_TABLE = 200


def shown(value: object, *names: str) -> str:
    """A one-line `repr` of these fields, with long texts shortened."""
    fields = ", ".join(f"{name}={_short(getattr(value, name))}" for name in names)
    return f"{type(value).__name__}({fields})"


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.3g}"
    text = repr(value)
    return text if len(text) <= LONGEST_TEXT else f"{text[: LONGEST_TEXT - 2]}…{text[-1]}"


def card(value: object, *names: str) -> str:
    """An HTML table of these fields, one a row; what is empty is left out."""
    given = [(name, getattr(value, name)) for name in names]
    rows = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th><td style='text-align:left;white-space:pre-wrap'>{_cell(content)}</td></tr>"
        for name, content in given
        if content not in (None, "", [], {})
    )
    return f"<table><tbody>{rows}</tbody></table>"


def conversation(messages: Sequence[Any]) -> str:
    """Messages as HTML, one under the other, with the names of the tools that were called."""
    return "".join(
        f"<p style='white-space:pre-wrap'><b>{_cell(m.get('role', ''))}</b> {_cell(_said(m))}</p>" for m in messages
    )


def _said(message: Any) -> str:
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    texts = [str(part.get("text", "…") if isinstance(part, dict) else part) for part in parts if part is not None]
    calls = message.get("tool_calls")
    named = [call.get("function", {}) for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    return "\n".join(texts + [f"→ {call.get('name')}({call.get('arguments', '')})" for call in named])


class Items(list[T]):
    """A list that a terminal shows an item a line, and a notebook as a table."""

    columns: Sequence[str] = ()

    def __repr__(self) -> str:
        lines = [repr(item) for item in self[:LONGEST_LIST]]
        if len(self) > LONGEST_LIST:
            lines.append(f"… and {len(self) - LONGEST_LIST} more")
        return f"[{f',{chr(10)} '.join(lines)}]"

    def _repr_html_(self) -> str:
        if not self:
            return "<p>none</p>"
        head = "".join(f"<th style='text-align:left'>{escape(column)}</th>" for column in self.columns)
        rows = "".join(f"<tr>{self._row(item)}</tr>" for item in self[:LONGEST_TABLE])
        more = f"<p>… and {len(self) - LONGEST_TABLE} more</p>" if len(self) > LONGEST_TABLE else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>{more}"

    def _row(self, item: T) -> str:
        return "".join(f"<td style='text-align:left'>{_cell(getattr(item, column))}</td>" for column in self.columns)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.2f}"
    return escape(str(value))
