"""Messages through Anthropic's own client."""

from __future__ import annotations

from typing import Any

from anthropic import Anthropic

from reflect_sdk.converters import auto, from_anthropic

from .stories import ANSWER, STORY, TASK, Endpoint, get_order, told


def reply(*content: dict[str, Any]) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(content),
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


THINKING = {"type": "thinking", "thinking": "Look it up.", "signature": "s"}
TOOL_USE = {"type": "tool_use", "id": "toolu_1", "name": "get_order", "input": {"order_id": 7}}


def test_a_conversation_with_a_tool() -> None:
    endpoint = Endpoint(reply(THINKING, TOOL_USE), reply({"type": "text", "text": ANSWER}))
    client = Anthropic(api_key="none", http_client=endpoint.next_client())
    messages: list[Any] = [{"role": "user", "content": TASK}]
    first = client.messages.create(model="m", max_tokens=9, messages=messages)
    messages.append({"role": "assistant", "content": first.content})
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": get_order(7)}
    messages.append({"role": "user", "content": [result]})
    last = client.messages.create(model="m", max_tokens=9, messages=messages)
    trajectory = from_anthropic([*messages, last])
    assert told(trajectory) == STORY
    assert auto([*messages, last]) == trajectory
    assert auto(last) == from_anthropic(last) == [{"role": "assistant", "content": ANSWER}]
    with_system = from_anthropic([*messages, last], system="Be brief.")
    assert with_system == [{"role": "system", "content": "Be brief."}, *trajectory]


def test_errors_images_and_words_beside_results() -> None:
    content = [{"type": "text", "text": "no such order"}, {"type": "image", "source": {}}]
    messages = [
        {"role": "assistant", "content": [{"type": "text", "text": "Let me see."}, TOOL_USE]},
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": content, "is_error": True},
                {"type": "text", "text": "Try again."},
            ],
        },
    ]
    assert from_anthropic(messages)[1:] == [
        {"role": "tool", "tool_call_id": "toolu_1", "content": "no such order\n[image]", "is_error": True},
        {"role": "user", "content": "Try again."},
    ]
    assert from_anthropic(messages)[0]["content"] == "Let me see."
    assert auto(messages) == from_anthropic(messages)


def test_a_tool_that_anthropic_ran_answers_in_the_same_message() -> None:
    use = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "order 7"}}
    found = {
        "type": "web_search_tool_result",
        "tool_use_id": "srvtoolu_1",
        "content": {"type": "web_search_tool_result_error", "error_code": "unavailable"},
    }
    endpoint = Endpoint(reply(use, found, {"type": "text", "text": "I do not know."}))
    client = Anthropic(api_key="none", http_client=endpoint.next_client())
    trajectory = auto(client.messages.create(model="m", max_tokens=9, messages=[{"role": "user", "content": TASK}]))
    assert [message["role"] for message in trajectory] == ["assistant", "tool", "assistant"]
    assert trajectory[1]["is_error"]
    assert "unavailable" in trajectory[1]["content"]
    assert trajectory[2]["content"] == "I do not know."
