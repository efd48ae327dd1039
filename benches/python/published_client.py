"""Calls of the published client for a while; prints the seconds that each took as a JSON list."""

import json
import sys
import time

from reflect_sdk import ReflectClient


def main() -> None:
    url, key, kind, seconds = sys.argv[1:]
    client = ReflectClient(base_url=url, api_key=key, project_id="bench")
    times = []
    start = time.perf_counter()
    while time.perf_counter() - start < float(seconds):
        task = f"Please refund order {len(times) % 5000} by Python"
        call = time.perf_counter()
        if kind == "query":
            client.query_memories(task, limit=10)
        else:
            messages = [{"role": "user", "content": task}, {"role": "assistant", "content": "Done."}]
            client.create_trace(task=task, trajectory=messages, review_result="pass")
        times.append(time.perf_counter() - call)
    print(json.dumps(times))


if __name__ == "__main__":
    main()
