"""Runs every snippet and command of the guide "Direct API" on a real server.

The snippets lie beside this file as they stand in the document; its program is the one that `tests/python` runs on the published
client too. What is put in their place to run them:

- `http://localhost:8000` is the server of the tests, in the program by `--base-url`;
- the values behind `export` are a key and a project of the tests, and `OPENAI_BASE_URL` names a stand-in for the model;
- `python` is the Python that runs this test, and the program's file has its whole path;
- `pip install` is not run: the package under test is there already;
- the steps after the program get its `args`, its `openai`, a `trajectory` and a `feedback` from here.

Nothing else is changed. With `REFLECT_SEEDS` naming the folder of the documents, the snippets are held against them.
"""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI
from openai_stand_in import OpenAIStandIn, openai_stand_in
from reflect_process import MASTER_KEY, ReflectProcess

from agent_runs import author
from reflect_sdk import ReflectClient
from seed_snippets import beside, commands, document, needs_documents, run_snippet, unmarked_snippets

PROGRAM = Path(__file__).parents[3] / "tests" / "python" / "interactive_program" / "interactive_feedback_cli.py"
STEPS = beside(__file__)
COMMANDS = [
    "export REFLECT_API_KEY=rf_live_...",
    "export REFLECT_PROJECT_ID=your-project-id",
    "export OPENAI_API_KEY=sk-...",
    "pip install reflect-sdk openai",
    'python interactive_feedback_cli.py --task "Explain transformer attention in one sentence"',
]
TASK = "Explain transformer attention in one sentence"


@pytest.fixture
def openai() -> Iterator[OpenAIStandIn]:
    with openai_stand_in() as stand_in:
        yield stand_in


@pytest.fixture
def exported(openai: OpenAIStandIn, project_id: str) -> dict[str, str]:
    """What the guide's `export` lines set."""
    values = {"REFLECT_API_KEY": MASTER_KEY, "REFLECT_PROJECT_ID": project_id, "OPENAI_API_KEY": "sk-stand-in"}
    names = [command.split()[1].split("=")[0] for command in COMMANDS if command.startswith("export ")]
    return {name: values[name] for name in names}


@pytest.mark.parametrize(
    ("typed", "result", "review_status"),
    [("y\n", "pass", "reviewed"), ("n\nsay what the weights are\n", "fail", "reviewed"), ("d\n", None, "pending")],
)
def test_the_program_stores_what_was_typed(
    server: ReflectProcess,
    client: ReflectClient,
    openai: OpenAIStandIn,
    exported: dict[str, str],
    typed: str,
    result: str | None,
    review_status: str,
) -> None:
    author(client, TASK, guidance="Name the weights.")
    _, _, *arguments = shlex.split(COMMANDS[-1])
    finished = subprocess.run(
        [sys.executable, str(PROGRAM), "--base-url", server.url, *arguments],
        input=typed,
        env={
            **os.environ,
            **exported,
            "OPENAI_BASE_URL": openai.base_url,
            "PYTHONPATH": os.pathsep.join(sys.path),
        },
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert finished.returncode == 0, finished.stderr
    [trace] = client.list_traces(limit=1)
    assert f"Trace id: {trace.id}\nReview:   {review_status}\n" in finished.stdout
    assert "Retrieved 1 relevant memories." in finished.stdout
    assert "Name the weights." in openai.requests[0]["messages"][1]["content"]
    assert (trace.task, trace.review_status, trace.final_response) == (TASK, review_status, openai.answer)
    assert (trace.review and trace.review.result) == result
    assert (f"Memory created: {trace.created_memory_id}" in finished.stdout) == (result is not None)


async def test_the_steps_make_a_run(
    server: ReflectProcess,
    client: ReflectClient,
    openai: OpenAIStandIn,
    exported: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lesson = author(client, TASK, guidance="Name the weights.")
    for name, value in exported.items():
        monkeypatch.setenv(name, value)
    names: dict[str, Any] = {
        "os": os,
        "ReflectClient": ReflectClient,
        "args": argparse.Namespace(task=TASK),
        "openai": OpenAI(base_url=openai.base_url),
        "trajectory": [{"role": "assistant", "content": openai.answer}],
        "feedback": None,
    }
    for step in STEPS.values():
        await run_snippet(step.replace("http://localhost:8000", server.url), names)
    assert [memory.id for memory in names["augmented"].memories] == [lesson]
    assert names["augmented"].augmented_task in openai.requests[0]["messages"][1]["content"]
    assert names["response"].choices[0].message.content == openai.answer
    trace = names["trace"]
    assert (trace.review_status, trace.retrieved_memory_ids) == ("reviewed", [lesson])
    assert trace.created_memory_id


@needs_documents
def test_the_snippets_and_commands_are_those_of_the_document() -> None:
    text = document("000")
    assert list(unmarked_snippets(text)) == [PROGRAM.read_text(), *STEPS.values()]
    assert commands(text) == COMMANDS
