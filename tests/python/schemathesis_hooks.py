"""What no description can say: which keys belong to which request, which options do not go together, and which models and embedders an operator has
listed."""

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
def filter_case(context, case):
    """Where a time may also be null, an empty text is taken for a time."""
    return not isinstance(case.body, dict) or case.body.get("since") != ""


@schemathesis.hook
def before_call(context, case, kwargs):
    """A key belongs to one request, so each example gets its own. One that breaks the rules is sent as it is."""
    key = (case.headers or {}).get("Idempotency-Key")
    if isinstance(key, str) and re.fullmatch(r"[!-~]([\t -~]{0,254}[!-~])?", key):
        mark = f"-{next(examples)}"
        # Examples share their headers, and keys have at most 256 characters.
        case.headers["Idempotency-Key"] = key[: 256 - len(mark)] + mark
    pick_what_is_listed(case)
    search_or_list_one_of_each(case)


def search_or_list_one_of_each(case):
    """A search for text looks into each memory: it is refused together with `distinct`."""
    if case.path.endswith("/memories") and case.query and "text" in case.query:
        case.query.pop("distinct", None)


def pick_what_is_listed(case):
    """A well-formed name is refused unless the operator has listed it; this server lists no models and one embedder."""
    if not case.path.endswith("/settings") or not isinstance(case.body, dict):
        return
    for setting, listed in (("reflector", "builtin"), ("judge", "off")):
        name = case.body.get(setting)
        if isinstance(name, str) and re.fullmatch("(openai|anthropic|gemini|ollama)/[!-~]+", name):
            case.body[setting] = listed
    if isinstance(case.body.get("embedder"), str):
        case.body["embedder"] = "builtin"
