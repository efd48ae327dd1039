"""Reading a judge's verdict, without guessing.

Looked at in this order: a JSON object with a verdict in it; lines that name the verdict (`Verdict: pass`, or the word
alone); whole sentences that say it. The first that says anything decides. Whatever contradicts itself, hedges, quotes
or says nothing is unknown: a pass that was not meant teaches the wrong lesson and is never noticed, while an unknown
costs a second look. To teach the parser a new way of speaking, put the reply with its label into
`crates/reflection/tests/corpus/verdicts.jsonl` first: the Rust parser reads the same file.
"""

from __future__ import annotations

from dataclasses import replace

from ..extract import without_thinking
from ..texts import lines_of, shortened
from . import json_object, lines, prose
from .model import EXPLANATION_LIMIT, FAIL, PASS, ReadVerdict, Verdict, VerdictSource, unknown
from .words import words

__all__ = ["FAIL", "PASS", "ReadVerdict", "Verdict", "VerdictSource", "parse_verdict"]

LEAST_CONFIDENCE = 0.5
"""A judge that is less sure than this of a pass does not know."""


def parse_verdict(reply: str) -> ReadVerdict:
    """Reads a reply. Anything is read, nothing is an error.

    >>> str(parse_verdict("FAILURE: the agent was unsuccessful.").verdict)
    'fail'
    """
    read = _read(reply)
    if read.verdict == PASS and read.confidence is not None and read.confidence < LEAST_CONFIDENCE:
        return replace(read, verdict=unknown("the judge is hardly sure of the pass"))
    return read


def _read(reply: str) -> ReadVerdict:
    spoken = without_thinking(reply).strip()
    if not spoken:
        return _nowhere("the reply is empty", spoken)
    if spoken[:15].lower().startswith(("<!doctype", "<html")):
        return _nowhere("the reply is a web page", spoken)
    explicit = lines.read(spoken)
    found = json_object.read(spoken)
    if found:
        if explicit and explicit.is_known and found.verdict.is_known and explicit != found.verdict:
            return replace(found, verdict=unknown("the JSON says one thing and the text another"))
        return found
    if explicit:
        if explicit == PASS and _is_conditional(spoken):
            explicit = unknown("the pass depends on something")
        return _said(explicit, spoken, VerdictSource.LINE)
    verdict = prose.read(spoken)
    if verdict:
        return _said(verdict, spoken, VerdictSource.SENTENCE)
    return _nowhere("the reply says neither pass nor fail", spoken)


def _said(verdict: Verdict, spoken: str, source: VerdictSource) -> ReadVerdict:
    return ReadVerdict(verdict, lines.confidence(spoken), shortened(spoken, EXPLANATION_LIMIT), source)


def _nowhere(why: str, spoken: str) -> ReadVerdict:
    return ReadVerdict(unknown(why), None, shortened(spoken, EXPLANATION_LIMIT), VerdictSource.NOWHERE)


def _is_conditional(spoken: str) -> bool:
    """Whether a line begins with a condition, or anything is assumed."""
    for line in lines_of(spoken.lower()):
        said = words(line)
        if said and said[0] in ("if", "unless", "otherwise", "provided"):
            return True
        if "assuming" in said or "supposing" in said:
            return True
    return False
