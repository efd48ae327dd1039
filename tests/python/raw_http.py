"""Requests that no well-behaved client would send, and what a refusal looks like."""

import json
import time
from urllib.parse import quote

import httpx

from reflect_process import MASTER_KEY

AUTHORIZED = {"Authorization": f"Bearer {MASTER_KEY}"}
JSON_CONTENT = {"Content-Type": "application/json"}

# A server that is stuck counts as broken, so no request waits longer than this.
NO_HANG_S = 30.0


class RawProject:
    """One project, spoken to in bytes."""

    def __init__(self, base_url: str, project_id: str, api_key: str = MASTER_KEY):
        self.project_id = project_id
        self.http = httpx.Client(
            base_url=base_url, headers={"Authorization": f"Bearer {api_key}"}, timeout=NO_HANG_S
        )

    def close(self) -> None:
        self.http.close()

    def path(self, suffix: str) -> str:
        return f"/v1/projects/{quote(self.project_id, safe='')}{suffix}"

    def get(self, suffix: str, **more) -> httpx.Response:
        return self.http.get(self.path(suffix), **more)

    def post(self, suffix: str, body: object, **more) -> httpx.Response:
        """Sends text and bytes as they are, anything else as JSON."""
        content = body if isinstance(body, str | bytes) else json.dumps(body)
        return self.http.post(self.path(suffix), content=content, headers=JSON_CONTENT, **more)

    def request(self, method: str, suffix: str, **more) -> httpx.Response:
        return self.http.request(method, self.path(suffix), **more)

    def create(self, **fields) -> str:
        """A trace that is fine, for tests that then do something wrong with it."""
        response = self.post("/traces", {"task": "a fine task", "trajectory": [], **fields})
        assert response.is_success, response.text
        return response.json()["trace_id"]

    def settled(self, trace_id: str) -> httpx.Response:
        """The trace, once no work on it is left."""
        deadline = time.monotonic() + NO_HANG_S
        while True:
            response = self.get(f"/traces/{trace_id}")
            assert response.status_code == 200, response.text
            if response.json()["ingest_status"] in ("completed", "failed"):
                return response
            assert time.monotonic() < deadline, f"never settled: {response.text}"
            time.sleep(0.05)

    def assert_empty(self) -> None:
        """Nothing was written, not even in part."""
        assert self.get("/traces").json() == []
        assert self.post("/memory/query", {"task": "anything"}).json() == []


def assert_refused(response: httpx.Response, *statuses: int) -> dict:
    """Checks the one shape of all refusals, and returns the error in it."""
    assert response.status_code in statuses, f"{response.status_code}: {response.text[:2000]}"
    assert response.headers["Content-Type"].startswith("application/json")
    error = response.json()["error"]
    for field in ("code", "message", "request_id"):
        assert isinstance(error[field], str), error
        assert error[field], error
    assert isinstance(error.get("path", ""), str), error
    assert len(response.content) < 10_000, "a refusal must not echo what it refuses"
    return error


def assert_alive(base_url: str) -> None:
    health = httpx.get(f"{base_url}/health", timeout=NO_HANG_S)
    assert health.status_code == 200
    assert health.json()["status"] == "ok"
