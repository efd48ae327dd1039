"""Turns values into what a shape asks for."""

from __future__ import annotations

import json
import re
from typing import Any

from .bare import parse_number
from .json_types import is_list, is_object
from .names import find_key
from .notes import Notes
from .shape import Kind, Shape

_TEXT_KEYS = ("text", "content", "value", "description", "summary", "message")
"""Keys under which models put the text of an item that they made an object."""

_BULLET = re.compile(r"(?:[0-9]+[.)]|[-*•]) ")
_CANNOT = object()


def coerce(value: dict[str, Any], shape: Shape, notes: Notes) -> None:
    """Gives every known key its own name and its value the right kind. What cannot be is left out."""
    for key in shape.keys:
        found = find_key(value, key.name)
        if found is not None:
            if found != key.name:
                notes.add("renamed", key.name)
            item = value.pop(found)
            if _is_of(item, key.kind):
                value[key.name] = item
                continue
            item = _become(item, key.kind)
            if item is not _CANNOT:
                notes.add("coerced", key.name)
                value[key.name] = item
                continue
            notes.add("dropped", key.name)
        if key.required:
            notes.add("missing", key.name)


def can_become(value: Any, kind: Kind) -> bool:
    """Whether `coerce` would keep this value."""
    return _is_of(value, kind) or _become(value, kind) is not _CANNOT


def without_bullet(line: str) -> str | None:
    """The line behind its bullet or number; none when it has neither."""
    found = _BULLET.match(line)
    return line[found.end() :].strip() if found else None


def as_json(value: Any) -> str:
    """A value written as JSON, without blanks."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_of(value: Any, kind: Kind) -> bool:
    if kind is Kind.TEXT:
        return isinstance(value, str)
    if kind is Kind.TEXT_LIST:
        return is_list(value) and all(isinstance(item, str) for item in value)
    if kind is Kind.BOOL:
        return isinstance(value, bool)
    if kind is Kind.NUMBER:
        # Null is how JSON says that there is no number.
        return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool))
    return True


def _become(value: Any, kind: Kind) -> Any:
    if kind is Kind.TEXT:
        return _text(value)
    if kind is Kind.TEXT_LIST:
        return _texts(value)
    if not isinstance(value, str):
        return _CANNOT
    word = value.strip()
    if kind is Kind.BOOL:
        return {"true": True, "yes": True, "false": False, "no": False}.get(word.lower(), _CANNOT)
    number = parse_number(word.removesuffix("%").strip() if word.endswith("%") else word)
    if number is None:
        return _CANNOT
    return number / 100 if word.endswith("%") else number


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if is_list(value):
        return "\n".join(_text(item) for item in value)
    if is_object(value):
        return _text_of_object(value)
    return as_json(value)


def _text_of_object(value: dict[str, Any]) -> str:
    """The one text that an object is about, or the object written out."""
    text = next((value[key] for key in _TEXT_KEYS if key in value), None)
    if isinstance(text, str):
        return text
    only = next(iter(value.values())) if len(value) == 1 else None
    return only if isinstance(only, str) else as_json(value)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return _split_bullets(value)
    if is_object(value) and len(value) > 1 and all(isinstance(item, str) for item in value.values()):
        return [f"{key}: {item}" for key, item in value.items()]
    return _items(value)


def _items(value: Any) -> list[str]:
    if value is None:
        return []
    if is_list(value):
        return [text for item in value for text in _items(item)]
    return [_text(value)]


def _split_bullets(text: str) -> list[str]:
    """The items of a text that is nothing but bullets; the text itself otherwise."""
    items = [without_bullet(line.strip()) for line in text.split("\n") if line.strip()]
    return [text] if None in items else [item for item in items if item is not None]
