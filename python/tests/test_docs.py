"""The snippets of `docs/python.md`, run as they stand there, one after the other, in local mode.

The server is the one of the tests, in an empty folder. `my_agent` is supplied; a snippet that awaits runs on an event loop.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from seed_snippets import run_snippet

GUIDE = Path(__file__).parents[2] / "docs" / "python.md"
SNIPPETS = re.findall(r"```python\n(.*?)```", GUIDE.read_text(), re.DOTALL)


async def test_the_guide_does_what_it_says(binary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REFLECT_BINARY", str(binary))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "guide", "my_agent": lambda prompt: f"the rows of {prompt[:20]}"}
    assert len(SNIPPETS) >= 10
    for snippet in SNIPPETS:
        await run_snippet(snippet, names)
    await names["client"].close_async()


def test_the_guide_names_every_converter() -> None:
    from reflect_sdk import converters

    text = GUIDE.read_text()
    assert [name for name in converters.__all__ if f"`{name}`" not in text] == []
