"""A verdict in a JSON object."""

from __future__ import annotations

import re
from typing import Any

from ..extract import Kind, Note, ParseStatus, Shape, extract_json
from ..extract.coerce import as_json
from ..texts import lines_of, shortened
from .lines import as_share
from .model import EXPLANATION_LIMIT, FAIL, PASS, ReadVerdict, Verdict, VerdictSource, unknown
from .words import Word, announces_quotation, conditions, negates, verdict_word, word_set, words

_SHAPE = (
    Shape()
    .optional("verdict", Kind.ANY)
    .optional("success", Kind.ANY)
    .optional("passed", Kind.ANY)
    .optional("confidence", Kind.NUMBER)
    .optional("explanation", Kind.TEXT)
)
_ENVELOPES = word_set("verdict judgement judgment evaluation result answer response arguments parameters")
"""The judge's own envelopes."""
_JSON_FIRST = re.compile(r"\s*(?:<[^\W_]*>\s*)?[{\[`]")
_NAMED = re.compile(r'"verdict":"([^"]*)')


def read(spoken: str) -> ReadVerdict | None:
    """The verdict of the object in a reply; none where there is no object that speaks of one.

    An object in the middle of a sentence is a quotation and not looked at.
    """
    found = extract_json(spoken, _SHAPE)
    if found.value is None or found.status is ParseStatus.FALLBACK:
        return None
    if Note("prose_around") in found.notes and not _opens_a_line(spoken):
        return None
    verdict = _verdict(found.value)
    if verdict is None:
        return None
    if verdict == PASS and _is_nested(found.notes):
        verdict = unknown("the verdict is part of something else")
    elif verdict == PASS and _is_doubted(spoken):
        verdict = unknown("the text around the JSON casts doubt on it")
    number = found.value.get("confidence")
    return ReadVerdict(
        verdict=verdict,
        confidence=None if number is None else as_share(number),
        explanation=_explanation(found.value),
        source=VerdictSource.JSON,
    )


def _opens_a_line(spoken: str) -> bool:
    """Whether a line begins with JSON, perhaps behind a tag, as in `<answer>{…}</answer>`."""
    return any(_JSON_FIRST.match(line) for line in lines_of(spoken))


def _is_nested(notes: list[Note]) -> bool:
    """Whether the object was found inside another one that is no envelope of the judge's own."""
    return any(note.word == "unwrapped" and str(note.detail).lower() not in _ENVELOPES for note in notes)


def _is_doubted(spoken: str) -> bool:
    """Whether the words before the object announce a quotation, those around it go back on it or tie it to a condition,
    or another object says something else."""
    before, after = spoken.partition("{")[0], spoken.rpartition("}")[2]
    earlier = (line.strip() for line in reversed(lines_of(before)))
    announced = next((line for line in earlier if line and not line.startswith("`")), "")
    said_after = words(after)
    squeezed = "".join(spoken.split()).lower()
    return (
        announces_quotation(announced)
        or any(map(conditions, words(announced) + said_after))
        or any(map(_doubts, said_after))
        or any(verdict_word(named) is not Word.PASS for named in _NAMED.findall(squeezed))
    )


def _doubts(word: str) -> bool:
    return negates(word) or verdict_word(word) in (Word.FAIL, Word.NEITHER) or word in ("however", "but")


def _verdict(value: dict[str, Any]) -> Verdict | None:
    said = [_named_verdict(value["verdict"])] if "verdict" in value else []
    said += [_flag(value[key]) for key in ("success", "passed") if key in value]
    if not said:
        return None
    if all(other.outcome == said[-1].outcome for other in said):
        return said[-1]
    return unknown("the JSON contradicts itself")


def _named_verdict(value: Any) -> Verdict:
    """A text that is one verdict word and nothing else."""
    word = verdict_word(value.strip().rstrip(".!")) if isinstance(value, str) else None
    if word is Word.NEITHER:
        return unknown("the judge cannot tell")
    if word is None:
        return unknown(f"`{shortened(as_json(value), 60)}` is no verdict")
    return PASS if word is Word.PASS else FAIL


def _flag(value: Any) -> Verdict:
    said = value.strip().lower() if isinstance(value, str) else value
    if said is True or said in ("true", "yes"):
        return PASS
    if said is False or said in ("false", "no"):
        return FAIL
    return unknown("the flag is neither true nor false")


def _explanation(value: dict[str, Any]) -> str:
    texts = (value.get(key) for key in ("explanation", "reason", "reasoning", "feedback"))
    text = next((text for text in texts if isinstance(text, str)), "")
    return shortened(text.strip(), EXPLANATION_LIMIT)
