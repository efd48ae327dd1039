"""What a reflection is about, and how deep it goes."""

from __future__ import annotations

from enum import Enum


class _TextEnum(str, Enum):
    """Members that are their texts, printed as such: what `enum.StrEnum` is from Python 3.11 on."""

    def __str__(self) -> str:
        return str(self.value)

    def __format__(self, spec: str) -> str:
        return format(str(self.value), spec)


class ReflectionType(_TextEnum):
    """Category of a reflection. Compares with plain strings: `ReflectionType.FAILURE == "failure"`."""

    SUCCESS = "success"
    FAILURE = "failure"
    OPTIMIZATION = "optimization"
    PATTERN = "pattern"
    INSIGHT = "insight"


class ReflectionLevel(_TextEnum):
    """Depth of a reflection.

    What each one does is the reflector's business; `GeneralReflector` says what it makes of them.
    """

    SHALLOW = "shallow"
    MEDIUM = "medium"
    DEEP = "deep"
    META = "meta"
