"""Times the way from `pip install` to the first learned lesson, in a virtual environment that has nothing.

    python first_lesson.py target/wheels/reflect_memory-….whl

The wheel comes from the disk, what it depends on from the package index or pip's cache. No Rust, no key, no second terminal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

LIMIT_S = 30.0
START_LIMIT_S = 0.3

PROGRAM = """
import json, time

began = time.perf_counter()
from reflect_sdk import ReflectClient

imported = time.perf_counter()
client = ReflectClient.local("reflect-data", project_id="shop")
client.health()
started = time.perf_counter()
client.create_trace_and_wait(
    task="Write a greeting to the customer Chen",
    trajectory=[{"role": "assistant", "content": "Hello Chen!"}],
    review_result="fail",
    feedback_text="Every greeting to a customer ends with the words Team Nord.",
    poll_interval=0.01,
)
prompt = client.augment_with_memories(task="Write a greeting to the customer Diaz").augmented_task
learned = time.perf_counter()
assert "Team Nord" in prompt, prompt
print(json.dumps({"import": imported - began, "start": started - imported, "lesson": learned - started}))
"""


def main(wheel: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        venv.create(Path(folder) / "venv", with_pip=True)
        made = time.perf_counter()
        python = Path(folder) / "venv" / "bin" / "python"
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", Path(wheel).absolute()]
        subprocess.run(install, check=True)
        installed = time.perf_counter()
        # Nothing of this machine's Reflect helps: the wheel is all there is.
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("REFLECT_", "PYTHON"))}
        command = [python, "-c", PROGRAM]
        ran = subprocess.run(command, check=True, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
        times = json.loads(ran.stdout)
        rows = {
            "virtual environment": made - began,
            "pip install": installed - made,
            "import": times["import"],
            "start of the server": times["start"],
            "first learned lesson": times["lesson"],
        }
        for name, seconds in rows.items():
            print(f"{name:<22}{seconds:8.3f} s")
        total = time.perf_counter() - made
        print(f"{'from pip install on':<22}{total:8.3f} s (limit {LIMIT_S:.0f} s; start {START_LIMIT_S} s)")
    return 0 if total < LIMIT_S and times["start"] < START_LIMIT_S else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
