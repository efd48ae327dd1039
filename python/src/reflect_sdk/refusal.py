"""Reading an answer that is not a success."""

from __future__ import annotations

from contextlib import suppress
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from reflect_sdk.errors import RefusedError


def refusal(response: httpx.Response) -> RefusedError:
    """The error that an answer of status 300 or more is."""
    envelope = _envelope(response)
    if envelope is None:
        return RefusedError(
            _silent(response),
            code=f"http_{response.status_code}",
            response=response,
            retry_after=_retry_after(response),
        )
    message = str(envelope["message"])
    if hint := _hint(response, message):
        message = f"{message}; {hint}"
    return RefusedError(
        message,
        code=str(envelope["code"]),
        response=response,
        path=envelope.get("path"),
        request_id=envelope.get("request_id"),
        retry_after=_retry_after(response),
    )


def was_turned_away(response: httpx.Response) -> bool:
    """Whether our server said no before anything was done. A proxy's words say nothing about that."""
    return response.status_code in (429, 503) and _envelope(response) is not None


def _envelope(response: httpx.Response) -> dict[str, Any] | None:
    with suppress(ValueError, KeyError, TypeError):
        error = response.json()["error"]
        if "code" in error and "message" in error:
            return dict(error)
    return None


def _hint(response: httpx.Response, message: str) -> str | None:
    """What helps beyond the server's own words."""
    if response.status_code == 401:
        return "check `api_key`, or REFLECT_API_KEY"
    if response.status_code == 403 and "scope" not in message:
        return "check `project_id`, or REFLECT_PROJECT_ID"
    if response.status_code == 404 and response.url.path.split("/").count("v1") > 1:
        return "`base_url`, or REFLECT_API_URL, is the server's address without `/v1`"
    return None


def _silent(response: httpx.Response) -> str:
    server = f"{response.url.scheme}://{response.url.netloc.decode()}"
    if response.is_redirect:
        return f"{server} redirects to `{response.headers['location']}`; give that URL instead"
    return f"{server} answered {response.status_code} without saying why; is a Reflect server there?"


def _retry_after(response: httpx.Response) -> float | None:
    value = response.headers.get("retry-after")
    if value is None:
        return None
    with suppress(ValueError):
        return max(0.0, float(value))
    with suppress(ValueError):
        return max(0.0, (parsedate_to_datetime(value) - datetime.now(timezone.utc)).total_seconds())
    return None
