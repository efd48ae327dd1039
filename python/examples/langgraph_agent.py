"""A graph of LangGraph: a model that may call a tool, again and again.

pip install reflect-memory langgraph langchain-openai
export REFLECT_API_KEY=… REFLECT_PROJECT_ID=shop OPENAI_API_KEY=…
python langgraph_agent.py "Where is order 7?"
"""

import os
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from orders import get_order, review, task

from reflect_sdk import ReflectClient
from reflect_sdk.converters import from_langgraph

MODEL = os.environ.get("OPENAI_MODEL", "gpt-5.4-mini")


def build_graph() -> Any:
    model = ChatOpenAI(model=MODEL).bind_tools([get_order])

    def ask(state: MessagesState) -> dict[str, Any]:
        return {"messages": [model.invoke(state["messages"])]}

    graph = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode([get_order]))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", tools_condition)
    graph.add_edge("tools", "ask")
    return graph.compile()


def main() -> None:
    with ReflectClient.from_env() as reflect, reflect.trace(task(), limit=3, blocking=True) as ctx:
        state = build_graph().invoke({"messages": [HumanMessage(ctx.augmented_task)]})
        answer = state["messages"][-1].text
        result, feedback = review(answer)
        ctx.set_output(trajectory=from_langgraph(state), result=result, feedback_text=feedback, model=MODEL)
        print(f"{len(ctx.memories)} memories, {result}: {answer}")


if __name__ == "__main__":
    main()
