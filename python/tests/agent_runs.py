"""Small runs of an agent, and how a test hands them in."""

from typing import Any

from reflect_sdk import ReflectClient, Trace

POLL_S = 0.05


def conversation(question: str, answer: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]


def learn(client: ReflectClient, task: str, *, result: str = "pass", **more: Any) -> Trace:
    """Hands in a reviewed run and waits for its memory."""
    return client.create_trace_and_wait(
        task=task,
        trajectory=conversation(task, f"an answer to: {task}"),
        review_result=result,
        poll_interval=POLL_S,
        **more,
    )


def author(client: ReflectClient, task: str, **parts: Any) -> str:
    """Stores a lesson that came with its review, and gives the memory's id."""
    submission = client.create_memory(task=task, **{"result": "pass", "guidance": f"how to {task}", **parts})
    memory_id = client.get_trace(submission.id).created_memory_id
    assert memory_id is not None
    return memory_id
