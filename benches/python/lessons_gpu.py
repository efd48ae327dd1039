"""The model of `bench lessons` on a GPU: `python lessons_gpu.py WEIGHTS.gguf [PORT]` prints its address and serves until it is killed.

It answers OpenAI's chat requests, greedily, all that wait at once in one batch. It needs torch, transformers and gguf.
"""

import json
import queue
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

AT_ONCE = 256
END = "<|im_end|>"

waiting: queue.Queue = queue.Queue()


def prompt_of(messages: list[dict]) -> str:
    turns = [f"<|im_start|>{message['role']}\n{message['content']}{END}\n" for message in messages]
    return "".join(turns) + "<|im_start|>assistant\n"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        most = asked.get("max_completion_tokens") or asked.get("max_tokens") or 256
        answered: queue.Queue = queue.Queue()
        waiting.put((prompt_of(asked["messages"]), most, answered))
        text, read, written = answered.get()
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        body = json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def batch() -> list:
    asked = [waiting.get()]
    while len(asked) < AT_ONCE:
        try:
            asked.append(waiting.get(timeout=0.05))
        except queue.Empty:
            break
    return asked


def answer_all(weights: Path, started: threading.Event) -> None:
    place = {"pretrained_model_name_or_path": str(weights.parent), "gguf_file": weights.name}
    tokenizer = AutoTokenizer.from_pretrained(**place, padding_side="left")
    model = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.bfloat16).cuda().eval()
    end = tokenizer.convert_tokens_to_ids(END)
    started.set()
    while True:
        asked = batch()
        inputs = tokenizer([prompt for prompt, _, _ in asked], return_tensors="pt", padding=True).to("cuda")
        with torch.inference_mode():
            most = max(most for _, most, _ in asked)
            tokens = model.generate(**inputs, do_sample=False, max_new_tokens=most, eos_token_id=end, pad_token_id=end)
        for row, mask, (_, most, answered) in zip(tokens, inputs.attention_mask, asked):
            written = row[inputs.input_ids.shape[1] :][:most]
            text = tokenizer.decode(written, skip_special_tokens=True)
            answered.put((text.strip(), int(mask.sum()), len(written)))


def main() -> None:
    started = threading.Event()
    threading.Thread(target=answer_all, args=(Path(sys.argv[1]), started), daemon=True).start()
    started.wait()
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[2]) if len(sys.argv) > 2 else 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
