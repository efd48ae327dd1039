"""`reflect-sdk` and `reflect-memory` own the same import name: installed together they overwrite each other's files."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path


def check_alone() -> None:
    """Raises where the other package lies in the same folder. Elsewhere on the path it does no harm."""
    try:
        other = distribution("reflect-sdk")
    except PackageNotFoundError:
        return
    if Path(str(other.locate_file("reflect_sdk"))).resolve() == Path(__file__).resolve().parent:
        raise ImportError(
            f"`reflect-sdk` {other.version} and `reflect-memory` are both installed, and both are imported as `reflect_sdk`, so "
            "each has overwritten files of the other; run `pip uninstall reflect-sdk reflect-memory` and then "
            "`pip install reflect-memory`, which runs code written for `reflect-sdk` unchanged"
        )
