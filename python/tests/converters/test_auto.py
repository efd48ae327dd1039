"""What `auto` takes beside what the tests of each library show."""

from __future__ import annotations

import pytest

from reflect_sdk.converters import auto


def test_nothing_is_an_empty_trajectory() -> None:
    assert auto([]) == []


def test_a_request_is_read_by_its_messages() -> None:
    assert auto({"model": "m", "messages": [{"role": "user", "content": "hi"}]}) == [{"role": "user", "content": "hi"}]


@pytest.mark.parametrize("odd", [None, 7, [7], {"text": "hi"}, [{"content": "hi"}]])
def test_what_is_no_run_is_refused(odd: object) -> None:
    with pytest.raises(TypeError, match="cannot tell whose message"):
        auto(odd)


def test_messages_of_two_libraries_are_refused() -> None:
    human = {"type": "human", "content": "hi"}
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    with pytest.raises(TypeError, match="`from_langchain`, `from_openai_responses`"):
        auto([human, call])
