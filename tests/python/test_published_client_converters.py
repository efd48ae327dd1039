"""The published client: what its converters make of other frameworks' runs, stored and read back unchanged."""

from types import SimpleNamespace

from reflect_sdk import from_deepagents, from_openai_agents

from runs import POLL_S

CALL = {"id": "c1", "type": "function", "function": {"name": "get_order", "arguments": '{"id": 7}'}}


class DeepAgentsMessage:
    """As much of a LangGraph message as the converter looks at."""

    def __init__(self, type: str, **fields):
        self.type = type
        self.fields = fields

    def model_dump(self, mode: str) -> dict:
        return {"type": self.type, **self.fields}


def stored(client, trajectory):
    return client.create_trace_and_wait(
        task="where is order 7?", trajectory=trajectory, review_result="pass", poll_interval=POLL_S
    )


def test_a_run_of_openai_agents_is_stored_as_converted(client):
    items = [
        {"role": "user", "content": "where is order 7?"},
        {"type": "function_call", "call_id": "c1", "name": "get_order", "arguments": '{"id": 7}'},
        {"type": "function_call_output", "call_id": "c1", "output": "shipped"},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "It was shipped."}]},
    ]
    trajectory = from_openai_agents(SimpleNamespace(to_input_list=lambda: items, final_output="It was shipped."))
    trace = stored(client, trajectory)
    assert trace.trajectory == trajectory
    assert trace.trajectory[1]["tool_calls"] == [CALL]
    assert trace.final_response == "It was shipped."


def test_a_run_of_deepagents_is_stored_as_converted(client):
    messages = [
        DeepAgentsMessage("human", content="where is order 7?"),
        DeepAgentsMessage("ai", content="", tool_calls=[{"id": "c1", "name": "get_order", "args": {"id": 7}}]),
        DeepAgentsMessage("tool", content="shipped", tool_call_id="c1", name="get_order"),
        DeepAgentsMessage("ai", content=[{"type": "text", "text": "It was shipped."}]),
    ]
    trajectory = from_deepagents(messages)
    trace = stored(client, trajectory)
    assert trace.trajectory == trajectory
    assert [message["role"] for message in trace.trajectory] == ["user", "assistant", "tool", "assistant"]
    assert trace.trajectory[1]["tool_calls"][0]["function"] == {"name": "get_order", "arguments": {"id": 7}}
    assert trace.final_response == "It was shipped."
