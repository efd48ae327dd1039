"""Go on with a trained student for a while on short texts that read like tasks; a CPU is enough.

    python finish.py --checkpoint at-1122.safetensors --teacher DIR --text text.txt --out student.safetensors --seconds 900

Of the text, lines of 4 to 24 tokens that start with a verb of `words.py` or ask something are used, mixed with generated groups.
int8 is simulated throughout and the rate falls to nothing at the end. Every thirtieth such line is held out to measure on.
"""
import argparse
import math
import pathlib
import random
import re
import time

import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

import tasks
import words
from encoder import Encoder, load_teacher
from train import Tokens, pair_losses, read_lines

FIRST_WORDS = set(words.VERBS) | set("how what why when where which who can could should please do don't never always is are".split())


def reads_like_a_task(line):
    if len(line) > 140 or not line.isascii():
        return False
    found = re.findall(r"[a-z']+", line.lower())
    return len(found) >= 4 and found[0] in FIRST_WORDS and sum(map(len, found)) > 0.7 * len(line)


def padded(rows):
    ids = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = torch.tensor(row)
    return ids, ids != 0


def load_student(path):
    with safe_open(path, "pt") as file:
        shape = {name: int(value) for name, value in file.metadata().items()}
    student = Encoder(**shape)
    student.load_state_dict({name: tensor.float() for name, tensor in load_file(path).items()})
    return student


@torch.no_grad()
def measure(student, held):
    """Cosine with the teacher and correlation of pair similarities on the held-out lines."""
    mine = torch.cat([student(ids, mask, rounded=True)[1] for ids, mask, _ in held])
    target = torch.cat([target for _, _, target in held])
    above = torch.triu_indices(len(mine), len(mine), 1)
    pairs = torch.stack([(mine @ mine.T)[above[0], above[1]], (target @ target.T)[above[0], above[1]]])
    return f"cosine {(mine * target).sum(1).mean():.4f}, pair correlation {torch.corrcoef(pairs)[0, 1]:.4f}"


def save(student, path):
    tensors = {name: tensor.half().contiguous() for name, tensor in student.state_dict().items()}
    save_file(tensors, path, {name: str(value) for name, value in student.shape.items()})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--teacher", required=True, type=pathlib.Path)
    parser.add_argument("--text", required=True, nargs="+", type=pathlib.Path)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=float, default=900)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--rows", type=int, default=512)
    args = parser.parse_args()
    torch.manual_seed(0)
    rng = random.Random(0)
    lines = [line for path in args.text for line in read_lines(path) if reads_like_a_task(line)]
    rng.shuffle(lines)
    tokens = Tokens(args.teacher / "vocab.txt")
    teacher = load_teacher(load_file(args.teacher / "model.safetensors"))
    student = load_student(args.checkpoint)
    print(len(lines), "lines like tasks", flush=True)

    def encoded(texts):
        return [encoding.ids[:26] for encoding in tokens.tokenizer.encode_batch(texts)]

    held = []
    for start in range(0, 600, 200):
        ids, mask = padded(sorted(encoded(lines[start : start + 200]), key=len))
        held.append((ids, mask, teacher(ids, mask)[1]))
    lines = lines[600:]
    print("before:", measure(student, held), flush=True)

    optimizer = torch.optim.AdamW(student.parameters(), lr=args.rate, betas=(0.9, 0.99), weight_decay=0.0)
    began, step, at, last = time.time(), 0, 0, time.time()
    # bfloat16 products: processors with AMX do them several times faster than float32.
    while (done := (time.time() - began) / args.seconds) < 1:
        rate = args.rate * min(1, (step + 1) / 30) * 0.5 * (1 + math.cos(math.pi * done))
        for group in optimizer.param_groups:
            group["lr"] = rate
        made = tasks.generate(rng.random(), args.rows // 32)
        real = lines[at : at + args.rows - len(made)]
        at = (at + len(real)) % max(1, len(lines) - args.rows)
        ids, mask = padded(encoded(made + real))
        with torch.no_grad():
            target = teacher(ids, mask, torch.bfloat16)[1]
        vectors = student(ids, mask, torch.bfloat16, rounded=True)[1]
        squares, divergence = pair_losses(vectors, target)
        loss = (1 - (vectors * target).sum(-1)).mean() + 10 * squares + 0.3 * divergence
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(student.parameters(), 1.0)
        optimizer.step()
        step += 1
        if time.time() - last > 90:
            print(f"{time.time() - began:6.0f} s  step {step}, texts {step * args.rows}:", measure(student, held), flush=True)
            last = time.time()
            save(student, args.out)
    print("end, step", step, measure(student, held), flush=True)
    save(student, args.out)


if __name__ == "__main__":
    main()
