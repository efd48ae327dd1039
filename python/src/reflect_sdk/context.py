"""A run's view of its trace: the task with its memories, and where to put what happened."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reflect_sdk.models.memory import AugmentedTask, Memory
from reflect_sdk.models.trace import TrajectoryInput
from reflect_sdk.operations.new_trace import NewTrace
from reflect_sdk.views import shown


class TraceContext:
    """What `client.trace` gives to the block under it.

    with client.trace("Refund order A-17") as ctx:
        answer = my_agent(ctx.augmented_task)
        ctx.set_output(trajectory=messages, result="pass")
    """

    def __init__(
        self, augmented: AugmentedTask, *, reference_context: str | None = None, alpha: float | None = None
    ) -> None:
        self.task = augmented.task
        """The task as it was given."""
        self.augmented_task = augmented.augmented_task
        """The prompt: the task, and the memories where there are any."""
        self.memories: list[Memory] = augmented.memories
        self.retrieval_id = augmented.retrieval_id
        self.reference_context = reference_context
        self.alpha = alpha
        self._output: NewTrace | None = None
        self._trace_id: str | None = None

    def __repr__(self) -> str:
        return shown(self, "task", "memories", "trace_id")

    @property
    def trace_id(self) -> str | None:
        """The trace, once it is submitted: None inside the block, and for good if no output was set."""
        return self._trace_id

    @property
    def memory_ids(self) -> list[str]:
        """The memories that go along with the trace."""
        return [memory.id for memory in self.memories]

    def set_output(
        self,
        *,
        trajectory: TrajectoryInput,
        final_response: str | None = None,
        result: str | bool | None = None,
        feedback_text: str | None = None,
        model: str | None = None,
        metadata: Mapping[str, Any] | None = None,
        task: str | None = None,
        score: float | None = None,
        alpha: float | None = None,
    ) -> None:
        """Says what happened in the run; the last call counts. It is submitted when the block ends.

        Args:
            trajectory: The messages of the run, or a text.
            final_response: The agent's answer; the text of the last assistant message when None.
            result: `pass` or `fail`; None to review later.
            feedback_text: What was wrong, or right.
            model: The model that the agent used.
            metadata: Anything to find the run by later.
            task: What the run turned out to be about, if that is not what memories were looked for by.
            score: How well the run went, 0 to 1, such as the share of tests that passed.
            alpha: The step by which the review moves the memories, 0 to 1.
        """
        self._output = NewTrace(
            task=self.task if task is None else task,
            trajectory=trajectory,
            final_response=final_response,
            retrieved_memory_ids=self.memory_ids,
            model=model,
            metadata=metadata,
            review_result=result,
            feedback_text=feedback_text,
            reference_context=self.reference_context,
            score=score,
            alpha=self.alpha if alpha is None else alpha,
            retrieval_id=self.retrieval_id,
        )
