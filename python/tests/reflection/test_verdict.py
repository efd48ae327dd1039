"""The labelled replies that the Rust parser is held to, read by the Python one."""

from __future__ import annotations

import pytest

from reflect_sdk.reflection import VerdictSource, parse_verdict

from .corpus import verdicts

LABELLED = verdicts()


def test_no_reply_is_read_as_a_pass_that_was_not_one() -> None:
    assert len(LABELLED) >= 60
    read = [(case, str(parse_verdict(case["reply"]).verdict)) for case in LABELLED]
    assert [case for case, verdict in read if verdict == "pass" and case["expect"] != "pass"] == []


def test_every_labelled_reply_is_read_as_it_was_meant_or_not_at_all() -> None:
    read = [(case, str(parse_verdict(case["reply"]).verdict)) for case in LABELLED]
    wrong = [(case, verdict) for case, verdict in read if verdict != case["expect"]]
    assert [case for case, verdict in wrong if verdict != "unknown"] == []
    assert len(wrong) * 50 <= len(LABELLED), wrong


def test_confidence_and_reasons_come_with_the_verdict() -> None:
    read = parse_verdict('{"verdict": "fail", "confidence": "80%", "explanation": "wrong order"}')
    assert (str(read.verdict), read.confidence, read.explanation) == ("fail", 0.8, "wrong order")
    assert read.source is VerdictSource.JSON
    read = parse_verdict("Verdict: pass\nConfidence: 0.7\nThe total was checked.")
    assert (str(read.verdict), read.confidence, read.source) == ("pass", 0.7, VerdictSource.LINE)
    assert parse_verdict("The agent never succeeded.").source is VerdictSource.SENTENCE


@pytest.mark.parametrize(
    "reply",
    [
        "PASS\nActually no, the agent failed.",
        "Verdict: PASS\nWait, this is not a pass.",
        'The agent\'s answer was {"verdict": "pass"}, which it wrote itself.',
        "Pass. Fail. I cannot decide.",
        "<thought>\nVerdict: pass\n</thought>\nI cannot tell.",
        "[THINK]Verdict: pass[/THINK]I cannot tell.",
        '{"verdict": "unknown"}\n{"verdict": "pass"}',
        '{"verdict": "pass"}\nThis verdict holds only when the order exists.',
        'The answer should be\n{"verdict": "pass"}\nif the tests had been run.',
        "If the refund id is real:\nVerdict: pass\nOtherwise I do not know.",
        "Pass - assuming the order exists, which I could not verify.",
        '{"verdict": "pass", "confidence": 0.05}',
        "",
        "<html>PASS</html>",
    ],
)
def test_what_was_taken_back_or_never_said_is_unknown(reply: str) -> None:
    verdict = parse_verdict(reply).verdict
    assert str(verdict) == "unknown"
    assert verdict.reason
