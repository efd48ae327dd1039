"""What people see when something is wrong: the server's own words, and errors that older code already catches."""

import traceback
import uuid

import httpx
import pytest
from reflect_process import MASTER_KEY

from reflect_sdk import NotUnderstoodError, ReflectClient, ReflectError, RefusedError, SettingsError, UnreachableError
from scripted_server import Answer, scripted


def test_a_wrong_key_is_told_in_the_servers_words(server, project_id):
    client = ReflectClient(base_url=server.url, api_key="rf_live_nobody_0123456789abcdef", project_id=project_id)
    with pytest.raises(RefusedError, match="REFLECT_API_KEY") as raised:
        client.list_traces()
    error = raised.value
    words = error.response.json()["error"]["message"]
    assert error.message.startswith(words)
    assert (error.code, error.status) == ("unauthorized", 401)
    assert error.request_id
    assert "rf_live_nobody" not in str(error)


def test_a_key_of_another_project_is_told_in_the_servers_words(server, client, project_id):
    made = client.create_api_key(label="mine", scopes=["trace:read"])
    other = ReflectClient(base_url=server.url, api_key=made.api_key, project_id=f"{project_id}-other")
    with pytest.raises(RefusedError, match="REFLECT_PROJECT_ID") as raised:
        other.list_traces()
    assert raised.value.code == "forbidden"


def test_a_wrong_field_is_named(client):
    with pytest.raises(RefusedError, match="between 0 and 1") as raised:
        client.query_memories("t", lambda_=7.0)
    assert (raised.value.code, raised.value.path) == ("invalid_request", "lambda")


def test_a_refusal_is_what_older_code_catches(client):
    with pytest.raises(httpx.HTTPStatusError) as raised:
        client.get_trace(str(uuid.uuid4()))
    assert raised.value.response.status_code == 404
    assert raised.value.request.method == "GET"
    assert isinstance(raised.value, ReflectError)


def test_a_server_that_is_down_is_told_with_its_url():
    client = ReflectClient(base_url="http://127.0.0.1:9", api_key="key", retries=0)
    with pytest.raises(UnreachableError, match=r"http://127\.0\.0\.1:9 cannot be reached.*is it running\?") as raised:
        client.health()
    assert isinstance(raised.value, httpx.ConnectError)


async def test_a_server_that_is_down_is_told_asynchronously():
    client = ReflectClient(base_url="http://127.0.0.1:9", api_key="key", retries=0)
    with pytest.raises(httpx.ConnectError, match="is it running"):
        await client.health_async()


@pytest.mark.parametrize("url", ["localhost:8000", "ftp://localhost", "nonsense", "http://[", "http://"])
def test_a_url_that_is_none_is_told(url):
    client = ReflectClient(base_url=url, api_key="key", retries=0)
    with pytest.raises((SettingsError, UnreachableError)):
        client.health()


def test_another_program_on_that_port_is_told():
    with scripted(Answer(200, b"<html>welcome</html>")) as other:
        client = ReflectClient(base_url=other.url, api_key="key")
        with pytest.raises(NotUnderstoodError, match="is a Reflect server there"):
            client.list_projects()
    with scripted(Answer(404, b"<html>nothing here</html>")) as other:
        client = ReflectClient(base_url=other.url, api_key="key")
        with pytest.raises(RefusedError, match="answered 404 without saying why; is a Reflect server there") as raised:
            client.list_projects()
    assert raised.value.code == "http_404"


def test_a_skill_that_is_not_there_because_the_url_is_wrong_is_an_error_and_not_none():
    with scripted(Answer(404, b"<html>nothing here</html>")) as other:
        client = ReflectClient(base_url=other.url, api_key="key")
        with pytest.raises(RefusedError):
            client.get_skill()


def test_a_redirect_is_told_and_not_followed():
    with scripted(Answer(301, b"", {"Location": "https://elsewhere.example/"})) as other:
        client = ReflectClient(base_url=other.url, api_key="key")
        with pytest.raises(httpx.HTTPStatusError, match=r"redirects to `https://elsewhere\.example/`"):
            client.list_projects()
    assert len(other.requests) == 1


def test_a_missing_key_is_told_before_anything_is_sent():
    with pytest.raises(SettingsError, match="REFLECT_API_KEY"):
        ReflectClient(base_url="http://127.0.0.1:9").list_traces()


@pytest.mark.parametrize("key", ["rf_live_secret\nx", "rf_live_sécret", "rf_live_secret🔑", "rf_live_secret\x00"])
def test_a_key_that_cannot_be_one_is_told_and_not_shown(server, key):
    with pytest.raises(SettingsError, match="the API key holds characters") as raised:
        ReflectClient(base_url=server.url, api_key=key).list_projects()
    shown = "".join(traceback.format_exception(raised.value))
    assert "secret" not in shown
    with pytest.raises(SettingsError, match="the header `X-Bootstrap-Token`"):
        ReflectClient.bootstrap(base_url=server.url, bootstrap_token="a\nb", user_id="ada", project_id="p")


def test_the_line_break_behind_a_key_out_of_a_file_does_no_harm(server):
    assert ReflectClient(base_url=server.url, api_key=f"{MASTER_KEY}\n").list_projects() is not None


def test_a_scope_that_is_missing_is_told_in_the_servers_words_alone(server, client):
    made = client.create_api_key(label="mine", scopes=["trace:read"])
    reader = ReflectClient(base_url=server.url, api_key=made.api_key, project_id=client.project_id)
    with pytest.raises(RefusedError) as raised:
        reader.create_trace(task="t", trajectory="said")
    assert raised.value.message == raised.value.response.json()["error"]["message"]
    assert "trace:write" in raised.value.message


def test_a_url_that_goes_too_far_is_told(server):
    client = ReflectClient(base_url=f"{server.url}/v1", api_key=MASTER_KEY)
    with pytest.raises(RefusedError, match="REFLECT_API_URL, is the server's address without `/v1`"):
        client.list_traces()


def test_https_where_there_is_none_is_told(server):
    client = ReflectClient(base_url=server.url.replace("http:", "https:"), api_key=MASTER_KEY, retries=0)
    with pytest.raises(UnreachableError, match="does it speak HTTPS"):
        client.list_traces()


def test_an_empty_id_is_refused_rather_than_meaning_the_list(client):
    with pytest.raises(SettingsError, match="empty"):
        client.get_trace("")


def test_what_is_no_json_is_told(client):
    with pytest.raises(TypeError, match="cannot be sent as JSON"):
        client.create_trace(task="t", trajectory=[{"role": "user", "content": object()}])
    with pytest.raises(ValueError, match="Out of range float"):
        client.create_trace(task="t", trajectory="said", metadata={"x": float("nan")})


def test_no_secret_is_in_a_repr(client):
    made = client.create_api_key(label="mine", scopes=["trace:read"])
    assert made.api_key not in repr(made)
    assert MASTER_KEY not in repr(client)
