"""A run of the OpenAI Agents SDK."""

from __future__ import annotations

from agents import Agent, OpenAIResponsesModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI

from reflect_sdk.converters import auto, from_openai_agents

from .stories import (
    ANSWER,
    FUNCTION_CALL,
    REASONING,
    STORY,
    TASK,
    Endpoint,
    get_order,
    output_message,
    response,
    told,
)


async def test_a_run_with_a_tool() -> None:
    set_tracing_disabled(True)
    endpoint = Endpoint(response(REASONING, FUNCTION_CALL), response(output_message(ANSWER)))
    client = AsyncOpenAI(api_key="none", http_client=endpoint.async_client())
    model = OpenAIResponsesModel(model="m", openai_client=client)
    agent = Agent(name="clerk", model=model, tools=[function_tool(get_order)])
    result = await Runner.run(agent, TASK)
    trajectory = from_openai_agents(result)
    assert told(trajectory) == STORY
    assert auto(result) == trajectory
