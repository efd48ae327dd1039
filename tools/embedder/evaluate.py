"""Measure exported model files: on the retrieval set, against the original, and int8 against float.

    python evaluate.py FILE.safetensors... --teacher DIR [--set DIR] [--text held-out.txt]

Every query of the set searches all its memories, tasks and distractors together; exactly one is right. `--text` is one text a line
that was not trained on; for it the cosine with the teacher and the correlation of pair similarities are printed.
"""
import argparse
import json
import os
import pathlib

# Before numpy loads: on a busy machine several threads are slower than one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import torch
from safetensors.torch import load_file
from tokenizers import BertWordPieceTokenizer

from encoder import load_teacher
from model_file import Model

SET_DIRECTORY = pathlib.Path(__file__).resolve().parents[2] / "benches" / "data" / "retrieval"


class Original:
    """all-MiniLM-L6-v2 in float32, one text at a time."""

    def __init__(self, folder):
        self.teacher = load_teacher(load_file(folder / "model.safetensors"))
        # Its own ids: a student's vocabulary leaves out the unused rows.
        self.tokenizer = BertWordPieceTokenizer(str(folder / "vocab.txt"), lowercase=True)
        self.tokenizer.enable_truncation(256)

    @torch.no_grad()
    def embed(self, texts):
        rows = [torch.tensor([encoding.ids]) for encoding in self.tokenizer.encode_batch(texts)]
        return torch.cat([self.teacher(ids, torch.ones_like(ids, dtype=torch.bool))[1] for ids in rows]).numpy()


class RetrievalSet:
    def __init__(self, folder):
        easy, hard = (self.rows(folder / name) for name in ("easy.jsonl", "hard.jsonl"))
        self.easy_count = len(easy)
        self.queries = [row["query"] for row in easy + hard]
        self.memories = [row["task"] for row in easy + hard] + [text for row in hard for text in row["distractors"]]

    @staticmethod
    def rows(path):
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]

    def figures(self, embed):
        """recall@1, recall@5 and MRR of the easy half, the hard half and all; a tie counts against the embedder."""
        similarities = embed(self.queries) @ embed(self.memories).T
        ranks = (similarities >= similarities.diagonal()[:, None]).sum(1)
        halves = {"easy": ranks[: self.easy_count], "hard": ranks[self.easy_count :], "all": ranks}
        return {name: [(rank <= 1).mean(), (rank <= 5).mean(), (1 / rank).mean()] for name, rank in halves.items()}


def show(name, figures):
    cells = "   ".join(f"{half} " + " ".join(f"{value:.3f}" for value in values) for half, values in figures.items())
    print(f"{name:44} {cells}", flush=True)


def agreement(mine, yours):
    """Cosine on average and at worst, and the correlation of the similarities of all pairs."""
    cosine = (mine * yours).sum(1)
    above = np.triu_indices(len(mine), 1)
    pairs = np.corrcoef((mine @ mine.T)[above], (yours @ yours.T)[above])[0, 1]
    return f"cosine {cosine.mean():.4f}, worst {cosine.min():.4f}, pair correlation {pairs:.4f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--teacher", required=True, type=pathlib.Path)
    parser.add_argument("--set", default=SET_DIRECTORY, type=pathlib.Path)
    parser.add_argument("--text", type=pathlib.Path)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    models = {path: Model(path) for path in arguments.models}
    original = Original(arguments.teacher)
    retrieval_set = RetrievalSet(arguments.set)
    print("retrieval set: recall@1, recall@5, MRR")
    show("original, float32", retrieval_set.figures(original.embed))
    for path, model in models.items():
        for int8 in (False, True):
            name = f"{pathlib.Path(path).name}, {'int8' if int8 else 'float'}"
            show(name, retrieval_set.figures(lambda texts: model.embed(texts, int8)))
    if arguments.text:
        lines = [line for line in arguments.text.read_text(encoding="utf-8").split("\n") if line]
        target = original.embed(lines)
        for path, model in models.items():
            whole, rounded = model.embed(lines, int8=False), model.embed(lines, int8=True)
            print(f"{path}: {len(lines)} held-out texts")
            print("  float with the original:", agreement(whole, target))
            print("  int8 with the original: ", agreement(rounded, target))
            print("  int8 with float:        ", agreement(rounded, whole))


if __name__ == "__main__":
    main()
