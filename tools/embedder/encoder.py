"""The encoder family in torch, for the teacher and the students alike.

The parts between two attentions work on a flat [tokens, hidden] matrix. Training keeps the number of tokens in a batch fixed, so
these parts have one shape and are compiled once, whatever the length of the texts; attention alone sees rows and columns.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import load_file, save_file


# How much of a borrowing layer's work counts at first.
START_GAIN = 0.2


def round_rows(x):
    """What int8 with one scale a row keeps of `x`; gradients pass as if nothing had been rounded."""
    x = x.float()
    scale = x.detach().abs().amax(-1, keepdim=True).clamp(min=1e-10) / 127
    return x + (torch.round(x.detach() / scale) * scale - x.detach())


def linear(x, weight, bias, rounded, dtype):
    if rounded:
        x, weight = round_rows(x), round_rows(weight)
    return F.linear(x.to(dtype), weight.to(dtype), bias.to(dtype))


def norm(x, weight, bias, epsilon):
    return F.layer_norm(x.float(), x.shape[-1:], weight.float(), bias.float(), epsilon)


def embed_part(rows, up, positions, norm_weight, norm_bias, epsilon, rounded, dtype, keep):
    if rounded:
        rows = round_rows(rows)
    if up is not None:
        rows = linear(rows, up[0], up[1], rounded, dtype)
    return norm(rows.float() + positions.float(), norm_weight, norm_bias, epsilon).to(keep)


def before_attention(x, weight, bias, rounded, dtype):
    return linear(x, weight, bias, rounded, dtype)


def after_attention(x, mixed, out, attention_norm, up, down, output_norm, epsilon, rounded, dtype, keep):
    x = norm(x.float() + linear(mixed, *out, rounded, dtype).float(), *attention_norm, epsilon)
    inner = F.gelu(linear(x, *up, rounded, dtype))
    return norm(x + linear(inner, *down, rounded, dtype).float(), *output_norm, epsilon).to(keep)


def attention_blocks(mask, dtype):
    """How many blocks attention works on, and what is added to its scores: nothing, or minus infinity for what a token must not see.

    The kernels work on 64 tokens at a time, so short texts share a block, where each sees itself alone.
    """
    rows, length = mask.shape
    together = max(1, 64 // length)
    while rows % together:
        together //= 2
    seen = mask.reshape(-1, 1, 1, together * length)
    if together > 1:
        text = torch.arange(together, device=mask.device).repeat_interleave(length)
        seen = seen & (text[:, None] == text)
    return len(seen), torch.zeros(seen.shape, dtype=dtype, device=mask.device).masked_fill(~seen, float("-inf"))


class Pieces:
    """The three functions above, compiled or plain."""

    def __init__(self, compiled):
        wrap = (lambda f: torch.compile(f, dynamic=False)) if compiled else (lambda f: f)
        self.embed, self.before, self.after = wrap(embed_part), wrap(before_attention), wrap(after_attention)


PLAIN = Pieces(compiled=False)


class Borrowed(nn.Module):
    """A linear layer with the weights of another one, a gain of its own for every output, and a bias of its own.

    A gain for every output changes nothing but the scales of int8 rows, so the file holds the weights once.
    """

    def __init__(self, owner):
        super().__init__()
        self.owner = [owner]  # in a list, so that its weights are not counted among this one's
        self.gain, self.bias = nn.Parameter(torch.ones(len(owner.bias))), nn.Parameter(torch.zeros(len(owner.bias)))

    @property
    def weight(self):
        return self.owner[0].weight * self.gain[:, None]


class Layer(nn.Module):
    """Norms and biases of its own; weights too, unless it borrows those of a layer before it."""

    def __init__(self, hidden, inner, owner=None):
        super().__init__()
        widths = {"qkv": (hidden, 3 * hidden), "attention_out": (hidden, hidden), "up": (hidden, inner), "down": (inner, hidden)}
        for name, (inputs, outputs) in widths.items():
            setattr(self, name, nn.Linear(inputs, outputs) if owner is None else Borrowed(getattr(owner, name)))
        self.attention_norm, self.output_norm = nn.LayerNorm(hidden), nn.LayerNorm(hidden)


def read_shares(shares):
    """"0,1,1" says whose weights each layer has: here, the third those of the second."""
    shares = [int(owner) for owner in str(shares).split(",")]
    if any(owner > number or shares[owner] != owner for number, owner in enumerate(shares)):
        raise ValueError(f"`{shares}`: a layer has its own weights or those of a layer before it that has its own")
    return shares


class Encoder(nn.Module):
    """`project` is absent in the teacher, whose hidden width is the vector's; `embed_up` where the table is as wide as the rest.

    `layers` is their number, or whose weights each has (`read_shares`).
    """

    def __init__(self, embed, hidden, layers, inner, heads, epsilon=1e-5, project=True, vocabulary=30522, window=256):
        super().__init__()
        self.shares = list(range(layers)) if isinstance(layers, int) else read_shares(layers)
        self.shape = {"embed": embed, "hidden": hidden, "layers": len(self.shares), "inner": inner, "heads": heads}
        self.shape["shares"] = ",".join(map(str, self.shares))
        self.heads, self.head, self.epsilon = heads, hidden // heads, epsilon
        self.tokens = nn.Parameter(torch.zeros(vocabulary, embed))
        self.positions = nn.Parameter(torch.randn(window, hidden) * 0.02)
        self.embed_up = nn.Linear(embed, hidden) if embed != hidden else None
        self.norm = nn.LayerNorm(hidden)
        self.layers = nn.ModuleList()
        for number, owner in enumerate(self.shares):
            self.layers.append(Layer(hidden, inner, None if owner == number else self.layers[owner]))
        self.project = nn.Linear(hidden, 384) if project else None

    def multiply_adds(self):
        """Per token, attention's own products left out."""
        parts = [part for layer in self.layers for part in (layer.qkv, layer.attention_out, layer.up, layer.down)]
        return sum(part.weight.numel() for part in parts) + (0 if self.embed_up is None else self.embed_up.weight.numel())

    def forward(self, ids, mask, dtype=torch.float32, keep=torch.float32, rounded=False, pieces=PLAIN):
        """Last states of all tokens, flat, and the unit vectors of the texts."""
        rows, length = ids.shape
        up = None if self.embed_up is None else (self.embed_up.weight, self.embed_up.bias)
        positions = self.positions[:length].repeat(rows, 1)
        table_rows = F.embedding(ids.reshape(-1), self.tokens)
        x = pieces.embed(table_rows, up, positions, self.norm.weight, self.norm.bias, self.epsilon, rounded, dtype, keep)
        blocks, allowed = attention_blocks(mask, dtype)
        allowed = allowed.expand(blocks, self.heads, allowed.shape[3], allowed.shape[3])
        for layer in self.layers:
            qkv = pieces.before(x, layer.qkv.weight, layer.qkv.bias, rounded, dtype)
            query, key, value = qkv.view(blocks, -1, 3, self.heads, self.head).permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=allowed)
            mixed = mixed.transpose(1, 2).reshape(rows * length, -1)
            parameters = [(part.weight, part.bias) for part in (layer.attention_out, layer.attention_norm, layer.up, layer.down, layer.output_norm)]
            x = pieces.after(x, mixed, *parameters, self.epsilon, rounded, dtype, keep)
        weights = mask.float() / mask.sum(1, keepdim=True)
        mean = (x.view(rows, length, -1).float() * weights[..., None]).sum(1)
        if self.project is not None:
            mean = linear(mean, self.project.weight, self.project.bias, rounded, torch.float32)
        return x, F.normalize(mean, dim=-1)


def save_encoder(encoder, path):
    """A checkpoint: float16, with the shape beside it."""
    tensors = {name: tensor.half().contiguous().cpu() for name, tensor in encoder.state_dict().items()}
    save_file(tensors, path, {name: str(value) for name, value in encoder.shape.items()})


def load_encoder(path):
    """An encoder from a checkpoint; the teacher's, which may be refined, have no projection."""
    tensors = {name: tensor.float() for name, tensor in load_file(path).items()}
    with safe_open(path, "pt") as file:
        shape = file.metadata()
    project = "project.weight" in tensors
    widths = [int(shape[name]) for name in ("embed", "hidden")]
    encoder = Encoder(*widths, shape["shares"], int(shape["inner"]), int(shape["heads"]), 1e-5 if project else 1e-12, project)
    encoder.load_state_dict(tensors)
    return encoder


def load_teacher(tensors):
    """all-MiniLM-L6-v2 from its own tensors; the word table may come as int8 rows with a scale each."""
    table = tensors["embeddings.word_embeddings.weight"].float()
    if "embeddings.word_embeddings.scale" in tensors:
        table = table * tensors["embeddings.word_embeddings.scale"].float()[:, None]
    teacher = Encoder(384, 384, 6, 1536, 12, epsilon=1e-12, project=False)
    state = {
        "tokens": table,
        "positions": tensors["embeddings.position_embeddings.weight"][:256].float() + tensors["embeddings.token_type_embeddings.weight"][0].float(),
        "norm.weight": tensors["embeddings.LayerNorm.weight"],
        "norm.bias": tensors["embeddings.LayerNorm.bias"],
    }
    for number in range(6):
        theirs, ours = f"encoder.layer.{number}", f"layers.{number}"
        for kind in ("weight", "bias"):
            state[f"{ours}.qkv.{kind}"] = torch.cat([tensors[f"{theirs}.attention.self.{part}.{kind}"] for part in ("query", "key", "value")])
            state[f"{ours}.attention_out.{kind}"] = tensors[f"{theirs}.attention.output.dense.{kind}"]
            state[f"{ours}.attention_norm.{kind}"] = tensors[f"{theirs}.attention.output.LayerNorm.{kind}"]
            state[f"{ours}.up.{kind}"] = tensors[f"{theirs}.intermediate.dense.{kind}"]
            state[f"{ours}.down.{kind}"] = tensors[f"{theirs}.output.dense.{kind}"]
            state[f"{ours}.output_norm.{kind}"] = tensors[f"{theirs}.output.LayerNorm.{kind}"]
    teacher.load_state_dict(state)
    return teacher.eval().requires_grad_(False)


@torch.no_grad()
def continue_student(student, model, vocabulary, sample):
    """Goes on from a model file. Its layers become the student's own ones; those that borrow start close to passing on what they get.

    `sample` is ids and mask of some texts, to see what passes.
    """
    ids = [vocabulary[token] for token in model.vocabulary]
    student.tokens[ids] = torch.from_numpy(model.matrix("tokens")).to(student.tokens.device)
    student.positions.copy_(torch.from_numpy(model.tensors["positions"]))

    def copy(part, name):
        part.weight.copy_(torch.from_numpy(model.matrix(name) if f"{name}.scale" in model.tensors else model.tensors[f"{name}.weight"]))
        part.bias.copy_(torch.from_numpy(model.tensors[f"{name}.bias"]))

    copy(student.embed_up, "embed_up")
    copy(student.norm, "norm")
    copy(student.project, "project")
    theirs = iter(range(model.layers))
    for number, (layer, owner) in enumerate(zip(student.layers, student.shares)):
        parts = ("qkv", "attention_out", "up", "down")
        if owner == number:
            place = next(theirs)
            for name in parts + ("attention_norm", "output_norm"):
                copy(getattr(layer, name), f"layers.{place}.{name}")
            continue
        for name in parts:
            getattr(layer, name).bias.copy_(getattr(student.layers[owner], name).bias)
        whole, student.layers = student.layers, student.layers[:number]
        states = student(*sample)[0][sample[1].flatten()]
        student.layers = whole
        # For every place, what makes of a state's normal form the state again, as nearly as can be.
        normal = F.layer_norm(states, states.shape[-1:])
        slope = ((normal - normal.mean(0)) * (states - states.mean(0))).mean(0) / normal.var(0)
        for part, after in ((layer.attention_out, layer.attention_norm), (layer.down, layer.output_norm)):
            part.gain.fill_(START_GAIN)
            part.bias.mul_(START_GAIN)
            after.weight.copy_(slope)
            after.bias.copy_(states.mean(0) - slope * normal.mean(0))


@torch.no_grad()
def start_student(student, table):
    """The token table starts as the teacher's, reduced to its main directions; the widening starts as an orthonormal map."""
    centred = table - table.mean(0)
    embed = student.shape["embed"]
    directions = torch.linalg.eigh(centred.T.double() @ centred.double())[1][:, -embed:].float()
    reduced = centred @ directions
    student.tokens.copy_(reduced / reduced.std() * 0.05)
    nn.init.orthogonal_(student.embed_up.weight, gain=math.sqrt(student.shape["hidden"] / embed))
    for layer in (student.layers[owner] for owner in sorted(set(student.shares))):
        for part in (layer.qkv, layer.attention_out, layer.up, layer.down):
            nn.init.normal_(part.weight, std=0.04)
            nn.init.zeros_(part.bias)
    nn.init.normal_(student.project.weight, std=0.04)
