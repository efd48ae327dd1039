"""Batches made where the model trains: the corpus lies on the device as one flat row of tokens, and every edit is index arithmetic.

A batch holds four kinds of rows: groups of eight generated neighbours (`tasks.py`), groups of five written one by one (`written.py`),
groups of four edits of one real text, and single real texts. An edit is a splice, `text[:a] + other[o:o+k] + text[c:]`, which with the right numbers is a crop, a
concatenation, a replaced, inserted or deleted span; besides it there are rotation and random tokens.
"""
import torch

CLS, SEP = 101, 102
TOKENS_IN_BATCH = 131_072
LENGTHS = {16: 0.22, 32: 0.40, 64: 0.22, 128: 0.08, 256: 0.08}
GENERATED_SHARE = {16: 0.15, 32: 0.40, 64: 0.30, 128: 0.0, 256: 0.0}
WRITTEN_SHARE = {16: 0.0, 32: 0.12, 64: 0.12, 128: 0.0, 256: 0.0}
GROUPED_SHARE = {16: 0.30, 32: 0.25, 64: 0.25, 128: 0.3, 256: 0.3}
GENERATED_GROUP, WRITTEN_GROUP, EDITED_GROUP = 8, 5, 4
WRITTEN_DROP = 0.1


def thinned(ids, share):
    """Without some of the tokens, so that few texts are not learned by heart; [CLS] and [SEP] stay."""
    dropped = (torch.rand(ids.shape, device=ids.device) < share) & (ids != CLS) & (ids != SEP) & (ids != 0)
    order = torch.argsort(dropped.int() * 2 + (ids == 0).int() * 3, dim=1, stable=True)
    return ids.masked_fill(dropped, 0).gather(1, order)


class Corpus:
    """Token ids of all texts one after the other: real ones in document order, then generated ones in groups of eight, then
    written ones in groups of five, then short snippets to splice in."""

    generated_share, written_share, edited_share = GENERATED_SHARE, WRITTEN_SHARE, GROUPED_SHARE
    group_sizes = (GENERATED_GROUP, WRITTEN_GROUP, EDITED_GROUP)
    # How many of the rows in written groups stay whole, and which share of their tokens is dropped.
    written_kept, written_drop = 1.1, WRITTEN_DROP

    def __init__(self, flat, lengths, real, generated, written, device):
        self.flat = torch.from_numpy(flat.astype("int32")).to(device)
        self.lengths = torch.from_numpy(lengths.astype("int64")).to(device)
        self.starts = self.lengths.cumsum(0) - self.lengths
        self.real, self.generated, self.written = real, generated, written
        self.first_snippet = real + generated + written
        self.snippets = len(lengths) - self.first_snippet
        self.real_end = int(self.starts[real]) if real < len(lengths) else len(self.flat)
        self.device = device
        sorted_lengths, self.by_length = self.lengths[:real].sort()
        bounds = torch.tensor([4, 8, 14, 22, 30, 62, 100_000], device=device)
        found = torch.searchsorted(sorted_lengths, bounds, right=True).tolist()
        at = dict(zip([4, 8, 14, 22, 30, 62, 100_000], found))
        self.ranges = {16: (0, at[14]), 32: (at[8], at[30]), 64: (at[22], at[62]), 128: (0, real), 256: (0, real)}

    def uniform(self, count, low, high):
        """Whole numbers in [low, high] where the bounds may be tensors."""
        return (torch.rand(count, device=self.device) * (high - low + 1)).floor().long() + low

    def pick(self, count, length):
        """Indices of real texts that mostly fit the length; one in ten is any text, to be cut."""
        low, high = self.ranges[length]
        fitting = self.by_length[torch.randint(low, max(high, low + 1), (count,), device=self.device).clamp(max=self.real - 1)]
        anything = torch.randint(self.real, (count,), device=self.device)
        return torch.where(torch.rand(count, device=self.device) < 0.9, fitting, anything)

    def groups(self, count, size, first, texts):
        """Indices of `count` whole groups of the `texts` that begin at `first`, no group twice as long as there are enough."""
        among = max(1, texts // size)
        chosen = torch.randperm(among, device=self.device)[:count] if count <= among else torch.randint(among, (count,), device=self.device)
        return (first + chosen[:, None] * size + torch.arange(size, device=self.device)).flatten()

    def written_groups(self, count, length):
        """Indices of `count` groups of written texts."""
        return self.groups(count, self.group_sizes[1], self.real + self.generated, self.written)

    def batch(self, length, rows):
        """ids, mask, and how many rows at the front are in generated groups, then in written ones, then in groups of edits."""
        device, room = self.device, length - 2
        of_generated, of_written, of_edits = self.group_sizes
        groups = int(rows * self.generated_share[length]) // of_generated if self.generated else 0
        written = int(rows * self.written_share[length]) // of_written if self.written else 0
        edited = int(rows * self.edited_share[length]) // of_edits
        in_groups, in_written, in_edits = groups * of_generated, written * of_written, edited * of_edits
        edits_from = in_groups + in_written
        text = torch.cat([
            self.groups(groups, of_generated, self.real, self.generated),
            self.written_groups(written, length),
            self.pick(edited, length).repeat_interleave(of_edits),
            self.pick(rows - edits_from - in_edits, length),
        ])
        row = torch.arange(rows, device=device)
        is_generated, is_written = row < in_groups, (row >= in_groups) & (row < edits_from)
        is_edited = (row >= edits_from) & (row < edits_from + in_edits)
        start, n = self.starts[text], self.lengths[text]
        if length >= 128:  # a long text is a run of neighbouring ones
            wanted = self.uniform(rows, room // 3, room)
            if edited:
                mine = slice(edits_from, edits_from + in_edits)
                wanted[mine] = wanted[mine].view(-1, of_edits)[:, :1].expand(-1, of_edits).flatten()
            n = torch.minimum(wanted, (self.real_end - start).clamp(min=1))
        n = n.clamp(min=1)

        # What happens to each row: most of the generated ones stay, all written ones, and the first of four edits; the others change.
        keeps = torch.where(is_generated, 0.8, torch.where(is_written, self.written_kept, 0.4))
        keeps = torch.where(is_edited, torch.where((row - edits_from) % of_edits == 0, 1.0, 0.0), keeps)
        keep = torch.rand(rows, device=device) < keeps
        kind = torch.rand(rows, device=device)
        one_to_four = self.uniform(rows, 1, 4)
        a = self.uniform(rows, 0, n)
        other = torch.randint(len(self.flat) - length, (rows,), device=device)
        snippet = torch.randint(max(1, self.snippets), (rows,), device=device) + self.first_snippet if self.snippets else text
        use_snippet = (torch.rand(rows, device=device) < 0.5) & (self.snippets > 0)
        k, c = torch.zeros_like(n), a.clone()

        def when(low, high):
            return ~keep & (kind >= low) & (kind < high)

        replaced, inserted, deleted, cropped, joined = when(0, 0.32), when(0.32, 0.5), when(0.5, 0.64), when(0.64, 0.76), when(0.76, 0.88)
        rotated, noisy = when(0.88, 0.93), when(0.93, 1.1)
        k = torch.where(replaced | inserted, one_to_four, k)
        snippet_now = inserted & use_snippet
        other = torch.where(snippet_now, self.starts[snippet], other)
        k = torch.where(snippet_now, self.lengths[snippet], k)
        c = torch.where(replaced | deleted, a + self.uniform(rows, 1, 4), c)
        # A crop keeps text[c:] after a = 0, or text[:a]; a join keeps text[:a] and goes on with another text.
        from_front = torch.rand(rows, device=device) < 0.5
        c = torch.where(cropped & from_front, (n * torch.rand(rows, device=device) * 0.7).long(), torch.where(cropped, n, c))
        a = torch.where(cropped & from_front, torch.zeros_like(a), torch.where(cropped | joined, a.clamp(min=2), a))
        c = torch.where(joined, n, c)
        k = torch.where(joined, self.uniform(rows, 2, max(3, min(24, room // 2))), k)
        a, c = torch.minimum(a, n), torch.minimum(c, n)
        turn = torch.where(rotated, self.uniform(rows, 0, n), torch.zeros_like(n))

        place = torch.arange(room, device=device)[None]
        a, k, c, n, turn = (value[:, None] for value in (a, k, c, n, turn))
        inside = (place >= a) & (place < a + k)
        own = torch.where(place < a, place, place - a - k + c)
        source = torch.where(inside, other[:, None] + place - a, start[:, None] + (own + turn) % n)
        tokens = self.flat[source.clamp(0, len(self.flat) - 1)].long()
        strange = noisy[:, None] & (torch.rand(rows, room, device=device) < 0.12)
        tokens = torch.where(strange, self.flat[torch.randint(len(self.flat), (rows, room), device=device)].long(), tokens)
        count = (a + k + n - c).clamp(1, room)

        ids = torch.zeros(rows, length, dtype=torch.long, device=device)
        ids[:, 0] = CLS
        ids[:, 1:-1] = torch.where(place < count, tokens, 0)
        ids.scatter_(1, count + 1, SEP)
        ids[in_groups:edits_from] = thinned(ids[in_groups:edits_from], self.written_drop)
        return ids, ids != 0, in_groups, in_written, in_edits
