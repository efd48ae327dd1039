"""Bad bodies: each gets a 4xx that says what was wrong, and leaves nothing behind.

Who may ask, and for what, is in `test_bad_requests.py`.
"""

import json

import pytest

from raw_http import RawProject, assert_alive, assert_refused

HUGE = "1" + "0" * 400
DEEP = 10_000
NUL = "a\\u0000b"
LONE_SURROGATE = "a\\ud800b"

MALFORMED_JSON = {
    "nothing at all": "",
    "not JSON": "not json",
    "cut off": '{"task": "x", "trajectory": [',
    "wrong bracket": '{"task": "x", "trajectory": [}]}',
    "something behind it": '{"task": "x", "trajectory": []} {}',
    "trailing comma": '{"task": "x", "trajectory": [],}',
    "single quotes": "{'task': 'x', 'trajectory': []}",
    "NaN": '{"task": "x", "trajectory": [], "metadata": {"a": NaN}}',
    "NaN in the trajectory": '{"task": "x", "trajectory": [{"a": NaN}]}',
    "Infinity": '{"task": "x", "trajectory": [], "metadata": {"a": Infinity}}',
    "minus Infinity": '{"task": "x", "trajectory": [], "metadata": {"a": -Infinity}}',
    "bytes that are no UTF-8": b'{"task": "\xff\xfe", "trajectory": []}',
    "bytes in the trajectory that are no UTF-8": b'{"task": "x", "trajectory": [{"content": "\xc3\x28"}]}',
    "an encoded surrogate in the bytes": b'{"task": "x", "trajectory": [{"content": "\xed\xa0\x80"}]}',
    "UTF-16": '{"task": "x", "trajectory": []}'.encode("utf-16"),
    "a raw NUL byte": b'{"task": "a\x00b", "trajectory": []}',
    "a raw newline in a string": b'{"task": "a\nb", "trajectory": []}',
    "an unknown escape": '{"task": "\\q", "trajectory": []}',
    "a number with a leading zero": '{"task": "x", "trajectory": [{"n": 007}]}',
}

WRONG_TRACES = {
    "a list": "[]",
    "a text": '"task"',
    "null": "null",
    "a number": "17",
    "an empty object": "{}",
    "no task": '{"trajectory": []}',
    "no trajectory": '{"task": "x"}',
    "task is a number": '{"task": 17, "trajectory": []}',
    "task is null": '{"task": null, "trajectory": []}',
    "task is a list": '{"task": ["x"], "trajectory": []}',
    "task is an object": '{"task": {}, "trajectory": []}',
    "task is empty": '{"task": "", "trajectory": []}',
    "task holds NUL": f'{{"task": "{NUL}", "trajectory": []}}',
    "task holds a lone surrogate": f'{{"task": "{LONE_SURROGATE}", "trajectory": []}}',
    "task holds a low surrogate": '{"task": "\\udc00", "trajectory": []}',
    "task holds surrogates in the wrong order": '{"task": "\\ude00\\ud83d", "trajectory": []}',
    "trajectory is a number": '{"task": "x", "trajectory": 17}',
    "trajectory is null": '{"task": "x", "trajectory": null}',
    "trajectory is true": '{"task": "x", "trajectory": true}',
    "trajectory is an object": '{"task": "x", "trajectory": {"role": "user"}}',
    "a message is a number": '{"task": "x", "trajectory": [{"role": "user"}, 1]}',
    "a message is a text": '{"task": "x", "trajectory": ["hello"]}',
    "a message is null": '{"task": "x", "trajectory": [null]}',
    "a message is a list": '{"task": "x", "trajectory": [[]]}',
    "final_response is a number": '{"task": "x", "trajectory": [], "final_response": 4}',
    "final_response is an object": '{"task": "x", "trajectory": [], "final_response": {}}',
    "retrieved_memory_ids is a text": '{"task": "x", "trajectory": [], "retrieved_memory_ids": "m"}',
    "retrieved_memory_ids is an object": '{"task": "x", "trajectory": [], "retrieved_memory_ids": {}}',
    "a retrieved id is a number": '{"task": "x", "trajectory": [], "retrieved_memory_ids": ["m", 1]}',
    "a retrieved id is null": '{"task": "x", "trajectory": [], "retrieved_memory_ids": [null]}',
    "a retrieved id holds NUL": f'{{"task": "x", "trajectory": [], "retrieved_memory_ids": ["{NUL}"]}}',
    "a retrieved id holds a lone surrogate": (
        f'{{"task": "x", "trajectory": [], "retrieved_memory_ids": ["{LONE_SURROGATE}"]}}'
    ),
    "model is a number": '{"task": "x", "trajectory": [], "model": 5}',
    "model is a list": '{"task": "x", "trajectory": [], "model": []}',
    "metadata is a list": '{"task": "x", "trajectory": [], "metadata": []}',
    "metadata is a text": '{"task": "x", "trajectory": [], "metadata": "m"}',
    "metadata is a number": '{"task": "x", "trajectory": [], "metadata": 7}',
    "review is a text": '{"task": "x", "trajectory": [], "review": "pass"}',
    "review is a list": '{"task": "x", "trajectory": [], "review": []}',
    "reference_context is a number": '{"task": "x", "trajectory": [], "reference_context": 1}',
}

WRONG_REVIEWS = {
    "no result": "{}",
    "result is null": '{"result": null}',
    "result is true": '{"result": true}',
    "result is unknown": '{"result": "maybe"}',
    "result is an alias that only SDKs know": '{"result": "success"}',
    "result in capitals": '{"result": "PASS"}',
    "feedback_text is a number": '{"result": "pass", "feedback_text": 7}',
    "feedback_text is a list": '{"result": "pass", "feedback_text": ["x"]}',
    "alpha above one": '{"result": "pass", "alpha": 1.01}',
    "alpha below zero": '{"result": "pass", "alpha": -0.01}',
    "alpha is a text": '{"result": "pass", "alpha": "0.3"}',
    "alpha is beyond floats": '{"result": "pass", "alpha": 1e400}',
    "alpha is a huge integer": f'{{"result": "pass", "alpha": {HUGE}}}',
    "alpha is NaN": '{"result": "pass", "alpha": NaN}',
    "reflection is a text": '{"result": "pass", "reflection": "learned"}',
    "a reflection's summary is a number": '{"result": "pass", "reflection": {"summary": 1}}',
    "a reflection's tools are a text": (
        '{"result": "pass", "reflection": {"summary": "s", "guidance": "g", "applicable_tools": "t"}}'
    ),
}

WRONG_QUERIES = {
    "a list": "[]",
    "null": "null",
    "no task": "{}",
    "task is a number": '{"task": 1}',
    "task is null": '{"task": null}',
    "task is empty": '{"task": ""}',
    "task holds NUL": f'{{"task": "{NUL}"}}',
    "task holds a lone surrogate": f'{{"task": "{LONE_SURROGATE}"}}',
    "lambda above one": '{"task": "x", "lambda": 1.0001}',
    "lambda below zero": '{"task": "x", "lambda": -0.0001}',
    "lambda is a text": '{"task": "x", "lambda": "0.5"}',
    "lambda is true": '{"task": "x", "lambda": true}',
    "lambda is NaN": '{"task": "x", "lambda": NaN}',
    "lambda is Infinity": '{"task": "x", "lambda": Infinity}',
    "lambda is beyond floats": '{"task": "x", "lambda": 1e400}',
    "lambda is a huge integer": f'{{"task": "x", "lambda": {HUGE}}}',
    "mmr_lambda above one": '{"task": "x", "mmr_lambda": 1.5}',
    "mmr_lambda below zero": '{"task": "x", "mmr_lambda": -1}',
    "mmr_lambda is beyond floats": '{"task": "x", "mmr_lambda": -1e400}',
    "limit is negative": '{"task": "x", "limit": -1}',
    "limit is too high": '{"task": "x", "limit": 1001}',
    "limit is a fraction": '{"task": "x", "limit": 1.5}',
    "limit is a text": '{"task": "x", "limit": "10"}',
    "limit is a huge integer": f'{{"task": "x", "limit": {HUGE}}}',
    "limit is beyond floats": '{"task": "x", "limit": 1e400}',
    "similarity_threshold above one": '{"task": "x", "similarity_threshold": 1.1}',
    "similarity_threshold below minus one": '{"task": "x", "similarity_threshold": -1.1}',
    "similarity_threshold is a text": '{"task": "x", "similarity_threshold": "high"}',
    "metadata_filter is a list": '{"task": "x", "metadata_filter": []}',
    "metadata_filter is a text": '{"task": "x", "metadata_filter": "source"}',
}

WRONG_KEYS = {
    "no label": '{"scopes": ["trace:read"]}',
    "no scopes": '{"label": "x"}',
    "label is a number": '{"label": 1, "scopes": ["trace:read"]}',
    "label holds NUL": f'{{"label": "{NUL}", "scopes": ["trace:read"]}}',
    "scopes is a text": '{"label": "x", "scopes": "trace:read"}',
    "an unknown scope": '{"label": "x", "scopes": ["trace:read", "everything"]}',
    "a scope is null": '{"label": "x", "scopes": [null]}',
    "an unknown environment": '{"label": "x", "scopes": ["trace:read"], "environment": "production"}',
}


def cases(table: dict[str, str | bytes]):
    return [pytest.param(body, id=name) for name, body in table.items()]


def too_deep(opening: str, closing: str) -> str:
    return opening * DEEP + closing * DEEP


@pytest.fixture
def project(server, project_id):
    """A fresh project. Whatever a test sends, the server must still be well afterwards."""
    project = RawProject(server.url, project_id)
    yield project
    project.close()
    assert server.is_running
    assert_alive(server.url)


@pytest.mark.parametrize("body", cases(MALFORMED_JSON))
def test_malformed_json_is_refused(project, body):
    assert_refused(project.post("/traces", body), 400, 422)
    project.assert_empty()


@pytest.mark.parametrize("body", cases(MALFORMED_JSON))
def test_malformed_json_in_a_query_is_refused(project, body):
    assert_refused(project.post("/memory/query", body), 400, 422)


@pytest.mark.parametrize("body", cases(WRONG_TRACES))
def test_a_trace_with_a_wrong_field_is_refused(project, body):
    assert_refused(project.post("/traces", body), 400, 422)
    project.assert_empty()


@pytest.mark.parametrize("review", cases(WRONG_REVIEWS))
def test_a_trace_with_a_wrong_inline_review_is_refused(project, review):
    body = f'{{"task": "x", "trajectory": [], "review": {review}}}'
    assert_refused(project.post("/traces", body), 400, 422)
    project.assert_empty()


@pytest.mark.parametrize("review", cases(WRONG_REVIEWS))
def test_a_wrong_deferred_review_is_refused_and_the_trace_stays_pending(project, review):
    trace_id = project.create()
    before = project.get(f"/traces/{trace_id}").json()
    assert_refused(project.post(f"/traces/{trace_id}/review", review), 400, 422)
    assert project.get(f"/traces/{trace_id}").json() == before
    assert before["review_status"] == "pending"


@pytest.mark.parametrize("body", cases(WRONG_QUERIES))
def test_a_wrong_query_is_refused(project, body):
    assert_refused(project.post("/memory/query", body), 400, 422)


@pytest.mark.parametrize("body", cases(WRONG_KEYS))
def test_a_wrong_key_is_refused_and_not_made(project, body):
    assert_refused(project.post("/api-keys", body), 400, 422)
    assert [key for key in project.get("/api-keys").json() if not key["is_master"]] == []


@pytest.mark.parametrize("body", ["{}", '{"trace_ids": "x"}', '{"trace_ids": [1]}', '{"trace_ids": null}', "[]"])
def test_a_wrong_deletion_is_refused_and_deletes_nothing(project, body):
    trace_id = project.create()
    assert_refused(project.post("/traces/delete", body), 400, 422)
    assert project.get(f"/traces/{trace_id}").status_code == 200


def test_the_refusal_names_the_field(project):
    assert "lambda" in json.dumps(assert_refused(project.post("/memory/query", {"task": "x", "lambda": 2}), 422))
    assert "task" in json.dumps(assert_refused(project.post("/traces", {"task": "", "trajectory": []}), 422))
    wrong_message = {"task": "x", "trajectory": [{"role": "user"}, "hello"]}
    assert "trajectory" in json.dumps(assert_refused(project.post("/traces", wrong_message), 422))


def test_unknown_fields_are_ignored(project):
    trace_id = project.create(colour="blue", review=None)
    assert project.get(f"/traces/{trace_id}").json()["review_status"] == "pending"


def test_a_trajectory_of_ten_megabytes_is_too_large(project):
    message = {"role": "user", "content": "x" * (10 * 1024 * 1024)}
    assert_refused(project.post("/traces", {"task": "x", "trajectory": [message]}), 413)
    project.assert_empty()


def test_ten_megabytes_without_a_stated_length_are_too_large(project):
    """A chunked body says nothing about its size beforehand, so the server has to count."""

    def chunks():
        yield b'{"task": "x", "trajectory": [{"role": "user", "content": "'
        for _ in range(160):
            yield b"x" * 65_536
        yield b'"}]}'

    headers = {"Content-Type": "application/json"}
    response = project.request("POST", "/traces", content=chunks(), headers=headers)
    assert_refused(response, 413)
    project.assert_empty()


def test_a_query_of_ten_megabytes_is_too_large(project):
    assert_refused(project.post("/memory/query", {"task": "x" * (10 * 1024 * 1024)}), 413, 422)


@pytest.mark.parametrize("as_text", [False, True], ids=["as a list", "as JSON text"])
def test_a_hundred_thousand_messages_are_too_many(project, as_text):
    messages = [{"role": "user", "content": "hi"}] * 100_000
    trajectory = json.dumps(messages) if as_text else messages
    assert_refused(project.post("/traces", {"task": "x", "trajectory": trajectory}), 413, 422)
    project.assert_empty()


def test_a_hundred_thousand_retrieved_ids_are_too_many(project):
    body = {"task": "x", "trajectory": [], "retrieved_memory_ids": [f"m{n}" for n in range(100_000)]}
    assert_refused(project.post("/traces", body), 413, 422)
    project.assert_empty()


@pytest.mark.parametrize(
    "nested", [too_deep("[", "]"), too_deep('{"a":', "}").replace(":}", ":1}", 1)], ids=["lists", "objects"]
)
@pytest.mark.parametrize(
    "body",
    [
        '{"task": "x", "trajectory": [{"role": "user", "content": %s}]}',
        '{"task": "x", "trajectory": %s}',
        '{"task": "x", "trajectory": [], "metadata": {"a": %s}}',
        '{"task": "x", "trajectory": [], "unknown_field": %s}',
        '{"task": %s, "trajectory": []}',
        "%s",
    ],
    ids=["in a message", "as the trajectory", "in metadata", "in an unknown field", "as the task", "as the body"],
)
def test_deep_nesting_is_refused(project, body, nested):
    assert_refused(project.post("/traces", body % nested), 400, 413, 422)
    project.assert_empty()


def test_deep_nesting_that_never_closes_is_refused(project):
    assert_refused(project.post("/traces", '{"task": "x", "trajectory": ' + "[" * 100_000), 400, 413, 422)
    project.assert_empty()


def test_deep_nesting_in_a_filter_is_refused(project):
    body = '{"task": "x", "metadata_filter": {"a": %s}}' % too_deep("[", "]")
    assert_refused(project.post("/memory/query", body), 400, 413, 422)


@pytest.mark.parametrize(
    "trajectory",
    [
        pytest.param(f'[{{"role": "assistant",  "content": "{LONE_SURROGATE}"}}]', id="a lone surrogate"),
        pytest.param('[{"role": "user", "content": "\\udc00\\ud800", "x\\ud800": 1}]', id="surrogates the wrong way"),
        pytest.param(f'[{{"role": "assistant", "content": "{NUL}", "{NUL}": 1}}]', id="NUL"),
        pytest.param('[{"role":"user","content":"hi","n":1.50e3,"big":1e400,"id":' + HUGE + "}]", id="numbers"),
        pytest.param('[{"role": "user", "content": "\\u00e9\\/é\\ud83d\\ude00😀"}]', id="escapes"),
        pytest.param('[ {"content" : "b", "role":"user", "content":"twice"} , {} ]', id="order, space and doubles"),
    ],
)
def test_a_trajectory_is_kept_byte_for_byte_and_can_be_learned_from(project, trajectory):
    body = f'{{"task": "x", "trajectory": {trajectory}, "review": {{"result": "fail", "feedback_text": "no"}}}}'
    response = project.post("/traces", body)
    assert response.is_success, response.text
    settled = project.settled(response.json()["trace_id"])
    assert trajectory.encode() in settled.content
    assert settled.json()["ingest_status"] == "completed"
    assert settled.json()["created_memory_id"] is not None
    assert trajectory.encode() in project.get("/traces").content
    assert len(project.post("/memory/query", {"task": "x"}).json()) == 1


@pytest.mark.parametrize(
    "fields",
    [
        pytest.param('"trajectory": [], "metadata": {"n": 1e400}', id="a number beyond floats in metadata"),
        pytest.param(f'"trajectory": [], "metadata": {{"n": {HUGE}}}', id="a huge integer in metadata"),
        pytest.param(f'"trajectory": [], "metadata": {{"{NUL}": "{NUL}"}}', id="NUL in metadata"),
        pytest.param(f'"trajectory": [], "metadata": {{"m": "{LONE_SURROGATE}"}}', id="a lone surrogate in metadata"),
        pytest.param(f'"trajectory": "{LONE_SURROGATE}"', id="a lone surrogate in a text"),
        pytest.param(f'"trajectory": "{NUL}"', id="NUL in a text"),
        pytest.param(f'"trajectory": "{too_deep("[", "]")}"', id="nesting in a text"),
        pytest.param('"trajectory": "[{\\"a\\": ' + too_deep("[", "]") + '}]"', id="nesting in a message in a text"),
        pytest.param(f'"trajectory": [], "final_response": "{NUL}"', id="NUL in the final response"),
        pytest.param(f'"trajectory": [], "final_response": "{LONE_SURROGATE}"', id="a lone surrogate in the response"),
        pytest.param(f'"trajectory": [], "model": "{LONE_SURROGATE}"', id="a lone surrogate in the model"),
        pytest.param(f'"trajectory": [], "reference_context": "{NUL}"', id="NUL in the reference context"),
        pytest.param('"trajectory": [], "task": "twice"', id="a field twice"),
        pytest.param('"trajectory": [], "metadata": null', id="metadata is null"),
    ],
)
@pytest.mark.parametrize(
    "feedback", ["no", NUL, LONE_SURROGATE], ids=["plain feedback", "NUL in the feedback", "a lone surrogate in it"]
)
def test_odd_but_thinkable_input_is_refused_or_works_to_the_end(project, fields, feedback):
    """The contract leaves these open. Either answer is fine; a half-way one is not."""
    body = f'{{"task": "x", {fields}, "review": {{"result": "fail", "feedback_text": "{feedback}"}}}}'
    response = project.post("/traces", body)
    if not response.is_success:
        assert_refused(response, 400, 413, 422)
        project.assert_empty()
        return
    assert project.settled(response.json()["trace_id"]).json()["ingest_status"] == "completed"
    assert len(project.get("/traces").json()) == 1
    assert len(project.post("/memory/query", {"task": "x"}).json()) == 1


@pytest.mark.parametrize("task", ["   ", "\t\n", "\u200b", "x" * 100_000, "\u202e", "'; DROP TABLE traces; --"])
def test_an_odd_task_is_refused_or_works_to_the_end(project, task):
    response = project.post("/traces", {"task": task, "trajectory": [], "review": {"result": "pass"}})
    if not response.is_success:
        assert_refused(response, 413, 422)
        project.assert_empty()
        return
    assert project.settled(response.json()["trace_id"]).json()["task"] == task
    assert [memory["task"] for memory in project.post("/memory/query", {"task": task}).json()] == [task]
