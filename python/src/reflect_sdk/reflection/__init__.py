"""Reflection on anything, in three steps: analyze, insight, suggest."""
