"""A project's changes, as they happen."""

import threading

import pytest

from agent_runs import author
from reflect_sdk import Changed, ReflectClient, RefusedError, UnreachableError
from scripted_server import Answer, scripted


def all_of(seen: Changed, changed: Changed) -> Changed:
    return Changed(*(getattr(seen, name) or getattr(changed, name) for name in Changed.__slots__))


def test_changes_are_told_as_they_happen(client):
    client.get_settings()
    with client.events() as events:
        author(client, "sort a list")
        seen = Changed()
        while not (seen.traces and seen.memories):
            seen = all_of(seen, next(events))
        assert not seen.settings
        client.update_settings(lambda_=0.25)
        while not next(events).settings:
            pass


async def test_an_event_loop_is_told_too(client):
    await client.get_settings_async()
    async with await client.events_async() as events:
        await client.update_settings_async(lambda_=0.25)
        changed = await anext(events)
    assert changed == Changed(settings=True)


def test_a_stream_ends_with_its_key(client):
    made = client.create_api_key(label="watcher", scopes=["trace:read"])
    watcher = ReflectClient(base_url=client.base_url, api_key=made.api_key, project_id=client.project_id)
    events = watcher.events()
    threading.Timer(0.1, client.revoke_api_key, [made.key.id]).start()
    for _ in events:
        pass
    with pytest.raises(StopIteration):
        next(events)
    with pytest.raises(RefusedError):
        watcher.events()


def test_a_key_that_may_not_read_is_refused(client):
    made = client.create_api_key(label="writer", scopes=["skill:read"])
    with pytest.raises(RefusedError, match="trace:read"):
        ReflectClient(base_url=client.base_url, api_key=made.api_key, project_id=client.project_id).events()


def test_comments_are_passed_over_and_newer_fields_left_out():
    told = b': watching\n\nevent: changed\ndata: {"traces": true, "newer": 1}\n\n: still here\n\n'
    with scripted(Answer(200, told)) as server:
        assert list(ReflectClient(base_url=server.url, api_key="key").events()) == [Changed(traces=True)]


def test_a_server_that_is_gone_is_named():
    with scripted(Answer(None)) as server, pytest.raises(UnreachableError, match=server.url):
        ReflectClient(base_url=server.url, api_key="key", retries=0).events()
