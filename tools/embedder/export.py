"""Quantise a trained student, or the full all-MiniLM-L6-v2, into the model file of `reflect-embed`.

    python export.py student --checkpoint student.safetensors --vocabulary vocab.txt --out reflect-mini.safetensors
    python export.py original --teacher DIR --out all-MiniLM-L6-v2.safetensors

`--reference FILE.json` also writes twenty texts with their token ids and vectors.
"""
import argparse
import os
import pathlib

import numpy as np
from safetensors import safe_open

from model_file import Writer, write_reference

LARGEST_STUDENT = 8_000_000
# Default floors on similarity, calibrated on the retrieval set: `quality.py score` prints what each would keep.
FLOORS = {"student": "0.40", "original": "0.30"}


def read(path):
    with safe_open(path, "np") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}
        return {name: tensor.astype(np.float32) for name, tensor in tensors.items()}, file.metadata() or {}


def lines(path):
    return pathlib.Path(path).read_text(encoding="utf-8").rstrip("\n").split("\n")


def export_student(checkpoint, vocabulary, out, floor):
    tensors, shape = read(checkpoint)
    tokens = lines(vocabulary)
    kept = [id for id, token in enumerate(tokens) if not token.startswith("[unused")]
    writer = Writer(
        [tokens[id] for id in kept],
        name="reflect-mini-4",
        dimension=384,
        window=tensors["positions"].shape[0],
        epsilon="1e-5",
        floor=floor,
        **{name: shape[name] for name in ("layers", "shares", "heads", "hidden", "embed", "inner")},
    )
    writer.table("tokens", tensors["tokens"][kept])
    writer.linear("embed_up", tensors["embed_up.weight"], tensors["embed_up.bias"])
    writer.floats("positions", tensors["positions"])
    writer.norm("norm", tensors["norm.weight"], tensors["norm.bias"])
    for number, owner in enumerate(map(int, shape["shares"].split(","))):
        layer = f"layers.{number}"
        for name in ("qkv", "attention_out", "up", "down"):
            part, bias = f"{layer}.{name}", tensors[f"{layer}.{name}.bias"]
            if owner == number:
                writer.linear(part, tensors[f"{part}.weight"], bias)
            else:
                writer.borrowed(part, f"layers.{owner}.{name}", tensors[f"{part}.gain"], bias)
        for name in ("attention_norm", "output_norm"):
            writer.norm(f"{layer}.{name}", tensors[f"{layer}.{name}.weight"], tensors[f"{layer}.{name}.bias"])
    writer.linear("project", tensors["project.weight"], tensors["project.bias"])
    writer.write(out)
    size = os.path.getsize(out)
    if size > LARGEST_STUDENT:
        raise SystemExit(f"`{out}` has {size} bytes, more than {LARGEST_STUDENT}: choose a smaller shape")


def export_original(teacher, out, floor):
    teacher = pathlib.Path(teacher)
    tensors, _ = read(teacher / "model.safetensors")
    writer = Writer(
        lines(teacher / "vocab.txt"),
        name="all-MiniLM-L6-v2",
        layers=6, heads=12, hidden=384, embed=384, inner=1536, dimension=384, window=256, epsilon="1e-12", floor=floor,
    )
    writer.table("tokens", tensors["embeddings.word_embeddings.weight"])
    # Every text is of token type 0, so its row is part of every position.
    positions = tensors["embeddings.position_embeddings.weight"][:256]
    writer.floats("positions", positions + tensors["embeddings.token_type_embeddings.weight"][0])
    writer.norm("norm", tensors["embeddings.LayerNorm.weight"], tensors["embeddings.LayerNorm.bias"])
    for number in range(6):
        theirs, ours = f"encoder.layer.{number}", f"layers.{number}"
        parts = [f"{theirs}.attention.self.{part}" for part in ("query", "key", "value")]
        qkv = [np.concatenate([tensors[f"{part}.{kind}"] for part in parts]) for kind in ("weight", "bias")]
        writer.linear(f"{ours}.qkv", *qkv)
        for our_name, their_name in (
            ("attention_out", "attention.output.dense"),
            ("up", "intermediate.dense"),
            ("down", "output.dense"),
        ):
            writer.linear(f"{ours}.{our_name}", tensors[f"{theirs}.{their_name}.weight"], tensors[f"{theirs}.{their_name}.bias"])
        for our_name, their_name in (("attention_norm", "attention.output.LayerNorm"), ("output_norm", "output.LayerNorm")):
            writer.norm(f"{ours}.{our_name}", tensors[f"{theirs}.{their_name}.weight"], tensors[f"{theirs}.{their_name}.bias"])
    writer.write(out)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", choices=["student", "original"])
    parser.add_argument("--checkpoint", help="what train.py saved")
    parser.add_argument("--vocabulary", help="vocab.txt of the teacher")
    parser.add_argument("--teacher", help="folder of all-MiniLM-L6-v2")
    parser.add_argument("--out", required=True)
    parser.add_argument("--reference")
    parser.add_argument("--floor", help="default similarity floor, if another than the calibrated one")
    arguments = parser.parse_args()
    floor = arguments.floor or FLOORS[arguments.model]
    if arguments.model == "student":
        export_student(arguments.checkpoint, arguments.vocabulary, arguments.out, floor)
    else:
        export_original(arguments.teacher, arguments.out, floor)
    if arguments.reference:
        write_reference(arguments.reference, arguments.out)
    print(f"{arguments.out}: {os.path.getsize(arguments.out):,} bytes")


if __name__ == "__main__":
    main()
