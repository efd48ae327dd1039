"""Reflection on anything, in three steps: analyze, insight, suggest.

    from reflect_sdk.reflection import GeneralReflector, ReflectionHistory, ReflectionType

    reflector = GeneralReflector(judge=my_judge, reflection_type=ReflectionType.FAILURE)
    result = await reflector.reflect({"input": "…", "output": "…", "error": "…"})

It talks to no server and needs no key: the judge is whatever callable it is given.
"""

from .general import GeneralReflector
from .history import ReflectionHistory
from .kinds import ReflectionLevel, ReflectionType
from .redact import Redactor
from .reflector import Reflector
from .result import ReflectionResult
from .verdict import ReadVerdict, Verdict, VerdictSource, parse_verdict

__all__ = [
    "GeneralReflector",
    "ReadVerdict",
    "Redactor",
    "ReflectionHistory",
    "ReflectionLevel",
    "ReflectionResult",
    "ReflectionType",
    "Reflector",
    "Verdict",
    "VerdictSource",
    "parse_verdict",
]
