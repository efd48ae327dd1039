"""Our Python package takes every call that the published client takes: the same names, parameters and defaults."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

OURS = Path(__file__).resolve().parents[2] / "python" / "src"

# Prints each method's parameters with their kinds and defaults.
PROGRAM = """
import inspect, json
from reflect_sdk import ReflectClient, TraceContext, TraceResult, TraceSubmission, Trace, Review, Memory, reflect_trace

def parameters(function):
    return [(each.name, each.kind.name, repr(each.default)) for each in inspect.signature(function).parameters.values()]

methods = {"ReflectClient": parameters(ReflectClient.__init__), "reflect_trace": parameters(reflect_trace)}
for cls in (ReflectClient, TraceContext):
    for name, method in inspect.getmembers(cls, callable):
        if not name.startswith("_"):
            methods[f"{cls.__name__}.{name}"] = parameters(method)
for cls in (TraceResult, TraceSubmission, Trace, Review, Memory):
    methods[cls.__name__] = [(name, "FIELD", "") for name in cls.__match_args__]
print(json.dumps(methods))
"""

# Where ours asks for less, and the address, which is never somebody's cloud.
WANTED_DIFFERENCES = {
    ("ReflectClient", "base_url"),
    ("ReflectClient", "api_key"),
    ("ReflectClient.bootstrap", "base_url"),
    ("ReflectClient.query_memories", "task"),
    ("ReflectClient.query_memories_async", "task"),
}


def methods(path: str) -> dict[str, list[list[str]]]:
    environment = {**os.environ, "PYTHONPATH": path}
    command = [sys.executable, "-c", PROGRAM]
    return json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


@pytest.mark.skipif(os.environ.get("REFLECT_SDK") == "ours", reason="one comparison is enough")
def test_ours_takes_every_call_that_the_published_client_takes():
    published, ours = methods(""), methods(str(OURS))
    assert len(published) > 25
    differences = set()
    for method, parameters in published.items():
        names = [name for name, _, _ in parameters]
        same_names = [each for each in ours[method] if each[0] in names]
        assert [name for name, _, _ in same_names] == names, method
        differences |= {(method, name) for (name, *rest), (_, *mine) in zip(parameters, same_names) if rest != mine}
    assert differences == WANTED_DIFFERENCES
