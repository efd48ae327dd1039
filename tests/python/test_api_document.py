"""The examples of docs/api.md, run from top to bottom against the real server.

An example is a block of `http`: a request, an empty line, the answer. In an answer `…` stands for anything; an id or a time of
the page stands for the one that the server made, the same wherever it is used again; a number is compared as far as it is written.
"""

import json
import re
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

from reflect_process import BOOTSTRAP_TOKEN, MASTER_KEY, SETTINGS, ReflectProcess, running

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs/api.md"
DESCRIPTION = json.loads((ROOT / "spec/openapi.json").read_text())

# Answers that have no end, and so no example that could be run.
STREAMS = {("GET", "/v1/projects/{project_id}/events")}

ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")


@dataclass
class Example:
    heading: str
    method: str
    path: str
    headers: dict[str, str]
    body: str
    status: int
    answer_headers: dict[str, str]
    answer: str


@dataclass
class Session:
    """One walk through the page, and what the ids on it stand for."""

    server: ReflectProcess
    ids: dict[str, str] = field(default_factory=dict)

    def run(self, example: Example) -> None:
        answer = self.request(example)
        place = f"{example.method} {example.path}"
        assert answer.status_code == example.status, f"{place}: {answer.text}"
        for name, value in example.answer_headers.items():
            self.compare(value, answer.headers.get(name), f"{place}, header {name}")
        if example.answer.startswith(("{", "[")):
            expected = json.loads(example.answer, parse_float=Decimal)
            self.compare(expected, answer.json(), place)
        else:
            self.compare(example.answer, answer.text.strip(), place)

    def request(self, example: Example) -> httpx.Response:
        headers = {"Authorization": f"Bearer {MASTER_KEY}", **example.headers}
        if "X-Bootstrap-Token" in headers:
            headers["X-Bootstrap-Token"] = BOOTSTRAP_TOKEN
        if example.body:
            headers["Content-Type"] = "application/json"
        url = self.server.url + self.with_real_ids(example.path)
        body = self.with_real_ids(example.body) or None
        return httpx.request(example.method, url, headers=headers, content=body, timeout=60)

    def with_real_ids(self, text: str) -> str:
        return ID.sub(lambda found: self.ids.get(found.group(), found.group()), text)

    def compare(self, expected, actual, place: str) -> None:
        match expected:
            case dict():
                assert isinstance(actual, dict), f"{place}: {actual}"
                shown = expected.keys() - {"…"}
                missing = shown - actual.keys()
                unshown = set() if "…" in expected else actual.keys() - shown
                assert not missing and not unshown, f"{place}: the answer lacks {missing} and has {unshown}"
                for name in shown:
                    self.compare(expected[name], actual[name], f"{place}.{name}")
            case [*shown, "…"]:
                assert len(actual) >= len(shown), f"{place}: {actual}"
                self.compare(shown, actual[: len(shown)], place)
            case list():
                assert len(expected) == len(actual), f"{place}: {actual}"
                for index, (one, other) in enumerate(zip(expected, actual, strict=True)):
                    self.compare(one, other, f"{place}[{index}]")
            case Decimal():
                digits = -expected.as_tuple().exponent
                assert round(Decimal(actual), digits) == expected, f"{place}: {actual}"
            case str():
                self.compare_text(expected, actual, place)
            case _:
                assert type(expected) is type(actual) and expected == actual, f"{place}: {actual}"

    def compare_text(self, expected: str, actual, place: str) -> None:
        assert isinstance(actual, str), f"{place}: {actual}"
        if ID.fullmatch(expected) and ID.fullmatch(actual):
            known = self.ids.setdefault(expected, actual)
            assert known == actual, f"{place}: `{expected}` was {known} before and is {actual} now"
        elif not (TIME.fullmatch(expected) and TIME.fullmatch(actual)):
            pattern = re.escape(self.with_real_ids(expected)).replace("…", ".*")
            assert re.fullmatch(pattern, actual, re.DOTALL), f"{place}: {actual!r} is not {expected!r}"


def examples() -> list[Example]:
    found, heading = [], ""
    # The servers of tests try no lesson by chance, and say so where the page shows their settings.
    page = DOCUMENT.read_text().replace('"trial_share": 0.05', '"trial_share": 0.0')
    blocks = re.finditer(r"^## ([^\n]*)$|^```http\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    for title, block in (block.groups() for block in blocks):
        if title:
            heading = title
        else:
            found.append(parse(heading, block))
    return found


def parse(heading: str, block: str) -> Example:
    request, _, answer = block.partition("\n\n")
    (first, headers, body), (status, answer_headers, answer_body) = parts(request), parts(answer)
    method, path = first.split(" ")
    return Example(heading, method, path, headers, body, int(status), answer_headers, answer_body)


def parts(text: str) -> tuple[str, dict[str, str], str]:
    """The first line, the headers below it, and the rest."""
    first, *lines = text.strip().splitlines()
    headers = {}
    while lines and (header := re.fullmatch(r"([A-Z][A-Za-z-]+): (.+)", lines[0])):
        headers[header[1]] = header[2]
        lines.pop(0)
    return first, headers, "\n".join(lines)


def endpoint_of(example: Example) -> tuple[str, str] | None:
    """The endpoint of the description that an example uses. Where several fit, the one with the fewest names in its path."""
    path = example.path.split("?")[0]
    fitting = [
        template
        for template in DESCRIPTION["paths"]
        if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path)
        and example.method.lower() in DESCRIPTION["paths"][template]
    ]
    return (example.method, min(fitting, key=lambda template: template.count("{"))) if fitting else None


def learn_five_lessons(server: ReflectProcess) -> None:
    """A skill needs some."""
    for month in ["May", "June", "July", "August", "September"]:
        run = {
            "task": f"Count the orders of {month}",
            "trajectory": "Done.",
            "review": {"result": "pass", "reflection": {"guidance": f"Count orders of {month} by the date of payment."}},
        }
        headers = {"Authorization": f"Bearer {MASTER_KEY}"}
        httpx.post(f"{server.url}/v1/projects/shop/traces", headers=headers, json=run).raise_for_status()


def test_every_example_is_answered_as_it_says(binary, tmp_path):
    heading = ""
    with running(binary, tmp_path, SETTINGS) as server:
        session = Session(server)
        for example in examples():
            if example.heading == "Skills" != heading:
                learn_five_lessons(server)
            heading = example.heading
            session.run(example)


@pytest.mark.parametrize("example", examples(), ids=lambda example: f"{example.method} {example.path}")
def test_an_example_answers_a_status_that_the_description_knows(example):
    endpoint = endpoint_of(example)
    assert endpoint, "spec/openapi.json has no such endpoint"
    method, path = endpoint
    assert str(example.status) in DESCRIPTION["paths"][path][method.lower()]["responses"]


def test_every_endpoint_has_an_example():
    described = {(method.upper(), path) for path, item in DESCRIPTION["paths"].items() for method in item}
    shown = {endpoint_of(example) for example in examples()}
    assert described - shown == STREAMS, "docs/api.md has no example for these"
