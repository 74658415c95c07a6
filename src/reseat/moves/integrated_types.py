"""Splits and merges of types with the means of the publications integrated out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln

from reseat.checks import check_whole
from reseat.errors import ConfigError
from reseat.moves._type_allocation import allot
from reseat.moves._type_sums import SideSums, TypeMembers

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

    #: The likelihood of the publications has taken in everything after the move.
    settles = True

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
        if state.changed:
            state.give_back(types)
            publications.condition({"type": types})
        return 0


@dataclass
class _Fit:
    """Approximate conditional laws of the precisions of the sides, shape (n_sides, n_features)."""

    shape: np.ndarray
    rate: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """Mean precisions of the sides."""
        return self.shape / self.rate

    def draw(self, rng) -> np.ndarray:
        """Precisions of the sides."""
        return np.maximum(rng.gamma(self.shape) / self.rate, np.finfo(float).tiny)

    def log_density(self, t: np.ndarray) -> float:
        """Log density of precisions of the sides."""
        return float(_log_gamma(t, self.shape, self.rate).sum())


class _State:
    """Labels and precisions of the types while proposals are made."""

    def __init__(self, publications, types):
        means, data = publications.likelihood, publications.likelihood.data
        self.sigma, self.points = means.sigma, data.coordinates
        self.starts, self.half = data.starts, np.diff(data.starts) / 2.0
        self.shape, self.rate = types.likelihood.parameters["laws"][:, :2].T.copy()
        self.prior = types.prior
        self.block = publications.labels.astype(np.intp)
        self.used, self.labels = np.unique(types.labels, return_inverse=True)
        self.t = types.likelihood.precisions[self.used]
        self.changed = False

    def give_back(self, types) -> None:
        """Let the types stand where the proposals have led."""
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

        base = TypeMembers(
            self.points, self.starts, self.block, self.labels, self.t, members, self.sigma
        )
        whole = SideSums(base, np.zeros_like(sides), 1)
        merged = self._fit(whole)
        squares = whole.residuals(merged.mean)
        log_sides = allot(squares, self.half, self.shape, self.rate, order, sides, not split, rng)
        halves = SideSums(base, sides, 2)
        parted = self._fit(halves)
        if split:
            before, after = self.t[[one]], parted.draw(rng)
        else:
            before, after = merged.draw(rng), self.t[[one, two]]
        gain = self._log_density(halves, after) - self._log_density(whole, before)
        gain += merged.log_density(before) - parted.log_density(after) - log_sides
        sizes, n_items = np.bincount(self.labels), np.bincount(sides, minlength=2)
        sizes = sizes[sizes > 0]
        if split:
            new = self._renewed(sizes, [members.size], n_items)
            gain += self.prior.log_prob(new) - self.prior.log_prob(sizes)
        else:
            new = self._renewed(sizes, n_items, [members.size])
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

    def _fit(self, sums: SideSums) -> _Fit:
        """Precisions under which residuals are as large as they are expected to be."""
        return _Fit(*sums.fit(self.shape, self.rate, N_STEPS))

    def _log_density(self, sums: SideSums, t: np.ndarray) -> float:
        """Log density of precisions and items, but for what the sides have no part in."""
        return sums.log_density(t) + float(_log_gamma(t, self.shape, self.rate).sum())


def _log_gamma(t, shape, rate):
    """Log density of gamma variates."""
    return shape * np.log(rate) - gammaln(shape) + (shape - 1) * np.log(t) - rate * t
