"""Projects, settings, keys, skills and the judge's report."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from datetime import datetime

import httpx

from reflect_sdk.call import Call, Steps, giving, nothing_of, once, reading, reading_each
from reflect_sdk.errors import RefusedError
from reflect_sdk.events import MOST_SILENCE_S, following
from reflect_sdk.method import operation
from reflect_sdk.models.lift import Lift
from reflect_sdk.models.memory import Match
from reflect_sdk.models.project import (
    ApiKeyInfo,
    CreatedApiKey,
    DeletedProject,
    JudgeReport,
    Learning,
    Project,
    ProjectSettings,
    Session,
    SettingChoices,
    SignedIn,
    Statistics,
)
from reflect_sdk.models.skill import Skill
from reflect_sdk.models.what_if import Configuration, Evaluation, Mixture
from reflect_sdk.operations.base import Operations


class Unset(enum.Enum):
    """Says that a setting stays as it is; None says that it follows the server again."""

    UNSET = "unset"


UNSET = Unset.UNSET


class ProjectOperations(Operations):
    """The project itself."""

    @operation
    def list_projects(self) -> Call[list[Project]]:
        """The projects that the key may see: all of them for the master key, else its own."""
        return Call("GET", "/v1/projects", reading_each(Project.from_api))

    list_projects_async = list_projects.as_async()

    @operation
    def delete_project(self) -> Steps[DeletedProject]:
        """Deletes the project with everything in it, revokes its keys, and says how much there was.

        The counts are 0 where an answer was lost and the project was gone when the call was repeated.
        """
        call = Call("DELETE", self._path(), reading(DeletedProject.from_api))
        return once(call, "not_found", giving(DeletedProject(self.project_id)))

    delete_project_async = delete_project.as_async()

    @operation
    def get_settings(self) -> Call[ProjectSettings]:
        """The project's settings. What is None follows the server."""
        return Call("GET", self._path("settings"), reading(ProjectSettings.from_api))

    get_settings_async = get_settings.as_async()

    @operation
    def statistics(self, *, days: int = 30) -> Call[Statistics]:
        """How the project stands: its traces of the last days, its queue, its memories."""
        path, params = self._path("statistics"), (("days", str(days)),)
        return Call("GET", path, reading(Statistics.from_api), params=params)

    statistics_async = statistics.as_async()

    @operation
    def lift(self, *, judged: bool = True, unnamed: bool = True) -> Call[Lift]:
        """Whether memories help, by the share of tasks that did without: `client.update_settings(holdout=0.1)` sets it.

            print(client.lift().sentence)

        Args:
            judged: Whether reviews by the judge count.
            unnamed: Whether runs count that did not name their query and were joined to it by their memories or their task.
        """
        params = (("judged", str(judged).lower()), ("unnamed", str(unnamed).lower()))
        return Call("GET", self._path("lift"), reading(Lift.from_api), params=params)

    lift_async = lift.as_async()

    @operation
    def evaluate_policy(
        self,
        *,
        lambda_: float | None = None,
        limit: int | None = None,
        similarity_threshold: float | None = None,
        since: datetime | str | None = None,
    ) -> Call[Evaluation]:
        """What another configuration would have done, by the log, or why that cannot be told; it never guesses.

            client.update_settings(mixture=Mixture(0.2, [Configuration(lambda_=0.3), Configuration(limit=3)]))
            ...
            print(client.evaluate_policy(lambda_=0.3).sentence)

        Args:
            lambda_: The weight of utility. What is None stays as it was asked.
            limit: How many memories at most.
            similarity_threshold: The least similarity.
            since: Only runs whose query was asked at or after this time; else those since the mixture was last changed.
        """
        configuration = Configuration(lambda_, limit, similarity_threshold)
        body: dict[str, object] = {"configuration": configuration.to_api()}
        if since is not None:
            body["since"] = since if isinstance(since, str) else _aware(since).isoformat()
        path, read = self._path("policies", "evaluate"), reading(Evaluation.from_api)
        return Call("POST", path, read, body=body, only_reads=True)

    evaluate_policy_async = evaluate_policy.as_async()

    @following
    def events(self) -> Call[httpx.Response]:
        """Follows what changes in the project, from now on: an iterator that says that something changed, and not to what.

            for changed in client.events():
                if changed.memories:
                    print(len(client.list_memories()))

        Nothing is missed from when this returns, so ask for what you show after that. It ends when the server stops or the key may no
        longer read the project, and raises where the connection breaks: follow anew then. `events_async` is awaited, and then iterated
        over with `async for`.
        """
        return Call("GET", self._path("events"), lambda response: response, timeout=MOST_SILENCE_S, streams=True)

    events_async = events.as_async()

    @operation
    def setting_choices(self) -> Call[SettingChoices]:
        """What the project's settings can be set to, and what holds where they are not set."""
        return Call("GET", self._path("settings", "choices"), reading(SettingChoices.from_api))

    setting_choices_async = setting_choices.as_async()

    @operation
    def update_settings(
        self,
        *,
        lambda_: float | Unset | None = UNSET,
        mmr_lambda: float | Unset | None = UNSET,
        match: Match | Unset | None = UNSET,
        similarity_threshold: float | Unset | None = UNSET,
        alpha: float | Unset | None = UNSET,
        holdout: float | Unset | None = UNSET,
        mixture: Mixture | Unset | None = UNSET,
        learning: Learning | Unset | None = UNSET,
        trial_share: float | Unset | None = UNSET,
        sitting_out: float | Unset | None = UNSET,
        empty_lessons: bool | Unset | None = UNSET,
        half_life_days: float | Unset | None = UNSET,
        reflector: str | Unset | None = UNSET,
        judge: str | Unset | None = UNSET,
        judge_rubric: str | Unset | None = UNSET,
        embedder: str | Unset | None = UNSET,
    ) -> Call[ProjectSettings]:
        """Changes what is given and leaves the rest; None lets a setting follow the server again.

        client.update_settings(lambda_=0.6, judge_rubric="A run passes if its SQL answers the question.")
        """
        change = {
            "lambda": lambda_,
            "mmr_lambda": mmr_lambda,
            "match": match,
            "similarity_threshold": similarity_threshold,
            "alpha": alpha,
            "holdout": holdout,
            "mixture": mixture.to_api() if isinstance(mixture, Mixture) else mixture,
            "learning": learning,
            "trial_share": trial_share,
            "sitting_out": sitting_out,
            "empty_lessons": empty_lessons,
            "half_life_days": half_life_days,
            "reflector": reflector,
            "judge": judge,
            "judge_rubric": judge_rubric,
            "embedder": embedder,
        }
        body = {name: value for name, value in change.items() if value is not UNSET}
        return Call("PATCH", self._path("settings"), reading(ProjectSettings.from_api), body=body)

    update_settings_async = update_settings.as_async()

    @operation
    def judge_report(self) -> Call[JudgeReport]:
        """How the judge's verdicts compare with the reviews of others."""
        return Call("GET", self._path("judge", "report"), reading(JudgeReport.from_api))

    judge_report_async = judge_report.as_async()


def _aware(time: datetime) -> datetime:
    return time if time.tzinfo else time.astimezone()


class KeyOperations(Operations):
    """Keys of the project."""

    @operation
    def list_api_keys(self) -> Call[list[ApiKeyInfo]]:
        """The project's keys, revoked ones too, without their secrets."""
        return Call("GET", self._path("api-keys"), reading_each(ApiKeyInfo.from_api))

    list_api_keys_async = list_api_keys.as_async()

    @operation
    def create_api_key(
        self,
        *,
        label: str,
        scopes: Sequence[str],
        environment: str = "live",
        expires_in_seconds: int | None = None,
        idempotency_key: str | None = None,
    ) -> Call[CreatedApiKey]:
        """Makes a key with these scopes; its text is in the answer and nowhere else.

        client.create_api_key(label="agents", scopes=["memory:read", "trace:write"]).api_key
        """
        body: dict[str, object] = {"label": label, "scopes": list(scopes), "environment": environment}
        if expires_in_seconds is not None:
            body["expires_in_seconds"] = expires_in_seconds
        path, read = self._path("api-keys"), reading(CreatedApiKey.from_api)
        return Call("POST", path, read, body=body, idempotency_key=idempotency_key)

    create_api_key_async = create_api_key.as_async()

    @operation
    def revoke_api_key(self, key_id: str) -> Call[ApiKeyInfo]:
        """Revokes a key. Twice answers the same key."""
        path, read = self._path("api-keys", key_id, "revoke"), reading(ApiKeyInfo.from_api)
        return Call("POST", path, read, body={})

    revoke_api_key_async = revoke_api_key.as_async()


class SessionOperations(Operations):
    """Sessions of the console."""

    @operation
    def sign_in(self, code: str | None = None) -> Call[SignedIn]:
        """Begins a session with this client's key, or with the one-time code of the link that a server prints."""
        body = {} if code is None else {"code": code}
        read, with_key = reading(SignedIn.from_api), code is None
        # A code is used up by the first try.
        return Call("POST", "/v1/sign-in", read, body=body, with_key=with_key, repeat=with_key)

    sign_in_async = sign_in.as_async()

    @operation
    def sign_out(self) -> Steps[None]:
        """Ends the session whose key this client has."""
        return once(Call("DELETE", "/v1/session", nothing_of), "unauthorized", giving(None))

    sign_out_async = sign_out.as_async()

    @operation
    def get_session(self) -> Call[Session]:
        """Which project this client's key opens, what it may do there, and until when."""
        return Call("GET", "/v1/session", reading(Session.from_api))

    get_session_async = get_session.as_async()


class SkillOperations(Operations):
    """The project's skill."""

    @operation
    def get_skill(self) -> Steps[Skill | None]:
        """The newest skill, which is a text with its particulars; None while there is none."""
        try:
            return (yield from Call("GET", self._path("skill"), reading(Skill.from_api)))
        except RefusedError as error:
            if error.status == 404 and error.code == "not_found":
                return None
            raise

    get_skill_async = get_skill.as_async()

    @operation
    def create_skill(self, *, n_passed: int | None = None, n_failed: int | None = None) -> Call[Skill]:
        """Writes the next version from the best `n_passed` and the most telling `n_failed` lessons (5 and 5)."""
        counts = {"n_passed": n_passed, "n_failed": n_failed}
        body = {name: count for name, count in counts.items() if count is not None}
        return Call("POST", self._path("skill", "create"), reading(Skill.from_api), body=body)

    create_skill_async = create_skill.as_async()

    @operation
    def list_skill_versions(self) -> Call[list[Skill]]:
        """The newest hundred versions, newest first."""
        return Call("GET", self._path("skill", "versions"), reading_each(Skill.from_api))

    list_skill_versions_async = list_skill_versions.as_async()

    @operation
    def get_skill_version(self, version: int) -> Call[Skill]:
        """One version by its number."""
        return Call("GET", self._path("skill", "versions", str(version)), reading(Skill.from_api))

    get_skill_version_async = get_skill_version.as_async()
