"""Distil all-MiniLM-L6-v2 into a small encoder of the same 384-dimensional space.

    python train.py --teacher DIR --text text.txt --out runs/ --seconds 1320

`--teacher`: folder with model.safetensors and vocab.txt. `--text`: files of one text a line, in document order (gzip, bzip2 or xz is
fine), as `collect.py` writes them. Shapes given with `--shapes`, each by every optimiser, train side by side on the same batches for the first
`--compare` seconds; then the best goes on alone. `--out` receives checkpoints (float16, averaged weights) and log.txt; what its
file `changes.json` says while the program runs, as in {"seconds": 1600, "contrast": 0}, takes the place of the options.
"""
import argparse
import bz2
import gzip
import itertools
import json
import lzma
import math
import multiprocessing
import pathlib
import sys
import time

import numpy as np
import torch
import torch._dynamo
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import load_file
from tokenizers import BertWordPieceTokenizer

import batches
import tasks
import written
from encoder import PLAIN, Encoder, Pieces, continue_student, load_encoder, load_teacher, save_encoder, start_student
from model_file import Model
from muon import Muon

# embed, hidden, layers, inner; layers as a number, or as whose weights each has
SHAPES = "96,320,4,960;96,320,0-1-1-3-3-5,960"
WRITTEN_COPIES = 4
SNIPPETS = """not|do not|never|always|only|without|instead of|before|after|unless|if|except|all|none of|from|to|but not|and|or|because|no longer|
failed to|error|please|how to|why|first|last|two|10|100|the same|a different|old|new|enable|disable|add|remove|increase|decrease|
open|close|start|stop|buy|sell|send|receive|in|out of|yesterday|tomorrow|public|private|customer|server|file|test|production|user|
must|must not|can|cannot|read|write|true|false|more than|less than|at least|at most""".replace("\n", "").split("|")
ROWS_IN_PAIRS = 4096


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--teacher", required=True, type=pathlib.Path)
    parser.add_argument("--text", required=True, nargs="+", type=pathlib.Path)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    parser.add_argument("--seconds", type=float, default=1320, help="from the start of the program to its end")
    parser.add_argument("--compare", type=float, default=180, help="seconds of training after which the best shape goes on alone")
    parser.add_argument("--shapes", default=SHAPES)
    parser.add_argument("--optimisers", default="adamw,muon")
    parser.add_argument("--start", type=pathlib.Path, help="go on from this model file or checkpoint")
    parser.add_argument("--target", type=pathlib.Path, help="imitate this checkpoint of `refine.py` instead of the teacher as it came")
    parser.add_argument("--written", type=pathlib.Path, help="groups written one by one, as `written.py` keeps them")
    parser.add_argument("--contrast", type=float, default=0.02, help="weight of telling written paraphrases from near misses")
    parser.add_argument("--contrast-from", type=float, default=0.5, help="share of the time after which that begins")
    parser.add_argument("--token-weight", type=float, default=0.5, help="weight at the start of the error of every token's state")
    parser.add_argument("--warm-up", type=int, default=600, help="steps")
    parser.add_argument("--groups", type=int, default=200_000, help="groups of eight generated sentences")
    parser.add_argument("--rate", type=float, default=2e-3)
    parser.add_argument("--rounded-from", type=float, default=0.72, help="share of the time after which int8 is simulated")
    parser.add_argument("--save-every", type=float, default=200)
    parser.add_argument("--held", type=int, default=3000, help="real texts kept from training, to measure on")
    parser.add_argument("--held-text", type=pathlib.Path, help="keep these lines from training instead: those that the start was kept from")
    parser.add_argument("--plain", action="store_true", help="do not compile")
    parser.add_argument("--tokens", type=int, default=batches.TOKENS_IN_BATCH, help="in a batch, padding included")
    return parser.parse_args()


def read_lines(path):
    opener = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "rt", encoding="utf-8") as file:
        return [line for line in file.read().split("\n") if line]


class Tokens:
    """Texts as token ids, without [CLS] and [SEP]; texts of fewer than three tokens are left out unless asked for."""

    def __init__(self, vocabulary):
        self.tokenizer = BertWordPieceTokenizer(str(vocabulary), lowercase=True)
        self.tokenizer.enable_truncation(256)

    def encode(self, lines, least=3):
        flats, lengths = [], []
        for start in range(0, len(lines), 100_000):
            ids = [encoding.ids[1:-1] for encoding in self.tokenizer.encode_batch(lines[start : start + 100_000])]
            ids = [text for text in ids if len(text) >= least]
            lengths.append(np.fromiter(map(len, ids), np.int64))
            flats.append(np.fromiter(itertools.chain.from_iterable(ids), np.uint16))
        if not flats:
            return np.zeros(0, np.uint16), np.zeros(0, np.int64)
        return np.concatenate(flats), np.concatenate(lengths)


def generated_job(job):
    return tasks.generate(*job)


def load_corpus(args, tokens, device, say):
    lines = [line for path in args.text for line in read_lines(path)]
    if args.held_text:
        held = read_lines(args.held_text)
    else:  # single lines from everywhere
        stride = max(1, len(lines) // args.held)
        held = lines[stride // 2 :: stride]
    unseen = set(held)
    lines = [line for line in lines if line not in unseen]
    say(f"{len(lines)} real texts, {len(held)} held out")
    groups = written.read_groups([args.written]) if args.written else []
    held_groups = groups[::10]
    del groups[::10]
    texts = [text for group in groups for text in group]
    lines += texts * WRITTEN_COPIES  # beside their groups, to be edited and joined like the rest
    say(f"{len(groups)} written groups, {len(held_groups)} held out")
    share = max(1, args.groups // 64)
    with multiprocessing.get_context("fork").Pool() as pool:
        made = [line for part in pool.imap(generated_job, [(seed, share) for seed in range(64)]) for line in part]
    held_made = tasks.generate(12345, 125)
    flat, lengths = tokens.encode(lines)
    real = len(lengths)
    made_flat, made_lengths = tokens.encode(made, least=0)
    written_flat, written_lengths = tokens.encode(texts, least=0)
    snippet_flat, snippet_lengths = tokens.encode(SNIPPETS, least=0)
    corpus = batches.Corpus(
        np.concatenate([flat, made_flat, written_flat, snippet_flat]),
        np.concatenate([lengths, made_lengths, written_lengths, snippet_lengths]),
        real,
        len(made_lengths),
        len(written_lengths),
        device,
    )
    say(f"{real} real texts of {len(flat)} tokens, {len(made_lengths)} generated of {len(made_flat)}")
    return corpus, held, held_made, [text for group in held_groups for text in group]


class Held:
    """Texts kept from training with the teacher's vectors for them."""

    def __init__(self, lines, tokens, teacher, device):
        encodings = [encoding.ids for encoding in tokens.tokenizer.encode_batch(lines)]
        self.device, self.order = device, sorted(encodings, key=len)
        # Where each text is found again after the sorting.
        self.places = np.argsort(sorted(range(len(encodings)), key=lambda number: len(encodings[number])))
        self.target = self.vectors(lambda ids, mask: teacher(ids, mask, torch.float32, torch.float32)[1])

    def vectors(self, embed):
        parts = []
        for start in range(0, len(self.order), 500):
            rows = self.order[start : start + 500]
            ids = torch.zeros(len(rows), max(map(len, rows)), dtype=torch.long)
            for number, row in enumerate(rows):
                ids[number, : len(row)] = torch.tensor(row)
            ids = ids.to(self.device)
            mask = ids != 0
            parts.append(embed(ids, mask))
        return torch.cat(parts)


def correlation(mine, yours):
    return torch.corrcoef(torch.stack([mine, yours]))[0, 1].item()


@torch.no_grad()
def measure(student, held_sets, rounded):
    """Cosine with the teacher, on average and at worst, correlation of pair similarities, and how often the nearest neighbour is
    the teacher's; of written groups also recall@1 and MRR."""
    figures = {}
    for name, held in held_sets.items():
        mine = held.vectors(lambda ids, mask: student(ids, mask, rounded=rounded)[1])
        cosine = (mine * held.target).sum(-1)
        ours, theirs = mine @ mine.T, held.target @ held.target.T
        above = torch.triu_indices(len(ours), len(ours), 1, device=ours.device)
        pairs = correlation(ours[above[0], above[1]], theirs[above[0], above[1]])
        same = (ours.fill_diagonal_(-1).argmax(1) == theirs.fill_diagonal_(-1).argmax(1)).float().mean().item()
        figures[name] = [round(value, 4) for value in (cosine.mean().item(), cosine.min().item(), pairs, same)]
        if name == "written":
            figures[name] += written.figures(mine.cpu().numpy()[held.places])
    return figures


def pair_losses(vectors, target):
    """Squared error of all similarities, and the divergence of each text's distribution over its neighbours, itself left out."""
    squares, divergence, parts = 0, 0, vectors.split(ROWS_IN_PAIRS)
    for mine, yours in zip(parts, target.split(ROWS_IN_PAIRS)):
        mine, yours = mine @ mine.T, yours @ yours.T
        squares = squares + F.mse_loss(mine, yours)
        itself = torch.eye(len(mine), dtype=torch.bool, device=mine.device)
        mine = (mine * 20).masked_fill(itself, -1e4)
        yours = (yours * 20).masked_fill(itself, -1e4)
        divergence = divergence + F.kl_div(F.log_softmax(mine, 1), F.log_softmax(yours, 1), reduction="batchmean", log_target=True)
    return squares / len(parts), divergence / len(parts)


def group_loss(vectors, target, counts, sizes):
    """Squared error of the similarities inside the groups of neighbours: few pairs, but the ones retrieval depends on."""
    loss, start = vectors.new_zeros(()), 0
    for count, size in zip(counts, sizes):
        if count:
            mine = vectors[start : start + count].view(-1, size, vectors.shape[1])
            yours = target[start : start + count].view(-1, size, vectors.shape[1])
            loss = loss + F.mse_loss(mine @ mine.transpose(1, 2), yours @ yours.transpose(1, 2))
        start += count
    return loss


def contrast_loss(vectors, target):
    """How badly written texts find those that mean the same among all others, near misses first of all (temperature 0.05).

    Here the labels are known and the teacher is often wrong. Texts of other groups that the teacher finds close are left out: two
    hands may have written the same task.
    """
    similarity = vectors @ vectors.T * 20
    place = torch.arange(len(vectors), device=vectors.device)
    group, means_the_same = place // written.GROUP, place % written.GROUP < written.SAME
    own = group[:, None] == group
    alike = own & means_the_same[:, None] & means_the_same
    wrong = torch.where(own, ~alike, target @ target.T < 0.6)
    others = similarity.masked_fill(~wrong, -1e4).logsumexp(1, keepdim=True)
    right = alike & (place[:, None] != place)
    return (F.softplus(others - similarity) * right).sum() / right.sum()


class Trainee:
    """A student with its optimiser and the running average of its weights."""

    def __init__(self, shape, optimiser, device, rate):
        self.name = f"{shape} {optimiser}"
        embed, hidden, layers, inner = shape.split(",")
        layers = layers.replace("-", ",") if "-" in layers else int(layers)
        self.student, self.average = (Encoder(int(embed), int(hidden), layers, int(inner), int(hidden) // 32).to(device) for _ in range(2))
        self.average.requires_grad_(False)
        self.muon = None
        by_muon = []
        if optimiser == "muon":
            names = [name for name, p in self.student.named_parameters() if p.dim() == 2 and name.startswith("layers")]
            by_muon = [self.student.get_parameter(name) for name in names]
            self.muon = Muon(by_muon, [3 if ".qkv." in name else 1 for name in names])
        rest = [p for p in self.student.parameters() if not any(p is other for other in by_muon)]
        matrices, others = [p for p in rest if p.dim() == 2], [p for p in rest if p.dim() != 2]
        groups = [{"params": matrices, "weight_decay": 0.01}, {"params": others, "weight_decay": 0.0}]
        self.optimizer = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=device == "cuda")
        self.parameters, self.averages = list(self.student.parameters()), list(self.average.parameters())

    def start(self, table, args, sample):
        """From the teacher's token table, or from a model file, or from a checkpoint."""
        if args.start is None:
            start_student(self.student, table)
        else:
            with safe_open(args.start, "pt") as file:
                is_model_file = "format" in file.metadata()
            if is_model_file:
                vocabulary = (args.teacher / "vocab.txt").read_text(encoding="utf-8").rstrip("\n").split("\n")
                continue_student(self.student, Model(args.start), {token: id for id, token in enumerate(vocabulary)}, sample)
            else:
                self.student.load_state_dict({name: tensor.float() for name, tensor in load_file(args.start).items()})
        self.average.load_state_dict(self.student.state_dict())

    def step(self, batch, target, states, rate, token_weight, contrast, rounded, pieces, dtype, number):
        ids, mask, in_groups, in_written, in_edits = batch
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        x, vectors = self.student(ids, mask, dtype, torch.float32, rounded, pieces)
        squares, divergence = pair_losses(vectors, target)
        cosine = (1 - (vectors * target).sum(-1)).mean()
        loss = cosine + 10 * squares + 0.3 * divergence + 4 * group_loss(vectors, target, (in_groups, in_written, in_edits), batches.Corpus.group_sizes)
        if contrast > 0 and in_written:
            mine = slice(in_groups, in_groups + in_written)
            loss = loss + contrast * contrast_loss(vectors[mine], target[mine])
        if token_weight > 0:  # early on, every token's last state is a target of its own
            flat = mask.flatten()
            guess = F.linear(x.to(dtype), self.student.project.weight.to(dtype), self.student.project.bias.to(dtype)).float()
            wrong = ((guess - states.float()) ** 2).mean(-1)
            loss = loss + token_weight * (wrong * flat).sum() / flat.sum()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.parameters, 1.0, foreach=True)
        self.optimizer.step()
        if self.muon is not None:
            self.muon.step(rate)
        with torch.no_grad():
            torch._foreach_lerp_(self.averages, self.parameters, 1 - min(0.999, (number + 1) / (number + 20)))
        return cosine.detach(), squares.detach(), divergence.detach()

    def save(self, path):
        partial = path.with_suffix(".partial")
        save_encoder(self.average, partial)
        partial.rename(path)


def set_up(args, began):
    """What to print and log with, where to compute, in which types, and the encoder's functions, compiled or plain."""
    args.out.mkdir(parents=True, exist_ok=True)
    log = open(args.out / "log.txt", "a")

    def say(*words):
        line = f"{time.time() - began:7.1f} s  " + " ".join(map(str, words))
        print(line, flush=True)
        print(line, file=log, flush=True)

    torch.manual_seed(0)
    torch.backends.cuda.matmul.allow_tf32 = True
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype, half = (torch.bfloat16, torch.float16) if device == "cuda" else (torch.float32, torch.float32)
    if not args.plain:
        torch._dynamo.config.cache_size_limit = 64
        torch._dynamo.config.suppress_errors = True
    pieces = PLAIN if args.plain else Pieces(compiled=True)
    return say, device, dtype, half, pieces


def main():
    began = time.time()
    args = arguments()
    say, device, dtype, half, pieces = set_up(args, began)
    tokens = Tokens(args.teacher / "vocab.txt")
    corpus, held, held_made, held_written = load_corpus(args, tokens, device, say)
    teacher = (load_encoder(args.target) if args.target else load_teacher(load_file(args.teacher / "model.safetensors"))).to(device)
    teacher.eval().requires_grad_(False)
    long = [" ".join(held[start : start + 12]) for start in range(0, len(held), 12)]
    held_sets = {name: Held(lines, tokens, teacher, device) for name, lines in (("real", held), ("tasks", held_made), ("long", long), ("written", held_written)) if lines}
    if held_written:
        say("the teacher's recall@1 and MRR on held-out written groups", written.figures(held_sets["written"].target.cpu().numpy()[held_sets["written"].places]))
    table = teacher.tokens.detach().clone()
    fast_teacher = teacher.to(half)
    trainees = [Trainee(shape, optimiser, device, args.rate) for shape in args.shapes.split(";") for optimiser in args.optimisers.split(",")]
    for trainee in trainees:
        trainee.start(table, args, corpus.batch(32, 512)[:2])
        say(trainee.name, f"{sum(p.numel() for p in trainee.parameters):,} parameters, {trainee.student.multiply_adds():,} multiply-adds a token")
        if args.start is not None:
            say("   ", json.dumps(measure(trainee.average, held_sets, False)))

    lengths, chances = list(batches.LENGTHS), np.array(list(batches.LENGTHS.values()))
    draw, step, seen = np.random.default_rng(0), 0, 0
    training_began = last_save = time.time()
    last_say, last_step, rounded = training_began, 0, False
    sums = torch.zeros(3, device=device)
    while True:
        now = time.time()
        if step % 100 == 0 and (args.out / "changes.json").exists():
            vars(args).update(json.loads((args.out / "changes.json").read_text()))
        done = (now - training_began) / (args.seconds - (training_began - began))
        if done >= 1:
            break
        if not rounded and done > args.rounded_from:
            rounded = True
            say("from here on int8 is simulated")
        rate = args.rate * min(1, (step + 1) / args.warm_up) * (0.5 * (1 + math.cos(math.pi * done)) + 0.003)
        length = int(draw.choice(lengths, p=chances / chances.sum()))
        batch = corpus.batch(length, args.tokens // length)
        token_weight = max(0.0, args.token_weight * (1 - done / 0.5))
        # Grows over a tenth of the time, lest the teacher's space be torn.
        contrast = args.contrast * min(1.0, max(0.0, (done - args.contrast_from) / 0.1))
        with torch.no_grad():
            states, target = fast_teacher(batch[0], batch[1], half, half, False, pieces)
        for trainee in trainees:
            losses = trainee.step(batch, target, states, rate, token_weight, contrast, rounded, pieces, dtype, step)
        sums += torch.stack(losses)
        step, seen = step + 1, seen + len(batch[0])
        if step in (1, 2, 5, 20, 100):
            say("step", step, "losses", [round(value, 4) for value in torch.stack(losses).tolist()])
        if step % 50 == 0 and device == "cuda":
            torch.cuda.synchronize()  # so that the clock above is the device's clock
        if step % 10 == 0 and now - last_say > 30:
            say("step", step, "texts", seen, "rate", f"{rate:.2e}", "mean cosine, square and divergence losses", [f"{value / (step - last_step):.4f}" for value in sums.tolist()])
            for trainee in trainees:
                say("   ", trainee.name, json.dumps(measure(trainee.average, held_sets, rounded)))
            last_say, last_step = time.time(), step
            sums.zero_()
            if not all(math.isfinite(value) for value in torch.stack(losses).tolist()):
                sys.exit("the loss is no longer a number")
        if len(trainees) > 1 and now - training_began > args.compare:
            trainees = [choose(trainees, held_sets, say)]
        if now - last_save > args.save_every and len(trainees) == 1:
            trainees[0].save(args.out / f"at-{int(now - began):04d}.safetensors")
            last_save = now
            say("saved")
    trainee = trainees[0]
    trainee.save(args.out / "student.safetensors")
    say("end at step", step, "texts", seen, "float", json.dumps(measure(trainee.average, held_sets, False)))
    say("end, int8 simulated", json.dumps(measure(trainee.average, held_sets, True)))
    (args.out / "done").touch()


def choose(trainees, held_sets, say):
    """The best on held-out text; a shape of more work a token must win by 0.003 of cosine and pair correlation together."""
    best = work = None
    for trainee in sorted(trainees, key=lambda trainee: trainee.student.multiply_adds()):
        figures = measure(trainee.average, held_sets, False)
        score = figures["real"][0] + figures["real"][2] + figures["tasks"][0] + figures["tasks"][2]
        say("compared:", trainee.name, json.dumps(figures), "score", round(score, 4))
        if best is None or score > best[0] + (0.006 if trainee.student.multiply_adds() > work else 0):
            best, work = (score, trainee), trainee.student.multiply_adds()
    say("going on with", best[1].name)
    return best[1]


if __name__ == "__main__":
    main()
