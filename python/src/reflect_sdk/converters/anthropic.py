"""Anthropic's Messages, whose calls and results are parts of the content."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .parts import Message, Trajectory, as_dict, as_json, assistant, field, is_sequence, text_of, tool_call, tool_result

_CALLS = {"tool_use", "server_tool_use", "mcp_tool_use"}


def from_anthropic(messages: Any, system: Any = None) -> Trajectory:
    """The trajectory of a conversation: the list that was sent with the `Message`s that came back, or one `Message`.

    Thinking is left out. The results of tools, which Anthropic puts into messages of the user, become messages of the
    tool.

    Args:
        messages: Dictionaries and `Message`s.
        system: The system prompt, which Anthropic keeps apart from the messages.

    >>> from_anthropic([{"role": "user", "content": "hi"}])
    [{'role': 'user', 'content': 'hi'}]
    """
    if not is_sequence(messages):
        messages = [messages]
    head: Trajectory = [{"role": "system", "content": text_of(system)}] if system else []
    return head + [part for message in messages for part in _messages(message)]


def _messages(message: Any) -> Iterator[Message]:
    role = field(message, "role")
    content = field(message, "content")
    blocks = [as_dict(block) for block in content] if is_sequence(content) else [{"type": "text", "text": content}]
    results = [block for block in blocks if _is_result(block)]
    words = text_of([block for block in blocks if not _is_result(block)])
    if role != "assistant":
        # The results answer the calls before; what the user says comes after them.
        yield from map(_result, results)
        if words or not results:
            yield {"role": role, "content": words}
        return
    calls = [_call(block) for block in blocks if block.get("type") in _CALLS]
    if not results:
        yield assistant(words, calls)
        return
    # Tools that Anthropic ran answer inside the same message, and the words after that are the answer.
    yield assistant(None, calls)
    yield from map(_result, results)
    if words:
        yield assistant(words)


def _is_result(block: dict[str, Any]) -> bool:
    return str(block.get("type")).endswith("tool_result")


def _call(block: dict[str, Any]) -> Message:
    return tool_call(block.get("id"), block.get("name"), as_json(block.get("input")))


def _result(block: dict[str, Any]) -> Message:
    content = block.get("content")
    is_error = bool(block.get("is_error")) or str(field(content, "type") or "").endswith("_error")
    if not isinstance(content, str) and block.get("type") != "tool_result":
        content = as_json(content)
    return tool_result(block.get("tool_use_id"), content, is_error=is_error)
