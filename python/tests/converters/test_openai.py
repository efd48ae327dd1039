"""Chat Completions and Responses through OpenAI's own client."""

from __future__ import annotations

from typing import Any

from openai import OpenAI

from reflect_sdk.converters import auto, from_openai, from_openai_responses

from .stories import (
    ANSWER,
    FUNCTION_CALL,
    REASONING,
    STORY,
    TASK,
    Endpoint,
    get_order,
    output_message,
    response,
    told,
)


def completion(**message: Any) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", **message}}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]}


CALL = {"id": "call_1", "type": "function", "function": {"name": "get_order", "arguments": '{"order_id": 7}'}}


def test_a_chat_with_a_tool() -> None:
    endpoint = Endpoint(completion(content=None, tool_calls=[CALL]), completion(content=ANSWER))
    client = OpenAI(api_key="none", http_client=endpoint.client())
    messages: list[Any] = [{"role": "user", "content": TASK}]
    first = client.chat.completions.create(model="m", messages=messages)
    messages.append(first.choices[0].message)
    messages.append({"role": "tool", "tool_call_id": "call_1", "content": get_order(7)})
    last = client.chat.completions.create(model="m", messages=messages)
    trajectory = from_openai([*messages, last])
    assert told(trajectory) == STORY
    assert trajectory[1] == {"role": "assistant", "content": None, "tool_calls": [CALL]}
    assert auto([*messages, last]) == auto([*messages, last.choices[0].message]) == trajectory
    assert auto(last) == from_openai(last) == [{"role": "assistant", "content": ANSWER}]


def test_dictionaries_stay_as_they_are() -> None:
    parts = [{"type": "text", "text": "what is this?"}, {"type": "image_url", "image_url": {"url": "data:"}}]
    messages = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": parts, "name": "ann"}]
    assert from_openai(messages) == auto(messages) == messages


def test_responses_with_a_tool() -> None:
    endpoint = Endpoint(response(REASONING, FUNCTION_CALL), response(output_message(ANSWER)))
    client = OpenAI(api_key="none", http_client=endpoint.client())
    items: list[Any] = [{"role": "user", "content": TASK}]
    first = client.responses.create(model="m", input=items)
    items += first.output
    items.append({"type": "function_call_output", "call_id": "call_1", "output": get_order(7)})
    last = client.responses.create(model="m", input=items)
    trajectory = from_openai_responses([*items, last])
    assert told(trajectory) == STORY
    assert auto([*items, last]) == auto([*items, *last.output]) == trajectory
    assert auto(last) == from_openai_responses(last) == [{"role": "assistant", "content": ANSWER}]
    assert from_openai_responses(TASK) == [{"role": "user", "content": TASK}]


def test_tools_that_openai_runs_are_calls_too() -> None:
    search = {
        "type": "web_search_call",
        "id": "ws_1",
        "status": "completed",
        "action": {"type": "search", "query": "order 7"},
    }
    remote = {
        "type": "mcp_call",
        "id": "mcp_1",
        "server_label": "shop",
        "name": "get_order",
        "arguments": '{"order_id": 7}',
        "output": "shipped",
    }
    broken = {
        **remote,
        "id": "mcp_2",
        "output": None,
        "error": {"type": "http_error", "code": 504, "message": "timed out"},
    }
    endpoint = Endpoint(response(search, remote, broken, output_message(ANSWER)))
    client = OpenAI(api_key="none", http_client=endpoint.client())
    trajectory = auto(client.responses.create(model="m", input=TASK))
    assert told(trajectory) == [
        ("call", "web_search", {"action": {"type": "search", "query": "order 7"}}),
        ("call", "get_order", {"order_id": 7}),
        ("tool", 1, "shipped"),
        ("call", "get_order", {"order_id": 7}),
        ("tool", 2, '{"code": 504, "message": "timed out", "type": "http_error"}'),
        ("assistant", ANSWER),
    ]
    assert [message.get("is_error") for message in trajectory if message["role"] == "tool"] == [None, True]
