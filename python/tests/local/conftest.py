"""A folder for local mode, and a look at what is left of it afterwards."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from local.users import Folder


@pytest.fixture
def folder(tmp_path: Path, binary: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    """After the test, no server may be left, and the folder must open at once."""
    monkeypatch.setenv("REFLECT_BINARY", str(binary))
    monkeypatch.setenv("REFLECT_UNTIL_UNUSED", "1")
    folder = Folder(tmp_path / "data")
    yield folder
    folder.wait_until_unused()
    assert not (folder.path / "lease.sock").exists()
    assert not (folder.path / "reflect.db-wal").exists()
