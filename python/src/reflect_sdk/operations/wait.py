"""Waiting for a trace to be worked."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace

from reflect_sdk.call import Call, Pause, Steps
from reflect_sdk.errors import IngestFailedError, ReflectError, RefusedError, WaitTimeoutError
from reflect_sdk.models.trace import Trace
from reflect_sdk.progress import Progress

FIRST_PAUSE_S = 0.01
"""The first look comes soon, since most lessons are written at once."""

SHORTEST_PAUSE_S = 0.001


def waiting(
    look: Call[Trace], trace_id: str, require_reviewed: bool, poll_interval: float, wait_timeout: float
) -> Steps[Trace]:
    """Looks until the work has ended or the time is over, and no longer: a look that hangs is given up at the deadline."""
    with Progress("waiting for a lesson") as progress:
        return (yield from _looking(look, trace_id, require_reviewed, poll_interval, wait_timeout, progress))


def waiting_for_all(
    looks: Mapping[str, Call[Trace]], require_reviewed: bool, poll_interval: float, wait_timeout: float
) -> Steps[list[Trace]]:
    """The traces in their order, each waited for while the time that is left for all of them lasts."""
    deadline = time.monotonic() + wait_timeout
    traces: list[Trace] = []
    with Progress("waiting for lessons", total=len(looks)) as progress:
        for trace_id, look in looks.items():
            left = deadline - time.monotonic()
            progress.show(len(traces))
            traces.append((yield from _looking(look, trace_id, require_reviewed, poll_interval, left)))
    return traces


def _looking(
    look: Call[Trace],
    trace_id: str,
    require_reviewed: bool,
    poll_interval: float,
    wait_timeout: float,
    progress: Progress | None = None,
) -> Steps[Trace]:
    deadline = time.monotonic() + wait_timeout
    pause = FIRST_PAUSE_S
    while True:
        left = max(deadline - time.monotonic(), 0.1)
        try:
            trace = yield from replace(look, retries=0, timeout=min(left, 60.0))
        except ReflectError as error:
            # Not there yet, or nobody there for now: a server that restarts has the trace when it is back.
            if not (error.may_pass or (isinstance(error, RefusedError) and error.status == 404)):
                raise
        else:
            if trace.ingest_status == "failed":
                reason = trace.last_ingest_error or f"trace `{trace_id}` could not be ingested"
                raise IngestFailedError(reason, trace_id=trace_id)
            if not require_reviewed or trace.review_status == "reviewed":
                return trace
        if progress:
            progress.show()
        left = deadline - time.monotonic()
        if left <= 0:
            raise WaitTimeoutError(f"trace `{trace_id}` was not ready after {wait_timeout:.3g} s", trace_id=trace_id)
        yield Pause(min(pause, max(poll_interval, SHORTEST_PAUSE_S), left))
        pause *= 2
