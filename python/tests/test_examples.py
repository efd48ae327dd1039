"""The examples, as programs of their own, on a real server and a model that stands in for OpenAI's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from reflect_process import MASTER_KEY, ReflectProcess

from model_stand_in import model_stand_in
from reflect_sdk import ReflectClient

PYTHON = Path(__file__).parents[1]
EXAMPLES = PYTHON / "examples"
AGENTS = ["openai_chat.py", "openai_agents_sdk.py", "langgraph_agent.py", "pydantic_ai_agent.py"]


@pytest.fixture
def environment(server: ReflectProcess, project_id: str) -> Iterator[dict[str, str]]:
    with model_stand_in() as url:
        yield {
            **os.environ,
            "PYTHONPATH": str(PYTHON / "src"),
            "REFLECT_API_URL": server.url,
            "REFLECT_API_KEY": MASTER_KEY,
            "REFLECT_PROJECT_ID": project_id,
            "OPENAI_BASE_URL": url,
            "OPENAI_API_KEY": "none",
        }


def run(program: str, environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, str(EXAMPLES / program), *arguments]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.mark.parametrize("program", AGENTS)
def test_the_second_run_knows_what_the_first_one_learned(
    program: str, environment: dict[str, str], client: ReflectClient
) -> None:
    assert run(program, environment) == "0 memories, fail: It was shipped.\n"
    assert run(program, environment) == "1 memories, pass: Shipped by Nordpost.\n"
    newest, *_ = client.list_traces()
    roles = [message["role"] for message in client.get_trace(newest.id).trajectory]
    assert roles == ["user", "assistant", "tool", "assistant"]


def test_the_loop_learns_and_its_control_does_not(environment: dict[str, str], tmp_path: Path) -> None:
    curve = tmp_path / "learning.png"
    printed = run("learning_loop.py", environment, "--tasks", "30", "--seeds", "2", "--out", str(curve))
    shares = [float(share) for share in re.findall(r"half +([0-9.]+)%", printed)]
    assert len(shares) == 4, printed
    with_memory, without_memory = shares[1], shares[3]
    assert with_memory > without_memory + 20, printed
    assert curve.read_bytes().startswith(b"\x89PNG")
