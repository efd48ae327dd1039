"""Whether the description of a request and the server's checks agree: what one allows the other accepts, at every bound."""

import json
from pathlib import Path

import httpx
import pytest
from jsonschema import Draft202012Validator

from reflect_process import MASTER_KEY, SETTINGS, running

DESCRIPTION = json.loads((Path(__file__).parents[2] / "spec/openapi.json").read_text())
PROJECT = "/v1/projects/{project_id}"
TRACE = {"task": "count", "trajectory": "Done."}
KEY = {"label": "agents", "scopes": []}
UNKNOWN_TRACE = "019a9f00-0000-7000-8000-000000000001"


def longer(length: int, *, is_allowed: bool = True) -> tuple[str, bool]:
    return "x" * length, is_allowed


# Endpoint, a body that is well, the field that is changed, and values of it with whether they are allowed.
CASES = [
    ("PATCH", "/settings", {}, "lambda", [(0, True), (1, True), (None, True), (-0.01, False), (1.01, False), ("1", False)]),
    ("PATCH", "/settings", {}, "mmr_lambda", [(0, True), (1, True), (-0.01, False), (1.01, False)]),
    ("PATCH", "/settings", {}, "match", [("task", True), ("lesson", True), ("both", True), (None, True), ("words", False), (1, False)]),
    ("PATCH", "/settings", {}, "holdout", [(0, True), (0.5, True), (-0.01, False), (0.51, False)]),
    (
        "PATCH",
        "/settings",
        {},
        "mixture",
        [
            ({"share": 0.2, "configurations": [{"lambda": 0.3}, {"limit": 3.0, "similarity_threshold": -1}]}, True),
            ({"share": 0}, True),
            (None, True),
            ({"share": 1.01, "configurations": [{"lambda": 0.3}]}, False),
            ({"share": 0.2, "configurations": [{"limit": 0}]}, False),
            ({"share": 0.2, "configurations": [{"lambda": n / 9} for n in range(9)]}, False),
            ({"configurations": []}, False),
        ],
    ),
    ("PATCH", "/settings", {}, "alpha", [(0, True), (1, True), (-0.01, False), (1.01, False)]),
    ("PATCH", "/settings", {}, "similarity_threshold", [(-1, True), (1, True), (-1.01, False), (1.01, False)]),
    ("PATCH", "/settings", {}, "embedder", [("builtin", True), ("hashing", True), ("reflect-mini-4", True), (None, True), (7, False)]),
    ("PATCH", "/settings", {}, "reflector", [("builtin", True), (None, True), ("Builtin", False), ("nobody/x", False)]),
    ("PATCH", "/settings", {}, "judge", [("off", True), (None, True), ("on", False)]),
    ("PATCH", "/settings", {}, "judge_rubric", [longer(20_000), longer(20_001, is_allowed=False), ("", True)]),
    ("POST", "/api-keys", KEY, "label", [("", True), longer(256), longer(257, is_allowed=False), ("a\0", False)]),
    ("POST", "/api-keys", KEY, "scopes", [(["memory:read"], True), (["all"], False), (None, False)]),
    ("POST", "/api-keys", KEY, "environment", [("live", True), ("test", True), ("prod", False)]),
    ("POST", "/traces", TRACE, "task", [longer(32_768), longer(32_769, is_allowed=False), ("", False), (" ", False), ("a\0", False)]),
    ("POST", "/traces", TRACE, "trajectory", [([], True), ("", True), ([{"role": "user"}], True), ([7], False), (7, False)]),
    ("POST", "/traces", TRACE, "final_response", [longer(1_000_000), longer(1_000_001, is_allowed=False), ("a\0", True)]),
    ("POST", "/traces", TRACE, "model", [longer(256), longer(257, is_allowed=False), ("a\0", False)]),
    ("POST", "/traces", TRACE, "metadata", [({}, True), (None, True), ([], False)]),
    ("POST", "/traces", TRACE, "retrieval_id", [(UNKNOWN_TRACE, True), ("x", False)]),
    ("POST", "/traces", TRACE, "retrieved_memory_ids", [(["a"] * 1_000, True), (["a"] * 1_001, False), (["x" * 257], False), (["\0"], False)]),
    ("POST", "/traces", TRACE, "review", [({"result": "pass"}, True), ({"result": "maybe"}, False), ({}, False)]),
    ("POST", "/traces", TRACE, "review", [({"result": "pass", "alpha": 1}, True), ({"result": "pass", "alpha": 1.01}, False)]),
    ("POST", "/traces", TRACE, "review", [({"result": "pass", "reflection": {"applicable_tools": [tool]}}, is_allowed)
                                          for tool, is_allowed in [longer(256), longer(257, is_allowed=False), ("\0", False)]]),
    ("POST", "/memory/query", {"task": "count"}, "limit", [(1, True), (1_000, True), (5.0, True), (0, False), (1_001, False), (1.5, False)]),
    ("POST", "/memory/query", {"task": "count"}, "lambda", [(0, True), (1, True), (-0.01, False), (1.01, False)]),
    ("POST", "/memory/query", {"task": "count"}, "similarity_threshold", [(-1, True), (1, True), (-1.01, False), (1.01, False)]),
    ("POST", "/memory/query", {"task": "count"}, "metadata_filter", [({"a": 1}, True), ([], False)]),
    ("POST", "/memory/query", {}, "messages", [([{"role": "user", "content": "count"}], True), ([], False), ("count", False)]),
    ("POST", "/traces/review", {"reviews": []}, "reviews", [([], True), (None, False)]),
    ("POST", "/traces/delete", {"trace_ids": []}, "trace_ids", [(["x"], True), ("x", False), (None, False)]),
    ("POST", "/traces/delete", {"trace_ids": []}, "cascade", [(True, True), (None, True), ("yes", False)]),
    ("POST", "/skill/create", {}, "n_passed", [(0, True), (100, True), (5.0, True), (-1, False), (101, False), (1.5, False)]),
]
VALUES = [(method, path, {**body, field: value}, is_allowed) for method, path, body, field, values in CASES for value, is_allowed in values]


@pytest.fixture(scope="module")
def described_server(binary, tmp_path_factory):
    settings = {**SETTINGS, "REFLECT_EMBEDDER": "builtin,hashing"}
    with running(binary, tmp_path_factory.mktemp("description"), settings) as process:
        yield process


@pytest.mark.parametrize(("method", "path", "body", "is_allowed"), VALUES, ids=lambda value: repr(value)[:60])
def test_the_description_allows_what_the_server_accepts(described_server, method, path, body, is_allowed):
    answer = httpx.request(
        method,
        f"{described_server.url}/v1/projects/described{path}",
        headers={"Authorization": f"Bearer {MASTER_KEY}", "Content-Type": "application/json"},
        content=json.dumps(body),
        timeout=60,
    )
    is_accepted = answer.status_code not in (400, 422)
    assert (is_described(method, path, body), is_accepted) == (is_allowed, is_allowed), answer.text[:500]


def is_described(method: str, path: str, body: dict) -> bool:
    content = DESCRIPTION["paths"][PROJECT + path][method.lower()]["requestBody"]["content"]
    schema = {**content["application/json"]["schema"], "components": DESCRIPTION["components"]}
    return Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER).is_valid(body)
