"""What no description can say about the header `Idempotency-Key`."""

import itertools
import re

import schemathesis

examples = itertools.count(1)


@schemathesis.hook
def filter_headers(context, headers):
    """White space around a header's value is not part of it, so a value that is wrong only by that cannot be sent."""
    key = (headers or {}).get("Idempotency-Key")
    return not isinstance(key, str) or key == key.strip()


@schemathesis.hook
def before_call(context, case, kwargs):
    """A key belongs to one request, so each example gets its own. One that breaks the rules is sent as it is."""
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch("[!-~]{1,240}", key):
        case.headers["Idempotency-Key"] = f"{key}-{next(examples)}"
