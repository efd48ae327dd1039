"""Projects, settings, keys, skills, the judge and the server itself."""

import pytest
from reflect_process import BOOTSTRAP_TOKEN, MASTER_KEY

from agent_runs import author
from reflect_sdk import ReflectClient, RefusedError, Skill


async def test_the_server_says_how_it_is(server):
    client = ReflectClient(base_url=server.url)
    assert client.health()["status"] == (await client.health_async())["status"] == "ok"
    assert client.ready()["status"] == (await client.ready_async())["status"] == "ready"
    assert "reflect_http_requests_total" in client.metrics()
    assert "reflect_http_requests_total" in await client.metrics_async()


async def test_settings_change_one_by_one_and_follow_the_server_again(client):
    assert client.get_settings().lambda_ is None
    changed = client.update_settings(lambda_=0.25, judge_rubric="Answers in SQL.")
    assert (changed.lambda_, changed.judge_rubric, changed.alpha) == (0.25, "Answers in SQL.", None)
    changed = await client.update_settings_async(lambda_=None, alpha=0.1)
    assert (changed.lambda_, changed.judge_rubric, changed.alpha) == (None, "Answers in SQL.", 0.1)
    assert await client.get_settings_async() == changed


def test_the_projects_setting_counts_where_a_query_says_none(client):
    author(client, "sort a list")
    client.update_settings(lambda_=1.0)
    [memory] = client.query_memories("sort a list", lambda_=None)
    assert memory.score == pytest.approx(memory.q_value)


async def test_a_project_is_listed_and_deleted(client):
    author(client, "sort a list")
    assert client.project_id in [project.project_id for project in client.list_projects()]
    deleted = await client.delete_project_async()
    assert (deleted.project_id, deleted.traces, deleted.memories) == (client.project_id, 1, 1)
    assert client.project_id not in [project.project_id for project in await client.list_projects_async()]


def test_deleting_a_project_says_what_was_in_it(client):
    author(client, "sort a list")
    assert client.delete_project().reviews == 1


async def test_keys_are_made_listed_and_revoked(client):
    made = await client.create_api_key_async(label="agents", scopes=["memory:read"], environment="test")
    assert made.api_key.startswith("rf_test_")
    assert [key.label for key in await client.list_api_keys_async() if not key.is_master] == ["agents"]
    assert (await client.revoke_api_key_async(made.key.id)).status == "revoked"


async def test_a_project_is_bootstrapped_asynchronously(server, project_id):
    info = await ReflectClient.bootstrap_async(
        base_url=server.url, bootstrap_token=BOOTSTRAP_TOKEN, user_id="ada", project_id=project_id
    )
    assert info.api_key not in repr(info)
    client = ReflectClient(base_url=server.url, api_key=info.api_key, project_id=project_id)
    assert await client.list_traces_async() == []


async def test_a_skill_is_a_text_with_its_particulars(client):
    assert client.get_skill() is None
    with pytest.raises(RefusedError) as raised:
        client.create_skill()
    assert raised.value.code == "too_few_memories"
    for number in range(5):
        author(client, f"sort list number {number}")
    first = client.create_skill(n_passed=3)
    assert isinstance(first, Skill)
    assert isinstance(first, str)
    assert first.startswith("---\nname: ")
    assert (first.content, first.version, first.n_passed) == (str(first), 1, 3)
    assert first.written_by is not None
    second = await client.create_skill_async()
    assert (second.version, len(second.memory_ids)) == (2, 5)
    assert client.get_skill() == await client.get_skill_async() == second
    assert [skill.version for skill in client.list_skill_versions()] == [2, 1]
    assert len(await client.list_skill_versions_async()) == 2
    assert client.get_skill_version(1) == await client.get_skill_version_async(1) == first


async def test_the_judge_reports(client):
    client.create_trace(task="t", trajectory="said")
    report = client.judge_report()
    assert (report.judge, report.compared, report.agreement) == ("off", 0, None)
    assert report.confusion_matrix["pass"]["fail"] == 0
    assert await client.judge_report_async() == report


def test_a_client_comes_from_the_environment(server, monkeypatch):
    monkeypatch.setenv("REFLECT_API_URL", f" {server.url}/ ")
    monkeypatch.setenv("REFLECT_API_KEY", MASTER_KEY)
    monkeypatch.setenv("REFLECT_PROJECT_ID", "")
    client = ReflectClient.from_env(timeout=5.0)
    assert (client.base_url, client.project_id, client.timeout) == (server.url, "default", 5.0)
    assert client.list_traces(limit=1) is not None


def test_the_defaults_are_local(monkeypatch):
    for name in ("REFLECT_API_URL", "REFLECT_API_KEY", "REFLECT_PROJECT_ID"):
        monkeypatch.delenv(name, raising=False)
    client = ReflectClient.from_env()
    assert (client.base_url, client.api_key, client.project_id) == ("http://localhost:8000", None, "default")


def test_another_project_is_one_call_away(client):
    client.create_trace(task="here", trajectory="said")
    assert client.for_project(f"{client.project_id}-other").list_traces() == []
    client.project_id = f"{client.project_id}-other"
    assert client.list_traces() == []
