"""A run of the OpenAI Agents SDK.

pip install reflect-memory openai-agents
export REFLECT_API_KEY=… REFLECT_PROJECT_ID=shop OPENAI_API_KEY=…
python openai_agents_sdk.py "Where is order 7?"
"""

import asyncio
import os

from agents import Agent, Runner, function_tool, set_tracing_disabled
from orders import get_order, review, task

from reflect_sdk import ReflectClient
from reflect_sdk.converters import from_openai_agents

MODEL = os.environ.get("OPENAI_MODEL", "gpt-5.4-mini")


async def main() -> None:
    set_tracing_disabled(True)
    clerk = Agent(name="clerk", model=MODEL, tools=[function_tool(get_order)])
    async with ReflectClient.from_env() as reflect, reflect.trace_async(task(), limit=3, blocking=True) as ctx:
        run = await Runner.run(clerk, ctx.augmented_task)
        result, feedback = review(run.final_output)
        ctx.set_output(trajectory=from_openai_agents(run), result=result, feedback_text=feedback, model=MODEL)
        print(f"{len(ctx.memories)} memories, {result}: {run.final_output}")


if __name__ == "__main__":
    asyncio.run(main())
