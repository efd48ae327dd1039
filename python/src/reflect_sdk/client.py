"""The client."""

from __future__ import annotations

import os
from functools import partial
from types import TracebackType
from typing import Any, TypeVar
from weakref import finalize

import httpx

from reflect_sdk.attempts import Endpoint
from reflect_sdk.call import Call, Plan, reading
from reflect_sdk.local import LocalServer, find_binary
from reflect_sdk.models.memory import AugmentedTask as AugmentedTask
from reflect_sdk.models.memory import Memory as Memory
from reflect_sdk.models.project import ApiKeyInfo as ApiKeyInfo
from reflect_sdk.models.project import BootstrapInfo
from reflect_sdk.models.project import CreatedApiKey as CreatedApiKey
from reflect_sdk.models.trace import Review as Review
from reflect_sdk.models.trace import Trace as Trace
from reflect_sdk.models.trace import TraceSubmission as TraceSubmission
from reflect_sdk.operations.base import MemoryFormatter
from reflect_sdk.operations.listing import ListOperations
from reflect_sdk.operations.projects import (
    KeyOperations,
    ProjectOperations,
    SessionOperations,
    SkillOperations,
)
from reflect_sdk.operations.reviews import ReviewOperations
from reflect_sdk.operations.scopes import ScopeOperations
from reflect_sdk.operations.server import ServerOperations
from reflect_sdk.pool import AsyncPool, Pool
from reflect_sdk.prompt import DEFAULT_MAX_CHARS, MAX_CHARS
from reflect_sdk.retrievals import Retrievals
from reflect_sdk.runner import AsyncRunner, Runner

T = TypeVar("T")

DEFAULT_URL = "http://localhost:8000"
DEFAULT_PROJECT = "default"


class ReflectClient(
    ScopeOperations,
    ReviewOperations,
    ListOperations,
    ProjectOperations,
    KeyOperations,
    SessionOperations,
    SkillOperations,
    ServerOperations,
):
    """A project on a Reflect server.

        client = ReflectClient(api_key="rf_live_...", project_id="shop")
        with client.trace("Refund order A-17") as ctx:
            ctx.set_output(trajectory=my_agent(ctx.augmented_task), result="pass")

    Every method has a twin that ends in `_async`. One client serves any number of threads and event loops, and a forked process; its
    connections are kept and used again. Calls are repeated when nobody answers or the server says that it cannot just now; they are
    named, or made so that a second time changes nothing.
    """

    def __init__(
        self,
        *,
        base_url: str = DEFAULT_URL,
        api_key: str | None = None,
        project_id: str | None = None,
        timeout: float | httpx.Timeout = 60.0,
        retries: int = 3,
        retry_pause: float = 0.2,
        formatter: MemoryFormatter | None = None,
        max_prompt_chars: int = DEFAULT_MAX_CHARS,
    ) -> None:
        """Nothing is sent yet.

        Args:
            base_url: Where the server is. With the default, and `REFLECT_LOCAL` naming a folder, that folder's as in `local`.
            api_key: The key that every call carries.
            project_id: The project that calls go to. A master key makes it on first use.
            timeout: Seconds that one try of a call may take.
            retries: How often a call that is safe to repeat is tried again; 0 never.
            retry_pause: Seconds before the first repetition; doubles with each. `Retry-After` counts if it is longer.
            formatter: Writes prompts from a task and its memories, instead of `prompt_with_memories`.
            max_prompt_chars: How many characters of a prompt the memories may take, from 1,000 to 100,000. The longest texts are cut,
                and marked; what has no room at all is not among the memories of the prompt either. A `formatter` keeps its own measure.
        """
        self.base_url = base_url.rstrip("/")
        self.api_key = api_key
        self.project_id = project_id or DEFAULT_PROJECT
        self.timeout = timeout
        self.retries = retries
        self.retry_pause = retry_pause
        if max_prompt_chars not in MAX_CHARS:
            least, most = MAX_CHARS[0], MAX_CHARS[-1]
            raise ValueError(f"max_prompt_chars is {max_prompt_chars}, it must be between {least} and {most}")
        self.max_prompt_chars = max_prompt_chars
        self._formatter = formatter
        self._retrievals = Retrievals()
        folder = os.environ.get("REFLECT_LOCAL", "").strip() if self.base_url == DEFAULT_URL else ""
        self._connect(LocalServer(folder) if folder else None)

    def _connect(self, local: LocalServer | None) -> None:
        self._local = local
        pool = Pool(through_proxies=local is None)
        self._runner, self._async_runner = Runner(pool), AsyncRunner(AsyncPool(through_proxies=local is None))
        # Sockets that nobody closes are warned about when they are collected.
        finalize(self, pool.close).atexit = False

    @classmethod
    def local(cls, path: str | os.PathLike[str] = "./reflect-data", **settings: Any) -> ReflectClient:
        """A client that needs no server: the first call starts one over the folder, or joins the one that runs there.

            client = ReflectClient.local("./reflect-data", project_id="shop")

        Any number of clients and processes share that server, and it ends with the last of them. Any key will do, or none. The other
        settings are those of `ReflectClient`.
        """
        find_binary()
        client = cls(**settings)
        client._connect(LocalServer(path))
        return client

    @classmethod
    def from_env(cls, **settings: Any) -> ReflectClient:
        """A client from `REFLECT_API_URL`, `REFLECT_API_KEY` and `REFLECT_PROJECT_ID`; empty ones say nothing.

        What is given by name, such as `timeout=5.0`, counts more.
        """
        names = {"base_url": "REFLECT_API_URL", "api_key": "REFLECT_API_KEY", "project_id": "REFLECT_PROJECT_ID"}
        found: dict[str, Any] = {setting: os.environ.get(name, "").strip() for setting, name in names.items()}
        return cls(**{setting: value for setting, value in found.items() if value} | settings)

    def for_project(self, project_id: str) -> ReflectClient:
        """The same server and key, another project."""
        client = type(self)(
            base_url=self.base_url,
            api_key=self.api_key,
            project_id=project_id,
            timeout=self.timeout,
            retries=self.retries,
            retry_pause=self.retry_pause,
            formatter=self._formatter,
            max_prompt_chars=self.max_prompt_chars,
        )
        if self._local is not None:
            client._connect(LocalServer(self._local.folder))
        return client

    def __repr__(self) -> str:
        if self._local is not None:
            return f"{type(self).__name__}.local({str(self._local.folder)!r}, project_id={self.project_id!r})"
        return f"{type(self).__name__}(base_url={self.base_url!r}, project_id={self.project_id!r})"

    @classmethod
    def bootstrap(
        cls,
        *,
        base_url: str = DEFAULT_URL,
        bootstrap_token: str,
        user_id: str,
        project_id: str,
        key_label: str = "Default Admin Key",
        environment: str = "live",
        timeout: float | httpx.Timeout = 60.0,
    ) -> BootstrapInfo:
        """Makes a project and its first key, with the operator's token instead of a key."""
        with cls(base_url=base_url, timeout=timeout) as client:
            return client._run(_bootstrap(bootstrap_token, user_id, project_id, key_label, environment))

    @classmethod
    async def bootstrap_async(
        cls,
        *,
        base_url: str = DEFAULT_URL,
        bootstrap_token: str,
        user_id: str,
        project_id: str,
        key_label: str = "Default Admin Key",
        environment: str = "live",
        timeout: float | httpx.Timeout = 60.0,
    ) -> BootstrapInfo:
        """Asynchronous `bootstrap`."""
        async with cls(base_url=base_url, timeout=timeout) as client:
            return await client._run_async(_bootstrap(bootstrap_token, user_id, project_id, key_label, environment))

    def close(self) -> None:
        """Closes the connections of this process's threads, and lets go of a local server. A later call opens new ones."""
        self._runner.pool.close()
        self._let_go()

    async def close_async(self) -> None:
        """Closes the connections of the running event loop, and lets go of a local server. A later call opens new ones."""
        await self._async_runner.pool.close()
        self._let_go()

    def _let_go(self) -> None:
        if self._local is not None:
            self._local.let_go()

    def __enter__(self) -> ReflectClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    async def __aenter__(self) -> ReflectClient:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self.close_async()

    def _run(self, plan: Plan[T]) -> T:
        return self._runner.run(plan, self._endpoint())

    async def _run_async(self, plan: Plan[T]) -> T:
        if self._local is None or self._local.at_hand():
            return await self._async_runner.run(plan, self._endpoint())
        return await self._async_runner.run(plan, await self._async_runner.find(self._endpoint))

    def _endpoint(self, *, lost: str | None = None) -> Endpoint:
        """Read at every call, since a program may set `project_id` or `api_key` anew. A local server is started or waited for."""
        api_key, rejoin = self.api_key, None
        if self._local is not None:
            joined = self._local.join(api_key, lost=lost)
            self.base_url, api_key = joined.url, joined.api_key
            rejoin = partial(self._endpoint, lost=joined.url)
        return Endpoint(
            base_url=self.base_url,
            api_key=api_key,
            timeout=httpx.Timeout(self.timeout),
            retries=self.retries,
            retry_pause=self.retry_pause,
            rejoin=rejoin,
        )


def _bootstrap(token: str, user_id: str, project_id: str, key_label: str, environment: str) -> Call[BootstrapInfo]:
    body = {"user_id": user_id, "project_id": project_id, "key_label": key_label, "environment": environment}
    headers = {"X-Bootstrap-Token": token}
    read = reading(BootstrapInfo.from_api)
    return Call("POST", "/v1/bootstrap", read, body=body, headers=headers, with_key=False, repeat=False)
