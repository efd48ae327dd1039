"""The client against the server's own description: no operation without a method, no field that cannot be sent."""

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from reflect_sdk import AuthoredReflection, Configuration, Mixture, ReflectClient, TraceReview, WrittenBy
from reflect_sdk.call import Call
from reflect_sdk.client import _bootstrap

DESCRIPTION = json.loads((Path(__file__).parents[2] / "spec" / "openapi.json").read_text())
TIME = datetime(2026, 11, 2, tzinfo=timezone.utc)
MESSAGES = [{"role": "user", "content": "refund A-17"}]
WRITTEN_BY = WrittenBy("mine", version="1", model="m", input_tokens=1, output_tokens=2, millis=3)
REFLECTION = AuthoredReflection("s", "g", "k", "c", ["tool"], ["tool"], WRITTEN_BY)
REVIEW = {"result": "fail", "feedback_text": "no", "score": 0.25, "alpha": 0.1, "reflection": REFLECTION}
SEARCH = {
    "limit": 3,
    "lambda_": 0.1,
    "metadata_filter": {"a": 1},
    "similarity_threshold": 0.2,
    "mmr_lambda": 0.9,
    "match": "task",
    "sitting_out": 0.1,
}


@dataclass
class Example:
    """A method called with everything that it takes."""

    method: str
    arguments: dict[str, Any] = field(default_factory=dict)


# By the operation's name in the description. Methods keep the names of the published client where it has one.
EXAMPLES = {
    "health": [Example("health")],
    "metrics": [Example("metrics")],
    "ready": [Example("ready")],
    "bootstrap": [Example("bootstrap")],
    "list_projects": [Example("list_projects")],
    "delete_project": [Example("delete_project")],
    "list_keys": [Example("list_api_keys")],
    "create_key": [
        Example(
            "create_api_key",
            {"label": "l", "scopes": ["memory:read"], "environment": "test", "expires_in_seconds": 60},
        )
    ],
    "sign_in": [Example("sign_in", {"code": "c"})],
    "sign_out": [Example("sign_out")],
    "get_session": [Example("get_session")],
    "revoke_key": [Example("revoke_api_key", {"key_id": "k"})],
    "judge_report": [Example("judge_report")],
    "list_memories": [
        Example(
            "iter_memories",
            {"status": "active", "retired": True, "distinct": True, "same_as": "m", "text": "words", "order": "uses"}
            | {"direction": "asc", "page_size": 5},
        ),
        Example("list_memories"),
    ],
    "list_credits": [Example("iter_credits", {"memory_id": "m", "page_size": 5})],
    "list_memory_revisions": [Example("list_memory_revisions", {"memory_id": "m"})],
    "memory_map": [Example("memory_map")],
    "get_retrieval": [Example("get_retrieval", {"retrieval_id": "r"})],
    "events": [Example("events")],
    "statistics": [Example("statistics", {"days": 7})],
    "lift": [Example("lift", {"judged": False, "unnamed": False})],
    "evaluate_policy": [
        Example("evaluate_policy", {"lambda_": 0.3, "limit": 3, "similarity_threshold": 0.5, "since": TIME})
    ],
    "setting_choices": [Example("setting_choices")],
    "get_memory": [Example("get_memory", {"memory_id": "m"})],
    "delete_memory": [Example("delete_memory", {"memory_id": "m"})],
    "edit_memory": [
        Example(
            "edit_memory",
            {
                "memory_id": "m",
                "status": "disabled",
                "retired": False,
                "pinned": True,
                "summary": "s",
                "guidance": "g",
                "key_mistake": "k",
                "correct_action": "c",
                "applicable_tools": ["t"],
            },
        )
    ],
    "query_memories": [
        Example("query_memories", {"task": "t", "explain": True, **SEARCH}),
        Example("query_memories", {"messages": MESSAGES, "explain": True, **SEARCH}),
    ],
    "get_settings": [Example("get_settings")],
    "update_settings": [
        Example(
            "update_settings",
            {
                "lambda_": 0.5,
                "mmr_lambda": 0.5,
                "match": "both",
                "similarity_threshold": None,
                "alpha": 0.1,
                "holdout": 0.1,
                "mixture": Mixture(0.2, [Configuration(0.3, 3, 0.5)]),
                "learning": "worth",
                "trial_share": 0.1,
                "sitting_out": 0.1,
                "empty_lessons": True,
                "half_life_days": 90,
                "reflector": "builtin",
                "judge": "off",
                "judge_rubric": "r",
                "embedder": None,
            },
        )
    ],
    "get_skill": [Example("get_skill")],
    "create_skill": [Example("create_skill", {"n_passed": 1, "n_failed": 1})],
    "list_skill_versions": [Example("list_skill_versions")],
    "get_skill_version": [Example("get_skill_version", {"version": 1})],
    "list_traces": [
        Example(
            method,
            {
                "review_status": "reviewed",
                "ingest_status": "completed",
                "result": "success",
                "model": "m",
                "metadata": {"KEY": 1},
                "since": TIME,
                "until": TIME,
                "text": "words",
                "memory_id": "m",
                "summary": True,
                size: 5,
            },
        )
        for method, size in (("iter_traces", "page_size"), ("list_traces", "limit"))
    ],
    "create_trace": [
        Example(
            "create_trace",
            {
                "task": "t",
                "trajectory": MESSAGES,
                "final_response": "f",
                "retrieved_memory_ids": ["m"],
                "model": "m",
                "metadata": {"a": 1},
                "review_result": "fail",
                "feedback_text": "no",
                "reference_context": "policy",
                "score": 0.25,
                "alpha": 0.1,
                "reflection": REFLECTION,
                "retrieval_id": "r",
            },
        )
    ],
    "delete_traces": [Example("delete_traces", {"trace_ids": ["t"], "cascade": True})],
    "review_traces": [Example("review_traces", {"reviews": [TraceReview("t", supersedes=True, **REVIEW)]})],
    "get_trace": [Example("get_trace", {"trace_id": "t"})],
    "retry_trace": [Example("retry_trace", {"trace_id": "t"})],
    "review_trace": [Example("review_trace", {"trace_id": "t", "supersedes": True, **REVIEW})],
    "take_back_review": [Example("take_back_review", {"trace_id": "t"})],
}

OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in DESCRIPTION["paths"].items()
    for method, operation in methods.items()
    if method != "parameters"
}

# What stands for several operations, or for none.
COMPOSED = {
    "augment_with_memories",
    "bring_back_memory",
    "create_memory",
    "create_trace_and_wait",
    "disable_memory",
    "enable_memory",
    "trace",
    "wait_for_trace",
    "wait_for_traces",
}
# A new trace has no review that another could take the place of.
MEANINGLESS = {"create_trace.review": {"supersedes"}}

LOCAL = {"close", "for_project", "from_env", "local"}
PAIRS = [(name, example) for name, examples in EXAMPLES.items() for example in examples]


def first_call(example: Example) -> Call[Any]:
    """What the method sends first, without sending it."""
    if example.method == "bootstrap":
        return _bootstrap("token", "ada", "shop", "label", "live")
    client = ReflectClient(api_key="key", project_id="shop")
    plan = getattr(ReflectClient, example.method).build(client, **example.arguments)
    if isinstance(plan, Callable):  # type: ignore[arg-type]
        plan = plan("cursor")
    return next(iter(plan))


def resolve(schema: dict[str, Any]) -> dict[str, Any]:
    return DESCRIPTION["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema


def fields_of(schema: dict[str, Any], branch: str | None = None) -> dict[str, Any]:
    """The properties of a schema, through references, `allOf`, and the one branch of `oneOf` that has this field."""
    schema = resolve(schema)
    found = dict(schema.get("properties", {}))
    for part in schema.get("allOf", []):
        found |= fields_of(part)
    for part in schema.get("oneOf", []):
        if branch in fields_of(part):
            found |= fields_of(part)
    return found


def assert_sends_every_field(sent: Any, schema: dict[str, Any], where: str) -> None:
    """Every field of the description is sent, and nothing else, all the way down."""
    branch = next((name for name in ("task", "messages") if isinstance(sent, dict) and name in sent), None)
    fields = fields_of(schema, branch)
    assert set(sent) == set(fields) - MEANINGLESS.get(where, set()), where
    for name, value in sent.items():
        inner = [part for part in [fields[name], *fields[name].get("oneOf", [])] if fields_of(part)]
        if inner and isinstance(value, dict):
            assert_sends_every_field(value, inner[0], f"{where}.{name}")
        items = fields[name].get("items")
        if items and fields_of(items):
            assert_sends_every_field(value[0], items, f"{where}.{name}[0]")


def test_every_operation_has_a_method_and_every_method_an_operation() -> None:
    assert set(EXAMPLES) == set(OPERATIONS)
    methods = {name for name, _ in inspect.getmembers(ReflectClient, callable) if not name.startswith("_")}
    called = {example.method for examples in EXAMPLES.values() for example in examples}
    assert {name.removesuffix("_async") for name in methods} == called | COMPOSED | LOCAL


@pytest.mark.parametrize(("name", "example"), PAIRS, ids=[f"{name}-{example.method}" for name, example in PAIRS])
def test_a_method_sends_what_the_description_takes(name: str, example: Example) -> None:
    method, path, operation = OPERATIONS[name]
    call = first_call(example)
    assert call.method == method
    template = re.sub(r"\\\{\w+\\\}", "[^/]+", re.escape(path))
    assert re.fullmatch(template, call.path)

    parameters = operation.get("parameters", [])
    in_query = {parameter["name"] for parameter in parameters if parameter["in"] == "query"}
    sent = {parameter for parameter, _ in call.params}
    assert sent == in_query if example.method.startswith("iter_") else sent <= in_query
    in_header = {parameter["name"] for parameter in parameters if parameter["in"] == "header"}
    # Every write is named, also where the server does not need it.
    assert call.writes == (method != "GET" and name not in {"query_memories", "evaluate_policy"})
    assert {*call.headers, *(["Idempotency-Key"] if call.writes else [])} >= in_header
    assert set(call.headers) <= in_header

    content = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if content:
        from_json = json.loads(json.dumps(call.body, default=vars))
        assert_sends_every_field(from_json, content["schema"], name)
    else:
        assert not call.body


@pytest.mark.parametrize("name", sorted({example.method for _, example in PAIRS} | COMPOSED))
def test_every_method_has_an_asynchronous_twin_with_the_same_parameters(name: str) -> None:
    blocking, asynchronous = getattr(ReflectClient, name), getattr(ReflectClient, f"{name}_async")
    assert list(inspect.signature(blocking).parameters.values()) == list(
        inspect.signature(asynchronous).parameters.values()
    )
    kinds = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    assert name == "trace" or any(kind(asynchronous) for kind in kinds)
    assert not any(kind(blocking) for kind in kinds)
    assert inspect.getdoc(blocking)
