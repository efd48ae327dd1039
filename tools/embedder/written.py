"""Groups of tasks written one by one: which to train on, and how well an embedder tells them apart.

    python written.py --teacher DIR --out written.jsonl groups/*.jsonl

A line is one group: {"task": …, "same": [two that mean the same in other words], "near": [two that share words and mean something
else]}. Groups that come twice are dropped, and so are those of which any text is close to a text of the retrieval set, by the
original's own measure: the set must stay unseen.
"""
import argparse
import json
import pathlib

import numpy as np

SAME, GROUP = 3, 5
TOO_CLOSE = 0.75


def read_groups(paths):
    """Lists of five texts: the task, two that mean the same, two that do not."""
    groups = {}
    for path in paths:
        for line in pathlib.Path(path).read_text(encoding="utf-8").splitlines():
            row = json.loads(line) if line.strip() else {}
            texts = [row.get("task", ""), *row.get("same", []), *row.get("near", [])]
            if len(row.get("same", [])) == 2 and len(row.get("near", [])) == 2 and len(set(texts)) == GROUP and all(texts):
                groups.setdefault(texts[0].lower(), [" ".join(text.split()) for text in texts])
    return list(groups.values())


def write_groups(path, groups):
    rows = ({"task": group[0], "same": group[1:3], "near": group[3:5]} for group in groups)
    pathlib.Path(path).write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def figures(vectors):
    """recall@1 and MRR where each paraphrase searches for its task among all tasks and all near misses."""
    vectors = np.asarray(vectors, np.float32).reshape(-1, GROUP, vectors.shape[-1])
    tasks = vectors[:, 0]
    memories = np.concatenate([tasks, vectors[:, 3], vectors[:, 4]])
    ranks = [((query @ memories.T) >= (query * tasks).sum(1)[:, None] - 1e-7).sum(1) for query in (vectors[:, 1], vectors[:, 2])]
    ranks = np.maximum(np.concatenate(ranks), 1)
    return [round(float((ranks <= 1).mean()), 4), round(float((1 / ranks).mean()), 4)]


def main():
    import torch
    from safetensors.torch import load_file

    from encoder import load_teacher
    from quality import RetrievalSet
    from train import Held, Tokens

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="+")
    parser.add_argument("--teacher", required=True, type=pathlib.Path)
    parser.add_argument("--out", required=True)
    arguments = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    teacher, tokens = load_teacher(load_file(arguments.teacher / "model.safetensors")).to(device), Tokens(arguments.teacher / "vocab.txt")

    def embed(texts):
        held = Held(texts, tokens, teacher, device)
        return held.target.cpu().numpy()[held.places]

    groups = read_groups(arguments.groups)
    unseen, vectors = embed(RetrievalSet().texts()), embed([text for group in groups for text in group])
    closest = (vectors @ unseen.T).max(1).reshape(-1, GROUP).max(1)
    kept = [group for group, closeness in zip(groups, closest) if closeness < TOO_CLOSE]
    write_groups(arguments.out, kept)
    print(f"{len(groups)} groups, {len(groups) - len(kept)} of them too close to the retrieval set; the original's recall@1 and MRR:", figures(vectors))


if __name__ == "__main__":
    main()
