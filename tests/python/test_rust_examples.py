"""Our Rust examples, run as their users run them."""

import os
import subprocess

import pytest

from reflect_process import MASTER_KEY
from runs import memory_by_id
from terminal import Terminal

TASK = "Explain transformer attention in one sentence"
QUESTION = "Was this answer correct? [y/n/d (defer)]: "
FEEDBACK_QUESTION = "What was wrong? (used as learning feedback): "


@pytest.fixture
def environment(server, openai, client) -> dict[str, str]:
    return {
        **os.environ,
        "REFLECT_API_URL": server.url,
        "REFLECT_API_KEY": MASTER_KEY,
        "REFLECT_PROJECT_ID": client.project_id,
        "OPENAI_API_KEY": "sk-stand-in",
        "OPENAI_BASE_URL": openai.base_url,
    }


@pytest.fixture
def interactive(examples, environment) -> Terminal:
    return Terminal([str(examples / "interactive_review"), "--task", TASK], environment)


def value(printed: str, label: str) -> str | None:
    lines = [line for line in printed.splitlines() if line.startswith(f"{label}:")]
    return lines[-1].split(":", 1)[1].strip() if lines else None


def test_a_person_at_a_terminal_passes_the_answer(interactive, openai, client):
    interactive.answer(QUESTION, "y")
    assert interactive.finish() == 0, interactive.printed
    printed = interactive.printed
    trace = client.get_trace(value(printed, "Trace id"))
    assert printed == (
        f"Task: {TASK}\n"
        "Retrieved 0 relevant memories.\n"
        "\n"
        "Model answer:\n"
        f"{openai.answer}\n"
        "\n"
        f"{QUESTION}y\n"
        "\n"
        "Result:   pass\n"
        f"Trace id: {trace.id}\n"
        "Review:   reviewed\n"
        f"Memory created: {trace.created_memory_id}\n"
    )
    assert (trace.task, trace.model, trace.final_response) == (TASK, "gpt-5.4-mini", openai.answer)
    assert memory_by_id(client, trace.created_memory_id, TASK).success is True


def test_a_person_says_what_was_wrong_and_is_asked_again_until_understood(interactive, client):
    interactive.answer(QUESTION, "perhaps")
    interactive.answer("Please enter 'y', 'n', or 'd'.\n" + QUESTION, "n")
    interactive.answer(FEEDBACK_QUESTION, "that is a transformer, not attention")
    assert interactive.finish() == 0, interactive.printed
    trace = client.get_trace(value(interactive.printed, "Trace id"))
    assert (trace.review.result, trace.review.feedback_text) == ("fail", "that is a transformer, not attention")


def test_a_person_leaves_the_review_for_later(interactive, client):
    interactive.answer(QUESTION, "d")
    assert interactive.finish() == 0, interactive.printed
    assert value(interactive.printed, "Review") == "pending"
    assert client.get_trace(value(interactive.printed, "Trace id")).review is None


def test_the_second_run_is_shown_what_the_first_one_taught(examples, environment, openai):
    for expected in (0, 1):
        terminal = Terminal([str(examples / "interactive_review"), "--task", TASK], environment)
        terminal.answer(QUESTION, "y")
        assert terminal.finish() == 0, terminal.printed
        assert f"Retrieved {expected} relevant memories." in terminal.printed
    assert "<relevant_memories>" in openai.requests[-1]["messages"][1]["content"]


def test_what_is_missing_is_named(examples, environment):
    terminal = Terminal([str(examples / "interactive_review")], {**environment, "REFLECT_PROJECT_ID": "", "OPENAI_API_KEY": ""})
    assert terminal.finish() != 0
    assert "PROJECT" in terminal.printed.upper()


def run(examples, name: str, *arguments: str, **environment: str) -> str:
    """What an example prints that needs nobody at a terminal. Without a key in its environment it needs no server either."""
    settings = {key: value for key, value in os.environ.items() if not key.startswith("REFLECT_")}
    finished = subprocess.run(
        [examples / name, *arguments], env={**settings, **environment}, capture_output=True, encoding="utf-8", timeout=120
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


def in_the_process_and_over_http(server, client):
    over_http = {
        "REFLECT_API_URL": server.url, "REFLECT_API_KEY": MASTER_KEY, "REFLECT_PROJECT_ID": client.project_id
    }
    return [{}, over_http]


def test_three_patterns_each_learn_from_their_first_run(examples, server, client):
    for environment in in_the_process_and_over_http(server, client):
        first, second = run(examples, "three_patterns", **environment).split("== second run\n")
        for pattern in ("scope", "attribute", "explicit"):
            assert f"{pattern}: 0 memories" in first or environment, first
            assert f"{pattern}: 0 memories" not in second, second
        assert "(stored: true)" in second and "(reviewed)" in second


def test_reviews_come_later_one_by_one_and_in_bulk(examples, server, client):
    for environment in in_the_process_and_over_http(server, client):
        assert run(examples, "deferred_review", **environment) == (
            "pending: 4\nreviewed: reviewed (memory: true)\nin bulk: 3 answers\n"
            "told: The order was not looked up first.\n"
        )


def test_the_loop_prints_its_trials_offline(examples):
    printed = run(examples, "reflexion")
    parts = printed.split("== ")[1:]
    assert len(parts) == 3
    for part in parts:
        lines = [line.split(":")[0] for line in part.splitlines()]
        order = ["trial 1 begins", "trial 1 taught", "trial 1 ended", "trial 2 begins", "trial 2 ended"]
        assert [line for line in lines if line.startswith("trial")] == order
    assert all("a trial passed after 2 trials" in part for part in parts)


def test_the_loop_asks_a_real_endpoint(examples, openai):
    openai.answer = '{"explanation": "it is fine", "verdict": "pass", "confidence": 0.9}'
    printed = run(examples, "reflexion", "--llm", openai.base_url, "--task", "Say something", OPENAI_API_KEY="sk-stand-in")
    assert "trial 1 begins" in printed and len(openai.requests) >= 2


# What the example of orbiter's documentation prints, as it stands there.
ORBITER_PRINTS = """\
Type: failure
Summary: The agent failed to handle edge cases in the input.
Suggestions: ['Add input validation', 'Implement retry with backoff']
{'total': 1, 'success': 0, 'failure': 1, 'types': {...}}
"""


def test_orbiters_example_prints_what_orbiters_documentation_says(examples):
    printed = run(examples, "coming_from_orbiter")
    # Python writes texts in single quotes; the counts by type, which the documentation leaves out, are all there.
    printed = printed.replace('"', "'").replace("':", "': ").replace(",'", ", '")
    counts = "{'success': 0, 'failure': 1, 'optimization': 0, 'pattern': 0, 'insight': 0}"
    assert printed == ORBITER_PRINTS.replace("{...}", counts)
