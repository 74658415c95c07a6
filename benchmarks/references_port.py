"""The collapsed Gibbs sweep over publications as usually written with numpy."""

from __future__ import annotations

import numpy as np

__all__ = ["PlainSweep"]


class PlainSweep:
    """Blocks of references within groups, with means integrated out and precisions given."""

    def __init__(self, points, precisions, groups, labels, concentration: float):
        self.points, self.precisions = points, precisions
        self.groups, self.concentration = groups, concentration
        self.members = {k: int((labels == k).sum()) for k in np.unique(labels).tolist()}
        self.labels = labels.copy()
        self.mass = {k: 1 + precisions[labels == k].sum(axis=0) for k in self.members}
        self.pull = {k: (precisions * points)[labels == k].sum(axis=0) for k in self.members}
        self.blocks = {g: set(labels[groups == g].tolist()) for g in np.unique(groups).tolist()}

    def run(self, items: np.ndarray, rng: np.random.Generator) -> int:
        """Visit the items once, and return how many blocks were scored."""
        n_scored = 0
        for item in items.tolist():
            x, t, group = self.points[item], self.precisions[item], int(self.groups[item])
            self._add(item, self.labels[item], group, -1)
            slots = sorted(self.blocks[group])
            mass = np.array([self.mass[k] for k in slots] + [np.ones_like(t)])
            pull = np.array([self.pull[k] for k in slots] + [np.zeros_like(t)])
            variance = 1 / t + 1 / mass
            score = -0.5 * (np.log(variance) + (x - pull / mass) ** 2 / variance).sum(axis=1)
            score += np.log([self.members[k] for k in slots] + [self.concentration])
            weight = np.exp(score - score.max())
            k = int(rng.choice(weight.size, p=weight / weight.sum()))
            new = slots[k] if k < len(slots) else max(self.members, default=-1) + 1
            self._add(item, new, group, 1)
            n_scored += weight.size
        return n_scored

    def _add(self, item: int, k: int, group: int, sign: int) -> None:
        if k not in self.members:
            self.members[k] = 0
            self.mass[k] = np.ones_like(self.points[item])
            self.pull[k] = np.zeros_like(self.points[item])
            self.blocks[group].add(k)
        self.members[k] += sign
        self.mass[k] = self.mass[k] + sign * self.precisions[item]
        self.pull[k] = self.pull[k] + sign * self.precisions[item] * self.points[item]
        self.labels[item] = k
        if self.members[k] == 0:
            del self.members[k], self.mass[k], self.pull[k]
            self.blocks[group].remove(k)
