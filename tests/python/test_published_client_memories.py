"""The published client: memories come back, and their utilities follow the reviews."""

import pytest
from reflect_sdk import AugmentedTask, Memory

from raw_http import RawProject
from runs import (
    AFTER_ONE_FAIL,
    AFTER_ONE_PASS,
    FIRST_UTILITY,
    client_of,
    conversation,
    learn,
    memory_by_id,
    refused,
    utility,
)

TASK = "parse the CSV file and return the top five rows"


def test_a_project_without_memories_answers_none(client):
    assert client.query_memories(TASK) == []


async def test_a_project_without_memories_answers_none_asynchronously(client):
    assert await client.query_memories_async(TASK) == []


def test_the_first_memory_is_found_by_the_very_next_query(client):
    trace = learn(client, TASK)
    [memory] = client.query_memories(TASK)
    assert isinstance(memory, Memory)
    assert (memory.id, memory.task, memory.success) == (trace.created_memory_id, TASK, True)
    assert memory.reflection.strip()
    assert memory.q_value == FIRST_UTILITY
    assert memory.similarity == pytest.approx(1.0, abs=0.01)


@pytest.mark.postgres
def test_three_memories_serve_a_paraphrase_with_the_default_settings(client):
    for task in (TASK, "book a flight to Lisbon", "translate a letter into French"):
        learn(client, task)
    found = client.query_memories("return the top rows when parsing a CSV")
    assert found[0].task == TASK


@pytest.mark.parametrize("lambda_", [0.0, 0.25, 0.5, 1.0])
def test_the_score_blends_similarity_and_utility(client, lambda_):
    shown = learn(client, TASK).created_memory_id
    learn(client, "parse the JSON file", retrieved_memory_ids=[shown])
    found = client.query_memories("parse the file", lambda_=lambda_)
    assert len(found) == 2
    for memory in found:
        blend = (1 - lambda_) * memory.similarity + lambda_ * memory.q_value
        assert memory.score == pytest.approx(blend, abs=1e-6)
    assert found == sorted(found, key=lambda memory: -memory.score)


def test_lambda_one_ranks_by_utility_and_lambda_zero_by_similarity(client):
    near = learn(client, TASK, result="fail", feedback_text="Name every index.").created_memory_id
    proven = learn(client, "water the plants").created_memory_id
    learn(client, "credit the second", retrieved_memory_ids=[proven])
    assert client.query_memories(TASK, lambda_=0.0)[0].id == near
    assert client.query_memories(TASK, lambda_=1.0)[0].id == proven


def test_the_limit_bounds_the_answer(client):
    for number in range(4):
        learn(client, f"{TASK}, number {number}")
    assert len(client.query_memories(TASK, limit=2)) == 2
    assert len(client.query_memories(TASK)) == 4


async def test_the_asynchronous_query_answers_the_same(client):
    learn(client, TASK)
    assert await client.query_memories_async(TASK, limit=5, lambda_=0.3) == client.query_memories(
        TASK, limit=5, lambda_=0.3
    )


def test_a_pass_raises_the_memories_that_were_shown(client):
    shown = learn(client, TASK).created_memory_id
    bystander = learn(client, "water the plants").created_memory_id
    learn(client, f"{TASK} again", retrieved_memory_ids=[shown])
    assert utility(client, shown, TASK) == pytest.approx(AFTER_ONE_PASS)
    assert utility(client, bystander, TASK) == FIRST_UTILITY


def test_a_fail_lowers_the_memories_that_were_shown(client):
    shown = learn(client, TASK).created_memory_id
    learn(client, f"{TASK} again", result="fail", retrieved_memory_ids=[shown])
    assert utility(client, shown, TASK) == pytest.approx(AFTER_ONE_FAIL)


def test_a_deferred_review_moves_utilities_as_an_inline_one_does(client):
    first, second = learn(client, TASK).created_memory_id, learn(client, "water the plants").created_memory_id
    for memory_id, result in ((first, "pass"), (second, "fail")):
        submission = client.create_trace(task="later", trajectory="said", retrieved_memory_ids=[memory_id])
        assert utility(client, memory_id, TASK) == FIRST_UTILITY
        client.review_trace(submission.id, result=result)
    assert utility(client, first, TASK) == pytest.approx(AFTER_ONE_PASS)
    assert utility(client, second, TASK) == pytest.approx(AFTER_ONE_FAIL)


@pytest.mark.postgres
def test_utilities_fold_over_one_review_after_the_other(server, client, project_id):
    """By constant steps, which say beforehand where a utility ends."""
    project = RawProject(server.url, project_id)
    project.request("PATCH", "/settings", json={"learning": "constant"}).raise_for_status()
    project.close()
    shown = learn(client, TASK).created_memory_id
    expected = FIRST_UTILITY
    for result, reward in (("pass", 1), ("pass", 1), ("fail", 0), ("pass", 1)):
        learn(client, "use it", result=result, retrieved_memory_ids=[shown])
        expected += 0.3 * (reward - expected)
        assert utility(client, shown, TASK) == pytest.approx(expected)


@pytest.mark.postgres
def test_a_memory_named_twice_is_credited_once(client):
    shown = learn(client, TASK).created_memory_id
    trace = learn(client, "named twice", retrieved_memory_ids=[shown, shown])
    assert set(trace.retrieved_memory_ids) == {shown}
    assert utility(client, shown, TASK) == pytest.approx(AFTER_ONE_PASS)


def test_a_memory_of_another_project_is_kept_on_the_trace_and_never_credited(server, client, project_id):
    foreign = learn(client, TASK).created_memory_id
    neighbour = client_of(server, f"{project_id}-neighbour")
    trace = learn(neighbour, TASK, result="fail", retrieved_memory_ids=[foreign])
    assert trace.retrieved_memory_ids == [foreign]
    assert utility(client, foreign, TASK) == FIRST_UTILITY
    assert [memory.id for memory in neighbour.query_memories(TASK)] == [trace.created_memory_id]
    assert [memory.id for memory in client.query_memories(TASK)] == [foreign]


def test_augmenting_without_memories_leaves_the_task_alone(client):
    assert client.augment_with_memories(TASK) == AugmentedTask(augmented_task=TASK, memories=[])


def test_augmenting_appends_the_memories_to_the_task(client):
    good = learn(client, TASK)
    bad = learn(client, f"{TASK} of a broken file", result="fail", feedback_text="the header row was counted")
    augmented = client.augment_with_memories(TASK, limit=5, lambda_=0.1)
    assert {memory.id for memory in augmented.memories} == {good.created_memory_id, bad.created_memory_id}
    assert augmented.augmented_task.startswith(f"{TASK}\n\n<relevant_memories>")
    assert f'<memory id="{good.created_memory_id}" q_value="0.50"' in augmented.augmented_task
    assert 'outcome="success"' in augmented.augmented_task
    assert 'outcome="failure"' in augmented.augmented_task
    assert "header row was counted" in augmented.augmented_task


async def test_augmenting_asynchronously_answers_the_same(client):
    learn(client, TASK)
    assert await client.augment_with_memories_async(TASK) == client.augment_with_memories(TASK)
    assert (await client.augment_with_memories_async(TASK)).augmented_task != TASK


async def test_augmenting_asynchronously_without_memories_leaves_the_task_alone(client):
    assert await client.augment_with_memories_async(TASK) == AugmentedTask(augmented_task=TASK, memories=[])


@pytest.mark.postgres
def test_useful_memories_rise_and_useless_ones_sink(client):
    """The loop that the server exists for, as a user would write it."""
    useful = learn(client, "deploy the web service to staging").created_memory_id
    useless = learn(client, "deploy the web service to staging now").created_memory_id
    for _ in range(4):
        learn(client, "deploy", result="pass", retrieved_memory_ids=[useful])
        learn(client, "deploy", result="fail", retrieved_memory_ids=[useless])
    ranked = [memory.id for memory in client.query_memories("deploy the web service to staging now", limit=100)]
    assert ranked.index(useful) < ranked.index(useless)
    assert memory_by_id(client, useful, "deploy").q_value > 0.75
    assert memory_by_id(client, useless, "deploy").q_value < 0.25


@pytest.mark.parametrize("arguments", [{"lambda_": 1.5}, {"lambda_": -0.1}, {"limit": -1}, {"limit": 1001}])
def test_a_query_out_of_range_is_refused(client, arguments):
    with refused(422):
        client.query_memories(TASK, **arguments)


def test_a_memory_is_shown_with_the_task_that_taught_it_not_with_the_conversation(client):
    secret = "the quick brown fox"
    client.create_trace_and_wait(task=TASK, trajectory=conversation(secret, "ok"), review_result="pass")
    assert [memory.task for memory in client.query_memories(secret)] == [TASK]
