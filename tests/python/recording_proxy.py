"""A proxy that writes down every request on its way to the server."""

import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True)
class Request:
    """A request without what two runs cannot share: ids, and fields that say nothing."""

    method: str
    path: str
    query: tuple
    authorization: str | None
    body: str
    headers: dict = field(compare=False, hash=False, default_factory=dict)


class RecordingProxy(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, server_url: str):
        super().__init__(("127.0.0.1", 0), Forward)
        self.server_address_of_server = urlsplit(server_url).netloc
        self.requests: list[Request] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Forward(BaseHTTPRequestHandler):
    server: RecordingProxy

    def forward(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.requests.append(normalised(self.command, self.path, self.headers, body))
        connection = http.client.HTTPConnection(self.server.server_address_of_server, timeout=60)
        kept = {name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")}
        connection.request(self.command, self.path, body or None, kept)
        answer = connection.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("content-length", "transfer-encoding", "connection", "date", "server"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        connection.close()

    do_GET = do_POST = do_PATCH = do_DELETE = forward

    def log_message(self, format: str, *arguments) -> None:
        """Silent: pytest shows what matters."""


def normalised(method: str, target: str, headers, body: bytes) -> Request:
    parts = urlsplit(target)
    value = json.loads(body) if body else None
    return Request(
        method=method,
        path=UUID.sub("{id}", parts.path),
        query=tuple(sorted(parse_qsl(parts.query))),
        authorization=headers.get("Authorization"),
        body=json.dumps(without_silence(value), sort_keys=True),
        headers={name.lower(): value for name, value in headers.items()},
    )


def without_silence(value):
    """Null and absent mean the same in this protocol."""
    if isinstance(value, dict):
        return {key: without_silence(inner) for key, inner in value.items() if inner is not None}
    if isinstance(value, list):
        return [without_silence(inner) for inner in value]
    return value


@contextmanager
def recording_proxy(server_url: str) -> Iterator[RecordingProxy]:
    with RecordingProxy(server_url) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, daemon=True)
        thread.start()
        yield proxy
        proxy.shutdown()
        thread.join()
