"""Fixtures: one real server for the whole run, a project of its own for each test."""

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from reflect_process import MASTER_KEY, SETTINGS, ReflectProcess, running

from reflect_sdk import ReflectClient

REPOSITORY = Path(__file__).resolve().parents[2]

# A proxy of the machine must not come between us and 127.0.0.1.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"


@pytest.fixture(scope="session")
def binary() -> Path:
    path = Path(os.environ.get("REFLECT_BIN") or REPOSITORY / "target" / "debug" / "reflect").resolve()
    if not path.is_file() or not os.access(path, os.X_OK):
        pytest.exit(f"`{path}` is not a program that can be run; build it, or set REFLECT_BIN", returncode=2)
    return path


@pytest.fixture(scope="session")
def server(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReflectProcess]:
    """Without a floor on similarity, so that any task finds what a test stored."""
    settings = {**SETTINGS, "REFLECT_SIMILARITY_THRESHOLD": "-1"}
    with running(binary, tmp_path_factory.mktemp("server"), settings) as process:
        yield process


@pytest.fixture
def project_id() -> str:
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def client(server: ReflectProcess, project_id: str) -> Iterator[ReflectClient]:
    with ReflectClient(base_url=server.url, api_key=MASTER_KEY, project_id=project_id, timeout=30.0) as client:
        yield client


@pytest.fixture(scope="session")
def failing_server(binary: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReflectProcess]:
    """Here every reflection fails for good, with a message that says "fault injected"."""
    settings = {**SETTINGS, "REFLECT_FAULT_REFLECTOR": "permanent"}
    with running(binary, tmp_path_factory.mktemp("failing"), settings) as process:
        yield process


@pytest.fixture
def failing_client(failing_server: ReflectProcess, project_id: str) -> Iterator[ReflectClient]:
    with ReflectClient(base_url=failing_server.url, api_key=MASTER_KEY, project_id=project_id) as client:
        yield client
