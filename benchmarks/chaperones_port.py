"""The chaperones move as usually written in plain Python, to measure what this costs."""

from __future__ import annotations

from math import exp, log
from random import Random

import numpy as np

__all__ = ["PlainChaperones"]


class PlainChaperones:
    """The move under the Dirichlet process, with a list of members for each block."""

    def __init__(self, codes, gamma, labels, concentration, delta, seed=0):
        self.codes = [tuple(row) for row in codes.tolist()]
        self.gamma = [law.tolist() for law in gamma]
        self.labels = labels.tolist()
        self.members = {}
        for item, label in enumerate(self.labels):
            self.members.setdefault(label, []).append(item)
        self.concentration, self.delta = concentration, delta
        self.next_label = max(self.labels) + 1
        self.random = Random(seed).random

    def log_predictive(self, item, others):
        """Return the log predictive probability of a record given the records `others`."""
        n = len(others)
        value = 0.0
        for field, level in enumerate(self.codes[item]):
            matches = sum(self.codes[other][field] == level for other in others)
            value += log((self.delta * self.gamma[field][level] + matches) / (self.delta + n))
        return value

    def move(self, item, target):
        members = self.members[self.labels[item]]
        members.remove(item)
        if not members:
            del self.members[self.labels[item]]
        self.members.setdefault(target, []).append(item)
        self.labels[item] = target

    def run(self, pairs: np.ndarray) -> None:
        """Make one move for each of the `pairs` of chaperones, shape (n_pairs, 2)."""
        labels, members = self.labels, self.members
        for i, j in pairs.tolist():
            for item in sorted({*members[labels[i]], *members[labels[j]]}):
                apart = labels[i] != labels[j]
                if item in (i, j):
                    other = labels[j] if item == i else labels[i]
                    if not apart or len(members[labels[item]]) == 1:
                        self.choose(item, other, None)
                elif apart:
                    self.choose(item, labels[i], labels[j])

    def choose(self, item, one, two):
        others = [other for other in self.members[one] if other != item]
        first = log(len(others)) + self.log_predictive(item, others)
        if two is None:
            others = []
            second = log(self.concentration)
            two = self.next_label if self.labels[item] == one else self.labels[item]
        else:
            others = [other for other in self.members[two] if other != item]
            second = log(len(others))
        second += self.log_predictive(item, others)
        odds = exp(min(first - second, 700.0))
        target = two if self.random() * (1 + odds) < 1 else one
        if target != self.labels[item]:
            self.next_label += target == self.next_label
            self.move(item, target)
