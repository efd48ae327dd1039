"""The three steps of a reflection: analyze, insight, suggest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from .kinds import ReflectionLevel, ReflectionType
from .result import ReflectionResult


class Reflector(ABC):
    """Reflects in three steps. Only `analyze` has to be written; the others pass on what it found.

    >>> class Brief(Reflector):
    ...     async def analyze(self, context):
    ...         return {"summary": f"{context['output']} came out."}
    """

    def __init__(
        self,
        name: str = "reflector",
        reflection_type: ReflectionType = ReflectionType.INSIGHT,
        level: ReflectionLevel = ReflectionLevel.MEDIUM,
    ) -> None:
        self.name = name
        self.reflection_type = ReflectionType(reflection_type)
        self.level = ReflectionLevel(level)

    async def reflect(self, context: dict[str, Any]) -> ReflectionResult:
        """All three steps.

        Type and level come from the reflector, never from a model. The metadata is the analysis' own `metadata`, if it
        has some, and the reflector's name. An error of any step is raised as it is.
        """
        analysis = await self.analyze(context)
        derived = await self.insight(analysis)
        # Suggestions follow from insights, so what step 2 derived comes before what step 1 found. The rest of the
        # analysis goes along, for steps that were written to read it.
        actions = await self.suggest({**analysis, **derived})
        return ReflectionResult(
            reflection_type=self.reflection_type,
            level=self.level,
            summary=_text(analysis.get("summary")),
            key_findings=_texts(analysis.get("key_findings")),
            root_causes=_texts(analysis.get("root_causes")),
            insights=_texts(derived.get("insights")),
            suggestions=_texts(actions.get("suggestions")),
            metadata={**analysis.get("metadata", {}), "reflector": self.name},
        )

    @abstractmethod
    async def analyze(self, context: dict[str, Any]) -> dict[str, Any]:
        """Step 1: facts and findings, as `summary`, `key_findings`, `root_causes`, `insights`, `suggestions`."""

    async def insight(self, analysis: dict[str, Any]) -> dict[str, Any]:
        """Step 2: what follows from them. Passes on the analysis' insights."""
        return {"insights": analysis.get("insights", [])}

    async def suggest(self, insights: dict[str, Any]) -> dict[str, Any]:
        """Step 3: what to do. Gets the analysis with what step 2 derived over it, and passes on the suggestions."""
        return {"suggestions": insights.get("suggestions", [])}


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _texts(value: Any) -> list[str]:
    """A list of texts. One text is a list of one: going over it letter by letter is never meant."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    return [str(item) for item in value]
