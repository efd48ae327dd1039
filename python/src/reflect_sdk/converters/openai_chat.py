"""OpenAI's Chat Completions."""

from __future__ import annotations

from typing import Any

from .parts import Message, Trajectory, as_dict, field, is_mapping, is_sequence


def from_openai(messages: Any) -> Trajectory:
    """The trajectory of a chat: the list that was sent, and whatever came back appended to it.

    Takes dictionaries, `ChatCompletionMessage`s and whole `ChatCompletion`s, alone or in a list. Dictionaries are kept
    as they are, since they have the form of a trajectory already.

    >>> from_openai([{"role": "user", "content": "hi"}])
    [{'role': 'user', 'content': 'hi'}]
    """
    if not is_sequence(messages):
        messages = [messages]
    return [message for item in messages for message in _messages(item)]


def _messages(item: Any) -> Trajectory:
    choices = field(item, "choices")
    if choices is not None:
        # Of several samples, the first is the one that is answered with.
        return [_message(field(choice, "message")) for choice in choices[:1]]
    return [_message(item)]


def _message(item: Any) -> Message:
    if is_mapping(item):
        return dict(item)
    return {"role": "assistant", "content": None, **as_dict(item)}
