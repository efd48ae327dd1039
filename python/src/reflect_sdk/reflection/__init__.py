"""Reflection on anything, in three steps: analyze, insight, suggest."""

from .verdict import ReadVerdict, Verdict, VerdictSource, parse_verdict

__all__ = ["ReadVerdict", "Verdict", "VerdictSource", "parse_verdict"]
