"""schemathesis tries the server by its own description: no 5xx, no undocumented status, no schema that lies."""

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from raw_http import assert_alive
from reflect_process import BOOTSTRAP_TOKEN, MASTER_KEY, SETTINGS, running

FOLDER = Path(__file__).parent
CONFIG = FOLDER / "schemathesis.toml"

# The run itself is bounded by `max-examples`; this only ends one that is stuck.
DEADLINE_S = 600


@pytest.fixture(scope="module")
def tried_server(binary, tmp_path_factory):
    """A server of its own: it ends up full of rubbish, and its throttle for wrong keys has been used up."""
    with running(binary, tmp_path_factory.mktemp("schemathesis"), SETTINGS) as process:
        yield process


def test_the_server_does_what_its_description_says(tried_server, tmp_path):
    command = [
        str(Path(sys.executable).parent / "schemathesis"),
        *("--config-file", str(CONFIG), "--no-color", "run", f"{tried_server.url}/openapi.json"),
        *("--header", f"X-Bootstrap-Token: {BOOTSTRAP_TOKEN}"),
    ]
    environment = os.environ | {
        "REFLECT_MASTER_KEY": MASTER_KEY,
        "SCHEMATHESIS_HOOKS": "schemathesis_hooks",
        "PYTHONPATH": str(FOLDER),
    }
    finished = subprocess.run(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=DEADLINE_S
    )
    assert finished.returncode == 0, f"schemathesis found something; its report:\n{finished.stdout}"
    assert_alive(tried_server.url)
    assert "panicked at" not in tried_server.log()


def test_the_description_is_openapi_3_1_and_names_every_endpoint_of_the_contract(tried_server):
    description = httpx.get(f"{tried_server.url}/openapi.json").json()
    assert description["openapi"].startswith("3.1")
    described = {
        (method.upper(), without_names(path)) for path, item in description["paths"].items() for method in item
    }
    missing = [endpoint for endpoint in CONTRACT if endpoint not in described]
    assert missing == []


def without_names(path: str) -> str:
    return "/".join("{}" if part.startswith("{") else part for part in path.split("/"))


CONTRACT = [
    ("GET", "/health"),
    ("GET", "/ready"),
    ("GET", "/metrics"),
    ("POST", "/v1/bootstrap"),
    ("GET", "/v1/projects"),
    ("DELETE", "/v1/projects/{}"),
    ("GET", "/v1/projects/{}/settings"),
    ("PATCH", "/v1/projects/{}/settings"),
    ("POST", "/v1/projects/{}/memory/query"),
    ("GET", "/v1/projects/{}/memories"),
    ("GET", "/v1/projects/{}/memories/{}"),
    ("PATCH", "/v1/projects/{}/memories/{}"),
    ("DELETE", "/v1/projects/{}/memories/{}"),
    ("POST", "/v1/projects/{}/traces"),
    ("GET", "/v1/projects/{}/traces"),
    ("POST", "/v1/projects/{}/traces/delete"),
    ("POST", "/v1/projects/{}/traces/review"),
    ("GET", "/v1/projects/{}/traces/{}"),
    ("POST", "/v1/projects/{}/traces/{}/review"),
    ("DELETE", "/v1/projects/{}/traces/{}/review"),
    ("POST", "/v1/projects/{}/traces/{}/retry"),
    ("GET", "/v1/projects/{}/skill"),
    ("POST", "/v1/projects/{}/skill/create"),
    ("GET", "/v1/projects/{}/skill/versions"),
    ("GET", "/v1/projects/{}/skill/versions/{}"),
    ("GET", "/v1/projects/{}/judge/report"),
    ("GET", "/v1/projects/{}/api-keys"),
    ("POST", "/v1/projects/{}/api-keys"),
    ("POST", "/v1/projects/{}/api-keys/{}/revoke"),
]
