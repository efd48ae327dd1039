"""Fixtures: servers as real processes, a project for each test, the published client.

Every test works in a project of its own, so that one server serves them all, in any order.
"""

import os
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

# `REFLECT_SDK=ours` runs the suite for the published client on our own package, which has the same import name. Programs
# that tests start find it as well.
if os.environ.get("REFLECT_SDK") == "ours":
    OURS = str(Path(__file__).resolve().parents[2] / "python" / "src")
    sys.path.insert(0, OURS)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [OURS, os.environ.get("PYTHONPATH")]))

from reflect_sdk import ReflectClient

from openai_stand_in import OpenAIStandIn, openai_stand_in
from real_model import running_model
from reflect_process import MASTER_KEY, SETTINGS, ReflectProcess, assert_sure_of_every_answer, running
from runs import client_of

# A proxy of the machine must not come between us and 127.0.0.1.
os.environ["NO_PROXY"] = os.environ["no_proxy"] = "127.0.0.1,localhost"


@pytest.fixture(scope="session")
def binary() -> Path:
    named = os.environ.get("REFLECT_BIN")
    if not named:
        pytest.exit("set REFLECT_BIN to the server's binary, such as target/debug/reflect", returncode=2)
    path = Path(named).resolve()
    if not os.access(path, os.X_OK) or path.is_dir():
        pytest.exit(f"REFLECT_BIN is `{named}`, which is not a program that can be run", returncode=2)
    return path


@pytest.fixture(scope="session")
def examples() -> Path:
    """The folder with our Rust examples, built."""
    named = os.environ.get("REFLECT_EXAMPLES")
    if not named:
        pytest.exit("set REFLECT_EXAMPLES to the folder of the built examples, such as target/debug/examples", returncode=2)
    return Path(named).resolve()


@pytest.fixture(scope="session")
def server(binary, tmp_path_factory) -> Iterator[ReflectProcess]:
    """Without a floor on similarity: the published client cannot lift it, and here memories are looked for by any task. Lessons sit out and are tried
    as ever, and yet no answer may hang on chance."""
    settings = {**SETTINGS, "REFLECT_SIMILARITY_THRESHOLD": "-1", "REFLECT_TRIAL_SHARE": "0.05"}
    folder = tmp_path_factory.mktemp("server")
    with running(binary, folder, settings) as process:
        yield process
    assert_sure_of_every_answer(folder / "data")


@pytest.fixture(scope="session")
def server_without_bootstrap(binary, tmp_path_factory) -> Iterator[ReflectProcess]:
    settings = {"REFLECT_MASTER_KEY": MASTER_KEY}
    with running(binary, tmp_path_factory.mktemp("no-bootstrap"), settings) as process:
        yield process


@pytest.fixture(scope="session")
def failing_server(binary, tmp_path_factory) -> Iterator[ReflectProcess]:
    """Here every reflection fails for good, with a message that says "fault injected"."""
    settings = {**SETTINGS, "REFLECT_FAULT_REFLECTOR": "permanent"}
    with running(binary, tmp_path_factory.mktemp("failing"), settings) as process:
        yield process


@pytest.fixture(scope="session")
def hanging_server(binary, tmp_path_factory) -> Iterator[ReflectProcess]:
    """Here no reflection ever ends."""
    settings = {**SETTINGS, "REFLECT_FAULT_REFLECTOR": "hang"}
    with running(binary, tmp_path_factory.mktemp("hanging"), settings) as process:
        yield process


@pytest.fixture(scope="session")
def real_model(tmp_path_factory) -> Iterator[str]:
    """The base URL of a language model that really generates: point `openai/…` at it. About 85 tokens a second."""
    with running_model(tmp_path_factory.mktemp("real-model") / "model.log") as base_url:
        yield base_url


@pytest.fixture
def openai() -> Iterator[OpenAIStandIn]:
    """Stands in for the language model that the guides' programs ask."""
    with openai_stand_in() as server:
        yield server


@pytest.fixture
def start_server(binary, tmp_path) -> Iterator[Callable[..., ReflectProcess]]:
    """Starts servers on this test's own data folder. The test ends them; what it leaves is killed."""
    started = []

    def start(**settings: str) -> ReflectProcess:
        log_path = tmp_path / f"server-{len(started)}.log"
        process = ReflectProcess(binary, tmp_path / "data", log_path, {**SETTINGS, **settings})
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()


@pytest.fixture
def project_id() -> str:
    return f"test-{uuid.uuid4().hex}"


@pytest.fixture
def client(server, project_id) -> ReflectClient:
    return client_of(server, project_id)

