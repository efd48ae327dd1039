"""The model file of `reflect-embed`: how it is written, read and run, in numpy alone.

One safetensors file holds the vocabulary, the int8 weights and, as metadata, the shape. Linear weights are symmetric int8 per
output row, the token table symmetric int8 per row; everything else is float32. A layer may have the weights of a layer before it
(`shares`), with scales, biases and norms of its own. The forward pass here is the reference that the
Rust one is held against: `int8=False` multiplies the dequantised weights in float32, `int8=True` also rounds every input of a
linear to int8 per token, which is what the binary computes.
"""
import json
import re

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save_file
from tokenizers import BertWordPieceTokenizer


def quantise(matrix):
    """Rows of int8 and one scale a row: `matrix ≈ rows * scale`. A row of zeros gets scale 1."""
    matrix = np.asarray(matrix, np.float32)
    scale = np.abs(matrix).max(1) / np.float32(127)
    scale = np.where(scale == 0, np.float32(1), scale).astype(np.float32)
    return np.clip(np.rint(matrix / scale[:, None]), -127, 127).astype(np.int8), scale


class Writer:
    """Collects tensors under the names the format fixes, then writes them."""

    def __init__(self, vocabulary, **metadata):
        self.metadata = {"format": "reflect-embedder-1"} | {name: str(value) for name, value in metadata.items()}
        text = "".join(token + "\n" for token in vocabulary).encode()
        self.tensors = {"vocabulary": np.frombuffer(text, np.uint8)}

    def floats(self, name, values):
        self.tensors[name] = np.ascontiguousarray(values, np.float32)

    def norm(self, name, weight, bias):
        self.floats(f"{name}.weight", weight)
        self.floats(f"{name}.bias", bias)

    def table(self, name, matrix):
        self.tensors[f"{name}.weight"], self.tensors[f"{name}.scale"] = quantise(matrix)

    def linear(self, name, matrix, bias):
        self.table(name, matrix)
        self.floats(f"{name}.bias", bias)

    def borrowed(self, name, owner, gain, bias):
        """A linear with the weights of `owner`, every output by its gain."""
        self.floats(f"{name}.scale", self.tensors[f"{owner}.scale"] * gain)
        self.floats(f"{name}.bias", bias)

    def write(self, path):
        save_file(self.tensors, path, self.metadata)


class Model:
    """A model file opened for running."""

    def __init__(self, path):
        with safe_open(path, "np") as file:
            self.metadata = file.metadata()
            self.tensors = {name: file.get_tensor(name) for name in file.keys()}
        self.layers, self.heads = int(self.metadata["layers"]), int(self.metadata["heads"])
        self.window, self.epsilon = int(self.metadata["window"]), np.float32(self.metadata["epsilon"])
        self.vocabulary = self.tensors["vocabulary"].tobytes().decode().rstrip("\n").split("\n")
        self.tokenizer = BertWordPieceTokenizer({token: id for id, token in enumerate(self.vocabulary)}, lowercase=True)
        self.tokenizer.enable_truncation(self.window)
        # Whose weights each layer has; without a word on it, its own.
        self.shares = [int(owner) for owner in self.metadata.get("shares", "").split(",") if owner] or list(range(self.layers))
        self.dequantised = {}

    def matrix(self, name):
        """The float32 weights that the int8 rows and their scales stand for."""
        if name not in self.dequantised:
            owner = re.sub(r"^layers\.(\d+)", lambda match: f"layers.{self.shares[int(match[1])]}", name)
            rows, scale = self.tensors[f"{owner}.weight"], self.tensors[f"{name}.scale"]
            self.dequantised[name] = rows.astype(np.float32) * scale[:, None]
        return self.dequantised[name]

    def linear(self, name, x, int8):
        if int8:
            scale = np.abs(x).max(-1, keepdims=True) / np.float32(127)
            scale = np.where(scale == 0, np.float32(1), scale)
            x = np.rint(x / scale) * scale
        return x @ self.matrix(name).T + self.tensors[f"{name}.bias"]

    def norm(self, name, x):
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(-1, keepdims=True) + self.epsilon)
        return centred / spread * self.tensors[f"{name}.weight"] + self.tensors[f"{name}.bias"]

    def attention(self, qkv):
        length, hidden = qkv.shape[0], qkv.shape[1] // 3
        query, key, value = qkv.reshape(length, 3, self.heads, hidden // self.heads).transpose(1, 2, 0, 3)
        scores = query @ key.transpose(0, 2, 1) / np.sqrt(np.float32(hidden // self.heads))
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        weights /= weights.sum(-1, keepdims=True)
        return (weights @ value).transpose(1, 0, 2).reshape(length, hidden)

    def embed_ids(self, ids, int8):
        """The unit vector of one text given as token ids, [CLS] and [SEP] included."""
        x = self.matrix("tokens")[ids]
        if "embed_up.weight" in self.tensors:
            x = self.linear("embed_up", x, int8)
        x = self.norm("norm", x + self.tensors["positions"][: len(ids)])
        for layer in (f"layers.{number}" for number in range(self.layers)):
            mixed = self.attention(self.linear(f"{layer}.qkv", x, int8))
            x = self.norm(f"{layer}.attention_norm", x + self.linear(f"{layer}.attention_out", mixed, int8))
            inner = gelu(self.linear(f"{layer}.up", x, int8))
            x = self.norm(f"{layer}.output_norm", x + self.linear(f"{layer}.down", inner, int8))
        vector = x.mean(0)
        if "project.weight" in self.tensors:
            vector = self.linear("project", vector[None], int8)[0]
        return vector / np.linalg.norm(vector)

    def embed(self, texts, int8):
        encodings = self.tokenizer.encode_batch(list(texts))
        return np.stack([self.embed_ids(np.array(encoding.ids), int8) for encoding in encodings])


def gelu(x):
    """x · Φ(x); erf by Abramowitz and Stegun 7.1.26, whose error of 1.5e-7 is below what float32 shows here."""
    z = np.abs(x) * np.float32(0.7071067811865476)
    t = 1 / (1 + np.float32(0.3275911) * z)
    series = t * (0.254829592 + t * (-0.284496736 + t * (1.421413741 + t * (-1.453152027 + t * 1.061405429))))
    erf = np.sign(x) * (1 - series * np.exp(-z * z))
    return (x * 0.5 * (1 + erf)).astype(np.float32)


REFERENCE_TEXTS = [
    "Refund the customer's duplicate charge for order 1042",
    "do not restart the database before the backup has finished",
    "hi",
    "",
    "Move the meeting from Tuesday 3 pm to Thursday 10 am and tell everyone invited",
    "error[E0502]: cannot borrow `x` as mutable because it is also borrowed as immutable",
    "HTTP 429 Too Many Requests: retry after 30 seconds",
    "SELECT name, count(*) FROM orders GROUP BY name HAVING count(*) > 3;",
    "Übertrage die Datei vom Server auf den Laptop",
    "Réserver une table pour quatre personnes à 20 h",
    "Отмените подписку клиента и верните деньги",
    "把会议从星期二改到星期四",
    "会議を火曜日から木曜日に変更してください",
    "احجز رحلة من القاهرة إلى دبي",
    "नया पासवर्ड सेट करें",
    "🙂 emoji and\ttabs\nand new lines",
    "a very long identifier: reflect_embed::forward::kernels::avx512_vnni::multiply_rows_by_columns",
    "The quick brown fox jumps over the lazy dog. " * 8,
    "Summarise the incident: the queue grew, workers were killed for memory, and the alert came late. " * 9,
    "x " * 400,
]


def write_reference(path, model_path):
    """Twenty texts, their token ids and their float vectors, to check another forward pass against."""
    model = Model(model_path)
    encodings = model.tokenizer.encode_batch(REFERENCE_TEXTS)
    rows = [
        {
            "text": text,
            "ids": encoding.ids,
            "float": [round(float(value), 7) for value in model.embed_ids(np.array(encoding.ids), int8=False)],
            "int8": [round(float(value), 7) for value in model.embed_ids(np.array(encoding.ids), int8=True)],
        }
        for text, encoding in zip(REFERENCE_TEXTS, encodings)
    ]
    with open(path, "w") as file:
        json.dump(rows, file, ensure_ascii=False)
