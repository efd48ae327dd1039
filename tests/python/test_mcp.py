"""The Model Context Protocol, driven by the client from PyPI over both transports and in both of its eras."""

import asyncio
import json
import os
import re
import signal
import time
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import httpx
import httpx2
import pytest
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from reflect_process import MASTER_KEY, ReflectProcess

TASK = "Rotate the TLS certificate of the billing gateway before it expires"
PARAPHRASE = "Renew the billing gateway's certificate in time"
GUIDANCE = "Reload the gateway after the new certificate is in place, and check the date that it serves."
DEADLINE_S = 60

Connect = Callable[..., AbstractAsyncContextManager[Client]]


@asynccontextmanager
async def over_http(server: ReflectProcess, project_id: str, key: str = MASTER_KEY, **options) -> AsyncIterator[Client]:
    headers = {"Authorization": f"Bearer {key}", "X-Project-Id": project_id, **options.pop("headers", {})}
    async with httpx2.AsyncClient(headers=headers, timeout=DEADLINE_S) as http:
        async with Client(streamable_http_client(f"{server.url}/mcp", http_client=http), **options) as client:
            yield client


def program(binary: Path, arguments: list[str], **variables: str) -> StdioServerParameters:
    return StdioServerParameters(command=str(binary), args=["mcp", *arguments], env=variables)


@asynccontextmanager
async def over_stdio(
    binary: Path, server: ReflectProcess, project_id: str, key: str = MASTER_KEY, **options
) -> AsyncIterator[Client]:
    arguments = ["--url", server.url, "--project", project_id]
    async with Client(program(binary, arguments, REFLECT_API_KEY=key), **options) as client:
        yield client


@pytest.fixture(params=["http", "stdio"])
def connect(request, binary, server, project_id) -> Connect:
    """Connects to the server, to a project of this test's own."""
    if request.param == "http":
        return lambda *args, **options: over_http(server, project_id, *args, **options)
    return lambda *args, **options: over_stdio(binary, server, project_id, *args, **options)


@pytest.fixture(params=["auto", "legacy"])
def mode(request) -> str:
    """With and without a handshake."""
    return request.param


def text(result) -> str:
    assert not result.is_error, result
    return result.content[0].text


def refusal(result) -> str:
    assert result.is_error, result
    return result.content[0].text


async def shown(client: Client, query: str = PARAPHRASE) -> str:
    return text(await client.call_tool("retrieve_memories", {"query": query}))


def ids_in(block: str) -> list[str]:
    return re.findall(r'<memory id="([^"]+)"', block)


def key_with(server: ReflectProcess, project_id: str, *scopes: str) -> str:
    answer = httpx.post(
        f"{server.url}/v1/projects/{project_id}/api-keys",
        headers={"Authorization": f"Bearer {MASTER_KEY}"},
        json={"label": "mcp", "scopes": list(scopes)},
    )
    return answer.raise_for_status().json()["api_key"]


def test_tools_say_what_they_take(connect, mode):
    async def run():
        async with connect(mode=mode) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert list(tools) == ["retrieve_memories", "create_memory", "review_trace"]
            assert tools["retrieve_memories"].input_schema["required"] == ["query"]
            assert tools["retrieve_memories"].input_schema["properties"]["limit"]["maximum"] == 20
            assert tools["retrieve_memories"].annotations.read_only_hint
            assert all(tool.description for tool in tools.values())
            assert client.server_info.name == "reflect"
            assert (client.protocol_version >= "2026") == (mode == "auto")

    asyncio.run(run())


def test_a_lesson_that_was_written_is_found_by_a_paraphrase(connect, mode):
    async def run():
        async with connect(mode=mode) as client:
            assert "No lesson fits" in await shown(client)
            lesson = {"guidance": GUIDANCE, "key_mistake": "The gateway was not <reloaded>."}
            made = await client.call_tool("create_memory", {"task": TASK, "result": "fail", **lesson})
            assert json.loads(text(made))["ingest_status"] == "completed"
            block = await shown(client)
            assert f"<guidance>{GUIDANCE}</guidance>" in block
            assert "&lt;reloaded&gt;" in block and "retrieval_id" in block

    asyncio.run(run())


def test_a_run_becomes_a_lesson_and_credits_what_it_was_shown(connect, server, project_id):
    async def run():
        async with connect() as client:
            await client.call_tool("create_memory", {"task": TASK, "result": "fail", "guidance": GUIDANCE})
            block = await shown(client)
            retrieval_id = re.search(r'retrieval_id: "([^"]+)"', block)[1]
            trajectory = [{"role": "user", "content": PARAPHRASE}, {"role": "assistant", "content": "Renewed and reloaded."}]
            run = {"task": PARAPHRASE, "trajectory": trajectory, "final_response": "Renewed and reloaded.", "result": "pass"}
            shown_ids = {"memory_ids": ids_in(block), "retrieval_id": retrieval_id}
            made = json.loads(text(await client.call_tool("create_memory", {**run, **shown_ids})))
            return made["trace_id"], ids_in(block)[0]

    trace_id, memory_id = asyncio.run(run())
    headers = {"Authorization": f"Bearer {MASTER_KEY}"}
    base = f"{server.url}/v1/projects/{project_id}"
    memory = httpx.get(f"{base}/memories/{memory_id}", headers=headers).json()
    assert (memory["uses"], memory["passes"]) == (1, 1) and memory["q_value"] > 0.5
    deadline = time.monotonic() + DEADLINE_S
    while (trace := httpx.get(f"{base}/traces/{trace_id}", headers=headers).json())["review_status"] != "reviewed":
        assert time.monotonic() < deadline, trace
        time.sleep(0.05)
    assert trace["created_memory_id"] and trace["retrieval_id"]
    assert trace["trajectory"][0] == {"role": "user", "content": PARAPHRASE}


def test_a_run_is_reviewed_later_once_and_corrected_on_demand(connect):
    async def run():
        async with connect() as client:
            made = await client.call_tool("create_memory", {"task": TASK, "trajectory": "I renewed it."})
            trace_id = json.loads(text(made))["trace_id"]
            review = {"trace_id": trace_id, "result": "fail", "score": 0.25}
            assert "score" in refusal(await client.call_tool("review_trace", {**review, "score": 1.5}))
            review["feedback_text"] = "The gateway was not reloaded."
            reviewed = json.loads(text(await client.call_tool("review_trace", review)))
            assert reviewed["review_status"] == "reviewed" and reviewed["created_memory_id"]
            again = json.loads(text(await client.call_tool("review_trace", review)))
            assert again == reviewed
            other = {"trace_id": trace_id, "result": "pass"}
            assert "already_reviewed" in refusal(await client.call_tool("review_trace", other))
            text(await client.call_tool("review_trace", {**other, "supersedes": True}))
            assert 'outcome="success"' in await shown(client)

    asyncio.run(run())


def test_what_a_tool_refuses_is_told_to_the_model(connect):
    async def run():
        async with connect() as client:
            for arguments, expected in [
                ({"query": "x", "limit": 21}, "between 1 and 20"),
                ({"query": " "}, "task"),
                ({}, "query"),
            ]:
                assert expected in refusal(await client.call_tool("retrieve_memories", arguments))
            assert "trajectory" in refusal(await client.call_tool("create_memory", {"task": TASK, "result": "pass"}))
            unknown = {"trace_id": str(uuid.uuid4()), "result": "pass"}
            assert "not_found" in refusal(await client.call_tool("review_trace", unknown))
            with pytest.raises(MCPError, match="no tool `forget`"):
                await client.call_tool("forget", {})

    asyncio.run(run())


def test_the_guide_and_the_skill_are_resources(connect, mode, server, project_id):
    async def run():
        async with connect(mode=mode, cache=None) as client:
            listed = [str(found.uri) for found in (await client.list_resources()).resources]
            assert listed == ["reflect://guide", "reflect://left-out"]
            left_out = (await client.read_resource("reflect://left-out")).contents[0].text
            assert left_out == "No lesson is left out.\n"
            guide = (await client.read_resource("reflect://guide")).contents[0]
            assert "create_memory" in guide.text and guide.mime_type == "text/markdown"
            with pytest.raises(MCPError):
                await client.read_resource("reflect://skill")
            for number in range(6):
                lesson = {"task": f"{TASK} {number}", "guidance": f"{GUIDANCE} Step {number}."}
                text(await client.call_tool("create_memory", {**lesson, "result": "pass" if number % 2 else "fail"}))
            headers = {"Authorization": f"Bearer {MASTER_KEY}"}
            made = httpx.post(f"{server.url}/v1/projects/{project_id}/skill/create", headers=headers, json={})
            content = made.raise_for_status().json()["content"]
            assert "reflect://skill" in [str(found.uri) for found in (await client.list_resources()).resources]
            for uri in ["reflect://skill", "reflect://skill/1"]:
                assert (await client.read_resource(uri)).contents[0].text == content
            templates = (await client.list_resource_templates()).resource_templates
            assert [template.uri_template for template in templates] == ["reflect://skill/{version}"]

    asyncio.run(run())


def test_a_wrong_key_gets_nowhere(connect):
    async def run():
        with pytest.raises(Exception) as raised:
            async with connect("rf_live_nobody_0123456789abcdef0123456789abcdef") as client:
                await client.list_tools()
        # Over HTTP this client tells no more; the program's answer has the server's words.
        assert re.search("the API key is not valid|Server returned an error response", told(raised.value))

    asyncio.run(run())


def told(error: BaseException) -> str:
    """The words of an error, or of those it is a group of."""
    return " ".join(map(told, error.exceptions)) if isinstance(error, BaseExceptionGroup) else str(error)


def test_a_key_without_the_scope_is_told_which_it_lacks(connect, server, project_id):
    reader = key_with(server, project_id, "memory:read")

    async def run():
        async with connect(reader) as client:
            await shown(client)
            made = await client.call_tool("create_memory", {"task": TASK, "result": "pass", "guidance": GUIDANCE})
            assert "trace:write" in refusal(made)

    asyncio.run(run())


def post(server: ReflectProcess, key: str, **headers: str) -> httpx.Response:
    """A message by hand."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepted = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {key}"}
    return httpx.post(f"{server.url}/mcp", json=message, headers={**accepted, **headers})


def test_a_page_of_another_host_is_refused(server, project_id):
    key = key_with(server, project_id, "memory:read")
    assert post(server, key).status_code == 200
    for origin in ["http://localhost:3000", "http://127.0.0.1:6274", "http://[::1]"]:
        assert post(server, key, Origin=origin).status_code == 200, origin
    for origin in ["https://evil.example", "http://localhost.evil.example", "null", "http://203.0.113.5", "file://"]:
        refused = post(server, key, Origin=origin)
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "forbidden"), origin


def test_the_project_is_the_keys_or_the_one_that_is_named(server, project_id):
    key = key_with(server, project_id, "memory:read")
    assert "result" in post(server, key).json()
    refused = post(server, MASTER_KEY)
    assert refused.status_code == 422 and "X-Project-Id" in refused.json()["error"]["message"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    call = {**message, "params": {"name": "retrieve_memories", "arguments": {"query": TASK}}}
    headers = {"Accept": "application/json, text/event-stream", "Authorization": f"Bearer {key}"}
    elsewhere = httpx.post(f"{server.url}/mcp", json=call, headers={**headers, "X-Project-Id": "another"})
    assert elsewhere.json()["result"]["isError"] and "forbidden" in elsewhere.text


def test_what_is_no_message_is_refused_in_our_envelope(server, project_id):
    headers = {"Authorization": f"Bearer {MASTER_KEY}", "X-Project-Id": project_id}
    accepted = {**headers, "Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
    for body, given, expected in [
        (b"{", accepted, (400, "invalid_json")),
        (b'{"a": 1}', accepted, (400, "invalid_json")),
        (b"{}", headers, (415, "unsupported_media_type")),
        (b"[" * 300, accepted, (422, "invalid_request")),
        (b"{}", {**headers, "Content-Type": "application/json", "Accept": "text/html"}, (400, "bad_request")),
    ]:
        refused = httpx.post(f"{server.url}/mcp", content=body, headers=given)
        assert (refused.status_code, refused.json()["error"]["code"]) == expected, refused.text
    assert httpx.get(f"{server.url}/mcp", headers=headers).status_code == 405
    assert httpx.post(f"{server.url}/mcp", content=b"{}").status_code == 401


def test_two_clients_at_once_each_see_what_the_other_learned(connect):
    async def run():
        async with connect() as first, connect() as second:
            lessons = [(first, "Drain the queue of the mailer"), (second, "Compact the audit table")]
            calls = [
                client.call_tool("create_memory", {"task": f"{task} {number}", "result": "pass", "guidance": GUIDANCE})
                for client, task in lessons
                for number in range(8)
            ]
            for made in await asyncio.gather(*calls):
                assert json.loads(text(made))["ingest_status"] == "completed"
            assert "Compact the audit table" in await shown(first, "Compact the audit table")
            assert "Drain the queue of the mailer" in await shown(second, "Drain the queue of the mailer")

    asyncio.run(run())


def owner_of(folder: Path) -> int:
    return json.loads((folder / "owner.lock").read_text())["pid"]


def is_alive(pid: int) -> bool:
    """Whether a process runs. One that has ended and was not fetched yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def traces_in(folder: Path, project_id: str) -> list[dict]:
    url = json.loads((folder / "owner.lock").read_text())["url"]
    headers = {"Authorization": f"Bearer {(folder / 'master.key').read_text().strip()}"}
    return httpx.get(f"{url}/v1/projects/{project_id}/traces", headers=headers).raise_for_status().json()


def test_a_folder_without_a_server_gets_one_that_ends_with_its_last_user(binary, tmp_path, project_id):
    arguments = ["--data", str(tmp_path / "data"), "--project", project_id]

    async def run() -> int:
        async with Client(program(binary, arguments)) as first:
            text(await first.call_tool("create_memory", {"task": TASK, "result": "pass", "guidance": GUIDANCE}))
            pid = owner_of(tmp_path / "data")
            async with Client(program(binary, arguments)) as second:
                assert GUIDANCE in await shown(second)
            assert owner_of(tmp_path / "data") == pid and is_alive(pid)
            return pid

    pid = asyncio.run(run())
    deadline = time.monotonic() + DEADLINE_S
    while is_alive(pid):
        assert time.monotonic() < deadline, "the server outlives its users"
        time.sleep(0.05)


def test_a_server_that_is_killed_in_the_middle_is_started_again_and_nothing_is_doubled(binary, tmp_path, project_id):
    folder = tmp_path / "data"

    async def run():
        async with Client(program(binary, ["--data", str(folder), "--project", project_id])) as client:
            await client.list_tools()
            for number in range(5):
                calls = [
                    asyncio.create_task(
                        client.call_tool("create_memory", {"task": f"{TASK} {number}-{call}", "result": "pass", "guidance": GUIDANCE})
                    )
                    for call in range(6)
                ]
                await asyncio.sleep(0.002 * number)
                os.kill(owner_of(folder), signal.SIGKILL)
                for made in await asyncio.gather(*calls):
                    text(made)
            # All may have been answered before the last kill; whoever asks next starts a server.
            await shown(client)
            tasks = [trace["task"] for trace in traces_in(folder, project_id)]
            expected = {f"{TASK} {number}-{call}" for number in range(5) for call in range(6)}
            assert len(tasks) == len(expected) and set(tasks) == expected

    asyncio.run(run())


def test_a_server_at_a_url_may_be_restarted(start_server, project_id):
    async def run():
        server = start_server()
        with pytest.raises(Exception) as raised:
            async with over_http(server, project_id) as client:
                text(await client.call_tool("create_memory", {"task": TASK, "result": "pass", "guidance": GUIDANCE}))
                server.kill()
                await client.call_tool("retrieve_memories", {"query": TASK}, read_timeout_seconds=10)
        assert "connect" in told(raised.value).lower()
        async with over_http(start_server(), project_id) as client:
            assert GUIDANCE in await shown(client)

    asyncio.run(run())
