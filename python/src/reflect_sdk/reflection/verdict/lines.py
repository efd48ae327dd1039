"""A verdict on a line of its own: `Verdict: pass`, or the word alone."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..texts import lines_of
from . import prose
from .model import FAIL, PASS, Verdict, unknown
from .words import Word, announces_quotation, negates, verdict_word, word_set, words

_LABELS = word_set(
    "verdict result outcome judgement judgment decision conclusion assessment evaluation rating urteil résultat 结论"
)
_CONFIDENCE = word_set("confidence")
_BEFORE_LABEL = ("final", "my", "overall", "the")
_LEADING_MARKS = re.compile(r"^(?:[^\w{\[]|_)+")
_NUMBER = re.compile(r"[0-9.]+")
_REASONS = ".:-–—!("


@dataclass
class _Found:
    """Lines with a label, and lines that are the bare word, which may just as well head a criterion or be quoted."""

    labelled: list[Verdict] = field(default_factory=list[Verdict])
    bare: list[Verdict] = field(default_factory=list[Verdict])


def read(spoken: str) -> Verdict | None:
    """The verdict that the lines agree on; unknown where they do not; none where no line gives one.

    Lines with a label count before the bare word; but a pass has to agree with all of them.
    """
    lines = own_lines(spoken)
    found = _look_at(lines)
    if not found.labelled:
        verdict = _agreed(found.bare) or _last_word(lines)
        if verdict == PASS and any(map(prose.names_fail, lines)):
            return unknown("one line says pass and another fail")
        return verdict
    verdict = _agreed(found.labelled)
    if verdict == PASS and any(other != PASS for other in found.bare):
        return unknown("the label says pass and another line does not")
    return verdict


def _look_at(lines: list[str]) -> _Found:
    last_doubt = max((index for index, line in enumerate(lines) if prose.takes_back(line)), default=-1)
    found = _Found()
    # The line that an empty label speaks for.
    spoken_for = -1
    for index, line in enumerate(lines):
        before = lines[index - 1] if index else None

        def checked(verdict: Verdict, index: int = index, before: str | None = before) -> Verdict:
            if verdict == PASS and before is not None and announces_quotation(before):
                return unknown("the verdict is quoted from the run")
            if verdict == PASS and last_doubt >= index:
                return unknown("the verdict is taken back")
            return verdict

        values = [value for clause in prose.clauses(line) if (value := label_value(clause, _LABELS)) is not None]
        for value in values:
            if value:
                found.labelled.append(checked(_value_verdict(value)))
                continue
            spoken_for = index + 1
            following = _bare_verdict(lines[index + 1]) if index + 1 < len(lines) else None
            if following:
                found.labelled.append(checked(following))
        bare = None if values or spoken_for == index else _bare_verdict(line)
        if bare:
            bare = checked(bare)
            is_quoted = before is not None and (index + 1 < len(lines) or _leads_in(before))
            found.bare.append(unknown("the word may be quoted from something") if bare == PASS and is_quoted else bare)
    return found


def confidence(spoken: str) -> float | None:
    """A number under `Confidence:`."""
    values = (label_value(line, _CONFIDENCE) for line in own_lines(spoken))
    value = next((value for value in values if value is not None), None)
    number = _NUMBER.match(value) if value else None
    if value is None or number is None:
        return None
    try:
        share = float(number.group())
    except ValueError:
        return None
    return as_share(share / 100 if value[number.end() :].lstrip().startswith("%") else share)


def as_share(number: float) -> float | None:
    """A confidence in [0, 1]; figures up to 100 are taken for percentages."""
    if 0 <= number <= 1:
        return float(number)
    return number / 100 if 1 < number <= 100 else None


def own_lines(spoken: str) -> list[str]:
    """The lines without their Markdown. Quoted lines are somebody else's, unless there are no others."""
    everything = [line for line in lines_of(spoken) if line.strip()]
    own = [line for line in everything if not line.lstrip().startswith(">")]
    return [_without_marks(line) for line in own or everything]


def label_value(text: str, labels: frozenset[str]) -> str | None:
    """What follows `Label:` or `Label is`, where that is how a text begins, perhaps after `final`, `my` or `the`."""
    rest = text.lstrip()
    for _ in range(3):
        word = next(iter(words(rest)), "")
        if not word or not rest.startswith(word):
            return None
        after = rest[len(word) :].lstrip()
        if word.lower() in labels:
            if not after:
                return after
            if after[0] in ":：=-–—":
                return after[1:].strip()
            return after[3:].strip() if after.startswith("is ") else None
        if word.lower() not in _BEFORE_LABEL:
            return None
        rest = after
    return None


def _leads_in(line: str) -> bool:
    """Whether a line goes on in the next one."""
    return not line.endswith((".", "!", "?", ")", "。", "|", '"', "”"))


def _last_word(lines: list[str]) -> Verdict | None:
    """A pass in capitals that is the last sentence of all."""
    sentences = prose.clauses(lines[-1]) if lines else []
    said = words(sentences[-1]) if sentences else []
    if len(said) != 1 or not all(map(str.isupper, said[0])) or verdict_word(said[0]) is not Word.PASS:
        return None
    return PASS if sentences[-1].rstrip(".! ").strip() == said[0] else None


def _agreed(found: list[Verdict]) -> Verdict | None:
    if not found:
        return None
    if all(other.outcome == found[-1].outcome for other in found):
        return found[-1]
    return unknown("the reply gives several verdicts that differ")


def _without_marks(line: str) -> str:
    line = line.replace("<verdict>", "verdict: ").replace("</verdict>", "")
    kept = re.sub(r"[*_`#]", "", line).strip()
    if len(kept) > 1 and kept[0] == kept[-1] == '"' and verdict_word(kept[1:-1]) is not None:
        kept = kept[1:-1]
    return _LEADING_MARKS.sub("", kept).rstrip()


def _bare_verdict(line: str) -> Verdict | None:
    """A verdict word at the start of a line, with nothing after it but its reasons."""
    first = next(iter(words(line)), "")
    word = verdict_word(first)
    if word is None or word is Word.NEITHER or not line.startswith(first):
        return None
    rest = line[len(first) :].lstrip()
    if rest and rest[0] not in _REASONS:
        return None
    if word is Word.FAIL:
        return FAIL
    reasons = rest[1:].lstrip()
    if reasons[:1].isdigit():
        return None
    if prose.read(reasons) in (None, PASS) and not prose.names_fail(reasons):
        return PASS
    return unknown("the line says pass and fail")


def _value_verdict(value: str) -> Verdict:
    """What stands after the label. A pass is the word and nothing else but reasons set off from it."""
    value = _without_marks(value)
    said = words(value)
    if not said:
        return unknown("the verdict is left empty")
    if negates(said[0]):
        denied = next((word for word in map(verdict_word, said[1:]) if word is not None), None)
        return FAIL if denied is Word.PASS else unknown("the verdict denies something and affirms nothing")
    rest = value.removeprefix(said[0]) if value.startswith(said[0]) else ""
    rest = rest.lstrip("\"'").lstrip()
    is_set_off = not rest or rest.startswith((".", "!", "(", "-", "–", "—", ":", ";", "✅"))
    is_a_choice = rest.startswith(("?", "/", "|", ",")) or rest.lower().startswith("or ")
    is_hedged = any(word.lower() in ("if", "unless", "or", "only") for word in words(rest))
    word = verdict_word(said[0])
    if word is Word.PASS and is_set_off and not is_hedged and not prose.names_fail(rest):
        return PASS
    if word is Word.FAIL and not is_a_choice:
        return FAIL
    if word is None and prose.read(value) == FAIL:
        return FAIL
    return unknown("the verdict is neither pass nor fail")
