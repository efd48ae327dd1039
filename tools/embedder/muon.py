"""Muon: momentum whose update has all singular values close to one (Jordan et al., 2024), for the matrices inside the layers.

The update's size is that of AdamW's at the same rate (Liu et al., 2025), so that both take one schedule. Matrices of one shape are
worked together, which is what makes it cheap here: they are small and many.
"""
import torch

# The quintic of the reference: five rounds bring singular values into about 0.7 to 1.2, which is all that is needed.
COEFFICIENTS, ROUNDS = (3.4445, -4.7750, 2.0315), 5


def orthogonal(matrices):
    a, b, c = COEFFICIENTS
    x = matrices.bfloat16()
    turned = x.shape[-2] > x.shape[-1]
    x = x.mT if turned else x
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(ROUNDS):
        square = x @ x.mT
        x = a * x + (b * square + c * square @ square) @ x
    return (x.mT if turned else x).float()


class Muon:
    """`parts` says for each parameter how many matrices it holds below each other: query, key and value are three."""

    def __init__(self, matrices, parts, momentum=0.95, decay=0.01):
        self.matrices, self.parts, self.momentum, self.decay = matrices, parts, momentum, decay
        self.memory = [torch.zeros_like(matrix) for matrix in self.matrices]

    @torch.no_grad()
    def step(self, rate):
        gradients = [matrix.grad for matrix in self.matrices]
        torch._foreach_lerp_(self.memory, gradients, 1 - self.momentum)
        ahead = torch._foreach_lerp(gradients, self.memory, self.momentum)
        torch._foreach_mul_(self.matrices, 1 - rate * self.decay)
        by_shape = {}
        for matrix, update, parts in zip(self.matrices, ahead, self.parts):
            for to, part in zip(matrix.chunk(parts), update.chunk(parts)):
                by_shape.setdefault(part.shape, []).append((to, part))
        for shape, pairs in by_shape.items():
            updates = orthogonal(torch.stack([part for _, part in pairs])) * (0.2 * max(shape) ** 0.5)
            torch._foreach_add_([to for to, _ in pairs], list(updates.unbind()), alpha=-rate)
