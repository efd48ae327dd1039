"""The JSON of a request."""

from __future__ import annotations

import dataclasses
import json
from datetime import date, datetime
from typing import Any
from uuid import UUID


def encode(value: Any) -> bytes:
    """UTF-8, or plain ASCII where the text has lone surrogates, which JSON can spell and UTF-8 cannot."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, default=_plain)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False, default=_plain).encode()


def _plain(value: Any) -> Any:
    """What messages of the frameworks are made of, beyond JSON."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", exclude_none=True)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, (datetime, date)):
        return value.isoformat()
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(
        f"a {type(value).__name__} cannot be sent as JSON; see `reflect_sdk.converters` for messages of frameworks"
    )
