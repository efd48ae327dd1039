"""Recognises whose messages they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .anthropic import from_anthropic
from .langchain import from_langchain
from .openai_agents import from_openai_agents
from .openai_chat import from_openai
from .openai_responses import from_openai_responses
from .parts import Trajectory, field, is_mapping, is_sequence
from .pydantic_ai import from_pydantic_ai

Converter = Callable[[Any], Trajectory]

_LANGCHAIN = {"human", "ai", "system", "tool", "function", "chat", "remove"}
_BLOCKS = {"tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use", "mcp_tool_use"}


def auto(run: Any) -> Trajectory:
    """The trajectory of a run, whichever of the supported libraries it comes from.

    Takes results, states, single messages and lists of messages; a text becomes one message of the assistant. What has
    the form of a trajectory already comes out as it is. Raises `TypeError` for anything else.

    >>> auto("It was shipped.")
    [{'role': 'assistant', 'content': 'It was shipped.'}]
    """
    if isinstance(run, str):
        return [{"role": "assistant", "content": run}]
    if callable(getattr(run, "to_input_list", None)):
        return from_openai_agents(run)
    if callable(getattr(run, "all_messages", None)):
        return from_pydantic_ai(run)
    if not is_sequence(run) and field(run, "messages") is not None:
        return auto(field(run, "messages"))
    messages = list(run) if is_sequence(run) else [run]
    # What any library could have written, such as a plain message of the user, says nothing about the others.
    converters = {converter for message in messages if (converter := _converter_of(message)) is not None}
    if len(converters) > 1:
        names = ", ".join(sorted(f"`{converter.__name__}`" for converter in converters))
        raise TypeError(f"the messages look like those of several libraries; call one of {names} yourself")
    return converters.pop()(messages) if converters else from_openai(messages)


def _converter_of(message: Any) -> Converter | None:
    """Who can read this message; none where anybody can."""
    if field(message, "choices") is not None:
        return from_openai
    if field(message, "object") == "response":
        return from_openai_responses
    if field(message, "kind") in ("request", "response") and field(message, "parts") is not None:
        return from_pydantic_ai
    kind, role = field(message, "type"), field(message, "role")
    if kind == "message" and field(message, "stop_reason", message) is not message:
        return from_anthropic
    if role is None and (kind in _LANGCHAIN or str(kind).endswith("MessageChunk")):
        return from_langchain
    if kind == "chat" and not is_mapping(message):
        return from_langchain
    if kind is not None:
        return from_openai_responses
    if role is None:
        named = type(message).__name__
        raise TypeError(f"cannot tell whose message `{named}` is; pass messages with `role` and `content`")
    return _reader_of_content(message)


def _reader_of_content(message: Any) -> Converter | None:
    content = field(message, "content")
    if is_sequence(content) and any(field(part, "type") in _BLOCKS for part in content):
        return from_anthropic
    return None
