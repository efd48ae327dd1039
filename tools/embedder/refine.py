"""Teach an encoder which tasks mean the same, from groups written one by one, without letting it drift from where it was.

    python refine.py --teacher DIR --written written.jsonl --text text.txt --out refined.safetensors [--start checkpoint.safetensors]

What is refined is the original, or with `--start` a student's checkpoint. `train.py --target` distils from the result. The original
finds a sixth of written paraphrases before all other tasks and near misses. It is large enough to learn more as a rule, where a
student learns the examples by heart.
"""
import argparse
import json
import math
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

import written
from batches import SEP, WRITTEN_DROP, thinned
from encoder import load_encoder, load_teacher, save_encoder
from train import Held, Tokens, contrast_loss, measure, pair_losses, read_lines

ROOM = 64


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher", required=True, type=pathlib.Path)
    parser.add_argument("--start", type=pathlib.Path)
    parser.add_argument("--written", required=True, type=pathlib.Path)
    parser.add_argument("--text", required=True, nargs="+", type=pathlib.Path, help="texts on which it is to stay as it was")
    parser.add_argument("--held-text", type=pathlib.Path, help="of which these measure how well it does")
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--groups", type=int, default=256, help="in a step")
    parser.add_argument("--rate", type=float, default=5e-5)
    parser.add_argument("--stay", type=float, default=1.0, help="weight of staying where it was")
    parser.add_argument("--drop", type=float, default=WRITTEN_DROP, help="share of the tokens of written texts that a step does not see")
    return parser.parse_args()


def padded(rows, device):
    """Token ids with [CLS] and [SEP], each row filled up with zeros."""
    ids = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for number, row in enumerate(rows):
        ids[number, : len(row)] = row
    return torch.from_numpy(ids).to(device)


def trimmed(ids):
    """As many columns as the longest row needs, and the mask."""
    ids = ids[:, : int((ids != 0).any(0).sum())]
    return ids, ids != 0


def main():
    began, args = time.time(), arguments()
    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    tokens = Tokens(args.teacher / "vocab.txt")
    original = load_teacher(load_file(args.teacher / "model.safetensors")).to(device)
    encoder = load_encoder(args.start).to(device) if args.start else load_teacher(load_file(args.teacher / "model.safetensors")).to(device)
    encoder.requires_grad_(True)
    before = original if args.start is None else load_encoder(args.start).to(device).requires_grad_(False)

    held_lines = read_lines(args.held_text) if args.held_text else []
    lines = [line for path in args.text for line in read_lines(path)]
    lines = sorted(set(lines) - set(held_lines))
    encode = lambda texts: [encoding.ids[: ROOM - 1] + [SEP] if len(encoding.ids) > ROOM else encoding.ids for encoding in tokens.tokenizer.encode_batch(texts)]
    draw = np.random.default_rng(0)
    real = encode([lines[place] for place in draw.choice(len(lines), min(len(lines), 100_000), replace=False)])
    groups = written.read_groups([args.written])
    held_groups = groups[::10]
    del groups[::10]
    train = padded(encode([text for group in groups for text in group]), device).view(len(groups), written.GROUP, -1)
    real = padded(real, device)
    held_sets = {name: Held(texts, tokens, original, device) for name, texts in (("real", held_lines), ("written", [text for group in held_groups for text in group])) if texts}

    matrices = [p for p in encoder.parameters() if p.dim() == 2]
    others = [p for p in encoder.parameters() if p.dim() != 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=args.rate, betas=(0.9, 0.98))
    steps_an_epoch = math.ceil(len(train) / args.groups)
    steps, step = steps_an_epoch * args.epochs, 0
    print(f"{len(train)} groups, {len(held_groups)} held out, {steps} steps", json.dumps(vars(args), default=str), flush=True)
    print("before", json.dumps(measure(encoder, held_sets, False)), flush=True)
    for epoch in range(args.epochs):
        order = draw.permutation(len(train))
        for start in range(0, len(order), args.groups):
            chosen = order[start : start + args.groups]
            rate = args.rate * min(1, (step + 1) / 30) * 0.5 * (1 + math.cos(math.pi * step / steps))
            for group in optimizer.param_groups:
                group["lr"] = rate
            ids, mask = trimmed(train[torch.from_numpy(chosen).to(device)].flatten(0, 1))
            with torch.no_grad():
                target = before(ids, mask, dtype, torch.float32)[1]
            seen = thinned(ids, args.drop)
            vectors = encoder(seen, seen != 0, dtype, torch.float32)[1]
            contrast = contrast_loss(vectors, target)
            ids, mask = trimmed(real[torch.randint(len(real), (1024,), device=device)])
            with torch.no_grad():
                target = before(ids, mask, dtype, torch.float32)[1]
            vectors = encoder(ids, mask, dtype, torch.float32)[1]
            stays = (1 - (vectors * target).sum(-1)).mean() + 10 * pair_losses(vectors, target)[0]
            loss = contrast + args.stay * stays
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optimizer.step()
            step += 1
        print(f"{time.time() - began:6.1f} s  epoch {epoch + 1}, contrast {contrast.item():.3f}, stays {stays.item():.4f}", json.dumps(measure(encoder, held_sets, False)), flush=True)
    if args.out:
        save_encoder(encoder, args.out)


if __name__ == "__main__":
    main()
