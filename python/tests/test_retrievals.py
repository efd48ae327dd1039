"""Runs are joined to the queries behind them by themselves, and forgotten memories are warned about."""

import warnings

import pytest

from agent_runs import author, conversation
from reflect_sdk import Configuration, ForgottenMemoriesWarning, Mixture, reflect_trace

TASK = "sort a list"


@pytest.fixture
def shown(client) -> str:
    return author(client, TASK)


def test_the_ids_of_memories_bring_the_query_along(client, shown):
    augmented = client.augment_with_memories(TASK)
    client.augment_with_memories("something else")
    submission = client.create_trace(
        task=TASK, trajectory="sorted", retrieved_memory_ids=[memory.id for memory in augmented.memories]
    )
    trace = client.get_trace(submission.id)
    assert trace.retrieved_memory_ids == [shown]
    assert trace.retrieval_id == augmented.retrieval_id == augmented.memories.retrieval_id
    assert trace.retrieval_id is not None


async def test_a_traced_block_brings_its_own_query_along_whatever_the_run_turned_out_to_be(client, shown):
    async with client.trace_async(TASK) as ctx:
        client.query_memories(TASK)
        ctx.set_output(trajectory="sorted", task="sort a list of names", alpha=0.2, result="pass")
    trace = await client.wait_for_trace_async(ctx.trace_id, require_reviewed=True)
    assert (trace.task, trace.retrieved_memory_ids) == ("sort a list of names", [shown])
    assert (trace.retrieval_id, trace.review.alpha) == (ctx.retrieval_id, 0.2)


@pytest.mark.parametrize("by", ["the prompt", "a part of the prompt", "the task"])
def test_forgotten_memories_are_warned_about_where_the_trace_is_made(client, shown, by):
    prompt = client.augment_with_memories(TASK).augmented_task
    told = {
        "the prompt": ("another", conversation(prompt, "ok")),
        "a part of the prompt": ("another", [{"role": "user", "content": [{"type": "text", "text": prompt}]}]),
        "the task": (TASK, "ok"),
    }
    task, trajectory = told[by]
    with pytest.warns(ForgottenMemoriesWarning, match="nothing is learned about them") as caught:
        client.create_trace(task=task, trajectory=trajectory)
    assert caught[0].filename == __file__


def test_nobody_is_warned_without_a_reason(client, shown):
    with warnings.catch_warnings():
        warnings.simplefilter("error", ForgottenMemoriesWarning)
        client.query_memories("a task without memories", similarity_threshold=1.0)
        client.create_trace(task="a task without memories", trajectory="said")
        with client.trace(TASK) as ctx:
            ctx.set_output(trajectory=conversation(ctx.augmented_task, "ok"))
        # That query's memories were passed back; this run is another one.
        client.create_trace(task=TASK, trajectory="said")


async def test_a_run_that_was_held_out_names_its_query_and_nobody_is_warned(client, shown):
    client.update_settings(holdout=0.5)
    tasks = [f"sort list {number}" for number in range(40)]
    found = [(task, client.query_memories(task, similarity_threshold=-1.0)) for task in tasks]
    held_out = [(task, memories) for task, memories in found if memories.held_out is not None]
    assert 5 < len(held_out) < 35
    assert all(memories.held_out == 0.5 and memories == [] for _, memories in held_out)
    assert sum(1 for _, memories in found if memories) == 40 - len(held_out)
    task, memories = held_out[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error", ForgottenMemoriesWarning)
        submission = client.create_trace(task=task, trajectory="sorted", review_result="pass")
    assert client.get_trace(submission.id).retrieval_id == memories.retrieval_id
    report = client.lift(unnamed=False)
    assert (report.without_memories.tasks, report.without_memories.passed) == (len(held_out), 1)
    assert (report.share, report.verdict, report.difference) == (0.5, "not_known_yet", None)
    assert await client.lift_async() == client.lift()


async def test_a_configuration_that_is_mixed_can_be_asked_about(client, shown):
    strict = Configuration(similarity_threshold=1.0)
    mixture = Mixture(0.5, [strict])
    assert client.update_settings(mixture=mixture).mixture == mixture
    tasks = [f"sort list {number}" for number in range(40)]
    found = [client.query_memories(task, similarity_threshold=-1.0) for task in tasks]
    assert 5 < sum(1 for memories in found if not memories) < 35
    drawn = [client.get_retrieval(memories.retrieval_id).mixed for memories in found]
    assert all(mixed.probability == 0.5 for mixed in drawn)
    assert [mixed.configuration == strict for mixed in drawn] == [not memories for memories in found]
    answer = client.evaluate_policy(similarity_threshold=1.0)
    assert answer.target.estimate is None
    assert "no reviewed run" in answer.target.refusal
    assert [part.configuration for part in answer.mixed] == [Configuration(), strict]
    assert await client.evaluate_policy_async(similarity_threshold=1.0) == answer
    assert client.update_settings(mixture=None).mixture is None


def test_the_decorator_passes_everything_on(client, shown):
    @reflect_trace(client, limit=1, reference_context="Sort by name.", metadata_filter={"team": "nobody"}, alpha=0.1)
    def answer(ctx, question):
        assert ctx.memories == []
        return question.upper()

    assert answer("sort it") == "SORT IT"
    [trace] = client.list_traces(limit=1)
    assert (trace.task, trace.reference_context) == ("sort it", "Sort by name.")
