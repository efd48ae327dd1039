"""How objects look in a terminal and in a notebook."""

import io
import sys

import pytest

from agent_runs import author, conversation, learn
from reflect_sdk import Memory, ReflectClient, progress
from reflect_sdk.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_repr_is_one_short_line(client):
    author(client, "sort a list", guidance="x" * 5000)
    [memory] = client.query_memories("sort a list")
    assert len(repr(memory)) < 400
    assert repr(memory).startswith("Memory(id='")
    client.create_trace(task="t" * 5000, trajectory=conversation("q" * 5000, "a" * 5000))
    for trace in client.list_traces():
        assert len(repr(trace)) < 500
        assert "\n" not in repr(trace)
    assert (
        repr(ReflectClient(api_key="secret")) == "ReflectClient(base_url='http://localhost:8000', project_id='default')"
    )


def test_lists_are_tables_in_a_notebook(client):
    author(client, "sort <b>names</b>")
    for items in (client.query_memories("sort"), client.list_memories(), client.list_traces()):
        html = items._repr_html_()
        assert html.startswith("<table>")
        assert "sort &lt;b&gt;names&lt;/b&gt;" in html
        assert "<b>" not in html
    client.delete_project()
    assert client.list_traces()._repr_html_() == "<p>none</p>"


def test_a_memory_and_a_trace_are_cards_in_a_notebook(client):
    memory_id = author(client, "sort <b>names</b>", guidance="Use <i>sorted</i>.")
    [memory] = client.query_memories("sort")
    for html in (memory._repr_html_(), client.get_memory(memory_id)._repr_html_()):
        assert "Use &lt;i&gt;sorted&lt;/i&gt;." in html
        assert "<i>" not in html
    calls = [{"id": "c1", "type": "function", "function": {"name": "sort", "arguments": "<script>"}}]
    messages = [
        {"role": "user", "content": [{"type": "text", "text": "sort & answer"}, {"type": "image_url"}]},
        {"role": "assistant", "content": None, "tool_calls": calls},
    ]
    html = client.get_trace(client.create_trace(task="sort them", trajectory=messages).id)._repr_html_()
    assert "sort &amp; answer\n…" in html
    assert "→ sort(&lt;script&gt;)" in html


def test_a_long_list_is_an_item_a_line_and_no_longer_than_a_screen(client):
    for number in range(22):
        client.create_trace(task=f"sort list {number}", trajectory="said")
    lines = repr(client.list_traces()).split("\n")
    assert len(lines) == 21
    assert lines[0].startswith("[Trace(id=")
    assert lines[-1] == " … and 2 more]"
    assert repr(client.list_memories()) == "[]"


def test_a_review_says_first_how_it_went(client):
    trace = learn(client, "sort a list", result="fail", feedback_text="not sorted")
    assert "review=Review(result='fail', feedback_text='not sorted'" in repr(trace)


def test_an_augmented_task_is_short_in_a_terminal_and_whole_in_a_notebook(client):
    author(client, "sort a list", guidance="x" * 5000)
    augmented = client.augment_with_memories("sort a list")
    assert len(repr(augmented)) < 400
    assert repr(augmented).startswith("AugmentedTask(task='sort a list'")
    html = augmented._repr_html_()
    assert "&lt;relevant_memories&gt;" in html
    assert html.count("<table>") == 2


def test_a_skill_is_a_document_in_a_notebook(client):
    for number in range(5):
        author(client, f"sort list {number}")
    skill = client.create_skill()
    assert skill._repr_markdown_() == skill.content


def test_a_context_says_what_it_is_about(client):
    with client.trace("sort a list") as ctx:
        assert repr(ctx) == "TraceContext(task='sort a list', memories=[], trace_id=None)"


def test_a_memory_can_be_made_as_older_code_made_it():
    memory = Memory("m1", "t", "r", 0.5, 0.9, 0.7, True)
    payload = {
        "id": "m1",
        "task": "t",
        "reflection": "r",
        "q_value": 0.5,
        "similarity": 0.9,
        "score": 0.7,
        "success": True,
    }
    assert memory == Memory.from_api({**payload, "of_a_newer_server": 1})


def test_a_terminal_sees_how_far_it_is_and_a_clean_line_in_the_end(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE_S", 0.0)
    monkeypatch.setattr(sys, "stderr", Terminal())
    with Progress("reviewing", total=1200) as bar:
        bar.show(600)
        line = sys.stderr.getvalue()
    assert line == "\rreviewing [############............] 600 of 1200, 0 s"
    assert sys.stderr.getvalue() == f"{line}\r{' ' * (len(line) - 1)}\r"


@pytest.mark.parametrize("silence", ["no terminal", "switched off", "over at once"])
def test_nothing_is_written_where_nobody_waits_or_watches(monkeypatch, silence):
    monkeypatch.setattr(progress, "PATIENCE_S", 60.0 if silence == "over at once" else 0.0)
    monkeypatch.setattr(sys, "stderr", io.StringIO() if silence == "no terminal" else Terminal())
    monkeypatch.setenv("REFLECT_PROGRESS", "0" if silence == "switched off" else "1")
    with Progress("waiting") as bar:
        bar.show()
    assert sys.stderr.getvalue() == ""
