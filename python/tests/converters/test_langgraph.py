"""A graph of LangGraph with LangChain's messages."""

from __future__ import annotations

from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

from reflect_sdk.converters import auto, from_deepagents, from_langchain, from_langgraph

from .stories import ANSWER, STORY, TASK, get_order, told

CALL = {"id": "call_1", "name": "get_order", "args": {"order_id": 7}}


def test_a_graph_with_a_tool() -> None:
    model = GenericFakeChatModel(messages=iter([AIMessage("", tool_calls=[CALL]), AIMessage(ANSWER)]))

    def ask(state: MessagesState) -> dict[str, list[BaseMessage]]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode([get_order]))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", tools_condition)
    graph.add_edge("tools", "ask")
    state = graph.compile().invoke({"messages": [HumanMessage(TASK)]})
    trajectory = from_langgraph(state)
    assert told(trajectory) == STORY
    assert trajectory[1]["tool_calls"][0]["function"] == {"name": "get_order", "arguments": {"order_id": 7}}
    assert trajectory[2]["name"] == "get_order"
    assert auto(state) == auto(state["messages"]) == from_deepagents(state["messages"]) == trajectory


def test_every_kind_of_message_has_its_role() -> None:
    messages: list[BaseMessage] = [
        SystemMessage("Be brief."),
        HumanMessage(
            [{"type": "text", "text": "what is"}, {"type": "text", "text": "this?"}, {"type": "image", "url": "u"}]
        ),
        AIMessageChunk("A cat."),
        ChatMessage("Noted.", role="critic"),
        ToolMessage("no such order", tool_call_id="c", status="error"),
    ]
    assert from_langchain(messages) == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "what is\nthis?\n[image]"},
        {"role": "assistant", "content": "A cat."},
        {"role": "critic", "content": "Noted."},
        {"role": "tool", "tool_call_id": "c", "content": "no such order", "is_error": True},
    ]
    assert auto(messages) == from_langchain(messages)
    assert from_langchain(messages[0]) == from_langchain(messages)[:1]


def test_calls_that_could_not_be_read_are_kept() -> None:
    broken = {"id": "c", "name": "get_order", "args": "{order_id: 7", "error": "no JSON", "type": "invalid_tool_call"}
    [message] = from_langchain([AIMessage("", invalid_tool_calls=[broken])])
    assert message["tool_calls"][0]["function"] == {"name": "get_order", "arguments": "{order_id: 7"}
