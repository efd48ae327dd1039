"""An endpoint that speaks as much of OpenAI's chat and Responses as the examples need.

It looks the order up before it answers, and names the carrier only once a lesson has told it to.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ARGUMENTS = '{"order_id": 7}'


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        messages = request.get("messages") or request["input"]
        text = json.dumps(messages)
        answer = "Shipped by Nordpost." if "name the carrier" in text else "It was shipped."
        needs_tool = "carrier Nordpost" not in text
        is_chat = self.path.endswith("/chat/completions")
        body = json.dumps((_completion if is_chat else _response)(None if needs_tool else answer)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments: Any) -> None:
        """Silent: pytest shows what matters."""


def _completion(answer: str | None) -> dict[str, Any]:
    call = {"id": "call_1", "type": "function", "function": {"name": "get_order", "arguments": ARGUMENTS}}
    message = {"role": "assistant", "content": answer, **({} if answer else {"tool_calls": [call]})}
    choice = {"index": 0, "finish_reason": "stop" if answer else "tool_calls", "message": message}
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {"id": "c", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice], "usage": usage}


def _response(answer: str | None) -> dict[str, Any]:
    content = [{"type": "output_text", "text": answer, "annotations": []}]
    message = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    call = {"type": "function_call", "id": "fc", "call_id": "call_1", "name": "get_order", "arguments": ARGUMENTS}
    return {
        "id": "r",
        "object": "response",
        "created_at": 0,
        "model": "m",
        "output": [message if answer else call],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


@contextmanager
def model_stand_in() -> Iterator[str]:
    """Its base URL, while it runs."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1"
        finally:
            server.shutdown()
            thread.join()
