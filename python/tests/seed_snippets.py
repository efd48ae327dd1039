"""Takes the snippets out of a seed document's text, and runs them.

The documents were copied from web pages, so that little or nothing marks where code begins and ends.
"""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_CONTINUES = re.compile(r"\s|$|\)|@|#|from |import |class |(async )?def |(async )?with |if |for |[a-z_.]+( = |\()")
_BEGINS = re.compile(r'"""|@|#|from |import |class |(async )?def |(async )?with |[a-z_.]+( = |\()')
_COMMAND = re.compile(r"(export|pip|python) ")
_SYNTAX = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

needs_documents = pytest.mark.skipif(
    "REFLECT_SEEDS" not in os.environ, reason="the documents are not part of the repository"
)


def document(number: str) -> str:
    """The text of a document, which lies in the folder that `REFLECT_SEEDS` names."""
    [path] = Path(os.environ["REFLECT_SEEDS"]).glob(f"{number}_*.txt")
    return path.read_text()


def beside(test_file: str) -> dict[str, str]:
    """The snippets that lie beside a test, in their order, by the name behind their number."""
    return {path.stem[3:]: path.read_text() for path in sorted(Path(test_file).parent.glob("*.txt"))}


def marked_snippets(text: str) -> Iterator[str]:
    """The snippets of a document that says `python` above each, even those that are no whole program.

    One ends before the first line that is not indented and does not begin as code does.
    """
    _, *parts = re.split(r"^python$\n", text, flags=re.MULTILINE)
    for part in parts:
        first, *rest = part.split("\n")
        lines = [first]
        for line in rest:
            if not _CONTINUES.match(line):
                break
            lines.append(line)
        yield "\n".join(lines).rstrip() + "\n"


def unmarked_snippets(text: str) -> Iterator[str]:
    """The snippets of a document that marks none: from each line that begins as code does, the most lines that are Python together."""
    lines = text.split("\n")
    start = 0
    while start < len(lines):
        ends = range(len(lines), start, -1) if _BEGINS.match(lines[start]) else ()
        end = next((end for end in ends if _is_code("\n".join(lines[start:end]))), None)
        if end is not None:
            yield "\n".join(lines[start:end]).rstrip() + "\n"
        start = end or start + 1


def commands(text: str) -> list[str]:
    """The lines that are for a shell."""
    return [line for line in text.split("\n") if _COMMAND.match(line)]


def _is_code(text: str) -> bool:
    """Whether it is Python, and no statement in it is a word or a number, as headings and list marks are."""
    try:
        module = compile(text, "snippet", "exec", _SYNTAX)
    except SyntaxError:
        return False
    return not any(isinstance(statement, ast.Expr) and _is_bare(statement.value) for statement in module.body)


def _is_bare(value: ast.expr) -> bool:
    return isinstance(value, (ast.Name, ast.Attribute)) or (
        isinstance(value, ast.Constant) and not isinstance(value.value, str)
    )


async def run_snippet(code: str, names: dict[str, Any]) -> None:
    """Runs code with these names, and leaves its own among them; what it awaits at its top is awaited."""
    running = eval(compile(code, "snippet", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if inspect.isawaitable(running):
        await running
