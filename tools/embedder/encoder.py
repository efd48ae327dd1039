"""The encoder family in torch, for the teacher and the students alike.

The parts between two attentions work on a flat [tokens, hidden] matrix. Training keeps the number of tokens in a batch fixed, so
these parts have one shape and are compiled once, whatever the length of the texts; attention alone sees rows and columns.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


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


class Pieces:
    """The three functions above, compiled or plain."""

    def __init__(self, compiled):
        wrap = (lambda f: torch.compile(f, dynamic=False)) if compiled else (lambda f: f)
        self.embed, self.before, self.after = wrap(embed_part), wrap(before_attention), wrap(after_attention)


PLAIN = Pieces(compiled=False)


class Layer(nn.Module):
    def __init__(self, hidden, inner):
        super().__init__()
        self.qkv, self.attention_out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.attention_norm, self.output_norm = nn.LayerNorm(hidden), nn.LayerNorm(hidden)


class Encoder(nn.Module):
    """`project` is absent in the teacher, whose hidden width is the vector's; `embed_up` where the table is as wide as the rest."""

    def __init__(self, embed, hidden, layers, inner, heads, epsilon=1e-5, project=True, vocabulary=30522, window=256):
        super().__init__()
        self.shape = {"embed": embed, "hidden": hidden, "layers": layers, "inner": inner, "heads": heads}
        self.heads, self.epsilon = heads, epsilon
        self.tokens = nn.Parameter(torch.zeros(vocabulary, embed))
        self.positions = nn.Parameter(torch.randn(window, hidden) * 0.02)
        self.embed_up = nn.Linear(embed, hidden) if embed != hidden else None
        self.norm = nn.LayerNorm(hidden)
        self.layers = nn.ModuleList(Layer(hidden, inner) for _ in range(layers))
        self.project = nn.Linear(hidden, 384) if project else None

    def multiply_adds(self):
        """Per token, attention's own products left out."""
        return sum(p.numel() for name, p in self.named_parameters() if p.dim() == 2 and name.startswith(("layers", "embed_up")))

    def forward(self, ids, mask, dtype=torch.float32, keep=torch.float32, rounded=False, pieces=PLAIN):
        """Last states of all tokens, flat, and the unit vectors of the texts."""
        rows, length = ids.shape
        up = None if self.embed_up is None else (self.embed_up.weight, self.embed_up.bias)
        positions = self.positions[:length].repeat(rows, 1)
        table_rows = F.embedding(ids.reshape(-1), self.tokens)
        x = pieces.embed(table_rows, up, positions, self.norm.weight, self.norm.bias, self.epsilon, rounded, dtype, keep)
        attend = mask[:, None, None, :].expand(rows, self.heads, length, length)
        for layer in self.layers:
            qkv = pieces.before(x, layer.qkv.weight, layer.qkv.bias, rounded, dtype)
            query, key, value = qkv.view(rows, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
            mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=attend)
            mixed = mixed.transpose(1, 2).reshape(rows * length, -1)
            parameters = [(part.weight, part.bias) for part in (layer.attention_out, layer.attention_norm, layer.up, layer.down, layer.output_norm)]
            x = pieces.after(x, mixed, *parameters, self.epsilon, rounded, dtype, keep)
        weights = mask.float() / mask.sum(1, keepdim=True)
        mean = (x.view(rows, length, -1).float() * weights[..., None]).sum(1)
        if self.project is not None:
            mean = linear(mean, self.project.weight, self.project.bias, rounded, torch.float32)
        return x, F.normalize(mean, dim=-1)


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
def start_student(student, table):
    """The token table starts as the teacher's, reduced to its main directions; the widening starts as an orthonormal map."""
    centred = table - table.mean(0)
    embed = student.shape["embed"]
    directions = torch.linalg.eigh(centred.T.double() @ centred.double())[1][:, -embed:].float()
    reduced = centred @ directions
    student.tokens.copy_(reduced / reduced.std() * 0.05)
    nn.init.orthogonal_(student.embed_up.weight, gain=math.sqrt(student.shape["hidden"] / embed))
    for layer in student.layers:
        for part in (layer.qkv, layer.attention_out, layer.up, layer.down):
            nn.init.normal_(part.weight, std=0.04)
            nn.init.zeros_(part.bias)
    nn.init.normal_(student.project.weight, std=0.04)
