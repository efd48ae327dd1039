"""Telling lists and objects of JSON, so that type checkers know what is in them."""

from __future__ import annotations

from typing import Any, TypeGuard


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether this is a list."""
    return isinstance(value, list)


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether this is an object; its keys are texts, as all that is read from JSON."""
    return isinstance(value, dict)
