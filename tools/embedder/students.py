"""Where a student starts: a model file as floats, a part of it, or the same with more inner units."""
import torch
import torch.nn.functional as F

import encoder as encoders
from encoder import Encoder
from model_file import Model

PARTS = ("qkv", "attention_out", "up", "down")
NORMS = ("attention_norm", "output_norm")


@torch.no_grad()
def load_model_file(path, vocabulary):
    """A model file as an encoder whose layers all have weights of their own: gains of borrowed ones become part of these."""
    model = Model(path)
    shape = [model.tensors["tokens.weight"].shape[1], model.tensors["positions"].shape[1], model.layers, model.tensors["layers.0.up.bias"].shape[0]]
    found = Encoder(*shape, shape[1] // 32)
    ids = {token: number for number, token in enumerate(vocabulary)}
    found.tokens[[ids[token] for token in model.vocabulary]] = torch.from_numpy(model.matrix("tokens"))
    found.positions.copy_(torch.from_numpy(model.tensors["positions"]))

    def copy(part, name):
        weight = model.matrix(name) if f"{name}.scale" in model.tensors else model.tensors[f"{name}.weight"]
        part.weight.copy_(torch.from_numpy(weight))
        part.bias.copy_(torch.from_numpy(model.tensors[f"{name}.bias"]))

    for name in ("embed_up", "norm", "project"):
        copy(getattr(found, name), name)
    for number, layer in enumerate(found.layers):
        for name in PARTS + NORMS:
            copy(getattr(layer, name), f"layers.{number}.{name}")
    return found.requires_grad_(False)


@torch.no_grad()
def cut(teacher, passes, embed, inner, sample):
    """The teacher's layers of these numbers, with the inner units that do the most; `down` is fitted anew to what all of them did."""
    shape = teacher.shape
    student = Encoder(embed, shape["hidden"], len(passes), inner, shape["heads"]).to(teacher.tokens.device)
    theirs, mine = teacher.state_dict(), student.state_dict()
    for name in ("positions", "norm.weight", "norm.bias", "project.weight", "project.bias", "embed_up.bias"):
        mine[name].copy_(theirs[name])
    # Columns that the teacher's table does not have: nearly nothing, into a widening of the usual size.
    mine["tokens"].normal_(std=1e-3)
    mine["tokens"][:, : shape["embed"]] = theirs["tokens"]
    mine["embed_up.weight"].normal_(std=theirs["embed_up.weight"].std().item())
    mine["embed_up.weight"][:, : shape["embed"]] = theirs["embed_up.weight"]
    inputs = inputs_of_up(teacher, *sample)
    for number, place in enumerate(passes):
        their, our = f"layers.{place}", f"layers.{number}"
        for name in ("qkv", "attention_out") + NORMS:
            for kind in ("weight", "bias"):
                mine[f"{our}.{name}.{kind}"].copy_(theirs[f"{their}.{name}.{kind}"])
        active = F.gelu(F.linear(inputs[place], theirs[f"{their}.up.weight"], theirs[f"{their}.up.bias"]))
        down = theirs[f"{their}.down.weight"]
        kept = (active.std(0) * down.norm(dim=0)).topk(inner).indices.sort().values
        part = torch.cat([active[:, kept], torch.ones_like(active[:, :1])], 1).double()
        gram = part.T @ part
        gram += torch.eye(len(gram), device=gram.device) * 1e-4 * gram.diagonal().mean()
        fitted = torch.linalg.solve(gram, part.T @ (active @ down.T + theirs[f"{their}.down.bias"]).double()).float()
        mine[f"{our}.up.weight"].copy_(theirs[f"{their}.up.weight"][kept])
        mine[f"{our}.up.bias"].copy_(theirs[f"{their}.up.bias"][kept])
        mine[f"{our}.down.weight"].copy_(fitted[:-1].T)
        mine[f"{our}.down.bias"].copy_(fitted[-1])
    student.load_state_dict(mine)
    return student


@torch.no_grad()
def inputs_of_up(encoder, ids, mask):
    """What every layer's `up` gets for the tokens of these texts."""
    found, pieces = [], encoders.Pieces(compiled=False)

    def after(x, mixed, out, attention_norm, *others):
        epsilon, rounded, dtype, _ = others[-4:]
        change = encoders.linear(mixed, *out, rounded, dtype).float()
        found.append(encoders.norm(x.float() + change, *attention_norm, epsilon)[mask.flatten()])
        return encoders.after_attention(x, mixed, out, attention_norm, *others)

    pieces.after = after
    encoder(ids, mask, pieces=pieces)
    return found


@torch.no_grad()
def widened(student, inner):
    """The same function with more inner units, whose work counts for nothing at first."""
    shape = student.shape
    wide = Encoder(shape["embed"], shape["hidden"], shape["shares"], inner, shape["heads"])
    state, more = wide.state_dict(), inner - shape["inner"]
    for name, tensor in student.state_dict().items():
        if name.endswith(".up.weight"):
            tensor = torch.cat([tensor, torch.randn(more, tensor.shape[1]) * tensor.std()])
        elif name.endswith(".up.bias"):
            tensor = torch.cat([tensor, tensor.mean().expand(more)])
        elif name.endswith(".down.weight"):
            tensor = torch.cat([tensor, tensor.new_zeros(len(tensor), more)], 1)
        state[name].copy_(tensor)
    wide.load_state_dict(state)
    return wide
