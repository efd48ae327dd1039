"""Runs every snippet of the reference documentation of `orbiter.eval.reflection` against `reflect_sdk.reflection`.

The snippets lie beside this file as they stand in the document. What is put in their place to run them:

- `orbiter.eval` and `orbiter.eval.reflection` are our module;
- a constructor's signature (`Name(parameter: type = default)`) gets `def` in front and a body behind it;
- a method's signature gets a body behind it;
- the enumerations get a `StrEnum` from a name of ours, since Python 3.10 has none.

Nothing else is changed. With `REFLECT_SEEDS` naming the folder of the documents, the snippets are held against them.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
from collections.abc import Callable
from enum import Enum
from types import ModuleType
from typing import Any

import pytest

from reflect_sdk import reflection
from reflect_sdk.reflection import GeneralReflector, ReflectionHistory, ReflectionResult, ReflectionType, Reflector
from seed_snippets import beside, document, marked_snippets, needs_documents

SNIPPETS = beside(__file__)
CONSTRUCTORS = {
    "reflection_result": ReflectionResult,
    "reflection_history": ReflectionHistory,
    "reflector": Reflector,
    "general_reflector": GeneralReflector,
}
METHODS: dict[str, Callable[..., Any]] = {
    "history_add": ReflectionHistory.add,
    "history_get_recent": ReflectionHistory.get_recent,
    "history_get_by_type": ReflectionHistory.get_by_type,
    "history_summarize": ReflectionHistory.summarize,
    "reflector_reflect": Reflector.reflect,
    "reflector_analyze": Reflector.analyze,
    "reflector_insight": Reflector.insight,
    "reflector_suggest": Reflector.suggest,
}
ENUMERATIONS = ("reflection_type", "reflection_level")
PROGRAMS = ("import_path", "example")


class TextEnum(str, Enum):
    """Stands in for `enum.StrEnum`."""


@pytest.fixture(autouse=True)
def orbiter(monkeypatch: pytest.MonkeyPatch) -> None:
    package = ModuleType("orbiter")
    monkeypatch.setitem(sys.modules, "orbiter", package)
    monkeypatch.setitem(sys.modules, "orbiter.eval", reflection)
    monkeypatch.setitem(sys.modules, "orbiter.eval.reflection", reflection)


def run(code: str) -> dict[str, Any]:
    """Runs code as a module of its own, with its annotations as texts, and hands out its names."""
    names: dict[str, Any] = {**vars(reflection), "Any": Any, "StrEnum": TextEnum, "__name__": "snippet"}
    exec(f"from __future__ import annotations\n{code}", names)
    return names


def signature_of(code: str, name: str) -> inspect.Signature:
    return inspect.signature(run(f"{code.rstrip()}: ...")[name])


def test_every_snippet_is_run() -> None:
    assert set(SNIPPETS) == {*CONSTRUCTORS, *METHODS, *ENUMERATIONS, *PROGRAMS}


def test_the_import_gives_our_classes() -> None:
    names = run(SNIPPETS["import_path"])
    assert names["GeneralReflector"] is GeneralReflector
    assert names["ReflectionType"] is ReflectionType


@pytest.mark.parametrize("snippet", ENUMERATIONS)
def test_an_enumeration_has_the_same_members(snippet: str) -> None:
    name = SNIPPETS[snippet].split("(")[0].removeprefix("class ")
    ours = getattr(reflection, name)
    theirs = run(SNIPPETS[snippet])[name]
    assert [(member.name, member.value) for member in ours] == [(member.name, member.value) for member in theirs]
    for member in ours:
        assert (member, str(member), f"{member}") == (member.value,) * 3


@pytest.mark.parametrize("snippet", CONSTRUCTORS)
def test_a_constructor_takes_the_same_parameters(snippet: str) -> None:
    ours = CONSTRUCTORS[snippet]
    theirs = signature_of(f"def {SNIPPETS[snippet]}", ours.__name__)
    parameters = inspect.signature(ours).parameters
    documented = list(theirs.parameters.values())
    assert list(parameters)[: len(documented)] == [parameter.name for parameter in documented]
    for parameter in documented:
        own = parameters[parameter.name]
        assert (own.kind, str(own.annotation)) == (parameter.kind, str(parameter.annotation)), parameter.name
        if parameter.default not in ([], {}):
            assert own.default == parameter.default, parameter.name
    # What we have beyond them is named and has a default.
    for own in list(parameters.values())[len(documented) :]:
        assert own.kind is inspect.Parameter.KEYWORD_ONLY
        assert own.default is not inspect.Parameter.empty


@pytest.mark.parametrize("snippet", METHODS)
def test_a_method_has_the_same_signature(snippet: str) -> None:
    ours = METHODS[snippet]
    assert inspect.signature(ours) == signature_of(SNIPPETS[snippet], ours.__name__)
    assert inspect.iscoroutinefunction(ours) == SNIPPETS[snippet].startswith("async ")


def test_a_result_is_frozen_and_its_defaults_are_its_own() -> None:
    one, other = (ReflectionResult(ReflectionType.INSIGHT, reflection.ReflectionLevel.MEDIUM, "s") for _ in range(2))
    assert (one.key_findings, one.root_causes, one.insights, one.suggestions, one.metadata) == ([], [], [], [], {})
    assert one.suggestions is not other.suggestions
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.summary = "changed"  # type: ignore[misc]
    assert not hasattr(one, "__dict__")


def test_a_history_is_made_without_anything() -> None:
    history = eval(SNIPPETS["reflection_history"], vars(reflection))
    assert (history.total_count, history.success_count, history.failure_count) == (0, 0, 0)
    assert dataclasses.is_dataclass(history)
    assert not hasattr(history, "__dict__")


def test_the_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    run(SNIPPETS["example"])
    assert capsys.readouterr().out.split("\n") == [
        "Type: failure",
        "Summary: The agent failed to handle edge cases in the input.",
        "Suggestions: ['Add input validation', 'Implement retry with backoff']",
        "{'total': 1, 'success': 0, 'failure': 1, 'types': "
        "{'success': 0, 'failure': 1, 'optimization': 0, 'pattern': 0, 'insight': 0}}",
        "",
    ]


@needs_documents
def test_the_snippets_are_those_of_the_document() -> None:
    assert list(marked_snippets(document("004"))) == list(SNIPPETS.values())
