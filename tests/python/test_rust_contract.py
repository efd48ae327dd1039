"""The same calls by the published client and by our Rust one: the same requests."""

import os
import subprocess

import httpx
from reflect_sdk import ReflectClient

from recording_proxy import Request, recording_proxy
from reflect_process import BOOTSTRAP_TOKEN, MASTER_KEY

TASK = "Parse the CSV and return the top 5 rows"
TRAJECTORY = [{"role": "user", "content": TASK}, {"role": "assistant", "content": "Here are the rows."}]


def calls_of_the_published_client(url: str, project_id: str) -> None:
    """What `examples/contract_calls.rs` does, in the same order."""
    client = ReflectClient(base_url=url, api_key=MASTER_KEY, project_id=project_id)
    httpx.get(f"{url}/health").raise_for_status()
    client.query_memories(TASK, limit=3, lambda_=0.5)
    client.augment_with_memories(TASK, limit=10, lambda_=0.5)
    stored = client.create_trace(
        task=TASK,
        trajectory=TRAJECTORY,
        retrieved_memory_ids=["mem-abc"],
        model="gpt-5.4-mini",
        metadata={"source": "cli"},
    )
    client.create_trace(
        task=TASK, trajectory="plain text", final_response="rows", review_result="failure", feedback_text="wrong rows"
    )
    client.create_trace_and_wait(task=TASK, trajectory=TRAJECTORY, review_result="success")
    client.list_traces(review_status="pending")
    client.list_traces()
    client.get_trace(stored.id)
    client.review_trace(stored.id, result="fail", feedback_text="missed the header")
    client.get_skill()
    client.list_api_keys()
    made = client.create_api_key(label="reader", scopes=["memory:read"])
    client.revoke_api_key(made.key.id)
    ReflectClient.bootstrap(
        base_url=url, bootstrap_token=BOOTSTRAP_TOKEN, user_id="me", project_id=f"{project_id}-made"
    )


def calls_of_ours(examples, url: str, project_id: str) -> None:
    environment = {
        **os.environ,
        "REFLECT_API_URL": url,
        "REFLECT_API_KEY": MASTER_KEY,
        "REFLECT_PROJECT_ID": project_id,
        "REFLECT_BOOTSTRAP_TOKEN": BOOTSTRAP_TOKEN,
    }
    subprocess.run([examples / "contract_calls"], env=environment, check=True, timeout=120)


def comparable(requests: list[Request], project_id: str) -> list[tuple]:
    """How often a client looks while it waits, the size of its pages and a label that is the default are its own affair."""
    seen = []
    for request in requests:
        path = request.path.replace(project_id, "{p}")
        query = tuple(pair for pair in request.query if pair[0] != "limit")
        body = request.body.replace(project_id, "{p}")
        body = body.replace(', "environment": "live"', "").replace('"environment": "live", ', "")
        one = (request.method, path, query, request.authorization, body)
        if not (seen and one == seen[-1] and request.method == "GET"):
            seen.append(one)
    return seen


def test_both_clients_send_the_same_requests(server, examples):
    with recording_proxy(server.url) as proxy:
        calls_of_the_published_client(proxy.url, "contract-published")
        published, proxy.requests = proxy.requests, []
        calls_of_ours(examples, proxy.url, "contract-ours")
        ours = proxy.requests
    wanted = comparable(published, "contract-published")
    # Health needs no key, whoever asks.
    assert [call[:3] + call[4:] for call in comparable(ours, "contract-ours")] == [call[:3] + call[4:] for call in wanted]
    assert {call[3] for call in comparable(ours, "contract-ours")[1:-1]} == {f"Bearer {MASTER_KEY}"}
    assert ours[-1].headers["x-bootstrap-token"] == published[-1].headers["x-bootstrap-token"] == BOOTSTRAP_TOKEN


def test_what_changes_something_carries_a_name_of_its_own(server, examples):
    with recording_proxy(server.url) as proxy:
        calls_of_ours(examples, proxy.url, "contract-names")
        changing = [request for request in proxy.requests if request.method == "POST" and not request.path.endswith(("query", "revoke", "bootstrap"))]
    names = [request.headers.get("idempotency-key") for request in changing]
    assert len(names) == 5 and None not in names and len(set(names)) == len(names)
