"""Messages of LangChain, and so of LangGraph and Deep Agents."""

from __future__ import annotations

from typing import Any

from .parts import Message, Trajectory, assistant, field, is_mapping, is_sequence, text_of, tool_call, tool_result

_ROLES = {"human": "user", "system": "system", "user": "user", "assistant": "assistant", "developer": "developer"}


def from_langchain(messages: Any) -> Trajectory:
    """The trajectory of LangChain's messages: a list of them, one, or a graph's state with a list under `messages`.

    The arguments of calls stay the objects that LangChain made of them.

        state = graph.invoke({"messages": [HumanMessage(task)]})
        client.create_trace(task=task, trajectory=from_langchain(state), …)
    """
    if not is_sequence(messages):
        inside = field(messages, "messages")
        messages = [messages] if inside is None else inside
    return [_message(message) for message in messages if _kind(message) != "remove"]


from_langgraph = from_langchain


def from_deepagents(messages: list[Any]) -> Trajectory:
    """The trajectory of a Deep Agents run, whose messages are LangChain's.

    client.create_trace(task=task, trajectory=from_deepagents(result["messages"]), …)
    """
    return from_langchain(messages)


def _kind(message: Any) -> str:
    kind = field(message, "type") or field(message, "role") or ""
    # Streamed messages are called `AIMessageChunk` and so on.
    return str(kind).removesuffix("MessageChunk").lower()


def _message(message: Any) -> Message:
    # Objects that only can be dumped, as test doubles are, have their fields there.
    dump = getattr(message, "model_dump", None)
    if not is_mapping(message) and not hasattr(message, "content") and callable(dump):
        message = dump(mode="json")
    kind = _kind(message)
    content = field(message, "content")
    if kind in ("tool", "function"):
        return tool_result(
            field(message, "tool_call_id"),
            content,
            name=field(message, "name"),
            is_error=field(message, "status") == "error",
        )
    if kind == "chat":
        return {"role": field(message, "role"), "content": text_of(content)}
    if kind in _ROLES and kind != "assistant":
        return {"role": _ROLES[kind], "content": text_of(content)}
    return assistant(text_of(content), [_call(call) for call in _calls(message)])


def _calls(message: Any) -> list[Any]:
    return [*(field(message, "tool_calls") or []), *(field(message, "invalid_tool_calls") or [])]


def _call(call: Any) -> Message:
    function = field(call, "function")
    if function is not None:
        return tool_call(field(call, "id"), field(function, "name"), field(function, "arguments"))
    return tool_call(field(call, "id"), field(call, "name"), field(call, "args"))
