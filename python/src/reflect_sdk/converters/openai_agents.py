"""The OpenAI Agents SDK."""

from __future__ import annotations

from typing import Any

from .openai_responses import from_openai_responses
from .parts import Trajectory


def from_openai_agents(result: Any) -> Trajectory:
    """The trajectory of a run: the `RunResult` that `Runner.run` answers, or that `Runner.run_streamed` ends with.

    result = await Runner.run(agent, task)
    client.create_trace(task=task, trajectory=from_openai_agents(result), …)
    """
    return from_openai_responses(result.to_input_list())
