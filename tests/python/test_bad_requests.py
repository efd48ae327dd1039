"""Bad requests around the body: ids, keys, paths, methods, headers, connections."""

import socket
import uuid
from urllib.parse import urlsplit

import httpx
import pytest

from raw_http import AUTHORIZED, JSON_CONTENT, NO_HANG_S, RawProject, assert_alive, assert_refused
from reflect_process import BOOTSTRAP_TOKEN, MASTER_KEY, SETTINGS, running

UNKNOWN_ID = "0190a000-0000-7000-8000-000000000000"
NO_IDS = [UNKNOWN_ID, UNKNOWN_ID[:-1], "abc-123", "7", "%00", "a%2Fb", "%F0%9F%98%80", "x" * 5_000]

WRONG_AUTHORIZATIONS = {
    "none": None,
    "empty": b"",
    "no key": b"Bearer",
    "another scheme": b"Basic dXNlcjpwYXNz",
    "only the key": MASTER_KEY.encode(),
    "a key that never was": b"Bearer rf_live_nobody_0123456789abcdef0123456789abcdef",
    "the master key with another end": f"Bearer {MASTER_KEY[:-1]}x".encode(),
    "the master key and more": f"Bearer {MASTER_KEY} x".encode(),
    "bytes": b"Bearer \xff\xfe\xfd",
    "a very long key": b"Bearer " + b"k" * 6_000,
}


@pytest.fixture
def project(server, project_id):
    """A fresh project. Whatever a test sends, the server must still be well afterwards."""
    project = RawProject(server.url, project_id)
    yield project
    project.close()
    assert server.is_running
    assert_alive(server.url)


@pytest.fixture
def neighbour(project):
    return RawProject(str(project.http.base_url), f"{project.project_id}-neighbour")


@pytest.fixture(scope="module")
def besieged_server(binary, tmp_path_factory):
    """Wrong keys are throttled, so those who try them get a server of their own."""
    with running(binary, tmp_path_factory.mktemp("besieged"), SETTINGS) as process:
        yield process


def mint(project: RawProject, *scopes: str) -> dict:
    response = project.post("/api-keys", {"label": "minted", "scopes": list(scopes)})
    assert response.is_success, response.text
    return response.json()


@pytest.mark.parametrize("trace_id", NO_IDS)
def test_a_trace_that_is_not_there_is_not_found(project, trace_id):
    assert_refused(project.get(f"/traces/{trace_id}"), 404)
    assert_refused(project.post(f"/traces/{trace_id}/review", {"result": "pass"}), 404)
    assert_refused(project.post(f"/traces/{trace_id}/retry", {}), 404)
    assert_refused(project.request("DELETE", f"/traces/{trace_id}/review"), 404)
    project.assert_empty()


@pytest.mark.parametrize("memory_id", NO_IDS)
def test_a_memory_that_is_not_there_is_not_found(project, memory_id):
    assert_refused(project.get(f"/memories/{memory_id}"), 404)
    assert_refused(project.request("DELETE", f"/memories/{memory_id}"), 404)
    assert_refused(project.request("PATCH", f"/memories/{memory_id}", json={}), 404, 422)


@pytest.mark.parametrize("key_id", NO_IDS)
def test_a_key_that_is_not_there_is_not_found(project, key_id):
    assert_refused(project.post(f"/api-keys/{key_id}/revoke", {}), 404)


def test_deleting_unknown_traces_deletes_none(project):
    trace_id = project.create()
    response = project.post("/traces/delete", {"trace_ids": [UNKNOWN_ID, str(uuid.uuid4())]})
    assert response.status_code == 200, response.text
    assert response.json()["deleted"] == 0
    assert project.get(f"/traces/{trace_id}").status_code == 200


def test_a_trace_of_another_project_is_not_found(project, neighbour):
    trace_id = project.create()
    before = project.get(f"/traces/{trace_id}").json()
    assert_refused(neighbour.get(f"/traces/{trace_id}"), 404)
    assert_refused(neighbour.post(f"/traces/{trace_id}/review", {"result": "fail"}), 404)
    assert neighbour.post("/traces/delete", {"trace_ids": [trace_id]}).json()["deleted"] == 0
    assert project.get(f"/traces/{trace_id}").json() == before
    neighbour.assert_empty()


def test_a_memory_of_another_project_is_not_found(project, neighbour):
    trace_id = project.create(review={"result": "pass"})
    memory_id = project.settled(trace_id).json()["created_memory_id"]
    before = project.get(f"/memories/{memory_id}").json()
    assert_refused(neighbour.get(f"/memories/{memory_id}"), 404)
    assert_refused(neighbour.request("DELETE", f"/memories/{memory_id}"), 404)
    assert project.get(f"/memories/{memory_id}").json() == before


def test_a_key_of_another_project_cannot_be_revoked_from_here(project, neighbour):
    minted = mint(project, "trace:read")
    assert_refused(neighbour.post(f"/api-keys/{minted['key']['id']}/revoke", {}), 404)
    holder = RawProject(str(project.http.base_url), project.project_id, minted["api_key"])
    assert holder.get("/traces").status_code == 200


def test_a_key_of_another_project_opens_nothing_here(project, neighbour):
    trace_id = neighbour.create()
    minted = mint(project, "trace:write", "memory:read", "keys:write", "project:delete")
    intruder = RawProject(str(project.http.base_url), neighbour.project_id, minted["api_key"])
    assert_refused(intruder.get("/traces"), 403, 404)
    assert_refused(intruder.get(f"/traces/{trace_id}"), 403, 404)
    assert_refused(intruder.post("/traces", {"task": "x", "trajectory": []}), 403, 404)
    assert_refused(intruder.post(f"/traces/{trace_id}/review", {"result": "fail"}), 403, 404)
    assert_refused(intruder.post("/memory/query", {"task": "x"}), 403, 404)
    assert_refused(intruder.post("/api-keys", {"label": "x", "scopes": ["trace:read"]}), 403, 404)
    assert_refused(intruder.request("DELETE", ""), 403, 404)
    assert [trace["id"] for trace in neighbour.get("/traces").json()] == [trace_id]


def test_a_bound_key_makes_no_project(project):
    minted = mint(project, "trace:write")
    elsewhere = RawProject(str(project.http.base_url), f"{project.project_id}-new", minted["api_key"])
    assert_refused(elsewhere.post("/traces", {"task": "x", "trajectory": []}), 403, 404)
    projects = project.http.get("/v1/projects").text
    assert project.project_id in projects
    assert elsewhere.project_id not in projects


def test_a_revoked_key_is_refused_everywhere(project):
    minted = mint(project, "trace:write", "memory:read")
    holder = RawProject(str(project.http.base_url), project.project_id, minted["api_key"])
    assert holder.get("/traces").status_code == 200
    assert project.post(f"/api-keys/{minted['key']['id']}/revoke", {}).status_code == 200
    assert_refused(holder.get("/traces"), 401)
    assert_refused(holder.post("/traces", {"task": "x", "trajectory": []}), 401)
    assert_refused(holder.post("/memory/query", {"task": "x"}), 401)
    project.assert_empty()


@pytest.mark.parametrize("authorization", WRONG_AUTHORIZATIONS.values(), ids=WRONG_AUTHORIZATIONS.keys())
def test_a_request_without_a_good_key_is_refused(besieged_server, project_id, authorization):
    headers = {**JSON_CONTENT} if authorization is None else {**JSON_CONTENT, "Authorization": authorization}
    url = f"{besieged_server.url}/v1/projects/{project_id}/traces"
    assert_refused(httpx.post(url, content=b'{"task": "x", "trajectory": []}', headers=headers), 401)
    assert_alive(besieged_server.url)
    assert httpx.get(url, headers=AUTHORIZED).json() == []


def test_hammering_with_wrong_keys_opens_nothing_and_locks_nobody_out(start_server, project_id):
    server = start_server()
    url = f"{server.url}/v1/projects/{project_id}/traces"
    with httpx.Client(timeout=NO_HANG_S) as http:
        for number in range(200):
            response = http.get(url, headers={"Authorization": f"Bearer rf_live_guess_{number:032x}"})
            assert_refused(response, 401, 429)
    assert httpx.get(url, headers=AUTHORIZED).json() == []
    server.assert_stops_cleanly()


def test_wrong_bootstrap_requests_are_refused(besieged_server, project_id):
    def bootstrap(token: str | None, body: str) -> httpx.Response:
        headers = {**JSON_CONTENT, **({} if token is None else {"X-Bootstrap-Token": token})}
        return httpx.post(f"{besieged_server.url}/v1/bootstrap", content=body, headers=headers)

    fine = f'{{"user_id": "ada", "project_id": "{project_id}", "key_label": "k", "environment": "live"}}'
    assert_refused(bootstrap(None, fine), 400, 401, 422)
    assert_refused(bootstrap("", fine), 400, 401, 422)
    assert_refused(bootstrap(BOOTSTRAP_TOKEN + "x", fine), 401)
    assert_refused(bootstrap(BOOTSTRAP_TOKEN, "{"), 400, 422)
    assert_refused(bootstrap(BOOTSTRAP_TOKEN, "{}"), 422)
    assert_refused(bootstrap(BOOTSTRAP_TOKEN, fine.replace(project_id, "a\\u0000b")), 400, 422)
    assert_refused(bootstrap(BOOTSTRAP_TOKEN, fine.replace(project_id, "a\\ud800b")), 400, 422)
    assert_refused(bootstrap(BOOTSTRAP_TOKEN, fine.replace(project_id, "")), 422)
    assert_refused(bootstrap(BOOTSTRAP_TOKEN, fine.replace("live", "production")), 422)
    assert project_id not in httpx.get(f"{besieged_server.url}/v1/projects", headers=AUTHORIZED).text


@pytest.mark.parametrize(
    "segment",
    ["%00", "a%00b", "%0A", "%FF%FE", "%ED%A0%80", "", "x" * 200, "x" * 20_000],
    ids=["NUL", "NUL inside", "newline", "no UTF-8", "surrogate", "empty", "long", "very long"],
)
def test_a_project_id_that_cannot_be_is_refused(project, segment):
    url = f"/v1/projects/{segment}/traces"
    response = project.http.post(url, content=b'{"task": "x", "trajectory": []}', headers=JSON_CONTENT)
    assert 400 <= response.status_code < 500, response.text
    if response.status_code != 414 and response.status_code != 431:
        assert_refused(response, 400, 404, 422)


@pytest.mark.parametrize(
    ("suffix", "parameters"),
    [
        ("/traces", {"review_status": "maybe"}),
        ("/traces", {"ingest_status": "maybe"}),
        ("/traces", {"result": "maybe"}),
        ("/traces", {"limit": "many"}),
        ("/traces", {"limit": "-1"}),
        ("/traces", {"limit": "1" + "0" * 400}),
        ("/traces", {"limit": "NaN"}),
        ("/traces", {"limit": "5", "cursor": "not a cursor"}),
        ("/traces", {"limit": "5", "cursor": "\x00"}),
        ("/traces", {"since": "yesterday"}),
        ("/traces", {"until": "2026-13-45T99:99:99Z"}),
        ("/traces", {"view": "everything"}),
        ("/memories", {"limit": "-1"}),
        ("/memories", {"limit": "5", "cursor": "not a cursor"}),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_query_parameter_is_refused(project, suffix, parameters):
    assert_refused(project.get(suffix, params=parameters), 400, 422)


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "application/x-www-form-urlencoded", "nonsense"]
)
def test_a_body_that_does_not_claim_to_be_json_is_refused(project, content_type):
    response = project.request(
        "POST", "/traces", content=b'{"task": "x", "trajectory": []}', headers={"Content-Type": content_type}
    )
    assert_refused(response, 400, 415, 422)
    project.assert_empty()


@pytest.mark.parametrize("content_type", ["application/json", "application/json; charset=utf-8", "Application/JSON"])
def test_every_spelling_of_json_is_taken(project, content_type):
    response = project.request(
        "POST", "/traces", content=b'{"task": "x", "trajectory": []}', headers={"Content-Type": content_type}
    )
    assert response.is_success, response.text


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/health"),
        ("DELETE", "/openapi.json"),
        ("GET", "/v1/bootstrap"),
        ("PUT", "/v1/projects/p/traces"),
        ("DELETE", "/v1/projects/p/traces"),
        ("GET", "/v1/projects/p/memory/query"),
        ("PATCH", "/v1/projects/p/api-keys"),
        ("PUT", f"/v1/projects/p/traces/{UNKNOWN_ID}"),
    ],
)
def test_a_wrong_method_is_refused_with_those_that_are_allowed(project, method, path):
    response = project.http.request(method, path)
    assert_refused(response, 405)
    assert response.headers["Allow"]


@pytest.mark.parametrize(
    "path",
    ["/nope", "/v1", "/v1/nope", "/v1/projects/p/nope", "/v2/projects", "/../etc/passwd", "/%2e%2e/etc/passwd"],
)
def test_an_unknown_path_is_not_found(project, path):
    """Sent by hand: HTTP libraries tidy such paths up."""
    head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {MASTER_KEY}\r\nConnection: close\r\n\r\n"
    status, head, body = exchange(project, head)
    assert status == 404, body
    assert b"application/json" in head
    assert b'"request_id"' in body


def test_two_requests_have_two_request_ids(project):
    ids = {assert_refused(project.get(f"/traces/{UNKNOWN_ID}"), 404)["request_id"] for _ in range(2)}
    assert len(ids) == 2


def test_an_idempotency_key_with_another_body_is_refused_and_stores_nothing(project):
    headers = {**JSON_CONTENT, "Idempotency-Key": "run-1"}
    first = project.request("POST", "/traces", content=b'{"task": "x", "trajectory": []}', headers=headers)
    again = project.request("POST", "/traces", content=b'{"task": "x", "trajectory": []}', headers=headers)
    other = project.request("POST", "/traces", content=b'{"task": "y", "trajectory": []}', headers=headers)
    assert first.json() == again.json()
    assert_refused(other, 422)
    assert [trace["task"] for trace in project.get("/traces").json()] == ["x"]


@pytest.mark.parametrize("key", [b"\xff\xfe", b"k" * 5_000], ids=["bytes", "long"])
def test_an_odd_idempotency_key_is_refused_or_works(project, key):
    headers = {**JSON_CONTENT, "Idempotency-Key": key}
    response = project.request("POST", "/traces", content=b'{"task": "x", "trajectory": []}', headers=headers)
    if not response.is_success:
        assert_refused(response, 400, 422)
        project.assert_empty()


def test_a_body_that_breaks_off_stores_nothing(project):
    body = b'{"task": "x", "trajectory": []}'
    head = (
        f"POST {project.path('/traces')} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {MASTER_KEY}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body) + 10}\r\n\r\n"
    )
    with connect(project) as connection:
        connection.sendall(head.encode() + body)
        connection.shutdown(socket.SHUT_WR)
        answer = connection.makefile("rb").read()
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4"), answer
    project.assert_empty()


@pytest.mark.parametrize(
    "bytes_sent",
    [
        b"GARBAGE\r\n\r\n",
        b"\x00\x01\x02\x03\r\n\r\n",
        b"GET /health HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: minus one\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X-Header: x\r\n" * 10_000 + b"\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
    ids=["garbage", "binary", "version", "length", "headers", "TLS"],
)
def test_what_is_not_http_harms_nobody(project, bytes_sent):
    with connect(project) as connection:
        try:
            connection.sendall(bytes_sent)
            connection.shutdown(socket.SHUT_WR)
            answer = connection.makefile("rb").read()
        except OSError:
            answer = b""  # it may hang up on us while we are still talking
    assert b" 500 " not in answer.partition(b"\r\n")[0]


def connect(project: RawProject) -> socket.socket:
    address = urlsplit(str(project.http.base_url))
    return socket.create_connection((address.hostname, address.port), timeout=NO_HANG_S)


def exchange(project: RawProject, request: str) -> tuple[int, bytes, bytes]:
    with connect(project) as connection:
        connection.sendall(request.encode())
        answer = connection.makefile("rb").read()
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split(b" ", 2)[1]), head.lower(), body
