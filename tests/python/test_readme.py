"""The README's commands and its tour, run as they stand there."""

import re
import subprocess
import sys
from pathlib import Path

from reflect_process import MASTER_KEY, environment

README = Path(__file__).parents[2] / "README.md"


def test_the_tour_prints_what_the_readme_says(binary, tmp_path):
    """With our package, in an empty folder and without a server."""
    text = README.read_text()
    program = re.search(r"```python\n(.*?)```", text, re.DOTALL).group(1)
    printed = re.search(r"```text\n(.*?)```", text, re.DOTALL).group(1)
    (tmp_path / "tour.py").write_text(program)
    package = str(README.parent / "python" / "src")
    finished = subprocess.run(
        [sys.executable, "tour.py"],
        cwd=tmp_path,
        env=environment({"REFLECT_BINARY": str(binary), "PYTHONPATH": package}),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert finished.stdout == printed, finished.stderr


def test_the_curl_command_works(server, tmp_path):
    command = re.search(r"```sh\n(curl .*?)```", README.read_text(), re.DOTALL).group(1)
    assert "http://localhost:8000" in command
    (tmp_path / "reflect-data").mkdir()
    (tmp_path / "reflect-data/master.key").write_text(MASTER_KEY + "\n")
    command = command.replace("http://localhost:8000", server.url)
    finished = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert finished.stdout == "[]", finished.stderr
