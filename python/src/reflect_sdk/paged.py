"""Lists that are read a page at a time: written once, iterated over in two ways."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Concatenate, Generic

import httpx

from reflect_sdk.call import Call
from reflect_sdk.method import Method, P, T


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page, and where the next begins."""

    items: list[T]
    next_cursor: str | None


Pages = Callable[[str | None], Call[Page[T]]]
"""The call for the page after a cursor, or for the first one."""


def reading_page(read: Callable[[Any], T]) -> Callable[[httpx.Response], Page[T]]:
    """Reads a JSON list and the `Link` beside it."""

    def page(response: httpx.Response) -> Page[T]:
        link = response.links.get("next", {}).get("url")
        cursor = httpx.URL(link).params.get("cursor") if link else None
        return Page([read(item) for item in response.json()], cursor)

    return page


class paged(Method[P, Iterator[T]]):  # noqa: N801 - it is used as a decorator
    """Iterates over the items of all pages, reading the next page when it is reached."""

    def __init__(self, build: Callable[Concatenate[Any, P], Pages[T]]) -> None:
        def iterate(client: Any, /, *args: Any, **kwargs: Any) -> Iterator[T]:
            pages, cursor = build(client, *args, **kwargs), None
            while True:
                page: Page[T] = client._run(pages(cursor))
                yield from page.items
                cursor = page.next_cursor
                if cursor is None:
                    return

        super().__init__(build, iterate)

    def as_async(self) -> Method[P, AsyncIterator[T]]:
        build = self.build

        async def iterate(client: Any, /, *args: Any, **kwargs: Any) -> AsyncIterator[T]:
            pages, cursor = build(client, *args, **kwargs), None
            while True:
                page: Page[T] = await client._run_async(pages(cursor))
                for item in page.items:
                    yield item
                cursor = page.next_cursor
                if cursor is None:
                    return

        return Method(build, iterate, suffix="_async")
