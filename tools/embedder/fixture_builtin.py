"""Writes the fixture that the built-in int8 model is held against: vectors of its own weights before they were quantised.

    python fixture_builtin.py --checkpoint student.safetensors --vocabulary vocab.txt

`builtin.f16`: one row of 384 little-endian float16 for every second text of `texts.jsonl` (see `fixture.py`), computed in float32
from the checkpoint that was exported. It belongs to that model and is written anew with every new one.
"""
import argparse
import json

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from tokenizers import BertWordPieceTokenizer

from encoder import Encoder
from fixture import FIXTURE_DIRECTORY


def load_student(path):
    with safe_open(path, "pt") as file:
        shape = file.metadata()
    student = Encoder(int(shape["embed"]), int(shape["hidden"]), shape["shares"], int(shape["inner"]), int(shape["heads"]))
    student.load_state_dict({name: tensor.float() for name, tensor in load_file(path).items()})
    return student.requires_grad_(False)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--checkpoint", required=True)
    parser.add_argument("--vocabulary", required=True)
    arguments = parser.parse_args()
    student = load_student(arguments.checkpoint)
    tokenizer = BertWordPieceTokenizer(arguments.vocabulary, lowercase=True)
    tokenizer.enable_truncation(256)
    texts = [json.loads(line) for line in (FIXTURE_DIRECTORY / "texts.jsonl").read_text().splitlines()][::2]
    rows = [torch.tensor([encoding.ids]) for encoding in tokenizer.encode_batch(texts)]
    vectors = torch.cat([student(ids, torch.ones_like(ids, dtype=torch.bool))[1] for ids in rows])
    (FIXTURE_DIRECTORY / "builtin.f16").write_bytes(vectors.numpy().astype("<f2").tobytes())
    print(f"{len(texts)} texts")


if __name__ == "__main__":
    main()
