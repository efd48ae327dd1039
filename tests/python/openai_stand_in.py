"""As much of the OpenAI endpoint as a chat completion needs, on a port of this machine."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class OpenAIStandIn(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), ChatCompletions)
        self.answer = "a neural network that learns what to look at"
        self.requests: list[dict] = []
        self.refusal: tuple[int, str] | None = None
        """Status and words, in place of an answer."""

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class ChatCompletions(BaseHTTPRequestHandler):
    server: OpenAIStandIn

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self.send_error(404)
            return
        self.server.requests.append(request)
        if self.server.refusal:
            status, words = self.server.refusal
            self._answer({"error": {"message": words, "type": "invalid_request_error"}}, status)
            return
        message = {"role": "assistant", "content": self.server.answer}
        self._answer(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": 0,
                "model": request["model"],
                "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
                "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
            }
        )

    def _answer(self, value: dict, status: int = 200) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments) -> None:
        """Silent: pytest shows what matters."""


@contextmanager
def openai_stand_in() -> Iterator[OpenAIStandIn]:
    with OpenAIStandIn() as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
