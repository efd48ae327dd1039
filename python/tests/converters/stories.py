"""One run, told by every library: an order is looked up by a tool, and the answer says what came back."""

from __future__ import annotations

import json
from typing import Any

import httpx
import httpx2

TASK = "where is order 7?"
ANSWER = "It was shipped."


def get_order(order_id: int) -> str:
    """Looks an order up."""
    return "shipped"


def told(trajectory: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What a trajectory tells, without ids and spelling. A call and its result have to bear the same id."""
    call_ids: list[str] = []
    story: list[tuple[Any, ...]] = []
    for message in json.loads(json.dumps(trajectory)):
        if message["role"] == "tool":
            story.append(("tool", call_ids.index(message["tool_call_id"]), message["content"]))
            continue
        if message["content"]:
            story.append((message["role"], message["content"]))
        for call in message.get("tool_calls", []):
            assert call["type"] == "function"
            call_ids.append(call["id"])
            arguments = call["function"]["arguments"]
            story.append(
                ("call", call["function"]["name"], json.loads(arguments) if isinstance(arguments, str) else arguments)
            )
    return story


STORY = [("user", TASK), ("call", "get_order", {"order_id": 7}), ("tool", 0, "shipped"), ("assistant", ANSWER)]


class Endpoint:
    """An HTTP endpoint that answers these bodies one after the other, and keeps what it was asked."""

    def __init__(self, *bodies: dict[str, Any]) -> None:
        self.bodies = list(bodies)
        self.asked: list[dict[str, Any]] = []

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.asked.append(json.loads(request.content))
        return httpx.Response(200, json=self.bodies.pop(0))

    def client(self) -> httpx.Client:
        return httpx.Client(transport=httpx.MockTransport(self._answer))

    def async_client(self) -> httpx.AsyncClient:
        return httpx.AsyncClient(transport=httpx.MockTransport(self._answer))

    def next_client(self) -> httpx2.Client:
        """For libraries that have moved on to the successor of httpx."""

        def answer(request: httpx2.Request) -> httpx2.Response:
            self.asked.append(json.loads(request.content))
            return httpx2.Response(200, json=self.bodies.pop(0))

        return httpx2.Client(transport=httpx2.MockTransport(answer))


def response(*output: dict[str, Any]) -> dict[str, Any]:
    """A body of the Responses API."""
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "output": list(output),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


FUNCTION_CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "get_order",
    "arguments": '{"order_id": 7}',
    "status": "completed",
}
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Look it up."}]}


def output_message(text: str) -> dict[str, Any]:
    """A message as an output item of the Responses API."""
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
