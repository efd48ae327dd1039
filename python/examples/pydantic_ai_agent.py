"""An agent of Pydantic AI.

pip install reflect-memory "pydantic-ai-slim[openai]"
export REFLECT_API_KEY=… REFLECT_PROJECT_ID=shop OPENAI_API_KEY=…
python pydantic_ai_agent.py "Where is order 7?"
"""

import asyncio
import os

from orders import get_order, review, task
from pydantic_ai import Agent
from pydantic_ai.models.openai import OpenAIChatModel

from reflect_sdk import ReflectClient
from reflect_sdk.converters import from_pydantic_ai

MODEL = os.environ.get("OPENAI_MODEL", "gpt-5.4-mini")


async def main() -> None:
    clerk = Agent(OpenAIChatModel(MODEL), tools=[get_order])
    async with ReflectClient.from_env() as reflect, reflect.trace_async(task(), limit=3, blocking=True) as ctx:
        run = await clerk.run(ctx.augmented_task)
        result, feedback = review(run.output)
        ctx.set_output(trajectory=from_pydantic_ai(run), result=result, feedback_text=feedback, model=MODEL)
        print(f"{len(ctx.memories)} memories, {result}: {run.output}")


if __name__ == "__main__":
    asyncio.run(main())
