"""The wheel in an environment that has nothing else of ours: the guide's program, unmodified, in local mode and over HTTP.

`cargo xtask test wheel` builds the wheel and names it in `REFLECT_WHEEL`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import pytest
from openai_stand_in import OpenAIStandIn, openai_stand_in
from reflect_process import MASTER_KEY, ReflectProcess

from local.users import PATIENCE_S, Folder

PROGRAM = Path(__file__).parents[2] / "tests" / "python" / "interactive_program" / "interactive_feedback_cli.py"
TASK = "Explain transformer attention in one sentence"

pytestmark = pytest.mark.skipif("REFLECT_WHEEL" not in os.environ, reason="no wheel was built")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs in a new environment, with the wheel and what the guide installs beside it."""
    folder = tmp_path_factory.mktemp("wheel") / "venv"
    venv.create(folder)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "--disable-pip-version-check"]
    wanted = [os.environ["REFLECT_WHEEL"], f"openai=={version('openai')}"]
    subprocess.run([*pip, "install", "--quiet", *wanted], check=True)
    return folder / "bin"


@pytest.fixture
def openai() -> Iterator[OpenAIStandIn]:
    with openai_stand_in() as stand_in:
        yield stand_in


@pytest.fixture
def environment(openai: OpenAIStandIn) -> dict[str, str]:
    """What the guide has exported, and nothing of this test's own Python or server."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("REFLECT_", "PYTHON"))}
    exported = {"REFLECT_API_KEY": "rf_live_...", "REFLECT_PROJECT_ID": "shop", "OPENAI_API_KEY": "sk-..."}
    return {**inherited, **exported, "OPENAI_BASE_URL": openai.base_url}


def run(command: list[str | Path], environment: dict[str, str], typed: str = "") -> str:
    ran = subprocess.run(command, input=typed, env=environment, capture_output=True, text=True, timeout=PATIENCE_S)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def learn(command: list[str | Path], environment: dict[str, str]) -> None:
    """A run that is told what it missed, and one that remembers it."""
    assert "Retrieved 0 relevant memories." in run(command, environment, "n\nsay what the weights are\n")
    assert "Retrieved 1 relevant memories." in run(command, environment, "y\n")


def test_the_program_needs_no_server(programs: Path, environment: dict[str, str], tmp_path: Path) -> None:
    folder = Folder(tmp_path / "data")
    local = {"REFLECT_LOCAL": str(folder.path), "REFLECT_UNTIL_UNUSED": "1"}
    learn([programs / "python", PROGRAM, "--task", TASK], {**environment, **local})
    folder.wait_until_unused()


def test_the_program_talks_to_a_server(server: ReflectProcess, programs: Path, environment: dict[str, str]) -> None:
    learn(
        [programs / "python", PROGRAM, "--base-url", server.url, "--task", TASK],
        {**environment, "REFLECT_API_KEY": MASTER_KEY, "REFLECT_PROJECT_ID": "from-the-wheel"},
    )


def test_the_server_is_a_command(programs: Path, environment: dict[str, str]) -> None:
    assert run([programs / "reflect", "--version"], environment).startswith("reflect ")
