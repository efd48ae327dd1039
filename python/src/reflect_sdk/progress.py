"""A line on the terminal while something takes long. Silent where nobody watches: without a terminal, or with `REFLECT_PROGRESS=0`."""

from __future__ import annotations

import os
import sys
import time
from types import TracebackType

PATIENCE_S = 1.0
"""What ends sooner shows nothing."""

WIDTH = 24


class Progress:
    """One line on standard error, written over and over and wiped in the end.

    with Progress("reviewing", total=1200) as progress:
        progress.show(500)
    """

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what = what
        self._total = total
        self._began = time.monotonic()
        self._written = 0

    def __enter__(self) -> Progress:
        return self

    def show(self, done: int = 0) -> None:
        seconds = time.monotonic() - self._began
        if seconds >= PATIENCE_S and _is_watched():
            self._write(f"{self._what} {self._bar(done)}{seconds:.0f} s")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._written:
            self._write("")
            print(end="\r", file=sys.stderr, flush=True)

    def _bar(self, done: int) -> str:
        if not self._total:
            return ""
        filled = WIDTH * done // self._total
        return f"[{'#' * filled}{'.' * (WIDTH - filled)}] {done} of {self._total}, "

    def _write(self, line: str) -> None:
        print(f"\r{line:<{self._written}}", end="", file=sys.stderr, flush=True)
        self._written = max(self._written, len(line))


def _is_watched() -> bool:
    return os.environ.get("REFLECT_PROGRESS") != "0" and sys.stderr is not None and sys.stderr.isatty()
