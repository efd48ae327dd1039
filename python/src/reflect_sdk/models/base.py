"""Reading dataclasses from the server's JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar, cast

M = TypeVar("M", bound="Model")


@dataclasses.dataclass(slots=True)
class Model:
    """An object of the protocol. Fields that a newer server adds are left out; fields that an older one lacks take their defaults."""

    nested: ClassVar[Mapping[str, Any]] = {}
    """The fields that are objects themselves, and how each is read."""

    @classmethod
    def from_api(cls: type[M], payload: Mapping[str, Any]) -> M:
        """Reads one from the server's JSON."""
        known = {name: payload[wire] for name, wire in _wire_names(cast("Any", cls)) if wire in payload}
        for name, read in cls.nested.items():
            if known.get(name) is not None:
                known[name] = read(known[name])
        return cls(**known)


@cache
def _wire_names(model: Any) -> tuple[tuple[str, str], ...]:
    """Each field beside its name on the wire: `lambda_` is `lambda` there."""
    return tuple(
        (field.name, field.metadata.get("wire", field.name.rstrip("_"))) for field in dataclasses.fields(model)
    )
