"""Taking out what must not leave the machine: the rules of the Rust crate, which vectors hold both to."""

from __future__ import annotations

import ipaddress
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple


class Redactor:
    """Takes e-mail addresses, keys, tokens, passwords, card numbers and network addresses out of texts.

        GeneralReflector(judge, redact=Redactor(patterns=[r"KD-\\d{4}"]))

    What was found is replaced by its kind in square brackets. It is a net and no proof: what looks like ordinary words goes through.

    Args:
        phone_numbers: Telephone numbers too. Order and ticket numbers look the same, so not by default.
        patterns: What else is taken out, before anything that is built in: regular expressions, each alone or with the label that
            stands in its place.
    """

    def __init__(self, *, phone_numbers: bool = False, patterns: Iterable[str | tuple[str, str]] = ()) -> None:
        own = [_own_rule(*((pattern,) if isinstance(pattern, str) else pattern)) for pattern in patterns]
        self._rules = own + _ALWAYS + ([_PHONE] if phone_numbers else [])

    def __call__(self, text: str) -> str:
        for rule in self._rules:
            text = rule.pattern.sub(rule.replaced, text)
        return text


def _is_meant(found: str) -> bool:
    return True


class _Rule(NamedTuple):
    """One kind of thing that is taken out."""

    pattern: re.Pattern[str]
    replacement: str
    is_meant: Callable[[str], bool] = _is_meant
    """Looks again at what the pattern found."""

    def replaced(self, found: re.Match[str]) -> str:
        """Whatever is in a group called `kept` stays in front of the replacement."""
        kept = found.groupdict().get("kept") or ""
        return f"{kept}{self.replacement}" if self.is_meant(found[0].removeprefix(kept)) else found[0]


def _own_rule(regex: str, label: str = "redacted") -> _Rule:
    try:
        pattern = re.compile(regex)
    except re.error as error:
        raise ValueError(f"`{regex}` is no regular expression that can be used for redaction: {error}") from error
    if pattern.search(""):
        raise ValueError(f"`{regex}` matches the empty text; make it match at least one character")
    if not label.strip() or not all(letter.isalnum() or letter in " -_" for letter in label):
        raise ValueError(f"the label of `{regex}` is `{label}`; write letters, digits, `-` and `_`")
    return _Rule(pattern, f"[{label}]")


def _is_card_number(found: str) -> bool:
    """Whether the digits have the check digit of a payment card (Luhn, ISO/IEC 7812), and are not all the same."""
    digits = [int(letter) for letter in found if letter in "0123456789"]
    doubled = [sum(divmod(2 * digit, 10)) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0 and len(set(digits)) > 1


def _is_ip_address(found: str) -> bool:
    """An address of the network, with a digit in it: `a::b` may be a path in a program."""
    try:
        ipaddress.ip_address(found)
    except ValueError:
        return False
    return any(letter in "0123456789" for letter in found)


def _is_phone(found: str) -> bool:
    """Seven to fifteen digits, and written the way people write telephone numbers: with a plus or in brackets."""
    return 7 <= sum(letter in "0123456789" for letter in found) <= 15 and found.startswith(("+", "("))


def _is_random(found: str) -> bool:
    """Whether a long word is drawn at random, as keys are: letters of both cases and digits, and more than 4 bits a character."""
    shares = [count / len(found) for count in Counter(found).values()]
    has_all = all(any(kind(letter) for letter in found) for kind in (str.isupper, str.islower, str.isdigit))
    return has_all and -sum(share * math.log2(share) for share in shares) > 4.0


# What is long and certain comes first, so that no part of it is taken for something else.
_ALWAYS = [
    _Rule(
        re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z)"),
        "[private key]",
    ),
    _Rule(
        re.compile(
            r"(?i)(?P<kept>\bauthorization\\?[\x22']?[^\S\n]*[:=][^\S\n]*\\?[\x22']?)"
            r"(?:bearer|basic|token|digest)[^\S\n]+[^\s,;\x22'\\]+"
        ),
        "[key]",
    ),
    _Rule(re.compile(r"(?P<kept>\b[Bb]earer[^\S\n]+)[A-Za-z0-9._~+/=-]{16,}"), "[key]"),
    _Rule(re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]{4,}"), "[key]"),
    _Rule(
        re.compile(
            r"\b(?:sk|pk|rk|rf)[-_](?:[a-z]{2,10}[-_])*[A-Za-z0-9_-]{16,}"
            r"|\b(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|hf_|npm_|pypi-|dop_v1_|shpat_|ya29\.|SG\.)[A-Za-z0-9_.-]{16,}"
            r"|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[A-Za-z0-9_-]{30,}"
        ),
        "[key]",
    ),
    # A port has no @ after it. No scheme is longer than this, and without a bound a long row of dots would take long.
    _Rule(re.compile(r"(?P<kept>\b[a-z][a-z0-9+.-]{0,40}://)[^\s/@:]*:[^\s/@]+@"), "[secret]@"),
    _Rule(
        re.compile(
            r"(?i)(?P<kept>(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret"
            r"|private[_-]?key)\\?[\x22']?[^\S\n]?[:=][^\S\n]?\\?[\x22']?)[^\s\x22',;&\[\]{}\\]{4,}"
        ),
        "[secret]",
    ),
    _Rule(
        re.compile(r"(?i)\b[a-z0-9](?:[a-z0-9._%+-]{0,62}[a-z0-9_%+-])?@(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}\b"),
        "[email]",
    ),
    _Rule(re.compile(r"\b\d(?:[ -]?\d){12,18}\b"), "[card]", _is_card_number),
    _Rule(re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}\b"), "[ip]", _is_ip_address),
    _Rule(re.compile(r"(?i)(?:\b|:)[0-9a-f:]{2,39}[0-9a-f]\b"), "[ip]", _is_ip_address),
    _Rule(re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}"), "[key]", _is_random),
]
_PHONE = _Rule(
    re.compile(r"(?:\+\d{1,3}[ ./-]?)?(?:\(\d{2,5}\)|\b\d{2,5})(?:[ ./-]?\d{2,5}){2,4}\b"), "[phone]", _is_phone
)
