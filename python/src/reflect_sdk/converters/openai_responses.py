"""OpenAI's Responses, whose items have a type where messages have a role."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .parts import Message, Trajectory, as_dict, as_json, assistant, field, is_sequence, text_of, tool_call, tool_result

_NOT_ARGUMENTS = {"id", "type", "status", "call_id", "name", "output", "results", "outputs", "error"}


def from_openai_responses(items: Any) -> Trajectory:
    """

    he trajectory of a run by the Responses API: a `Response`, or a list of input and output items, or both in a
    list.

    Reasoning is left out. Tools that run at OpenAI (`web_search_call` and the like) become calls with their results.

    >>> from_openai_responses([{"role": "user", "content": "hi"}])
    [{'role': 'user', 'content': 'hi'}]
    """
    if isinstance(items, str):
        return [{"role": "user", "content": items}]
    if not is_sequence(items):
        items = [items]
    return [message for item in items for message in _messages(item)]


def _messages(item: Any) -> Iterator[Message]:
    if field(item, "object") == "response":
        for output in field(item, "output"):
            yield from _messages(output)
        return
    fields = as_dict(item)
    kind = str(fields.get("type") or "message")
    if kind == "message":
        role = fields.get("role") or "assistant"
        yield {"role": role, "content": text_of(fields.get("content"))}
    elif kind in ("function_call", "custom_tool_call"):
        arguments = as_json(fields.get("arguments", fields.get("input", "")))
        yield assistant(None, [tool_call(fields.get("call_id"), fields.get("name"), arguments)])
    elif kind.endswith("_output"):
        yield tool_result(fields.get("call_id"), _output(fields.get("output")))
    elif kind.endswith("_call"):
        yield from _hosted_call(kind, fields)


def _hosted_call(kind: str, fields: dict[str, Any]) -> Iterator[Message]:
    """A tool that OpenAI ran: the call, and what it answered where the item says so."""
    call_id = fields.get("call_id") or fields.get("id")
    name = fields.get("name") or kind.removesuffix("_call")
    arguments = fields.get("arguments")
    if arguments is None:
        arguments = {key: value for key, value in fields.items() if key not in _NOT_ARGUMENTS and value is not None}
    yield assistant(None, [tool_call(call_id, name, as_json(arguments))])
    outputs = (fields.get(key) for key in ("output", "results", "outputs"))
    output = next((output for output in outputs if output is not None), None)
    error = fields.get("error")
    if error is not None or output is not None:
        shown = _output(output if error is None else error)
        yield tool_result(call_id, shown, name=name, is_error=error is not None or fields.get("status") == "failed")


def _output(output: Any) -> str:
    """A text, a list of content parts, or whatever a tool handed back."""
    if is_sequence(output) and all(field(part, "type") for part in output):
        return text_of(output)
    return as_json(output)
