"""Splits and merges of types with the means of the publications integrated out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

from reseat.checks import check_whole
from reseat.errors import ConfigError
from reseat.moves._type_allocation import allot

__all__ = ["IntegratedTypeSplitMerge"]

#: Steps from moments towards the precisions that a set of items would have.
N_STEPS = 6


class IntegratedTypeSplitMerge:
    """Propose to split the type of two items, or to merge their two types.

    Means that follow the items of a type closely bind its items to it, and precisions that are
    held bind it to its scale.  Here the means are integrated out, and the precisions of the types
    concerned are drawn anew: the items of both types but the pair are put on two sides one by
    one, in random order, by their residuals from the means that they would have as one type;
    then each side draws its precisions from gamma laws that approximate their conditional.  The
    way back is gone alike, and the ratio is that of the model, so that the posterior is left as
    it is, whatever the approximation.

    Parameters
    ----------
    n_proposals : int
        Pairs a call.

    Attributes
    ----------
    proposed_, accepted_ : dict of str to int
        Counts of ``split`` and ``merge`` since the move was made.

    Raises
    ------
    ConfigError
        If the number is less than 1.

    References
    ----------
    Dahl (2005), Sequentially-allocated merge-split sampler for conjugate and nonconjugate
    Dirichlet process mixture models.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.chains import build_supervised
    >>> from reseat.likelihoods import GaussianReferences
    >>> from reseat.moves import IntegratedTypeSplitMerge
    >>> rng = np.random.default_rng(1)
    >>> points = np.repeat([[-3.0], [0.0], [3.0]], 4, axis=0) + 0.1 * rng.normal(size=(12, 1))
    >>> test, known = np.ones(12, dtype=bool), np.zeros(12, dtype=int)
    >>> data = GaussianReferences(points)
    >>> model = build_supervised(data, "scdp1", rng, test=test, known=known)
    >>> move = IntegratedTypeSplitMerge(n_proposals=5)
    >>> for sweep in range(20):
    ...     moved = model.sweep(rng)
    ...     moved = move(model.publications, model.types, rng)
    >>> sum(move.proposed_.values())
    100
    """

    def __init__(self, n_proposals: int = 5):
        self.n_proposals = check_whole("n_proposals", n_proposals, 1)
        self.proposed_ = {"split": 0, "merge": 0}
        self.accepted_ = {"split": 0, "merge": 0}

    def __call__(self, publications, types, rng) -> int:
        """Make the proposals.

        Parameters
        ----------
        publications, types : MixtureModel
            Parts of a `SupervisedModel`.  The precisions of the second have a gamma law that does
            not depend on the means; those of the first are integrated out.
        rng : numpy.random.Generator

        Returns
        -------
        int
            0, as no item changes its publication.

        Raises
        ------
        ConfigError
            If means are held, or the law of the precisions depends on them.
        """
        law = types.likelihood.law
        if not publications.likelihood.collapsed or (
            law.depends_on_means and not types.likelihood.held
        ):
            raise ConfigError(
                "Types can be split and merged with the means integrated out only if the means "
                "are not held fixed and the distribution of the precisions does not depend on "
                "them."
            )
        if publications.n_items < 2:
            return 0
        state = _State(publications, types)
        for _ in range(self.n_proposals):
            kind, accepted = state.propose(rng)
            self.proposed_[kind] += 1
            self.accepted_[kind] += accepted
        state.give_back(types)
        publications.condition({"type": types})
        return 0


@dataclass
class _Fit:
    """Approximate conditional laws of the precisions of the sides, shape (n_sides, n_features)."""

    shape: np.ndarray
    rate: np.ndarray
    mean: np.ndarray  # of the blocks, shape (n_blocks, n_coordinates)
    mass: np.ndarray  # of the blocks, shape (n_blocks, n_features)

    def draw(self, rng) -> np.ndarray:
        """Precisions of the sides."""
        return np.maximum(rng.gamma(self.shape) / self.rate, np.finfo(float).tiny)

    def log_density(self, t: np.ndarray) -> float:
        """Log density of precisions of the sides."""
        return float(_log_gamma(t, self.shape, self.rate).sum())


@dataclass
class _Sums:
    """What the items of the sides add up to, and those of all other types, in each block."""

    n_items: np.ndarray  # shape (n_sides,)
    square: np.ndarray  # shape (n_sides, n_features)
    count: np.ndarray  # shape (n_sides, n_blocks, 1)
    total: np.ndarray  # shape (n_sides, n_blocks, n_coordinates)
    mass: np.ndarray  # of the others with the prior, shape (n_blocks, n_features)
    pull: np.ndarray  # of the others, shape (n_blocks, n_coordinates)

    def merged(self) -> _Sums:
        """The same of both sides as one."""
        one = (a.sum(axis=0, keepdims=True) for a in (self.n_items, self.square, self.count,
                                                      self.total))  # fmt: skip
        return _Sums(*one, self.mass, self.pull)


class _State:
    """Labels and precisions of the types while proposals are made."""

    def __init__(self, publications, types):
        means, data = publications.likelihood, publications.likelihood.data
        self.sigma, self.points = means.sigma, data.coordinates
        self.starts, self.feature_of = data.starts[:-1], data.feature_of
        self.half = np.diff(data.starts) / 2.0
        self.shape, self.rate = types.likelihood.parameters["laws"][:, :2].T.copy()
        self.prior = types.prior
        block = np.unique(publications.labels, return_inverse=True)[1]
        n = block.size
        self.block, self.n_blocks = block, int(block.max()) + 1
        self.gather = csr_array((np.ones(n), (block, np.arange(n))), shape=(self.n_blocks, n))
        self.used, self.labels = np.unique(types.labels, return_inverse=True)
        self.t = types.likelihood.precisions[self.used]
        self.changed = False

    def give_back(self, types) -> None:
        """Let the types stand where the proposals have led."""
        if not self.changed:
            return
        used, labels = np.unique(self.labels, return_inverse=True)
        types.start(labels)
        precisions = types.likelihood.precisions
        precisions[: used.size] = self.t[used]
        types.likelihood.precisions = precisions

    def propose(self, rng) -> tuple[str, bool]:
        """Draw two items, and split or merge; return which, and whether it was made."""
        n = self.labels.size
        i = int(rng.integers(n))
        j = (i + 1 + int(rng.integers(n - 1))) % n
        one, two = self.labels[i], self.labels[j]
        split = one == two
        members = np.flatnonzero((self.labels == one) | (self.labels == two))
        sides = (self.labels[members] == two).astype(np.intc)
        rest = rng.permutation(np.flatnonzero((members != i) & (members != j)))
        order = np.concatenate([np.searchsorted(members, [i, j]), rest])

        others = self._sums_of_others(members)
        whole = self._sums(members, np.zeros(members.size, dtype=int), 1, *others)
        merged = self._fit(whole)
        squares = self._residuals(members, merged)
        log_sides = allot(squares, self.half, self.shape, self.rate, order, sides, not split, rng)
        halves = self._sums(members, sides, 2, *others)
        parted = self._fit(halves)
        if split:
            before, after = self.t[[one]], parted.draw(rng)
        else:
            before, after = merged.draw(rng), self.t[[one, two]]
        gain = self._log_density(halves, after) - self._log_density(whole, before)
        gain += merged.log_density(before) - parted.log_density(after) - log_sides
        sizes = np.bincount(self.labels)
        sizes = sizes[sizes > 0]
        if split:
            new = self._renewed(sizes, [members.size], halves.n_items)
            gain += self.prior.log_prob(new) - self.prior.log_prob(sizes)
        else:
            new = self._renewed(sizes, halves.n_items, [members.size])
            gain += self.prior.log_prob(sizes) - self.prior.log_prob(new)
        if np.log1p(-rng.random()) >= (gain if split else -gain):
            return ("split" if split else "merge"), False
        self.changed = True
        if split:
            self.labels[members[sides == 0]] = len(self.t)
            self.t = np.concatenate([self.t, after[:1]])
            self.t[one] = after[1]
            return "split", True
        self.labels[members] = one
        self.t[one] = before[0]
        return "merge", True

    @staticmethod
    def _renewed(sizes, lost, gained) -> np.ndarray:
        """Sizes of the blocks after some have made way for others."""
        sizes = sizes.tolist()
        for size in lost:
            sizes.remove(int(size))
        return np.array([*sizes, *(int(size) for size in gained)])

    def _sums_of_others(self, members) -> tuple[np.ndarray, np.ndarray]:
        """Mass, with that of the prior, and pull of the items that are none of the members."""
        others = np.ones(self.labels.size, dtype=bool)
        others[members] = False
        weights = self.t[self.labels] * others[:, None]
        mass = 1 / self.sigma + self.gather @ weights
        return mass, self.gather @ (weights[:, self.feature_of] * self.points)

    def _sums(self, members, sides, n_sides: int, mass, pull) -> _Sums:
        cells = csr_array(
            (np.ones(members.size), (sides * self.n_blocks + self.block[members], members)),
            shape=(n_sides * self.n_blocks, self.labels.size),
        )
        count = cells.sum(axis=1).reshape(n_sides, self.n_blocks, 1)
        squares = self._by_feature(self.points[members] ** 2)
        return _Sums(
            np.bincount(sides, minlength=n_sides),
            np.stack([squares[sides == s].sum(axis=0) for s in range(n_sides)]),
            count,
            (cells @ self.points).reshape(n_sides, self.n_blocks, -1),
            mass,
            pull,
        )

    def _by_feature(self, values: np.ndarray) -> np.ndarray:
        return np.add.reduceat(values, self.starts, axis=-1)

    def _posterior(self, sums: _Sums, t: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mass and mean of each block given the precisions of the sides."""
        mass = sums.mass + (sums.count * t[:, None, :]).sum(axis=0)
        pull = sums.pull + (sums.total * t[:, None, self.feature_of]).sum(axis=0)
        return mass, pull / mass[:, self.feature_of]

    def _fit(self, sums: _Sums) -> _Fit:
        """Precisions under which residuals are as large as they are expected to be."""
        n = sums.n_items[:, None]
        many = np.maximum(sums.count, 1)
        spread = sums.square - self._by_feature((sums.total**2 / many).sum(axis=1))
        n_free = n - np.minimum(sums.count, 1).sum(axis=1)
        t = (self.shape + self.half * n_free) / (self.rate + np.maximum(spread, 0) / 2)
        for _ in range(N_STEPS):
            mass, mean = self._posterior(sums, t)
            spread = (sums.count * mean**2 - 2 * mean * sums.total).sum(axis=1)
            spread = np.maximum(sums.square + self._by_feature(spread), 0)
            unsure = (sums.count / mass).sum(axis=1)
            t = (self.shape + self.half * n) / (self.rate + spread / 2 + self.half * unsure)
        mass, mean = self._posterior(sums, t)
        shape = self.shape + self.half * np.maximum(n - t * (sums.count / mass).sum(axis=1), 0)
        return _Fit(shape, shape / t, mean, mass)

    def _residuals(self, members, fit: _Fit) -> np.ndarray:
        """Expected squared residuals of items, shape (n_members, n_features)."""
        block = self.block[members]
        squares = self._by_feature((self.points[members] - fit.mean[block]) ** 2)
        return np.ascontiguousarray(squares + 2 * self.half / fit.mass[block])

    def _log_density(self, sums: _Sums, t: np.ndarray) -> float:
        """Log density of precisions and items, but for what the sides have no part in."""
        mass, mean = self._posterior(sums, t)
        value = (sums.n_items[:, None] * self.half * np.log(t) - t * sums.square / 2).sum()
        value -= (self.half * np.log(mass)).sum()
        value += (mass[:, self.feature_of] * mean**2).sum() / 2
        return float(value + _log_gamma(t, self.shape, self.rate).sum())


def _log_gamma(t, shape, rate):
    """Log density of gamma variates."""
    return shape * np.log(rate) - gammaln(shape) + (shape - 1) * np.log(t) - rate * t
