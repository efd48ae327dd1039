"""What the converters share: messages of a trajectory, and reading objects of libraries that are not imported here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeGuard, cast

Message = dict[str, Any]
Trajectory = list[Message]


def is_mapping(value: object) -> TypeGuard[Mapping[str, Any]]:
    """Whether this is a mapping, as JSON objects and typed dictionaries are."""
    return isinstance(value, Mapping)


def is_sequence(value: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether this is a list or a tuple."""
    return isinstance(value, (list, tuple))


def as_dict(value: Any) -> dict[str, Any]:
    """The fields of a mapping, of a Pydantic model, or of any other object."""
    if is_mapping(value):
        return dict(value)
    dump = getattr(value, "model_dump", None)
    if callable(dump):
        return cast("dict[str, Any]", dump(mode="json", exclude_none=True, warnings=False))
    fields = cast("dict[str, Any]", vars(value))
    return {name: field for name, field in fields.items() if not name.startswith("_")}


def field(value: Any, name: str, default: Any = None) -> Any:
    """A field of a mapping or an object."""
    if is_mapping(value):
        return value.get(name, default)
    return getattr(value, name, default)


def text_of(content: Any) -> str:
    """The words of a message's content: a text, or parts with text, one a line.

    A part without words is named: `[image]`.
    """
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if is_sequence(content):
        texts = (_text_of_part(part) for part in content)
        return "\n".join(text for text in texts if text)
    if is_mapping(content) or hasattr(content, "model_dump"):
        return _text_of_part(content)
    return as_json(content)


def as_json(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=_jsonable)


def assistant(text: str | None, tool_calls: list[Message] | None = None) -> Message:
    """What the agent said and asked tools to do. Without words, a message with calls has the content `None`."""
    if not tool_calls:
        return {"role": "assistant", "content": text or ""}
    return {"role": "assistant", "content": text or None, "tool_calls": tool_calls}


def tool_call(call_id: Any, name: Any, arguments: Any) -> Message:
    """One call. Arguments are kept as they came where they are JSON already."""
    return {"id": call_id or "", "type": "function", "function": {"name": name or "", "arguments": arguments}}


def tool_result(call_id: Any, content: Any, *, name: Any = None, is_error: bool = False) -> Message:
    """What a tool answered; the server sees from `is_error` that it was no success."""
    message: Message = {"role": "tool", "tool_call_id": call_id or "", "content": text_of(content)}
    if name:
        message["name"] = name
    if is_error:
        message["is_error"] = True
    return message


def _text_of_part(part: Any) -> str:
    if isinstance(part, str):
        return part
    kind = field(part, "type")
    if kind in _SILENT:
        return ""
    for name in ("text", "refusal", "content"):
        words = field(part, name)
        if isinstance(words, str):
            return words
        if words is not None and name == "content":
            return text_of(words)
    return f"[{kind}]" if kind else as_json(as_dict(part))


_SILENT = {"thinking", "redacted_thinking", "reasoning", "tool_use", "tool_call", "server_tool_use", "tool_call_chunk"}
"""Parts that are no words: thoughts are nobody's answer, and calls are read elsewhere."""


def _jsonable(value: Any) -> Any:
    return as_dict(value) if hasattr(value, "model_dump") else str(value)
