"""The guide's program, unmodified: with `REFLECT_LOCAL` it needs no server. `seed_000` runs it over HTTP, and `test_wheel` both ways from
an environment that has nothing but the wheel."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from openai_stand_in import openai_stand_in

from local.users import PATIENCE_S, Folder

PROGRAM = Path(__file__).parents[3] / "tests" / "python" / "interactive_program" / "interactive_feedback_cli.py"
TASK = "Explain transformer attention in one sentence"


def test_the_program_learns_from_one_run_to_the_next(folder: Folder) -> None:
    with openai_stand_in() as openai:
        exported = {
            "REFLECT_API_KEY": "rf_live_...",
            "REFLECT_PROJECT_ID": "your-project-id",
            "OPENAI_API_KEY": "sk-...",
            "OPENAI_BASE_URL": openai.base_url,
            "REFLECT_LOCAL": str(folder.path),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        first = run(exported, "n\nsay what the weights are\n")
        folder.wait_until_unused()
        second = run(exported, "y\n")
        assert "Retrieved 0 relevant memories." in first
        assert "Retrieved 1 relevant memories." in second
        assert "say what the weights are" in openai.requests[1]["messages"][1]["content"].lower()


def run(exported: dict[str, str], typed: str) -> str:
    command = [sys.executable, str(PROGRAM), "--task", TASK]
    finished = subprocess.run(
        command, input=typed, env={**os.environ, **exported}, capture_output=True, text=True, timeout=PATIENCE_S
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout
