"""The brackets that are open, and what they hold so far.

They are a list of their own, so depth costs memory and no recursion.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from .notes import Notes

MOST_LEVELS = 100
"""Values nested deeper than this are left out: nobody means one."""


class Wants(Enum):
    """What may come next inside a bracket."""

    KEY_OR_END = 0
    VALUE = 1
    COMMA_OR_END = 2


class _Frame:
    __slots__ = ("after_comma", "key", "value", "wants")

    def __init__(self, value: dict[str, Any] | list[Any], wants: Wants) -> None:
        self.value = value
        self.key = ""
        self.wants = wants
        self.after_comma = False


class Frames:
    """Open brackets, the outermost first. The outermost is an object."""

    def __init__(self) -> None:
        self._stack: list[_Frame] = []
        self._open_arrays = 0
        self.notes = Notes()
        self.open_object()

    def open_object(self) -> None:
        self._stack.append(_Frame({}, Wants.KEY_OR_END))

    def open_array(self) -> None:
        self._open_arrays += 1
        self._stack.append(_Frame([], Wants.VALUE))

    def depth(self) -> int:
        return len(self._stack)

    def has_open_arrays(self) -> bool:
        return self._open_arrays > 0

    def wants(self) -> Wants:
        return self._stack[-1].wants

    def in_array(self) -> bool:
        return bool(self._stack) and isinstance(self._stack[-1].value, list)

    def set_key(self, name: str) -> None:
        """A key of the innermost object; its value comes next."""
        self._stack[-1].wants = Wants.VALUE
        self._stack[-1].key = name

    def go_on(self, *, after_comma: bool) -> None:
        """Another key or item comes next, after a comma or where one is missing."""
        frame = self._stack[-1]
        frame.wants = Wants.VALUE if isinstance(frame.value, list) else Wants.KEY_OR_END
        frame.after_comma = after_comma

    def put(self, value: Any) -> None:
        """A value of the innermost bracket."""
        frame = self._stack[-1]
        frame.wants = Wants.COMMA_OR_END
        if isinstance(frame.value, list):
            frame.value.append(value)
            return
        if frame.key in frame.value:
            self.notes.add("duplicate_key", frame.key)
        frame.value[frame.key] = value
        frame.key = ""

    def close_one(self) -> dict[str, Any] | None:
        """Closes the innermost bracket. Hands out the whole object when it was the outermost."""
        level = len(self._stack)
        if level == 0:
            return None
        frame = self._stack.pop()
        if frame.after_comma and frame.wants is not Wants.COMMA_OR_END:
            self.notes.add("commas")
        if isinstance(frame.value, list):
            self._open_arrays -= 1
        else:
            if frame.wants is Wants.VALUE:
                self.notes.add("literals")
                frame.value[frame.key] = None
            if level == 1:
                return frame.value
        if level > MOST_LEVELS:
            self.notes.add("too_deep")
            self.put(None)
        else:
            self.put(frame.value)
        return None

    def close_all(self) -> dict[str, Any]:
        """Closes everything where the object broke off; a key that got no value is left out."""
        while self._stack:
            self._stack[-1].after_comma = False
            self._stack[-1].wants = Wants.COMMA_OR_END
            whole = self.close_one()
            if whole is not None:
                return whole
        return {}
