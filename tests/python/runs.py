"""Small runs of an agent, and how a test hands them in."""

import httpx
import pytest
from reflect_sdk import Memory, ReflectClient, Trace

from reflect_process import MASTER_KEY, ReflectProcess

POLL_S = 0.05

# What the server's settings say when nobody changes them.
FIRST_UTILITY = 0.5
AFTER_ONE_PASS = 0.65
AFTER_ONE_FAIL = 0.35


def client_of(server: ReflectProcess, project_id: str, api_key: str = MASTER_KEY) -> ReflectClient:
    return ReflectClient(base_url=server.url, api_key=api_key, project_id=project_id, timeout=30.0)


def conversation(question: str, answer: str) -> list[dict]:
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


def learn(client: ReflectClient, task: str, *, result: str = "pass", **more) -> Trace:
    """Hands in a reviewed run and waits for its memory."""
    return client.create_trace_and_wait(
        task=task,
        trajectory=conversation(task, f"an answer to: {task}"),
        review_result=result,
        poll_interval=POLL_S,
        **more,
    )


def memory_by_id(client: ReflectClient, memory_id: str, task: str) -> Memory:
    """The memory as a query for its own task shows it."""
    found = {memory.id: memory for memory in client.query_memories(task, limit=100)}
    assert memory_id in found, f"memory {memory_id} is not among {sorted(found)}"
    return found[memory_id]


def utility(client: ReflectClient, memory_id: str, task: str) -> float:
    return memory_by_id(client, memory_id, task).q_value


def refused(status: int):
    """Expects that the client raises for this status; `code_of` then reads the cause."""
    return pytest.raises(httpx.HTTPStatusError, match=f"'{status} ")


def code_of(raised) -> str:
    return raised.value.response.json()["error"]["code"]
