"""The reflector for anything: named values in, a reflection out, by way of a judge."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Callable
from typing import Any, Literal

from .answer import SHAPE, add_new, read_answer, read_lists
from .extract import Extracted, ParseStatus, extract_json
from .kinds import ReflectionLevel, ReflectionType
from .prompt import SYSTEM_PROMPT, as_json, second_look, section, sections_of
from .reflector import Reflector

NO_JUDGE = "No judge callable provided"


class GeneralReflector(Reflector):
    """Reflects on whatever a context holds by asking a judge: a callable from prompt to text, async or not.

    `input`, `output`, `error` and `iteration` come first in the prompt, then every other key by name; a
    `ReflectionHistory` under `history` is shown as past reflections. Every level is one call:

    | level | what is done |
    |---|---|
    | shallow | values are cut to 2,000 characters, lists to one entry |
    | medium, deep | values are cut to 20,000 characters |
    | meta | past reflections are shown, and the question is what they have in common |

    Args:
        judge: Called with the prompt. A plain function runs in a thread. Without a judge, the result says so.
        system_prompt: In place of the built-in one; an empty one is as none.
        name: Goes into each result's metadata.
        reflection_type: What the results are about.
        level: How deep to go.
        second_look: Ask once more, with the first analysis shown, for what lies underneath: two calls a reflection.
        timeout: Seconds that each call may take, then `TimeoutError`; none or 0 for no limit.
        retries: How often a call that raised is made again, at once.
        re_asks: How often an answer that cannot be read is asked for again, with what was wrong.
        on_failure: `"fail"` raises what the judge raised; `"degrade"` answers without it, and marks the result.
        redact: Takes out of the material what the judge must not see.

    The metadata of a result has `parse_status` (`clean`, `repaired`, `fallback`), `parse_notes`, `raw`, `spent`; and
    where they apply `parse_error`, `error`, `degraded`, `history_size`.
    """

    def __init__(
        self,
        judge: Any = None,
        *,
        system_prompt: str | None = None,
        name: str = "general_reflector",
        reflection_type: ReflectionType = ReflectionType.INSIGHT,
        level: ReflectionLevel = ReflectionLevel.DEEP,
        second_look: bool = False,
        timeout: float | None = None,
        retries: int = 0,
        re_asks: int = 0,
        on_failure: Literal["fail", "degrade"] = "fail",
        redact: Callable[[str], str] | None = None,
    ) -> None:
        super().__init__(name, reflection_type, level)
        self.judge = judge
        self.system_prompt = system_prompt or SYSTEM_PROMPT
        self.second_look = second_look
        self.timeout = timeout
        self.retries = retries
        self.re_asks = re_asks
        self.on_failure = on_failure
        self.redact = redact

    def prompt(self, context: dict[str, Any]) -> str:
        """The prompt for a context: the system prompt, a blank line, and the sections."""
        return self._prompt(self._body(context))

    async def analyze(self, context: dict[str, Any]) -> dict[str, Any]:
        """Asks the judge and reads its answer; `parse_error` is set where that could not be read."""
        if self.judge is None:
            degraded = {"degraded": True, "error": "no judge was given"}
            return {"summary": NO_JUDGE, "error": True, "metadata": degraded}
        body = self._body(context)
        spent = {"calls": 0, "millis": 0}
        try:
            found = await self._ask_and_read(body, spent)
        except Exception as error:
            if self.on_failure == "fail":
                raise
            return {"summary": f"No reflection: {_said(error)}", "metadata": self._degraded(error, spent)}
        analysis = read_answer(found, self.level)
        metadata: dict[str, Any] = analysis["metadata"]
        if self.second_look and found.status is not ParseStatus.FALLBACK:
            try:
                await self._look_deeper(body, analysis, spent)
            except Exception as error:
                if self.on_failure == "fail":
                    raise
                # What the first look found is worth keeping, and the mark says that it is not all.
                metadata.update(self._degraded(error, spent))
        if self.level == ReflectionLevel.META:
            metadata["history_size"] = getattr(context.get("history"), "total_count", 0)
        metadata["spent"] = spent
        return analysis

    async def _look_deeper(self, body: str, analysis: dict[str, Any], spent: dict[str, int]) -> None:
        found = await self._ask_and_read(second_look(body, analysis), spent)
        if found.status is ParseStatus.FALLBACK:
            analysis["metadata"]["error"] = "the second answer could not be read"
        for key, texts in read_lists(found.value or {}).items():
            add_new(analysis[key], texts)
        for key, value in (found.value or {}).items():
            analysis.setdefault(key, value)

    async def _ask_and_read(self, body: str, spent: dict[str, int]) -> Extracted:
        asked_again = 0
        while True:
            found = extract_json(await self._ask_and_retry(body, spent), SHAPE)
            if found.status is not ParseStatus.FALLBACK or asked_again >= self.re_asks:
                return found
            asked_again += 1
            notes = as_json([note.to_json() for note in found.notes])
            problem = f"The last answer could not be read as a JSON object with the keys above ({notes}). Answer again."
            body = f"{body}\n{section('Problem', problem)}"

    async def _ask_and_retry(self, body: str, spent: dict[str, int]) -> str:
        prompt = self._prompt(body)
        failed = 0
        while True:
            begun = time.monotonic()
            spent["calls"] += 1
            try:
                return await asyncio.wait_for(self._ask(prompt), self.timeout or None)
            except Exception:
                if failed >= self.retries:
                    raise
                failed += 1
            finally:
                spent["millis"] += int((time.monotonic() - begun) * 1000)

    async def _ask(self, prompt: str) -> str:
        is_async = inspect.iscoroutinefunction(self.judge) or inspect.iscoroutinefunction(
            getattr(self.judge, "__call__", None)  # noqa: B004 (an object may be called by an async method)
        )
        reply = self.judge(prompt) if is_async else await asyncio.to_thread(self.judge, prompt)
        if inspect.isawaitable(reply):
            reply = await reply
        return "" if reply is None else str(reply)

    def _body(self, context: dict[str, Any]) -> str:
        body = sections_of(context, self.level)
        return self.redact(body) if self.redact else body

    def _prompt(self, body: str) -> str:
        return f"{self.system_prompt.rstrip()}\n\n{body}"

    def _degraded(self, error: Exception, spent: dict[str, int]) -> dict[str, Any]:
        return {"degraded": True, "error": _said(error), "spent": spent}


def _said(error: Exception) -> str:
    return str(error) or type(error).__name__
