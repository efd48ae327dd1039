"""A server that answers what a test tells it to, for failures that a real one does not have at will."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Answer:
    """What to answer. Without a status the connection is closed in the middle; `hang` keeps silent until the test ends."""

    status: int | None = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    hang: bool = False


@dataclass
class Request:
    method: str
    path: str
    headers: dict[str, str]
    body: Any
    connection: tuple[str, int]


def refused(status: int, code: str, **headers: str) -> Answer:
    """A refusal in the envelope of a Reflect server."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, {"error": {"code": code, "message": f"`{code}` was scripted", "request_id": "r1"}}, named)


class ScriptedServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, answers: list[Answer]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = answers
        self.requests: list[Request] = []
        self.test_has_ended = threading.Event()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: ScriptedServer
    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        content = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = json.loads(content) if content else None
        request = Request(self.command, self.path, headers, body, self.client_address)
        self.server.requests.append(request)
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer.hang:
            self.server.test_has_ended.wait(30)
        if answer.status is None or answer.hang:
            self.close_connection = True
            return
        text = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PATCH = do_DELETE = answer  # noqa: N815 - the names that the base class calls

    def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 - the name of the method it overrides
        """Silent: pytest shows what matters."""


@contextmanager
def scripted(*answers: Answer) -> Iterator[ScriptedServer]:
    """Answers these in order, the last one again and again."""
    with ScriptedServer(list(answers)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.test_has_ended.set()
            server.shutdown()
            thread.join()
