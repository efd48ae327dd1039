"""Messages of Pydantic AI."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .parts import Message, Trajectory, as_json, assistant, field, is_sequence, text_of, tool_call, tool_result


def from_pydantic_ai(run: Any) -> Trajectory:
    """The trajectory of a run: an `AgentRunResult`, or a list of `ModelRequest`s and `ModelResponse`s.

    Thinking is left out. Instructions are given once, as a system message, unless they change.

        result = await agent.run(task)
        client.create_trace(task=task, trajectory=from_pydantic_ai(result), …)
    """
    messages = run if is_sequence(run) else run.all_messages()
    trajectory: Trajectory = []
    instructions: str | None = None
    for message in messages:
        given = field(message, "instructions")
        if given and given != instructions:
            instructions = given
            trajectory.append({"role": "system", "content": given})
        if field(message, "kind") == "response":
            trajectory.extend(_response(message))
        else:
            trajectory.extend(_request_part(part) for part in field(message, "parts"))
    return trajectory


def _request_part(part: Any) -> Message:
    kind = field(part, "part_kind")
    content = field(part, "content")
    if kind == "system-prompt":
        return {"role": "system", "content": text_of(content)}
    if kind == "tool-return":
        return _returned(part)
    if kind == "retry-prompt":
        words = _retry_words(part)
        if field(part, "tool_name"):
            return tool_result(field(part, "tool_call_id"), words, name=field(part, "tool_name"), is_error=True)
        return {"role": "user", "content": words}
    return {"role": "user", "content": _user_words(content)}


def _response(message: Any) -> Iterator[Message]:
    """What the model said and asked for; tools that its provider ran answer inside the same message."""
    words: list[str] = []
    calls: list[Message] = []
    for part in field(message, "parts"):
        kind = str(field(part, "part_kind"))
        if kind == "text":
            words.append(field(part, "content"))
        elif kind.endswith("tool-call"):
            calls.append(tool_call(field(part, "tool_call_id"), field(part, "tool_name"), _arguments(part)))
        elif kind.endswith("tool-return"):
            yield assistant("\n".join(words), calls)
            words, calls = [], []
            yield _returned(part)
    if words or calls:
        yield assistant("\n".join(words), calls)


def _returned(part: Any) -> Message:
    is_error = field(part, "outcome", "success") not in ("success", None)
    return tool_result(
        field(part, "tool_call_id"), as_json(field(part, "content")), name=field(part, "tool_name"), is_error=is_error
    )


def _arguments(part: Any) -> str:
    arguments = field(part, "args")
    return "{}" if arguments is None else as_json(arguments)


def _retry_words(part: Any) -> str:
    describe = getattr(part, "model_response", None)
    return str(describe()) if callable(describe) else as_json(field(part, "content"))


def _user_words(content: Any) -> str:
    """A text, or texts and files: of a file, only that it was there."""
    if isinstance(content, str):
        return content
    return "\n".join(_user_part(part) for part in content)


def _user_part(part: Any) -> str:
    if isinstance(part, str):
        return part
    words = field(part, "content")
    return words if isinstance(words, str) else f"[{field(part, 'kind', type(part).__name__)}]"
