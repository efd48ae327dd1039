"""The model that other tests lean on: it answers, it counts, and it keeps to a schema."""

import json

import httpx

from real_model import MODEL_NAME

SCHEMA = {
    "type": "object",
    "properties": {"summary": {"type": "string", "maxLength": 40}},
    "required": ["summary"],
    "additionalProperties": False,
}


def test_the_model_writes_json_of_a_schema_and_counts_its_tokens(real_model):
    request = {
        "model": MODEL_NAME,
        "messages": [{"role": "user", "content": "Write a lesson about checking dates."}],
        "max_tokens": 120,
        "temperature": 0,
        "response_format": {"type": "json_schema", "json_schema": {"name": "lesson", "schema": SCHEMA}},
    }
    answer = httpx.post(f"{real_model}/chat/completions", json=request, timeout=120, trust_env=False)
    assert answer.status_code == 200, answer.text
    body = answer.json()
    lesson = json.loads(body["choices"][0]["message"]["content"])
    assert list(lesson) == ["summary"] and isinstance(lesson["summary"], str)
    assert body["usage"]["prompt_tokens"] > 0 and body["usage"]["completion_tokens"] > 0
