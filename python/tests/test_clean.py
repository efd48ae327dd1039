"""The package is clean to the tools that its users run over it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[1]
SAMPLE = "tests/typing_sample/sample.py"


def run(*command: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", *command], cwd=PROJECT, capture_output=True, text=True, timeout=600
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.parametrize("command", [("check",), ("format", "--check")])
def test_ruff_finds_nothing(command):
    run("ruff", *command, "--no-cache", ".")


def test_mypy_finds_nothing_in_the_package_and_the_right_types_in_a_sample():
    run("mypy", "--package", "reflect_sdk")
    run("mypy", "--warn-unused-ignores", SAMPLE)


@pytest.mark.skipif(shutil.which("node") is None, reason="pyright runs on node and would fetch one")
def test_pyright_finds_nothing():
    run("pyright", "--pythonpath", sys.executable, "src", SAMPLE)
