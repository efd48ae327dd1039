"""The interactive program of the published guides, as they print it, against our server. Only the LLM is a stand-in."""

import hashlib
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from reflect_process import MASTER_KEY
from runs import AFTER_ONE_FAIL, FIRST_UTILITY, memory_by_id

PROGRAM = Path(__file__).parent / "interactive_program" / "interactive_feedback_cli.py"
PROGRAM_SHA256 = "f809000eddb9585570742400d294fba00dc0a3cfcc0f2e9e0f3d1dce5f3fae72"

TASK = "Explain transformer attention in one sentence"
QUESTION = "Was this answer correct? [y/n/d (defer)]: "
FEEDBACK_QUESTION = "What was wrong? (used as learning feedback): "


@dataclass
class Finished:
    """What the program printed, and the ids in it."""

    text: str

    def value(self, label: str) -> str | None:
        found = re.search(rf"^{re.escape(label)}:\s+(.*)$", self.text, re.MULTILINE)
        return found and found[1]


def run(server, openai, project_id: str, typed: str, *arguments: str) -> Finished:
    environment = {
        **os.environ,
        "REFLECT_API_KEY": MASTER_KEY,
        "REFLECT_PROJECT_ID": project_id,
        "OPENAI_API_KEY": "sk-stand-in",
        "OPENAI_BASE_URL": openai.base_url,
        "PYTHONIOENCODING": "utf-8",
    }
    command = [sys.executable, str(PROGRAM), "--base-url", server.url, *(arguments or ["--task", TASK])]
    finished = subprocess.run(
        command, input=typed, env=environment, capture_output=True, encoding="utf-8", timeout=120
    )
    assert finished.returncode == 0, finished.stderr
    return Finished(finished.stdout)


def test_the_program_is_the_one_that_is_printed():
    assert hashlib.sha256(PROGRAM.read_bytes()).hexdigest() == PROGRAM_SHA256


def test_y_stores_a_pass_and_a_memory(server, openai, client):
    printed = run(server, openai, client.project_id, "y\n")
    trace = client.get_trace(printed.value("Trace id"))
    assert printed.text == (
        f"Task: {TASK}\n"
        "Retrieved 0 relevant memories.\n"
        "\n"
        "Model answer:\n"
        f"{openai.answer}\n"
        "\n"
        f"{QUESTION}\n"
        "Result:   pass\n"
        f"Trace id: {trace.id}\n"
        "Review:   reviewed\n"
        f"Memory created: {trace.created_memory_id}\n"
    )
    assert (trace.task, trace.model, trace.final_response) == (TASK, "gpt-5.4-mini", openai.answer)
    assert [message["role"] for message in trace.trajectory] == ["system", "user", "assistant"]
    assert (trace.review.result, trace.review.feedback_text) == ("pass", None)
    assert memory_by_id(client, trace.created_memory_id, TASK).success is True


def test_n_stores_a_fail_with_the_feedback(server, openai, client):
    printed = run(server, openai, client.project_id, "n\nthat is a transformer, not attention\n")
    assert FEEDBACK_QUESTION in printed.text
    assert printed.value("Result") == "fail"
    assert printed.value("Feedback") == "that is a transformer, not attention"
    assert printed.value("Review") == "reviewed"

    trace = client.get_trace(printed.value("Trace id"))
    assert (trace.review.result, trace.review.feedback_text) == ("fail", "that is a transformer, not attention")
    memory = memory_by_id(client, printed.value("Memory created"), TASK)
    assert memory.success is False
    assert "is a transformer, not attention" in memory.reflection


def test_n_without_feedback_stores_the_programs_own_words(server, openai, client):
    printed = run(server, openai, client.project_id, "no\n\n")
    assert client.get_trace(printed.value("Trace id")).review.feedback_text == "The answer was incorrect."


def test_d_stores_the_trace_without_a_review(server, openai, client):
    printed = run(server, openai, client.project_id, "d\n")
    assert (printed.value("Result"), printed.value("Review")) == ("defer", "pending")
    assert printed.value("Memory created") is None

    trace = client.get_trace(printed.value("Trace id"))
    assert (trace.review_status, trace.review, trace.created_memory_id) == ("pending", None, None)
    assert client.query_memories(TASK) == []


def test_an_answer_that_is_none_of_the_three_is_asked_again(server, openai, client):
    printed = run(server, openai, client.project_id, "perhaps\n\nY\n")
    assert printed.text.count("Please enter 'y', 'n', or 'd'.") == 2
    assert printed.text.count(QUESTION) == 3
    assert printed.value("Result") == "pass"


def test_the_default_task_works(server, openai, client):
    printed = run(server, openai, client.project_id, "y\n", "--limit", "3")
    assert client.get_trace(printed.value("Trace id")).task == "Who is Sonam Pankaj?"


def test_what_one_run_learned_the_next_one_is_shown(server, openai, client):
    first = run(server, openai, client.project_id, "y\n").value("Memory created")

    second = run(server, openai, client.project_id, "n\nsay what the weights are\n")
    assert "Retrieved 1 relevant memories." in second.text
    assert f'<memory id="{first}" q_value="0.50"' in openai.requests[1]["messages"][1]["content"]
    assert client.get_trace(second.value("Trace id")).retrieved_memory_ids == [first]
    assert memory_by_id(client, first, TASK).q_value == pytest.approx(AFTER_ONE_FAIL)

    third = run(server, openai, client.project_id, "d\n")
    assert "Retrieved 2 relevant memories." in third.text
    assert "what the weights are" in openai.requests[2]["messages"][1]["content"]
    assert memory_by_id(client, first, TASK).q_value == pytest.approx(AFTER_ONE_FAIL)
    assert memory_by_id(client, second.value("Memory created"), TASK).q_value == FIRST_UTILITY

    deferred = client.review_trace(third.value("Trace id"), result="pass")
    assert set(deferred.retrieved_memory_ids) == {first, second.value("Memory created")}
    assert memory_by_id(client, second.value("Memory created"), TASK).q_value == pytest.approx(0.65)
