"""Batches whose groups are real texts that the teacher finds near each other, beside generated groups, edits and single texts."""
import torch

from batches import CLS, SEP, Corpus

NEIGHBOURS = 24
LONGEST = 62
TOO_NEAR = 0.97


class NearCorpus(Corpus):
    """Token ids of all texts one after the other: real ones, then generated ones in groups of eight, then snippets. Those of `often` are drawn twice as often."""

    generated_share = {16: 0.15, 32: 0.28, 64: 0.22, 128: 0.0, 256: 0.0}
    written_share = {16: 0.25, 32: 0.25, 64: 0.25, 128: 0.0, 256: 0.0}
    edited_share = {16: 0.20, 32: 0.20, 64: 0.20, 128: 0.3, 256: 0.3}
    group_sizes = (8, 8, 4)
    written_kept, written_drop = 0.85, 0.0

    def __init__(self, flat, lengths, real, generated, often, device):
        super().__init__(flat, lengths, real, generated, 0, device)
        self.by_length = torch.cat([torch.arange(real, device=device), torch.from_numpy(often).to(device)])
        self.by_length = self.by_length[self.lengths[self.by_length].argsort()]
        bounds = torch.tensor([8, 14, 22, 30, 62], device=device)
        at = torch.searchsorted(self.lengths[self.by_length], bounds, right=True).tolist()
        self.ranges = {16: (0, at[1]), 32: (at[0], at[3]), 64: (at[2], at[4]), 128: (0, len(self.by_length)), 256: (0, len(self.by_length))}

    @torch.no_grad()
    def find_neighbours(self, embed, most, rows=2048):
        """For up to `most` texts, the nearest others by the teacher's vectors; what is all but equal is left out."""
        short = (self.lengths[: self.real] <= LONGEST).nonzero()[:, 0]
        short = short[self.lengths[short].argsort()]
        vectors = torch.cat([embed(*self.whole(part)) for part in short.split(4096)])
        asked = torch.randperm(len(short), device=self.device)[:most].sort().values
        near = []
        for part in asked.split(rows):
            similar = vectors[part] @ vectors.T
            near.append(short[similar.masked_fill_(similar > TOO_NEAR, -1).topk(NEIGHBOURS, dim=1).indices].int())
        self.anchors, self.near = short[asked], torch.cat(near)
        at = torch.searchsorted(self.lengths[self.anchors], torch.tensor([14, 30, 62], device=self.device), right=True).tolist()
        self.anchor_ranges = {16: (0, at[0]), 32: (at[0] // 3, at[1]), 64: (at[1] // 2, at[2]), 128: (0, 1), 256: (0, 1)}
        self.written = len(asked)

    def whole(self, texts):
        """ids and mask of texts as they are."""
        n = self.lengths[texts]
        place = torch.arange(int(n.max()) + 2, device=self.device)[None]
        tokens = self.flat[(self.starts[texts][:, None] + place - 1).clamp(0, len(self.flat) - 1)].long()
        ids = torch.where((place >= 1) & (place <= n[:, None]), tokens, 0)
        ids[:, 0] = CLS
        ids.scatter_(1, n[:, None] + 1, SEP)
        return ids, ids != 0

    def written_groups(self, count, length):
        """A text and some of its neighbours to each group."""
        if count == 0:
            return torch.zeros(0, dtype=torch.long, device=self.device)
        low, high = self.anchor_ranges[length]
        chosen = torch.randint(low, max(high, low + 1), (count,), device=self.device)
        others = torch.rand(count, NEIGHBOURS, device=self.device).argsort(1)[:, : self.group_sizes[1] - 1]
        return torch.cat([self.anchors[chosen][:, None], self.near[chosen].long().gather(1, others)], 1).flatten()
