"""A project as the memory, on a real server."""

from __future__ import annotations

from typing import Any

from reflect_sdk import ReflectClient
from reflect_sdk.reflection import GeneralReflector
from reflect_sdk.reflexion import Evaluation, FinishedAttempt, Reflexion

TASK = "Write the number of legs of a spider"
FEEDBACK = "Numbers have to be written as words."


def evaluate(finished: FinishedAttempt) -> Evaluation:
    return Evaluation.passing() if finished.answer == "eight" else Evaluation.fail(FEEDBACK)


def act(prompt: str) -> str:
    """Knows better once somebody has said so."""
    return "eight" if "words" in prompt else "8"


def test_what_one_run_learned_the_next_one_knows(client: ReflectClient) -> None:
    first = Reflexion(act, evaluate, client=client).run(TASK)
    assert (first.passed, len(first.trials), first.troubles) == (True, 2, [])
    lesson = first.trials[0].lesson
    assert lesson is not None
    assert FEEDBACK in lesson.text
    assert client.get_memory(str(lesson.id)).passes == 1, "the trial that was shown it passed"
    second = Reflexion(act, evaluate, client=client).run("Write the number of legs of an ant")
    assert len(second.trials[0].shown) > 0
    assert second.trials[0].answer == "eight"


async def test_the_same_on_an_event_loop_with_a_reflector_of_ones_own(client: ReflectClient) -> None:
    async def judge(prompt: str) -> str:
        return '{"summary": "A digit was written.", "suggestions": ["Use words."]}'

    agent = Reflexion(act, evaluate, client=client, reflector=GeneralReflector(judge))
    outcome = await agent.run_async(TASK)
    assert (outcome.passed, outcome.troubles) == (True, [])
    traces = await client.list_traces_async()
    assert sorted(trace.metadata["reflexion_trial"] for trace in traces) == [1, 2]
    lesson = outcome.trials[0].lesson
    assert lesson is not None
    memory = await client.get_memory_async(str(lesson.id))
    assert memory.guidance == "Use words."
    await client.close_async()


def test_a_server_that_is_away_is_done_without() -> None:
    away = ReflectClient(base_url="http://127.0.0.1:9", retries=0)
    outcome = Reflexion(act, evaluate, client=away).run(TASK)
    assert outcome.passed
    assert {trouble.stage for trouble in outcome.troubles} == {"memory"}
    assert outcome.trials[1].shown[0].text == FEEDBACK


def test_what_cannot_be_judged_waits_for_a_reviewer(client: ReflectClient) -> None:
    def unknown(finished: FinishedAttempt) -> Any:
        return Evaluation.unknown("nobody can tell")

    Reflexion(act, unknown, client=client, max_trials=1).run(TASK)
    [trace] = client.list_traces()
    assert trace.review_status == "pending"
