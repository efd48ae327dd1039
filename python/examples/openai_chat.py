"""Plain OpenAI with a tool, in a block that fetches memories and submits the run.

pip install reflect-memory openai
export REFLECT_API_KEY=… REFLECT_PROJECT_ID=shop OPENAI_API_KEY=…
python openai_chat.py "Where is order 7?"
"""

import json
import os
from typing import Any

from openai import OpenAI
from orders import get_order, review, task

from reflect_sdk import ReflectClient
from reflect_sdk.converters import from_openai

MODEL = os.environ.get("OPENAI_MODEL", "gpt-5.4-mini")
PARAMETERS = {"type": "object", "properties": {"order_id": {"type": "integer"}}, "required": ["order_id"]}
TOOL: Any = {
    "type": "function",
    "function": {"name": "get_order", "description": get_order.__doc__, "parameters": PARAMETERS},
}


def solve(openai: OpenAI, messages: list[Any]) -> str:
    """Asks the model and runs its calls until it answers; appends everything to the messages."""
    while True:
        reply = openai.chat.completions.create(model=MODEL, messages=messages, tools=[TOOL]).choices[0].message
        messages.append(reply)
        if not reply.tool_calls:
            return reply.content or ""
        for call in reply.tool_calls:
            result = get_order(**json.loads(call.function.arguments))
            messages.append({"role": "tool", "tool_call_id": call.id, "content": result})


def main() -> None:
    with ReflectClient.from_env() as reflect, reflect.trace(task(), limit=3, blocking=True) as ctx:
        messages: list[Any] = [{"role": "user", "content": ctx.augmented_task}]
        answer = solve(OpenAI(), messages)
        result, feedback = review(answer)
        ctx.set_output(trajectory=from_openai(messages), result=result, feedback_text=feedback, model=MODEL)
        print(f"{len(ctx.memories)} memories, {result}: {answer}")


if __name__ == "__main__":
    main()
