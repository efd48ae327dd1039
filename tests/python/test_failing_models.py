"""A model that does not write says why: in the log, on the trace, in `/ready` and in a counter, and never with a key."""

import json
import time

import httpx
import pytest

from reflect_process import MASTER_KEY, SETTINGS, ReflectProcess, running

KEY = "sk-proj-0123456789abcdefghij"
DEADLINE_S = 60
LESSON = json.dumps({"summary": "Look the order up.", "guidance": "Call look_up before anything is paid."})


@pytest.fixture
def model_server(binary, tmp_path, openai):
    settings = {
        **SETTINGS,
        "REFLECT_LLM": "openai/gpt-test",
        "REFLECT_LLM_RETRIES": "0",
        "REFLECT_LLM_MODELS": "ollama/other",
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": openai.base_url,
    }
    with running(binary, tmp_path, settings) as process:
        yield process
        assert KEY not in process.log()


def api_of(server: ReflectProcess, path: str = "/v1/projects/shop") -> httpx.Client:
    headers = {"Authorization": f"Bearer {MASTER_KEY}"}
    return httpx.Client(base_url=f"{server.url}{path}", headers=headers, timeout=DEADLINE_S, trust_env=False)


def reviewed_trace(api: httpx.Client, task: str) -> dict:
    """A run whose lesson is there."""
    body = {"task": task, "trajectory": [{"role": "assistant", "content": "Done."}], "review": {"result": "fail"}}
    trace_id = api.post("/traces", json=body).json()["trace_id"]
    deadline = time.monotonic() + DEADLINE_S
    while (trace := api.get(f"/traces/{trace_id}").json())["review_status"] != "reviewed":
        assert time.monotonic() < deadline, trace
        time.sleep(0.05)
    return trace


def test_a_wrong_key_is_told_everywhere_and_nobody_sees_it(model_server, openai):
    api = api_of(model_server)
    openai.refusal = (401, f"Incorrect API key provided: {KEY[:10]}*****ghij. Ask for another one.")
    said = "the provider refused: status 401: Incorrect API key provided: **** Ask for another one."
    for task in ["Refund order 7", "Refund order 8", "Refund order 9"]:
        assert reviewed_trace(api, task)["warnings"] == [f"rules wrote this lesson in place of `openai/gpt-test`: {said}"]
    first_failures = [line for line in model_server.log().splitlines() if "gives no answers of use" in line]
    assert len(first_failures) == 1 and said in first_failures[0] and "unauthorized" in first_failures[0], first_failures

    ready = api_of(model_server, "").get("/ready").json()
    problem = ready["problems"][0]
    assert (ready["status"], problem["part"], problem["said"]) == ("degraded", "model", said)
    assert "(unauthorized)" in problem["problem"] and problem["since"]
    stranger = httpx.get(f"{model_server.url}/ready", trust_env=False).json()["problems"][0]
    assert "said" not in stranger and stranger["problem"] == problem["problem"]
    metrics = httpx.get(f"{model_server.url}/metrics", trust_env=False).text
    assert 'reflect_llm_fallbacks_total{role="reflector",reason="unauthorized"} 3' in metrics

    # Another reason is said again; so is the end of it.
    openai.refusal = (404, "The model `gpt-test` does not exist")
    assert "does not exist" in reviewed_trace(api, "Refund order 10")["warnings"][0]
    openai.refusal, openai.answer = None, LESSON
    assert reviewed_trace(api, "Refund order 11")["warnings"] == []
    assert api_of(model_server, "").get("/ready").json()["status"] == "ready"
    log = model_server.log()
    assert log.count("gives no answers of use") == 2 and log.count("a model answers again") == 1
    assert KEY[10:] not in log


def test_the_start_says_which_key_was_taken_from_where(model_server, openai):
    log = model_server.log()
    taken = next(line for line in log.splitlines() if "a provider of models" in line and "openai" in line)
    assert "OPENAI_API_KEY" in taken and "OPENAI_BASE_URL" in taken and "REFLECT_" not in taken
    openai.answer = LESSON
    reviewed_trace(api_of(model_server), "Refund order 7")
    assert len(openai.requests) == 1


def test_a_limit_by_its_other_name_is_asked_for_once(model_server, openai):
    openai.answer = LESSON
    answer = openai.RequestHandlerClass._answer
    words = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."

    def choosy(handler, value: dict, status: int = 200) -> None:
        refused = "max_tokens" in openai.requests[-1]
        answer(handler, *(({"error": {"message": words}}, 400) if refused else (value, status)))

    openai.RequestHandlerClass = type("Choosy", (openai.RequestHandlerClass,), {"_answer": choosy})
    api = api_of(model_server)
    for task in ["Refund order 7", "Refund order 8"]:
        assert reviewed_trace(api, task)["warnings"] == []
    names = [next(name for name in request if name.startswith("max_")) for request in openai.requests]
    assert names == ["max_tokens", "max_completion_tokens", "max_completion_tokens"]
