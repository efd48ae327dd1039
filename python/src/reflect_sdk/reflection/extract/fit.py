"""How well an object fits a shape."""

from __future__ import annotations

from typing import Any, NamedTuple

from .coerce import can_become
from .names import find_key
from .shape import Kind, Shape, ShapeKey


class Fit(NamedTuple):
    """How well an object fits."""

    fits: bool
    """It has everything that is required, and something that is known."""
    known_keys: int
    """How many of the known keys it has. When any object fits: whether it has any key at all."""


def fit(value: dict[str, Any], shape: Shape) -> Fit:
    """Looks at the keys and at whether their values can become what the shape asks for."""
    if not shape.keys:
        return Fit(True, int(bool(value)))

    def has(key: ShapeKey) -> bool:
        found = find_key(value, key.name)
        return found is not None and can_become(value[found], key.kind)

    known_keys = sum(has(key) for key in shape.keys)
    complete = all(has(key) for key in shape.keys if key.required)
    return Fit(complete and known_keys > 0, known_keys)


def fits_as_it_is(value: dict[str, Any], shape: Shape) -> bool:
    """Whether an object inside another one may be the answer: what is required is there in its own kind.

    A schema that describes the answer has the same keys, with objects under them.
    """

    def is_plain(key: ShapeKey) -> bool:
        found = find_key(value, key.name)
        if found is None:
            return not key.required
        return not isinstance(value[found], dict) or key.kind is Kind.ANY

    return fit(value, shape).fits and all(is_plain(key) for key in shape.keys)
