"""Pass and fail, as people write them."""

from __future__ import annotations

ALIASES = {"pass": "pass", "success": "pass", "fail": "fail", "failure": "fail"}


def outcome_name(result: str | bool) -> str:
    """`pass` or `fail`. What is neither goes to the server as it is, which says what it takes.

    >>> outcome_name("success"), outcome_name(False)
    ('pass', 'fail')
    """
    if isinstance(result, bool):
        return "pass" if result else "fail"
    return ALIASES.get(result.strip().lower(), result)
