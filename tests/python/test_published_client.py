"""The published client against our server: connecting, bootstrap, keys, skill.

Its traces, memories, context manager and decorator have files of their own beside this one.
"""

import inspect
import os
import uuid
from pathlib import Path

import pytest
import reflect_sdk
from reflect_sdk import ReflectClient

from reflect_process import BOOTSTRAP_TOKEN
from runs import client_of, code_of, conversation, learn, refused

AWKWARD_PROJECT_IDS = [
    "team/agent one",
    "über straße",
    "a/../b",
    "100% sure? #1",
    "C++ & co; x=y",
    "日本語/プロジェクト",
    " leading and trailing ",
    "trailing/",
]


def bootstrap(server, project_id: str, **more) -> reflect_sdk.BootstrapInfo:
    arguments = {"bootstrap_token": BOOTSTRAP_TOKEN, "user_id": "ada", **more}
    return ReflectClient.bootstrap(base_url=server.url, project_id=project_id, **arguments)


def test_this_suite_runs_on_the_package_that_was_asked_for():
    ours = Path(__file__).parents[2] / "python" / "src"
    is_ours = Path(reflect_sdk.__file__).is_relative_to(ours)
    assert is_ours is (os.environ.get("REFLECT_SDK", "published") == "ours")


@pytest.mark.skipif(os.environ.get("REFLECT_SDK") == "ours", reason="ours has more, with tests of its own in python/tests")
def test_this_suite_uses_everything_that_is_public():
    methods = [name for name, _ in inspect.getmembers(ReflectClient, callable) if not name.startswith("_")]
    sources = "".join(path.read_text() for path in Path(__file__).parent.glob("test_published_client*.py"))
    unused = [name for name in [*methods, *reflect_sdk.__all__] if name not in sources]
    assert len(methods) > 20
    assert unused == []


def test_health_is_ok_and_needs_no_key(server):
    health = ReflectClient(base_url=server.url, api_key="").health()
    assert health["status"] == "ok"
    assert all(isinstance(value, str) for value in health.values())


def test_a_client_that_names_no_project_works_in_default(server, client):
    nameless = ReflectClient(base_url=server.url, api_key=client.api_key)
    submission = nameless.create_trace(task="no project named", trajectory=conversation("q", "a"))
    assert client_of(server, "default").get_trace(submission.id).task == "no project named"


@pytest.mark.parametrize("awkward", AWKWARD_PROJECT_IDS)
def test_project_ids_with_slashes_spaces_and_umlauts_work(server, project_id, awkward):
    client = client_of(server, f"{awkward}{project_id}{awkward}")
    trace = learn(client, "greet the user")
    assert [listed.id for listed in client.list_traces()] == [trace.id]
    assert [memory.id for memory in client.query_memories("greet the user")] == [trace.created_memory_id]


@pytest.mark.postgres
def test_project_ids_that_differ_only_in_spelling_are_different_projects(server, project_id):
    spellings = [f"{project_id}/x", f"{project_id}%2Fx", f"{project_id} x", f"{project_id}+x", f"{project_id}/X"]
    for spelling in spellings:
        client_of(server, spelling).create_trace(task=spelling, trajectory="said")
    for spelling in spellings:
        assert [trace.task for trace in client_of(server, spelling).list_traces()] == [spelling]


def test_bootstrap_makes_a_project_and_a_key_that_runs_it(server, project_id):
    info = bootstrap(server, project_id, key_label="first key", environment="test")
    assert isinstance(info, reflect_sdk.BootstrapInfo)
    assert (info.user_id, info.project_id) == ("ada", project_id)
    assert info.api_key.startswith("rf_test_")

    admin = client_of(server, project_id, info.api_key)
    trace = learn(admin, "first task of a new project")
    assert admin.query_memories("first task of a new project")[0].id == trace.created_memory_id
    assert [key.label for key in admin.list_api_keys()] == ["first key"]
    assert admin.create_api_key(label="second", scopes=["trace:write"]).key.status == "active"


def test_bootstrap_defaults_to_a_live_key(server, project_id):
    info = bootstrap(server, project_id)
    assert info.api_key.startswith("rf_live_")
    assert [key.label for key in client_of(server, project_id, info.api_key).list_api_keys()] == ["Default Admin Key"]


def test_a_bootstrapped_key_opens_no_other_project(server, project_id):
    info = bootstrap(server, project_id)
    with refused(403):
        client_of(server, f"{project_id}-other", info.api_key).list_traces()


def test_bootstrap_with_a_wrong_token_is_refused(server, project_id):
    with refused(401):
        bootstrap(server, project_id, bootstrap_token="guessed")


def test_bootstrap_of_an_existing_project_is_refused_and_gives_no_second_key(server, project_id):
    first = bootstrap(server, project_id)
    with refused(409):
        bootstrap(server, project_id)
    assert len(client_of(server, project_id, first.api_key).list_api_keys()) == 1


def test_bootstrap_of_a_project_that_a_master_key_made_is_refused(server, client):
    client.create_trace(task="made on first use", trajectory="said")
    with refused(409):
        bootstrap(server, client.project_id)


def test_bootstrap_without_a_configured_token_is_not_there(server_without_bootstrap, project_id):
    with refused(404):
        bootstrap(server_without_bootstrap, project_id)


def test_get_skill_is_none_while_there_is_none(client):
    learn(client, "something to build a skill from")
    assert client.get_skill() is None


async def test_get_skill_async_is_none_while_there_is_none(client):
    assert await client.get_skill_async() is None


def test_a_created_key_is_shown_once_and_listed_without_its_secret(client):
    created = client.create_api_key(label="worker", scopes=["trace:write", "memory:read"], environment="test")
    assert isinstance(created, reflect_sdk.CreatedApiKey)
    assert created.api_key.startswith("rf_test_")
    assert created.key.public_id in created.api_key

    listed = {key.id: key for key in client.list_api_keys()}[created.key.id]
    assert isinstance(listed, reflect_sdk.ApiKeyInfo)
    assert (listed.label, listed.environment, listed.status) == ("worker", "test", "active")
    assert sorted(listed.scopes) == ["memory:read", "trace:write"]
    assert (listed.is_master, listed.revoked_at) == (False, None)
    assert listed.created_at is not None
    assert created.api_key not in repr(listed)


@pytest.mark.postgres
def test_a_key_does_what_its_scopes_say_and_no_more(server, client):
    created = client.create_api_key(label="writer", scopes=["trace:write"])
    writer = client_of(server, client.project_id, created.api_key)
    submission = writer.create_trace(task="scoped", trajectory="said")
    assert writer.get_trace(submission.id).task == "scoped"
    assert writer.review_trace(submission.id, result="pass").review_status == "reviewed"
    with refused(403):
        writer.query_memories("scoped")
    with refused(403):
        writer.list_api_keys()


def test_a_key_cannot_mint_scopes_that_it_lacks(server, client):
    created = client.create_api_key(label="minter", scopes=["keys:write", "memory:read"])
    minter = client_of(server, client.project_id, created.api_key)
    assert minter.create_api_key(label="reader", scopes=["memory:read"]).key.scopes == ["memory:read"]
    with refused(403):
        minter.create_api_key(label="more than I have", scopes=["memory:read", "trace:write"])
    assert sorted(key.label for key in minter.list_api_keys() if not key.is_master) == ["minter", "reader"]


@pytest.mark.postgres
def test_a_revoked_key_opens_nothing(server, client):
    created = client.create_api_key(label="soon gone", scopes=["trace:read"])
    holder = client_of(server, client.project_id, created.api_key)
    assert holder.list_traces() == []

    revoked = client.revoke_api_key(created.key.id)
    assert (revoked.id, revoked.status) == (created.key.id, "revoked")
    assert revoked.revoked_at is not None
    with refused(401):
        holder.list_traces()
    assert {key.id: key.status for key in client.list_api_keys()}[created.key.id] == "revoked"


def test_revoking_twice_answers_the_same_key(client):
    created = client.create_api_key(label="twice", scopes=["trace:read"])
    assert client.revoke_api_key(created.key.id) == client.revoke_api_key(created.key.id)


def test_revoking_an_unknown_key_is_refused(client):
    with refused(404) as raised:
        client.revoke_api_key(str(uuid.uuid4()))
    assert code_of(raised)
