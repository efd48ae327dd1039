"""Projects, their settings, keys, skills and judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from reflect_sdk.models.base import Model
from reflect_sdk.models.what_if import Mixture

Learning = Literal["worth", "constant"]
"""How memories learn."""


@dataclass(slots=True)
class Project(Model):
    """A project that the key may see."""

    project_id: str
    embedder: str
    created_at: str


@dataclass(slots=True)
class Changed(Model):
    """What has changed in a project since the event before; to what is not said."""

    traces: bool = False
    memories: bool = False
    settings: bool = False
    queue: bool = False


@dataclass(slots=True)
class DeletedProject(Model):
    """How much was in a project that was deleted."""

    project_id: str
    traces: int = 0
    memories: int = 0
    reviews: int = 0
    api_keys: int = 0
    jobs: int = 0


@dataclass(slots=True)
class BootstrapInfo(Model):
    """A new project and the key that runs it."""

    user_id: str
    project_id: str
    api_key: str = field(repr=False)
    """Shown once."""


@dataclass(slots=True)
class ApiKeyInfo(Model):
    """A key, without its secret."""

    id: str
    public_id: str
    label: str
    scopes: list[str]
    environment: str = "live"
    """`live` or `test`: a label."""
    status: str = "active"
    """`active`, `revoked`, or `expired`."""
    is_master: bool = False
    created_at: str | None = None
    last_used_at: str | None = None
    revoked_at: str | None = None
    expires_at: str | None = None
    """From when on it opens nothing; None if it never ends by itself."""


@dataclass(slots=True)
class SignedIn(Model):
    """A session of the console that has just begun."""

    api_key: str = field(repr=False)
    """The key to work with, shown once."""
    expires_at: str
    scopes: list[str]
    project_id: str | None = None
    """The one project that it opens; None if it opens all."""
    is_master: bool = False


@dataclass(slots=True)
class Session(Model):
    """Who the holder of a key is."""

    scopes: list[str]
    label: str
    project_id: str | None = None
    """The one project that the key opens; None if it opens all."""
    expires_at: str | None = None
    is_master: bool = False
    is_session: bool = False
    """Whether it is a session of the console, whose reviews have the source `console`."""


@dataclass(slots=True)
class CreatedApiKey(Model):
    """A key that was just made."""

    nested: ClassVar[Mapping[str, Any]] = {"key": ApiKeyInfo.from_api}

    api_key: str = field(repr=False)
    """Its text, shown once."""
    key: ApiKeyInfo


@dataclass(slots=True)
class EmbedderSwitch(Model):
    """How far a project has come on its way to another embedder."""

    to: str
    done: int
    total: int
    started_at: str
    problem: str | None = None


@dataclass(slots=True)
class ProjectSettings(Model):
    """A project's defaults. What is None follows the server."""

    nested: ClassVar[Mapping[str, Any]] = {"embedder_switch": EmbedderSwitch.from_api, "mixture": Mixture.from_api}

    project_id: str
    embedder: str
    lambda_: float | None = None
    mmr_lambda: float | None = None
    match: str | None = None
    similarity_threshold: float | None = None
    alpha: float | None = None
    holdout: float | None = None
    """The share of tasks that do without memories."""
    mixture: Mixture | None = None
    """The configurations that a share of tasks is answered with at random."""
    learning: str | None = None
    """How memories learn: `worth` or `constant`."""
    trial_share: float | None = None
    sitting_out: float | None = None
    """How often the most doubtful memory sits out."""
    empty_lessons: bool | None = None
    """Whether lessons that tell little or nothing are ranked like all others."""
    half_life_days: float | None = None
    """After how many days without a run half of a memory's evidence is left."""
    reflector: str | None = None
    judge: str | None = None
    judge_rubric: str | None = None
    embedder_switch: EmbedderSwitch | None = None


@dataclass(slots=True)
class SettingDefaults(Model):
    """What holds where a project, or a query, says nothing."""

    nested: ClassVar[Mapping[str, Any]] = {"mixture": Mixture.from_api}

    lambda_: float
    mmr_lambda: float
    alpha: float
    limit: int
    reflector: str
    judge: str
    embedder: str
    similarity_threshold: float | None = None
    match: str = "task"
    holdout: float = 0.0
    mixture: Mixture | None = None
    learning: str = "constant"
    trial_share: float = 0.0
    sitting_out: float = 0.0
    empty_lessons: bool = True
    half_life_days: float = 0.0


@dataclass(slots=True)
class SettingChoices(Model):
    """What a project's settings can be set to."""

    nested: ClassVar[Mapping[str, Any]] = {"defaults": SettingDefaults.from_api}

    embedders: list[str]
    reflectors: list[str]
    judges: list[str]
    defaults: SettingDefaults


@dataclass(slots=True)
class Statistics(Model):
    """How a project stands."""

    days: list[Mapping[str, Any]]
    """Each with its `day` in UTC, `traces`, `passed` and `failed`; today last."""
    traces: Mapping[str, int]
    """All of them: `total`, `pending` (without a review), `passed`, `failed`."""
    with_memories: Mapping[str, int]
    """`passed` and `failed` of these days' traces that named memories they were shown."""
    without_memories: Mapping[str, int]
    """The same of those that named none. That the two differ proves nothing yet."""
    queue: Mapping[str, int]
    """Lessons still to be written: `waiting`, `failed`, `oldest_seconds`."""
    memories: Mapping[str, Any]
    """`active`, `disabled`, `with_evidence`, and `utility_histogram` in 20 bins of 0.05."""
    best: list[Mapping[str, Any]]
    """The memories of highest utility among those that at least three reviewed runs have seen, best first."""
    worst: list[Mapping[str, Any]]
    """Those of lowest utility, worst first."""


@dataclass(slots=True)
class JudgeReport(Model):
    """A judge's verdicts held against the reviews of others."""

    judge: str
    judged: int
    unknown: int
    given_up: int
    pending: int
    compared: int
    confusion_matrix: Mapping[str, Mapping[str, int]]
    """What the judge said, then what others did: `confusion_matrix["pass"]["fail"]`."""
    agreement: float | None = None
