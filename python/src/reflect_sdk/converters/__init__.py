"""Turns what agent libraries hand out into trajectories: lists of messages with `role`, `content` and `tool_calls`.

    from reflect_sdk.converters import auto

    client.create_trace(task=task, trajectory=auto(result), …)

None of the libraries is imported here, so none has to be installed. To add one: a file with a `from_…` function, its
sign in `auto.py`, and a test that runs the library itself.
"""

from .anthropic import from_anthropic
from .auto import auto
from .langchain import from_deepagents, from_langchain, from_langgraph
from .openai_agents import from_openai_agents
from .openai_chat import from_openai
from .openai_responses import from_openai_responses
from .pydantic_ai import from_pydantic_ai

__all__ = [
    "auto",
    "from_anthropic",
    "from_deepagents",
    "from_langchain",
    "from_langgraph",
    "from_openai",
    "from_openai_agents",
    "from_openai_responses",
    "from_pydantic_ai",
]
