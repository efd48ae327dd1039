"""Memory for AI agents that learns which lessons work.

from reflect_sdk import ReflectClient

client = ReflectClient(api_key="rf_live_...", project_id="shop")
"""

from reflect_sdk._alone import check_alone

check_alone()

from reflect_sdk.client import ReflectClient
from reflect_sdk.context import TraceContext
from reflect_sdk.converters import from_deepagents, from_openai_agents
from reflect_sdk.decorators import TraceResult, reflect_trace
from reflect_sdk.errors import (
    ForgottenMemoriesWarning,
    IngestFailedError,
    LocalModeError,
    NotUnderstoodError,
    ReflectError,
    RefusedError,
    SettingsError,
    TimedOutError,
    UnreachableError,
    WaitTimeoutError,
)
from reflect_sdk.events import AsyncEvents, Events
from reflect_sdk.models.lift import Difference, Lift, LiftArm
from reflect_sdk.models.memory import (
    AugmentedTask,
    Credit,
    Evidence,
    Explanation,
    Memories,
    Memory,
    MemoryDetail,
    MemoryMap,
    Retirement,
    Retrieval,
    Revision,
)
from reflect_sdk.models.project import (
    ApiKeyInfo,
    BootstrapInfo,
    Changed,
    CreatedApiKey,
    DeletedProject,
    JudgeReport,
    Project,
    ProjectSettings,
    Session,
    SettingChoices,
    SignedIn,
    Statistics,
)
from reflect_sdk.models.skill import Skill
from reflect_sdk.models.trace import (
    AuthoredReflection,
    BulkReviewOutcome,
    DeletedTraces,
    Review,
    Trace,
    TraceReview,
    TraceSubmission,
)
from reflect_sdk.models.what_if import Configuration, Estimate, Evaluation, MixedConfiguration, Mixture, PolicyValue
from reflect_sdk.models.written_by import WrittenBy
from reflect_sdk.prompt import format_memory_block, prompt_with_memories

# The names of newer releases of `reflect-sdk`.
ApiKeyResponse = ApiKeyInfo
ApiKeyCreateResponse = CreatedApiKey
BootstrapResponse = BootstrapInfo
DeleteProjectResponse = DeletedProject
DeleteTracesResponse = DeletedTraces
MemoryResponse = Memory
ReviewResponse = Review
SkillResponse = Skill
TraceResponse = Trace
TraceCreateResponse = TraceSubmission

__all__ = [
    "ApiKeyCreateResponse",
    "ApiKeyInfo",
    "ApiKeyResponse",
    "AsyncEvents",
    "AugmentedTask",
    "AuthoredReflection",
    "BootstrapInfo",
    "BootstrapResponse",
    "BulkReviewOutcome",
    "Changed",
    "Configuration",
    "CreatedApiKey",
    "Credit",
    "DeleteProjectResponse",
    "DeleteTracesResponse",
    "DeletedProject",
    "DeletedTraces",
    "Difference",
    "Estimate",
    "Evaluation",
    "Events",
    "Evidence",
    "Explanation",
    "ForgottenMemoriesWarning",
    "IngestFailedError",
    "JudgeReport",
    "Lift",
    "LiftArm",
    "LocalModeError",
    "Memories",
    "Memory",
    "MemoryDetail",
    "MemoryMap",
    "MemoryResponse",
    "MixedConfiguration",
    "Mixture",
    "NotUnderstoodError",
    "PolicyValue",
    "Project",
    "ProjectSettings",
    "ReflectClient",
    "ReflectError",
    "RefusedError",
    "Retirement",
    "Retrieval",
    "Review",
    "ReviewResponse",
    "Revision",
    "Session",
    "SettingChoices",
    "SettingsError",
    "SignedIn",
    "Skill",
    "SkillResponse",
    "Statistics",
    "TimedOutError",
    "Trace",
    "TraceContext",
    "TraceCreateResponse",
    "TraceResponse",
    "TraceResult",
    "TraceReview",
    "TraceSubmission",
    "UnreachableError",
    "WaitTimeoutError",
    "WrittenBy",
    "format_memory_block",
    "from_deepagents",
    "from_openai_agents",
    "prompt_with_memories",
    "reflect_trace",
]
__version__ = "0.1.0"
