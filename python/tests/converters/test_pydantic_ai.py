"""A run of Pydantic AI."""

from __future__ import annotations

from pydantic_ai import Agent, ImageUrl, ModelMessage, ModelResponse, ModelRetry, TextPart, ThinkingPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from reflect_sdk.converters import auto, from_pydantic_ai

from .stories import ANSWER, STORY, TASK, get_order, told

CALL = ToolCallPart("get_order", {"order_id": 7}, tool_call_id="call_1")


def clerk(*replies: ModelResponse) -> Agent[None, str]:
    """An agent whose model gives these replies."""
    left = list(replies)

    def reply(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return left.pop(0)

    return Agent(FunctionModel(reply))


async def test_a_run_with_a_tool() -> None:
    agent = clerk(ModelResponse([ThinkingPart("Look it up."), CALL]), ModelResponse([TextPart(ANSWER)]))
    agent.tool_plain(get_order)
    result = await agent.run(TASK)
    trajectory = from_pydantic_ai(result)
    assert told(trajectory) == STORY
    assert auto(result) == auto(result.all_messages()) == from_pydantic_ai(result.all_messages()) == trajectory


async def test_instructions_come_once_and_retries_are_errors() -> None:
    again = ToolCallPart("get_order", '{"order_id": 8}', tool_call_id="call_2")
    agent = clerk(ModelResponse([CALL]), ModelResponse([TextPart("Hm."), again]), ModelResponse([TextPart(ANSWER)]))
    asked: list[int] = []

    @agent.instructions
    def instructions() -> str:
        return "Be brief."

    @agent.tool_plain
    def get_order(order_id: int) -> dict[str, str]:
        asked.append(order_id)
        if len(asked) == 1:
            raise ModelRetry("no such order")
        return {"state": "shipped"}

    trajectory = auto(await agent.run([TASK, ImageUrl("https://example.org/label.png")]))
    assert told(trajectory)[0] == ("system", "Be brief.")
    assert told(trajectory)[1] == ("user", f"{TASK}\n[image-url]")
    assert trajectory[3]["is_error"]
    assert "no such order" in trajectory[3]["content"]
    assert told(trajectory)[-4:] == [
        ("assistant", "Hm."),
        ("call", "get_order", {"order_id": 8}),
        ("tool", 1, '{"state": "shipped"}'),
        ("assistant", ANSWER),
    ]
    assert [message["role"] for message in trajectory].count("system") == 1
