"""What type checkers make of the client. Checked, never run."""

from collections.abc import AsyncIterator, Iterator

from typing_extensions import assert_type

from reflect_sdk import (
    AugmentedTask,
    BulkReviewOutcome,
    Memories,
    Memory,
    MemoryDetail,
    ReflectClient,
    Skill,
    Trace,
    TraceContext,
    TraceResult,
    TraceSubmission,
    reflect_trace,
)


def blocking(client: ReflectClient) -> None:
    assert_type(client.query_memories("t", limit=3), Memories)
    assert_type(client.query_memories("t")[0], Memory)
    assert_type(client.augment_with_memories(task="t"), AugmentedTask)
    assert_type(client.create_trace(task="t", trajectory=[{"role": "user"}]), TraceSubmission)
    assert_type(client.create_trace_and_wait(task="t", trajectory="said", review_result="pass"), Trace)
    assert_type(client.get_skill(), Skill | None)
    assert_type(client.review_traces([]), list[BulkReviewOutcome])
    assert_type(client.iter_memories(), Iterator[MemoryDetail])
    with client.trace("t", blocking=True) as ctx:
        assert_type(ctx, TraceContext)
        assert_type(ctx.trace_id, str | None)


async def asynchronous(client: ReflectClient) -> None:
    assert_type(await client.query_memories_async("t"), Memories)
    assert_type(await client.get_trace_async("t"), Trace)
    assert_type(client.iter_traces_async(page_size=5), AsyncIterator[Trace])
    async with client.trace_async("t") as ctx:
        assert_type(ctx, TraceContext)


def wrong(client: ReflectClient) -> None:
    client.get_trace(7)  # type: ignore[arg-type]  # pyright: ignore
    client.create_trace(task="t")  # type: ignore[call-arg]  # pyright: ignore
    client.query_memories("t", limits=3)  # type: ignore[call-arg]  # pyright: ignore


def decorated(client: ReflectClient) -> None:
    @reflect_trace(client)
    def answer(ctx: TraceContext, question: str) -> TraceResult:
        return TraceResult(output=question, trajectory=ctx.augmented_task)

    @reflect_trace(client, inject_context=False)
    def plain(question: str) -> str:
        return question

    answer("question")
    plain("question")
    answer(7)  # type: ignore[arg-type]  # pyright: ignore
