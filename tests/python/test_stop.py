"""How the server ends, and how it comes back."""

import contextlib
import json
import re
import signal
import socket
import subprocess
import threading
import time
from urllib.parse import urlsplit

import httpx
import pytest

from raw_http import AUTHORIZED, NO_HANG_S, RawProject, assert_alive
from reflect_process import MASTER_KEY, START_DEADLINE_S, environment, serve_command
from runs import POLL_S, client_of, learn, utility


class HalfSentRequest:
    """A create of which the server has the headers and waits for the body.

    `Expect: 100-continue` makes that certain: the server says "go on" when it starts to read the body.
    """

    def __init__(self, server, project_id: str, task: str):
        self.body = json.dumps({"task": task, "trajectory": [], "review": {"result": "pass"}}).encode()
        head = (
            f"POST /v1/projects/{project_id}/traces HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {MASTER_KEY}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(self.body)}\r\nExpect: 100-continue\r\n\r\n"
        )
        self.socket = connect(server)
        self.stream = self.socket.makefile("rb")
        self.socket.sendall(head.encode())
        assert self.stream.readline().startswith(b"HTTP/1.1 100 ")
        assert self.stream.readline() == b"\r\n"

    def finish(self) -> dict:
        self.socket.sendall(self.body)
        status = int(self.stream.readline().split(b" ", 2)[1])
        length = 0
        while (line := self.stream.readline()) != b"\r\n":
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        answer = self.stream.read(length)
        assert 200 <= status < 300, answer
        return json.loads(answer)

    def close(self) -> None:
        self.stream.close()
        self.socket.close()


def connect(server) -> socket.socket:
    address = urlsplit(server.url)
    return socket.create_connection((address.hostname, address.port), timeout=NO_HANG_S)


def wait_until_closed(server) -> None:
    """Returns once the server takes no new requests; it may still be working on old ones."""
    deadline = time.monotonic() + NO_HANG_S
    while time.monotonic() < deadline:
        try:
            if httpx.get(f"{server.url}/health", timeout=2).status_code == 503:
                return
        except httpx.TransportError:
            return
        time.sleep(0.02)
    raise AssertionError("the server still takes new requests after the signal")


def assert_has_ended_well(server) -> None:
    assert server.wait() == 0, server.log()
    assert "panicked at" not in server.log(), server.log()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_an_idle_server_ends_with_exit_code_0(start_server, number):
    server = start_server()
    server.send_signal(number)
    assert_has_ended_well(server)


def test_requests_in_flight_finish_and_are_kept(start_server, project_id):
    server = start_server()
    requests = [HalfSentRequest(server, project_id, f"task {number}") for number in range(3)]
    server.send_signal(signal.SIGTERM)
    wait_until_closed(server)
    assert server.is_running
    answers = [request.finish() for request in requests]
    for request in requests:
        request.close()
    assert_has_ended_well(server)

    client = client_of(start_server(), project_id)
    for answer in answers:
        trace = client.wait_for_trace(answer["trace_id"], require_reviewed=True, poll_interval=POLL_S)
        assert trace.created_memory_id is not None


def test_an_idle_connection_does_not_hold_up_the_end(start_server):
    server = start_server()
    with httpx.Client(base_url=server.url) as http:
        assert http.get("/health").status_code == 200
        before = time.monotonic()
        assert server.stop() == 0
    assert time.monotonic() - before < 10


def test_everything_acknowledged_under_load_is_there_after_a_restart(start_server, project_id):
    server = start_server()
    acknowledged: list[str] = []
    unexpected: list[str] = []

    def keep_creating(worker: int) -> None:
        body = {"task": f"task of worker {worker}", "trajectory": [], "review": {"result": "pass"}}
        url = f"{server.url}/v1/projects/{project_id}/traces"
        with contextlib.suppress(httpx.TransportError), httpx.Client(headers=AUTHORIZED, timeout=NO_HANG_S) as http:
            while True:
                response = http.post(url, json=body)
                if response.is_success:
                    acknowledged.append(response.json()["trace_id"])
                elif response.status_code != 503:
                    unexpected.append(response.text)

    workers = [threading.Thread(target=keep_creating, args=(number,), daemon=True) for number in range(4)]
    for worker in workers:
        worker.start()
    wait_for(lambda: len(acknowledged) >= 50)
    server.send_signal(signal.SIGTERM)
    assert_has_ended_well(server)
    for worker in workers:
        worker.join(NO_HANG_S)
        assert not worker.is_alive()
    assert unexpected == []

    client = client_of(start_server(), project_id)
    stored = {trace.id for trace in client.list_traces()}
    assert set(acknowledged) <= stored
    wait_for(lambda: client.list_traces(review_status="pending") == [])
    assert all(trace.created_memory_id for trace in client.list_traces())


def test_work_under_way_is_given_back_and_finished_by_the_next_server(start_server, project_id):
    hanging = start_server(REFLECT_FAULT_REFLECTOR="hang")
    client = client_of(hanging, project_id)
    submission = client.create_trace(task="interrupted", trajectory="said", review_result="pass")
    wait_for(lambda: client.get_trace(submission.id).ingest_status == "processing")
    hanging.assert_stops_cleanly()

    client = client_of(start_server(), project_id)
    trace = client.wait_for_trace(submission.id, require_reviewed=True, poll_interval=POLL_S, wait_timeout=30)
    assert [memory.id for memory in client.query_memories("interrupted")] == [trace.created_memory_id]


def test_a_second_server_on_the_same_folder_refuses_and_names_the_first(start_server, binary):
    first = start_server()
    second = subprocess.run(
        serve_command(binary, first.data),
        env=environment({"REFLECT_MASTER_KEY": MASTER_KEY}),
        capture_output=True,
        text=True,
        timeout=START_DEADLINE_S,
    )
    said = second.stdout + second.stderr
    assert second.returncode != 0, said
    assert re.search(rf"\b{first.pid}\b", said), said
    assert first.url in said
    assert "listening on" not in second.stdout
    assert_alive(first.url)
    assert first.stop() == 0


def test_a_server_starts_again_where_another_ended(start_server, project_id):
    first = start_server()
    learn(client_of(first, project_id), "remember me")
    assert first.stop() == 0
    second = start_server()
    assert [memory.task for memory in client_of(second, project_id).query_memories("remember me")] == ["remember me"]
    assert second.stop() == 0


def test_a_server_starts_again_after_a_kill_and_has_lost_nothing(start_server, project_id):
    first = start_server()
    client = client_of(first, project_id)
    shown = learn(client, "remember me").created_memory_id
    queued = client.create_trace(
        task="right before the end", trajectory="said", retrieved_memory_ids=[shown], review_result="pass"
    )
    first.send_signal(signal.SIGKILL)
    assert first.wait() == -signal.SIGKILL

    second = start_server()
    client = client_of(second, project_id)
    # A killed worker's lease has to run out first, which is why this may take the client's whole patience.
    trace = client.wait_for_trace(queued.id, require_reviewed=True, poll_interval=POLL_S, wait_timeout=60)
    assert utility(client, shown, "remember me") == pytest.approx(0.65)
    assert trace.created_memory_id is not None
    assert len(client.list_traces()) == 2
    assert second.stop() == 0


def test_a_key_made_before_the_end_opens_after_it(start_server, project_id):
    first = start_server()
    created = client_of(first, project_id).create_api_key(label="kept", scopes=["trace:read"])
    assert first.stop() == 0
    second = start_server()
    assert RawProject(second.url, project_id, created.api_key).get("/traces").json() == []
    assert second.stop() == 0


def wait_for(condition) -> None:
    deadline = time.monotonic() + NO_HANG_S
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)
