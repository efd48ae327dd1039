"""Distil a model file, alone or with the original and what both learn from written groups, into a student of less work.

    python teach.py --model FILE --vocabulary vocab.txt --text text.txt --held-text held-out.txt --out half --cut 0-1-3-5 --embed 128 --inner 512
    python teach.py --model FILE --vocabulary vocab.txt --text text.txt --held-text held-out.txt --out run --start half/student.safetensors --inner 640 \\
        --teacher DIR --written groups.jsonl

The first cuts the student out of the model and teaches it what the model does. The second goes on with groups as `written.py` reads them, each with a
`lesson` more: the model and the original (`--teacher`) are refined by them, and the student learns from the sum of both. Groups of which a text shares
six words in a row with a benchmark's, or is close to one, are left out; every tenth is held out.
"""
import argparse
import copy
import json
import math
import multiprocessing
import pathlib
import re
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file

import batches
import tasks
import written
from batches import SEP, WRITTEN_DROP, thinned
from encoder import load_encoder, load_teacher, save_encoder
from near import NearCorpus
from quality import LessonSet
from students import cut, load_model_file, widened
from train import SNIPPETS, Held, Tokens, contrast_loss, generated_job, group_loss, measure, pair_losses, read_lines, set_up

BENCHMARKS = pathlib.Path(__file__).resolve().parents[2] / "benches" / "data"
ROOM, WITH_LESSON, LESSON = 48, written.GROUP + 1, written.GROUP
WORD = re.compile(r"\w+")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, type=pathlib.Path, help="the model file that teaches")
    parser.add_argument("--vocabulary", required=True, type=pathlib.Path)
    parser.add_argument("--text", required=True, nargs="+", type=pathlib.Path, help="the first is drawn twice as often")
    parser.add_argument("--held-text", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--cut", help="which of the model's layers the student starts from")
    parser.add_argument("--start", type=pathlib.Path, help="or the checkpoint that it starts from")
    parser.add_argument("--embed", type=int, default=128)
    parser.add_argument("--inner", type=int, default=640)
    parser.add_argument("--teacher", type=pathlib.Path, help="folder of the original, to teach beside the model")
    parser.add_argument("--written", nargs="*", default=[], type=pathlib.Path)
    parser.add_argument("--epochs", type=int, default=5, help="of written groups, while the teachers are refined")
    parser.add_argument("--seconds", type=float, default=1500, help="from the start of the program to its end")
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--warm-up", type=int, default=200, help="steps")
    parser.add_argument("--token-weight", type=float, default=0.0, help="at the start, of the error of every token's state, where the model teaches alone")
    parser.add_argument("--written-weight", type=float, default=0.5)
    parser.add_argument("--contrast", type=float, default=0.03)
    parser.add_argument("--rounded-from", type=float, default=0.68, help="share of the time after which int8 is simulated")
    parser.add_argument("--groups", type=int, default=160_000, help="of eight generated sentences")
    parser.add_argument("--anchors", type=int, default=400_000, help="texts whose neighbours are looked up")
    parser.add_argument("--written-groups", type=int, default=80, help="in a step")
    parser.add_argument("--save-every", type=float, default=150)
    parser.add_argument("--plain", action="store_true", help="do not compile")
    parser.add_argument("--tokens", type=int, default=batches.TOKENS_IN_BATCH, help="in a batch, padding included")
    return parser.parse_args()


def read_written(paths, say):
    """Groups of six texts: the task, two that mean the same, two that do not, the lesson."""
    unseen = [WORD.findall(text.lower()) for text in LessonSet().texts() + [line for path in BENCHMARKS.glob("diversity/*.jsonl") for line in read_lines(path)]]
    runs = {tuple(words[at : at + 6]) for words in unseen for at in range(len(words) - 5)}
    whole = {tuple(words) for words in unseen}
    groups, shared = {}, 0
    for row in (json.loads(line) for path in paths for line in read_lines(path)):
        texts = [" ".join(text.split()) for text in (row["task"], *row["same"], *row["near"], row["lesson"])]
        if len(set(texts)) != WITH_LESSON or not all(texts):
            continue
        words = [tuple(WORD.findall(text.lower())) for text in texts]
        if any(text in whole or any(text[at : at + 6] in runs for at in range(len(text) - 5)) for text in words):
            shared += 1
        else:
            groups.setdefault(texts[0].lower(), texts)
    say(f"{len(groups)} written groups, {shared} more share six words with the benchmarks' texts")
    return list(groups.values())


def load_corpus(args, more, tokens, device, say):
    """The texts, those of the written groups among them four times over, and generated groups."""
    held = set(read_lines(args.held_text))
    parts = [[line for line in read_lines(path) if line not in held] for path in args.text]
    with multiprocessing.get_context("fork").Pool() as pool:
        made = [line for part in pool.imap(generated_job, [(2000 + seed, max(1, args.groups // 64)) for seed in range(64)]) for line in part]
    encoded = [tokens.encode(part) for part in parts] + [tokens.encode(more * 4), tokens.encode(made, least=0), tokens.encode(SNIPPETS, least=0)]
    counts = [len(lengths) for _, lengths in encoded]
    real = sum(counts[:-2])
    often = np.concatenate([np.arange(counts[0]), np.arange(real - counts[-3], real)])
    say(f"{real} real texts, {counts[-3]} of them written, {counts[-2]} generated")
    return NearCorpus(np.concatenate([flat for flat, _ in encoded]), np.concatenate([lengths for _, lengths in encoded]), real, counts[-2], often, device)


def padded(groups, tokens, device):
    rows = [encoding.ids for encoding in tokens.tokenizer.encode_batch([text for group in groups for text in group])]
    ids = torch.zeros(len(rows), ROOM, dtype=torch.long)
    for number, row in enumerate(rows):
        row = row if len(row) <= ROOM else row[: ROOM - 1] + [SEP]
        ids[number, : len(row)] = torch.tensor(row)
    return ids.view(len(groups), WITH_LESSON, ROOM).to(device)


def in_groups(vectors):
    return vectors.view(-1, WITH_LESSON, vectors.shape[-1])


def without_lessons(vectors):
    return in_groups(vectors)[:, :LESSON].flatten(0, 1)


def lesson_loss(vectors, target):
    """How badly a task and its paraphrases find their lesson among the others'; groups that were alike before do not count as wrong."""
    vectors, target = in_groups(vectors), in_groups(target)
    alike = (target[:, 0] @ target[:, 0].T >= 0.6).fill_diagonal_(False)
    own = torch.arange(len(vectors), device=vectors.device)
    return sum(F.cross_entropy((vectors[:, place] @ vectors[:, LESSON].T * 20).masked_fill(alike, -1e4), own) for place in range(written.SAME)) / written.SAME


def group_figures(vectors):
    """recall@1 and MRR of paraphrases for their task, then of tasks and paraphrases for their lesson."""
    vectors = vectors.detach()
    found, vectors = written.figures(without_lessons(vectors).cpu().numpy()), in_groups(vectors).cpu().numpy()
    lessons = vectors[:, LESSON]
    ranks = np.concatenate([((query @ lessons.T) >= (query * lessons).sum(1)[:, None] - 1e-7).sum(1) for query in vectors[:, : written.SAME].transpose(1, 0, 2)])
    return found + [round(float((ranks <= 1).mean()), 4), round(float((1 / np.maximum(ranks, 1)).mean()), 4)]


def refine(name, encoder, rate, stay, epochs, train, corpus, held, dtype, say):
    """Contrast on the written groups, and staying where it was on other text."""
    before = copy.deepcopy(encoder).requires_grad_(False)
    encoder.requires_grad_(True)
    matrices, others = [p for p in encoder.parameters() if p.dim() == 2], [p for p in encoder.parameters() if p.dim() != 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=rate, betas=(0.9, 0.98))
    size = min(192, len(train))
    steps, step = len(train) // size * epochs, 0
    for epoch in range(epochs):
        for chosen in torch.randperm(len(train), device=train.device)[: len(train) // size * size].split(size):
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (step + 1) / 30) * 0.5 * (1 + math.cos(math.pi * step / steps))
            ids = train[chosen].flatten(0, 1)
            with torch.no_grad():
                target = before(ids, ids != 0, dtype, torch.float32)[1]
            seen = thinned(ids, WRITTEN_DROP)
            vectors = encoder(seen, seen != 0, dtype, torch.float32)[1]
            loss = contrast_loss(without_lessons(vectors), without_lessons(target)) + 0.25 * lesson_loss(vectors, target)
            ids, mask = corpus.batch(32, 1024)[:2]
            with torch.no_grad():
                target = before(ids, mask, dtype, torch.float32)[1]
            vectors = encoder(ids, mask, dtype, torch.float32)[1]
            loss = loss + stay * ((1 - (vectors * target).sum(-1)).mean() + 10 * pair_losses(vectors, target)[0])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(encoder.parameters(), 1.0)
            optimizer.step()
            step += 1
        say(f"{name}, epoch {epoch + 1}: loss {loss.item():.3f}", group_figures(held(encoder)))
    return encoder.requires_grad_(False)


def sum_of(encoders, *how):
    """What several encoders of one space say together."""
    return lambda ids, mask: F.normalize(sum(encoder(ids, mask, *how)[1].float() for encoder in encoders), dim=-1)


def imitation(vectors, target, counts, sizes):
    squares, divergence = pair_losses(vectors, target)
    cosine = (1 - (vectors * target).sum(-1)).mean()
    return cosine + 10 * squares + 0.3 * divergence + 4 * group_loss(vectors, target, counts, sizes)


def main():
    began, args = time.time(), arguments()
    say, device, dtype, half, pieces = set_up(args, began)
    tokens = Tokens(args.vocabulary)
    model = load_model_file(args.model, args.vocabulary.read_text(encoding="utf-8").rstrip("\n").split("\n")).to(device)
    teachers, held_groups, groups = [model], [], []
    if args.written:
        original = load_teacher(load_file(args.teacher / "model.safetensors")).to(device)
        embed = lambda texts: (held := Held(texts, tokens, original, device)).target[torch.from_numpy(held.places).to(device)]
        groups = read_written(args.written, say)
        unseen = embed(LessonSet().texts())
        closest = torch.cat([(part @ unseen.T).amax(1) for part in embed([text for group in groups for text in group]).split(4096)])
        groups = [group for group, closeness in zip(groups, closest.view(-1, WITH_LESSON).amax(1)) if closeness < written.TOO_CLOSE]
        held_groups = groups[::10]
        del groups[::10]
        say(f"{len(groups)} groups to train on, {len(held_groups)} held out, the others too close to the benchmarks")
    corpus = load_corpus(args, [text for group in groups for text in group], tokens, device, say)
    train = padded(groups, tokens, device) if groups else None
    if groups:
        held_texts = Held([text for group in held_groups for text in group], tokens, original, device)
        held = lambda encoder: held_texts.vectors(lambda ids, mask: encoder(ids, mask)[1])[torch.from_numpy(held_texts.places).to(device)]
        for name, encoder in (("the model", model), ("the original", original)):
            say(f"{name}: recall@1 and MRR of held-out paraphrases, then of lessons", group_figures(held(encoder)))
        refine("the model", model, 2e-4, 25, args.epochs, train, corpus, held, dtype, say)
        refine("the original", original, 1e-4, 5, args.epochs + 1, train, corpus, held, dtype, say)
        teachers = [model, original]
        say("both", group_figures(held_texts.vectors(sum_of(teachers))[torch.from_numpy(held_texts.places).to(device)]))

    together = lambda ids, mask, *_: (None, sum_of(teachers)(ids, mask))
    held_lines = {"real": read_lines(args.held_text), "tasks": tasks.generate(12345, 125), "written": [text for group in held_groups for text in group[:LESSON]]}
    held_sets = {name: Held(lines, tokens, together, device) for name, lines in held_lines.items() if lines}
    sample = corpus.batch(32, 1024 if device == "cuda" else 64)[:2]
    if args.cut:
        student = cut(model, [int(place) for place in args.cut.split("-")], args.embed, args.inner, sample)
    else:
        student = load_encoder(args.start)
        student = widened(student, args.inner) if student.shape["inner"] != args.inner else student
    student = student.to(device).requires_grad_(True)
    average = copy.deepcopy(student).requires_grad_(False)
    say(f"{sum(p.numel() for p in student.parameters()):,} parameters, {student.multiply_adds():,} multiply-adds a token", json.dumps(measure(average, held_sets, False)))
    everything, averages = list(student.parameters()), list(average.parameters())
    matrices, others = [p for p in everything if p.dim() == 2], [p for p in everything if p.dim() != 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}], lr=args.rate, betas=(0.9, 0.98), fused=device == "cuda")
    with torch.no_grad():
        spread = model(*sample)[0][sample[1].flatten()].var(0).mean()
    fast = [encoder.to(half) for encoder in teachers]
    corpus.find_neighbours(lambda ids, mask: sum_of(fast, half, half)(ids, mask).to(half), args.anchors)
    teacher = sum_of(fast, half, half, False, pieces)

    def save(name):
        partial = args.out / f"{name}.partial"
        save_encoder(average, partial)
        partial.rename(args.out / f"{name}.safetensors")

    lengths, chances = list(batches.LENGTHS), np.array(list(batches.LENGTHS.values()))
    draw, step, rounded = np.random.default_rng(0), 0, False
    training_began = last_save = last_say = time.time()
    while (done := (time.time() - training_began) / (args.seconds - (training_began - began))) < 1:
        if not rounded and done > args.rounded_from:
            rounded = True
            say("from here on int8 is simulated")
        rate = args.rate * min(1, (step + 1) / args.warm_up) * (0.5 * (1 + math.cos(math.pi * done)) + 0.003)
        for group in optimizer.param_groups:
            group["lr"] = rate
        length = int(draw.choice(lengths, p=chances / chances.sum()))
        ids, mask, *counts = corpus.batch(length, args.tokens // length)
        with torch.no_grad():
            target = teacher(ids, mask)
        states, vectors = student(ids, mask, dtype, torch.float32, rounded, pieces)
        loss = imitation(vectors, target, counts, corpus.group_sizes)
        token_weight = args.token_weight * max(0.0, 1 - done / 0.6)
        if token_weight > 0 and len(fast) == 1:  # early on, every token's last state is a target of its own
            with torch.no_grad():
                wanted = fast[0](ids, mask, half, half, False, pieces)[0].float()
            wrong, flat = (states.float() - wanted).pow(2).mean(-1), mask.flatten()
            loss = loss + token_weight / spread * (wrong * flat).sum() / flat.sum()
        if groups:
            ids = thinned(train[torch.randint(len(train), (args.written_groups,), device=device)].flatten(0, 1), WRITTEN_DROP)
            with torch.no_grad():
                target = teacher(ids, ids != 0)
            vectors = student(ids, ids != 0, dtype, torch.float32, rounded, pieces)[1]
            loss = loss + args.written_weight * imitation(vectors, target, [len(ids)], [WITH_LESSON])
            loss = loss + args.contrast * contrast_loss(without_lessons(vectors), without_lessons(target))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(everything, 1.0, foreach=True)
        optimizer.step()
        with torch.no_grad():
            torch._foreach_lerp_(averages, everything, 1 - min(0.999, (step + 1) / (step + 20)))
        step += 1
        if step % 50 == 0 and device == "cuda":
            torch.cuda.synchronize()  # so that the clock above is the device's clock
        if step % 10 == 0 and time.time() - last_say > 30:
            say("step", step, "rate", f"{rate:.2e}", "loss", round(loss.item(), 4), json.dumps(measure(average, held_sets, rounded)))
            last_say = time.time()
            if not math.isfinite(loss.item()):
                sys.exit("the loss is no longer a number")
        if time.time() - last_save > args.save_every:
            save("newest")
            last_save = time.time()
    save("student")
    say("end at step", step, "float", json.dumps(measure(average, held_sets, False)))
    say("end, int8 simulated", json.dumps(measure(average, held_sets, True)))


if __name__ == "__main__":
    main()
