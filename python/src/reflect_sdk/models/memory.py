"""Memories: as a query shows them, and whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from reflect_sdk.models.base import Model
from reflect_sdk.models.what_if import MixedConfiguration
from reflect_sdk.models.written_by import WrittenBy
from reflect_sdk.views import Items, card, shown

Match = Literal["task", "lesson", "both"]
"""What of a memory the task at hand is compared with; of both, the nearer counts."""

Tells = Literal["rule", "fix", "fact", "pitfall", "answer", "example", "nothing"]
"""The best thing that a lesson has to say: a reviewer's rule first, nothing last."""


@dataclass(slots=True)
class Explanation(Model):
    """Why a memory is where it is in an answer."""

    similarity_rank: int
    """Its place if similarity alone counted; 1 is the best."""
    similarity: float
    q_value: float
    uses: int
    passes: int
    fails: int
    score: float
    mmr_penalty: float
    """What likeness to better memories cost it."""
    trace_id: str
    similarity_threshold: float | None = None


@dataclass(slots=True, repr=False)
class Memory(Model):
    """A lesson that a query found."""

    nested: ClassVar[Mapping[str, Any]] = {"explain": Explanation.from_api}

    id: str
    task: str
    """The past task that taught it."""
    reflection: str
    """The lesson as one text."""
    q_value: float = 0.5
    """Its utility, 0 to 1: the runs that were shown it passed or failed."""
    similarity: float = 0.0
    """How close its task is to the one asked for."""
    score: float = 0.0
    """The blend of similarity and utility, by which answers are ordered."""
    success: bool | None = None
    """Whether the run that taught it passed."""
    summary: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    guidance: str = ""
    applicable_tools: list[str] = field(default_factory=list[str])
    tools_used: list[str] = field(default_factory=list[str])
    tells: Tells | None = None
    """How much it tells, where its writer said."""
    explain: Explanation | None = None
    """Only where the query asked for it."""

    def __repr__(self) -> str:
        return shown(self, "id", "task", "reflection", "q_value", "similarity", "score", "success")

    def _repr_html_(self) -> str:
        return card(
            self,
            "task",
            "guidance",
            "correct_action",
            "key_mistake",
            "summary",
            "q_value",
            "similarity",
            "score",
            "success",
        )


class Memories(Items[Memory]):
    """The memories that a query found, best first: a list that also knows what was searched for."""

    columns = ("task", "reflection", "q_value", "similarity", "score", "success")

    def __init__(
        self,
        memories: Iterable[Memory] = (),
        *,
        retrieval_id: str | None = None,
        intent: str | None = None,
        distilled_by: str | None = None,
        partial_search: str | None = None,
        approximate_search: str | None = None,
        nothing_found: str | None = None,
        held_out: float | None = None,
    ) -> None:
        super().__init__(memories)
        self.retrieval_id = retrieval_id
        """Names the query; the trace of the run carries it back by itself."""
        self.intent = intent
        """What was searched for, if the query was a conversation."""
        self.distilled_by = distilled_by
        """Who read it out of the conversation."""
        self.partial_search = partial_search
        """How much was searched, where that was not everything."""
        self.approximate_search = approximate_search
        """`graph` or `unfinished`, where a better memory may be missing: the project does not fit in the server's memory."""
        self.nothing_found = nothing_found
        """Why there are no memories, where none were found: how near the nearest is, or that there is none."""
        self.held_out = held_out
        """The share of tasks that do without memories, where this is one of them: the project measures whether memories help."""


@dataclass(slots=True)
class Credit(Model):
    """One step of a memory's utility."""

    position: int
    memory_revision: int
    trace_id: str
    review_id: str
    result: str
    reward: float
    alpha: float
    created_at: str
    q_value_after: float = 0.0
    """The utility after this step."""
    retrieval_id: str | None = None
    """The query that showed it, where that is known."""
    rank: int | None = None
    similarity: float | None = None
    probability: float | None = None
    """How probable it was to be shown, where that is known."""
    usual: float | None = None
    """What was usual for such a task, where that is known."""
    others: float | None = None
    """What the other memories that the run saw were expected to add."""
    reporter: str | None = None
    """The key that brought the run's first review, where that is known: zeros for master key and judge."""
    weight: float = 1.0
    """The share for which the run counts: less than 1 where its reporter has said enough about the memory."""


@dataclass(slots=True, kw_only=True)
class Lesson(Model):
    """The words of a lesson, part by part."""

    summary: str = ""
    key_mistake: str = ""
    correct_action: str = ""
    guidance: str = ""
    applicable_tools: list[str] = field(default_factory=list[str])
    tools_used: list[str] = field(default_factory=list[str])
    success: bool | None = None
    """Whether the run that taught it passed."""


@dataclass(slots=True)
class Revision(Lesson):
    """What a memory says, or said before it was rewritten."""

    nested: ClassVar[Mapping[str, Any]] = {"written_by": WrittenBy.from_api}

    revision: int
    written_by: WrittenBy
    created_at: str


@dataclass(slots=True)
class MapPoint(Model):
    """A memory on a map. Those about similar tasks stand near each other."""

    id: str
    x: float
    y: float
    q_value: float
    uses: int
    task: str


@dataclass(slots=True)
class MemoryMap(Model):
    """A map of the project's active memories, the newest 20,000 at most."""

    nested: ClassVar[Mapping[str, Any]] = {"points": lambda points: [MapPoint.from_api(point) for point in points]}

    points: list[MapPoint]
    total: int
    made_at: str


@dataclass(slots=True)
class ShownMemory(Model):
    """A memory in the answer to a query, with the figures it had then."""

    memory_id: str
    revision: int
    rank: int
    similarity: float
    q_value: float
    score: float


@dataclass(slots=True)
class Retrieval(Model):
    """An answered query: what was asked, with which settings, and what was shown."""

    nested: ClassVar[Mapping[str, Any]] = {
        "shown": lambda shown: [ShownMemory.from_api(one) for one in shown],
        "mixed": MixedConfiguration.from_api,
    }

    id: str
    created_at: str
    task: str
    limit: int
    lambda_: float
    mmr_lambda: float
    shown: list[ShownMemory]
    similarity_threshold: float | None = None
    match: str = "task"
    mixed: MixedConfiguration | None = None
    """The configuration that was drawn for the task, where configurations are mixed."""
    sat_out: list[str] = field(default_factory=list[str])
    """The memories that were due and sat out, so that it shows what they add."""


@dataclass(slots=True)
class Evidence(Model):
    """What is known of a memory, where memories learn by worth."""

    sentence: str
    """All of it in plain words."""
    worth: float
    """What it is believed to add, in shares of passes; below 0 where it is believed to hurt."""
    deviation: float
    """The standard deviation of that belief."""
    runs: float
    """How many runs it rests on, after ageing."""
    helps: float
    """How probable it is that it adds anything: 1 where it surely helps, 0 where it surely hurts."""
    usual: float | None = None
    """How well runs of such tasks usually go; only where a single memory was asked for."""
    always_with: list[str] = field(default_factory=list[str])
    """Memories that each of its newest hundred runs was shown as well, five of them at most; only where a single memory was asked for."""


@dataclass(slots=True)
class Retirement(Model):
    """Why queries leave a memory out: it is believed to hurt."""

    worth: float
    """What it is believed to add, in shares of passes: below 0."""
    deviation: float
    """The standard deviation of that belief."""
    runs: float
    """How many runs it rests on, after ageing."""
    returns_at: str | None = None
    """When its evidence will have aged so far that it is shown again."""


@dataclass(slots=True, repr=False)
class MemoryDetail(Lesson):
    """A memory as it is stored."""

    nested: ClassVar[Mapping[str, Any]] = {
        "written_by": WrittenBy.from_api,
        "evidence": Evidence.from_api,
        "retirement": Retirement.from_api,
        "credits": lambda steps: [Credit.from_api(step) for step in steps],
    }

    id: str
    trace_id: str
    task: str
    reflection: str
    status: str
    """`active` or `disabled`; a disabled one is shown to no query."""
    q_value: float
    uses: int
    passes: int
    fails: int
    revision: int
    """Counts up whenever its words change."""
    created_at: str
    updated_at: str
    written_by: WrittenBy | None = None
    tells: Tells | None = None
    """How much it tells, where its writer said."""
    pinned: bool = False
    """Whether it is never left out and never sits out; `edit_memory` changes that."""
    evidence: Evidence | None = None
    """What is known of it; `None` where memories learn by a moving average."""
    retirement: Retirement | None = None
    """Why queries leave it out, if they do; `bring_back_memory` shows it again."""
    runs_alike: int | None = None
    """How many memories say the same, itself among them, where a list has one of them only; `None` where it is the only
    one."""
    credits: list[Credit] = field(default_factory=list[Credit])
    """The newest steps of its utility, newest first; only where a single memory was asked for."""

    def __repr__(self) -> str:
        return shown(self, "id", "task", "reflection", "status", "q_value", "uses", "passes", "fails", "revision")

    def _repr_html_(self) -> str:
        lesson = ("task", "guidance", "correct_action", "key_mistake", "summary")
        return card(
            self, *lesson, "status", "q_value", "uses", "passes", "fails", "revision", "written_by", "created_at"
        )


@dataclass(slots=True, repr=False)
class AugmentedTask:
    """A task with the memories that go along with it."""

    augmented_task: str
    """The prompt: the task, and the memories where there are any."""
    memories: list[Memory]
    task: str = field(default="", compare=False)
    retrieval_id: str | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return shown(self, "task", "memories", "augmented_task")

    def _repr_html_(self) -> str:
        return card(self, "augmented_task") + Memories(self.memories)._repr_html_()

    @property
    def memory_ids(self) -> list[str]:
        return [memory.id for memory in self.memories]
