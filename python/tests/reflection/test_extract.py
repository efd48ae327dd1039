"""The corpus of replies that the Rust extractor is held to, read by the Python one."""

from __future__ import annotations

import json

import pytest

from reflect_sdk.reflection.extract import Note, extract_json, extract_json_counting, without_thinking

from .corpus import SHAPES, Case, replies

CASES = replies()


def test_the_corpus_is_there() -> None:
    assert len(CASES) >= 120
    assert len({case.name for case in CASES}) == len(CASES)


def note_word(note: Note) -> str:
    return note.word if note.detail is None else f"{note.word}({note.detail})"


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_every_reply_gives_what_its_case_says(case: Case) -> None:
    found = extract_json(case.reply, case.shape)
    assert found.status == case.status, found
    assert set(case.notes) <= {note_word(note) for note in found.notes}
    assert found.raw == case.reply
    if case.expected == "none":
        assert found.value is None
    elif case.expected == "some":
        assert found.value is not None
    else:
        # As JSON, so that `1` and `true` are told apart.
        assert json.dumps(found.value, sort_keys=True) == json.dumps(case.expected, sort_keys=True)


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        "[",
        '{"',
        '{"a":',
        "<think>",
        "<think",
        "```",
        '{"a": "b',
        "{a ",
        "'",
        '\\"',
        '{"a": "x" y',
        "\\u",
        '{"a": "b", c',
    ],
)
def test_steps_grow_with_the_reply_and_not_faster(piece: str) -> None:
    few = extract_json_counting(piece * 500, SHAPES["lesson"])[1]
    many = extract_json_counting(piece * 5_000, SHAPES["lesson"])[1]
    assert many <= 12 * few


def test_thinking_is_left_out() -> None:
    assert without_thinking("a<think>b</think>c") == "ac"
    assert without_thinking("b</think>c") == "c"
    assert without_thinking("a<think>b") == "a"
