"""Waiting for a trace to be worked."""

from __future__ import annotations

import time
from dataclasses import replace

from reflect_sdk.call import Call, Pause, Steps
from reflect_sdk.errors import IngestFailedError, ReflectError, RefusedError, WaitTimeoutError
from reflect_sdk.models.trace import Trace

FIRST_PAUSE_S = 0.01
"""The first look comes soon, since most lessons are written at once."""

SHORTEST_PAUSE_S = 0.001


def waiting(
    look: Call[Trace], trace_id: str, require_reviewed: bool, poll_interval: float, wait_timeout: float
) -> Steps[Trace]:
    """Looks until the work has ended or the time is over, and no longer: a look that hangs is given up at the deadline."""
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
        left = deadline - time.monotonic()
        if left <= 0:
            raise WaitTimeoutError(f"trace `{trace_id}` was not ready after {wait_timeout} s", trace_id=trace_id)
        yield Pause(min(pause, max(poll_interval, SHORTEST_PAUSE_S), left))
        pause *= 2
