"""A verdict in a sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .model import FAIL, PASS, Verdict, unknown
from .words import Word, hedges, negates, retracts, supposes, verdict_word, without_genitive, word_set, words

REACH = 5
"""How many words before a verdict word are looked at for a negation and for what the sentence is about."""

# A full stop inside a word, as in `0.9`, ends no sentence.
_SENTENCE = re.compile(r"(?:[^\n!?;。.]|\.(?=\S))*(?:[\n!?;。.]|\Z)")
_THE_RUN = word_set("agent run task attempt it this assistant trajectory overall")
_REPORTS = word_set("printed wrote said of output tool agent answer")
_ANNOUNCES = word_set("so verdict therefore hence")


@dataclass
class _Said:
    """What sentences say."""

    passes: bool = False
    fails: bool = False
    may_pass: bool = False
    """A word for passing that may be about something smaller, such as one call."""
    may_fail: bool = False
    """The same for failing."""

    def add(self, other: _Said) -> None:
        self.passes |= other.passes
        self.fails |= other.fails
        self.may_pass |= other.may_pass
        self.may_fail |= other.may_fail


def read(spoken: str) -> Verdict | None:
    """The verdict of the sentences, where they say one and the same; none where they say nothing."""
    everything = _Said()
    for sentence in clauses(spoken):
        everything.add(_sentence_says(sentence))
    if not everything.passes and not everything.fails:
        return None
    if not everything.fails and not everything.may_fail:
        return PASS
    if not everything.passes and not everything.may_pass:
        return FAIL
    return unknown("the sentences say pass and fail")


def takes_back(text: str) -> bool:
    """Whether the text after a pass goes back on it."""
    for sentence in clauses(text):
        said = words(sentence)
        if any(map(retracts, said[:3])) and (
            names_fail(sentence) or any(map(negates, said[1:])) or read(sentence) == FAIL
        ):
            return True
    return False


def names_fail(text: str) -> bool:
    """Whether a word for failing stands alone as a sentence, in capitals, or right after the run that it is about.

    Quotations do not count.
    """
    for sentence in clauses(text):
        said = words(_without_quotes(sentence))
        fails = [verdict_word(word) is Word.FAIL for word in said]
        if fails == [True] or any(fail and _is_loud(word) for fail, word in zip(fails, said, strict=True)):
            return True
        if any(fail and who.lower() in _THE_RUN for who, fail in zip(said, fails[1:], strict=False)):
            return True
    return False


def clauses(text: str) -> list[str]:
    """The sentences of a text."""
    return [sentence for sentence in _SENTENCE.findall(text) if sentence.strip()]


def _sentence_says(sentence: str) -> _Said:
    unquoted = _without_quotes(sentence)
    concluding = _concluding_word(unquoted)
    if concluding is not None:
        return _Said(passes=concluding is Word.PASS, fails=concluding is Word.FAIL)
    said = words(unquoted)
    is_question = sentence.rstrip().endswith("?")
    is_hedged = is_question or any(map(hedges, said))
    is_hypothetical = is_question or any(map(supposes, said))
    found = _Said()
    for index, word in enumerate(said):
        verdict = verdict_word(word)
        if verdict not in (Word.PASS, Word.FAIL):
            continue
        before = said[max(index - REACH, 0) : index]
        negated = any(map(negates, before))
        is_last = index + 1 == len(said)
        if verdict is Word.FAIL:
            found.add(_fail_says(word, before, is_open=is_hypothetical or negated, is_last=is_last))
        elif is_hypothetical:
            continue
        elif negated and (not is_hedged or _is_loud(word)):
            # "I cannot give this a pass" is a verdict; "not enough to give a pass" and "must not answer PASS" are not.
            found.fails |= not {"must", "without", "enough"} & set(said)
        elif is_hedged or negated:
            continue
        elif is_last and _names_it(before):
            found.passes = True
        else:
            found.may_pass = True
    return found


def _fail_says(word: str, before: list[str], *, is_open: bool, is_last: bool) -> _Said:
    is_about_the_run = any(earlier.lower() in _THE_RUN for earlier in before)
    is_named = is_last and before[-1:] in (["a"], ["an"])
    if not is_open and (_is_loud(word) or is_about_the_run or is_named):
        return _Said(fails=True)
    return _Said(may_fail=True)


def _is_loud(word: str) -> bool:
    """In capitals, as verdicts are asked for."""
    return len(word) > 3 and all(map(str.isupper, word))


def _concluding_word(sentence: str) -> Word | None:
    """The word after the last colon, where it is all that follows and the sentence leads up to it: `so: FAIL`.

    A pass needs to be announced as a verdict, for anything can be printed after a colon.
    """
    before, colon, after = sentence.rpartition(":")
    following = words(after)
    if not colon or len(following) != 1:
        return None
    word = verdict_word(following[0])
    leading = {without_genitive(word) for word in words(before)}
    reported, announced = bool(leading & _REPORTS), bool(leading & _ANNOUNCES)
    if word is Word.PASS:
        return word if announced and not reported else None
    return word if not reported or announced else None


def _names_it(before: list[str]) -> bool:
    """Whether a word for passing is given as the verdict: "this is a pass", "this run is a clear pass"."""
    if before[-1:] in (["a"], ["an"]):
        verb = before[-2:-1]
    elif before[-2:-1] == ["a"] and before[-1] in ("clear", "full", "complete"):
        verb = before[-3:-2]
    else:
        return False
    return bool(verb) and verb[0].lower() in ("is", "was", "as")


def _without_quotes(sentence: str) -> str:
    """The sentence without what stands in quotation marks: those are somebody's words, and not the judge's."""
    kept: list[str] = []
    inside = False
    for character in sentence:
        if character == '"':
            inside = not inside
        elif character in "“«":
            inside = True
        elif character in "”»":
            inside = False
        elif not inside:
            kept.append(character)
    return "".join(kept)
