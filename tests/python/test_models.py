"""The loop with a language model that really generates: trace, review, a lesson by the model, retrieval; and skills.

The model is small and its lessons make little sense. What is held here is the way they take, not what they say.
"""

import time

import httpx
import pytest

from real_model import MODEL_NAME
from reflect_process import MASTER_KEY, SETTINGS, running
from runs import client_of

# Nothing here waits that long when all is well; the machine may be compiling beside us.
DEADLINE_S = 600

# Several, because so small a model does not find fit words for each; what it says that is unfit is refused, and rules stand in.
RUNS = [
    ("Refund order 4411 for a customer whose parcel arrived broken", "issue_refund", "the order was not looked up first"),
    ("Book a table for four people in Lisbon tomorrow evening", "book_table", "the restaurant is closed on Mondays"),
    ("Send the monthly report to the finance team", "send_mail", "the attachment is missing"),
]


def trajectory(task: str, tool: str, error: str) -> list[dict]:
    call = {"id": "c1", "type": "function", "function": {"name": tool, "arguments": "{}"}}
    return [
        {"role": "user", "content": task},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": f"error: {error}"},
        {"role": "assistant", "content": "I could not do it."},
    ]


@pytest.fixture(scope="module")
def model_server(binary, tmp_path_factory, real_model):
    settings = {
        **SETTINGS,
        "REFLECT_LLM": f"openai/{MODEL_NAME}",
        "REFLECT_OPENAI_BASE_URL": real_model,
        "REFLECT_LLM_TIMEOUT": str(DEADLINE_S),
        "REFLECT_ATTEMPT_TIMEOUT": str(DEADLINE_S),
        "REFLECT_REVIEW_DEADLINE": str(DEADLINE_S),
    }
    with running(binary, tmp_path_factory.mktemp("model"), settings) as process:
        yield process


def test_a_model_writes_the_lesson_of_a_run_and_the_next_query_finds_it(model_server, project_id):
    api = httpx.Client(
        base_url=f"{model_server.url}/v1/projects/{project_id}",
        headers={"Authorization": f"Bearer {MASTER_KEY}"},
        timeout=DEADLINE_S,
        trust_env=False,
    )
    tasks = {}
    for task, tool, error in RUNS:
        review = {"result": "fail", "feedback_text": f"It failed because {error}."}
        body = {"task": task, "trajectory": trajectory(task, tool, error), "review": review}
        tasks[api.post("/traces", json=body).json()["trace_id"]] = task
    trace_id, memory = wait_for_a_lesson_by_the_model(api, list(tasks))
    written_by = memory["written_by"]
    assert written_by["reflector"] == "llm"
    assert written_by["model"] == f"openai/{MODEL_NAME}"
    assert written_by["input_tokens"] > 0 and written_by["output_tokens"] > 0
    assert memory["summary"] and (memory["guidance"] or memory["correct_action"])

    client = client_of(model_server, project_id)
    found = client.query_memories(tasks[trace_id], limit=1)
    assert [shown.id for shown in found] == [memory["id"]]
    assert (memory["guidance"] or memory["correct_action"]) in found[0].reflection

    metrics = httpx.get(f"{model_server.url}/metrics", trust_env=False).text
    answered = f'reflect_llm_calls_total{{model="openai/{MODEL_NAME}",role="reflector",outcome="answered"}}'
    assert answered in metrics, metrics


def wait_for_a_lesson_by_the_model(api: httpx.Client, trace_ids: list[str]) -> tuple[str, dict]:
    """The first memory that the model itself has written. Every run has a lesson by then or later, by whomever."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        for trace_id in trace_ids:
            trace = api.get(f"/traces/{trace_id}").json()
            assert trace["ingest_status"] != "failed", trace
            if trace["created_memory_id"]:
                memory = api.get(f"/memories/{trace['created_memory_id']}").json()
                if memory["written_by"]["reflector"] == "llm":
                    return trace_id, memory
        time.sleep(0.5)
    raise AssertionError(f"the model wrote no lesson in {DEADLINE_S} s: {api.get('/memories').json()}")


def test_the_published_client_reads_the_skill_that_was_created(server, project_id):
    client = client_of(server, project_id)
    api = httpx.Client(
        base_url=f"{server.url}/v1/projects/{project_id}",
        headers={"Authorization": f"Bearer {MASTER_KEY}"},
        trust_env=False,
    )
    for place in range(4):
        teach(api, place)
    refused = api.post("/skill/create", json={})
    assert refused.status_code == 409, refused.text
    assert refused.json()["error"]["code"] == "too_few_memories"
    assert client.get_skill() is None

    teach(api, 4)
    created = api.post("/skill/create", json={})
    assert created.status_code == 200, created.text
    content = client.get_skill()
    assert content == created.json()["content"]
    assert content.startswith("---\n")
    assert all(memory_id in content for memory_id in created.json()["memory_ids"]), content
    assert api.post("/skill/create", json={"n_passed": 2}).json()["version"] == 2
    assert client.get_skill() == api.get("/skill/versions/2").json()["content"]


def teach(api: httpx.Client, place: int) -> None:
    lesson = {"summary": f"Order {place} was refunded.", "guidance": f"Look order {place} up before it is refunded."}
    result = "pass" if place % 2 == 0 else "fail"
    review = {"result": result, "reflection": lesson}
    body = {"task": f"Refund order {place}", "trajectory": [], "final_response": "Done.", "review": review}
    stored = api.post("/traces", json=body)
    assert stored.status_code == 200, stored.text
