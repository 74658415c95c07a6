"""Splits and merges of types, with precisions or means integrated out for the move."""

from dataclasses import dataclass
from threading import get_ident

import numpy as np
from scipy.special import expit, gammaln

from reseat.checks import check_whole
from reseat.errors import ConfigError
from reseat.likelihoods import CollapsedPrecisions
from reseat.moves._seating import check_seated
from reseat.moves._split_merge import SplitMerge
from reseat.moves._type_sums import SideSums, TypeMembers, allocate
from reseat.numerics import product

# ---- Splits and merges of types with held precisions, which are integrated out for the move ----


class TypeSplitMerge:
    """`SplitMerge` for the types of references given the means; it redraws all precisions.

    Parameters
    ----------
    n_proposals, n_scans : int
        As for `SplitMerge`.

    Raises
    ------
    ConfigError
        If a number is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.models.references import build_supervised
    >>> from reseat.likelihoods import GaussianReferences
    >>> from reseat.moves import TypeSplitMerge
    >>> rng = np.random.default_rng(1)
    >>> points = np.repeat([[-3.0], [0.0], [3.0]], 4, axis=0) + 0.1 * rng.normal(size=(12, 1))
    >>> test, known = np.ones(12, dtype=bool), np.zeros(12, dtype=int)
    >>> data = GaussianReferences(points)
    >>> model = build_supervised(data, "scdp1", rng, test=test, known=known)
    >>> move, types = TypeSplitMerge(n_proposals=5), model.types
    >>> for sweep in range(20):
    ...     moved = model.sweep(rng)
    ...     moved = move(types.partition, types.prior, types.likelihood, rng)
    >>> sum(move.proposed_.values())
    100
    """

    def __init__(self, n_proposals: int = 5, n_scans: int = 2):
        self._move = SplitMerge(n_proposals=n_proposals, n_scans=n_scans)
        # One per thread, because its statistics are read while other threads run.
        self._collapsed: dict[int, CollapsedPrecisions] = {}

    @property
    def proposed_(self) -> dict[str, int]:
        """Counts of proposed ``split`` and ``merge`` since the move was created."""
        return self._move.proposed_

    @property
    def accepted_(self) -> dict[str, int]:
        """Counts of accepted ``split`` and ``merge`` since the move was created."""
        return self._move.accepted_

    def __call__(self, partition, prior, likelihood, rng) -> int:
        """Make the proposals; arguments and result are those of `gibbs_sweep`.

        The law ``covariance`` is refused, as precisions cannot be integrated out under it.
        """
        check_seated(partition, prior, likelihood)
        collapsed = likelihood
        if not likelihood.collapsed:
            thread = get_ident()
            collapsed = self._collapsed.get(thread)
            if collapsed is None or collapsed.data is not likelihood.data:
                collapsed = CollapsedPrecisions(likelihood.data, likelihood.law)
                self._collapsed[thread] = collapsed
            collapsed.follow(likelihood)
            collapsed.assign(partition.label_array, partition.capacity)
        moved = self._move(partition, prior, collapsed, rng)
        if collapsed is not likelihood:
            likelihood.assign(partition.label_array, partition.capacity)
            likelihood.update(partition, rng)
        return moved


# ---- Splits and merges of types with the means of the publications integrated out ------------

#: Number of steps from moment estimates towards the precisions that a set of items would have.
N_STEPS = 6

#: Probability that the pair is drawn by types, all of which are equally likely, and probability
#: that it is then of two types.
BY_TYPE = 0.5
OF_TWO = 0.5

#: Probability that two types are redistributed instead of merged.
SHARE = 0.5


class IntegratedTypeSplitMerge:
    """A move that proposes to split, merge or redistribute the types of two items.

    Means that follow the items of a type closely bind these items to it, and precisions that are
    held bind the type to its scale.  Here the means are integrated out, and the precisions of the
    types involved are redrawn.  All items of both types except the pair are allocated to two sides
    one by one, in random order, by their residuals from the means that they would have as one
    type.  They are then redrawn several times given the precisions of the sides, so that these
    settle.  Finally, the precisions of each side are drawn from gamma laws that approximate their
    conditional.  The reverse move is constructed in the same way, and the acceptance ratio is that
    of the exact model, so the posterior is left invariant however good the approximation is.  Half
    of the pairs are drawn independently of the types, and half such that a small type comes up as
    often as a large one.  Two types are redistributed as often as they are merged.

    Parameters
    ----------
    n_proposals : int
        Number of pairs per call.  Nothing is proposed if two items of one type are to be drawn,
        and that type has only one.
    n_scans : int
        How many times the sides are drawn, including the last time.

    Attributes
    ----------
    proposed_, accepted_ : dict of str to int
        Counts of ``split``, ``merge`` and ``share`` since the move was created.

    Raises
    ------
    ConfigError
        If a number is not whole, or is less than 1.

    References
    ----------
    Dahl (2005), Sequentially-allocated merge-split sampler for conjugate and nonconjugate
    Dirichlet process mixture models.

    Jain and Neal (2004), A split-merge Markov chain Monte Carlo procedure for the Dirichlet
    process mixture model.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.models.references import build_supervised
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
    >>> 0 < sum(move.proposed_.values()) <= 100
    True
    """

    #: The move leaves the likelihood of the publications conditioned on the new types.
    settles = True

    def __init__(self, n_proposals: int = 5, n_scans: int = 12):
        self.n_proposals = check_whole("n_proposals", n_proposals, 1)
        self.n_scans = check_whole("n_scans", n_scans, 1)
        self.proposed_ = {"split": 0, "merge": 0, "share": 0}
        self.accepted_ = {"split": 0, "merge": 0, "share": 0}

    def __call__(self, publications, types, rng) -> int:
        """Make the proposals; return 0, because no item changes its publication.

        The precisions must have a gamma law that does not depend on the means, which must be
        integrated out.
        """
        law = types.likelihood.law
        if (
            not publications.likelihood.collapsed
            or law.kind == "covariance"
            or (law.depends_on_means and not types.likelihood.held)
        ):
            raise ConfigError(
                "Types can be split and merged with the means integrated out only if the means "
                "are not held fixed and the precisions have a gamma distribution that does not "
                "depend on them."
            )
        if publications.n_items < 2:
            return 0
        state = _State(publications, types)
        for _ in range(self.n_proposals):
            made = state.propose(self.n_scans, rng)
            if made is not None:
                kind, accepted = made
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
        """Draw precisions of the sides."""
        return np.maximum(rng.gamma(self.shape) / self.rate, np.finfo(float).tiny)

    def log_density(self, t: np.ndarray) -> float:
        """Return the log density of precisions of the sides."""
        return float(_log_gamma(t, self.shape, self.rate).sum())


class _State:
    """The labels and precisions of the types while proposals are made."""

    def __init__(self, publications, types):
        for part in (publications, types):
            check_seated(part.partition, part.prior, part.likelihood)
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
        """Write the labels and precisions after the proposals back to `types`."""
        used, labels = np.unique(self.labels, return_inverse=True)
        types.start(labels)
        precisions = types.likelihood.precisions
        precisions[: used.size] = self.t[used]
        types.likelihood.precisions = precisions

    def propose(self, n_scans: int, rng) -> tuple[str, bool] | None:
        """Draw two items and make a proposal; return its kind and whether it was accepted."""
        by_type = rng.random() < BY_TYPE
        pair = self._pair_of_types(rng) if by_type else self._pair_of_items(rng)
        if pair is None:
            return None
        i, j = pair
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
        log_odds = self._launch(squares, order, n_scans, rng)
        drawn = sides.copy()
        drawn[rest] = rng.random(rest.size) < expit(log_odds)
        there, here = (_log_sides(log_odds, s[rest]) for s in (drawn, sides))

        def split_sides(sides):
            halves = SideSums(base, sides, 2)
            return halves, self._fit(halves), np.bincount(sides, minlength=2)

        if not split and rng.random() < SHARE:
            (old, old_fit, lost), (new, new_fit, gained) = split_sides(sides), split_sides(drawn)
            before, after = self.t[[one, two]], new_fit.draw(rng)
            gain = self._log_density(new, after) - self._log_density(old, before)
            gain += old_fit.log_density(before) - new_fit.log_density(after) + here - there
            sizes = self._sizes()
            renewed = self._renewed(sizes, lost, gained)
            gain += self.prior.log_prob(renewed) - self.prior.log_prob(sizes)
            if by_type:  # an item of a small type is more likely to be drawn
                gain += np.log(lost).sum() - np.log(gained).sum()
            if np.log1p(-rng.random()) >= gain:
                return "share", False
            self.changed = True
            self.labels[members] = np.where(drawn == 1, two, one)
            self.t[[one, two]] = after
            return "share", True

        if split:
            sides, here = drawn, there
            sides[order[0]], sides[order[1]] = 0, 1
        halves, fit, n_items = split_sides(sides)
        if split:
            before, after = self.t[[one]], fit.draw(rng)
        else:
            before, after = merged.draw(rng), self.t[[one, two]]
        gain = self._log_density(halves, after) - self._log_density(whole, before)
        gain += merged.log_density(before) - fit.log_density(after) - here + np.log(1 - SHARE)
        sizes = self._sizes()
        if split:
            fewer, more = sizes, self._renewed(sizes, [members.size], n_items)
        else:
            fewer, more = self._renewed(sizes, n_items, [members.size]), sizes
        gain += self.prior.log_prob(more) - self.prior.log_prob(fewer)
        if self.prior.max_blocks is not None:  # these are probabilities of one labelling
            gain += np.log(max(self.prior.max_blocks - fewer.size, np.finfo(float).tiny))
        if by_type:
            gain += _log_pairs(fewer.size, n_items)
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

    def _sizes(self) -> np.ndarray:
        """Return the sizes of the types in use."""
        sizes = np.bincount(self.labels)
        return sizes[sizes > 0]

    def _pair_of_items(self, rng) -> tuple[int, int]:
        """Draw two items independently of their types."""
        n = self.labels.size
        i = int(rng.integers(n))
        return i, (i + 1 + int(rng.integers(n - 1))) % n

    def _pair_of_types(self, rng) -> tuple[int, int] | None:
        """Draw two items of one random type or of two; None if the one type has a single item."""
        used = np.unique(self.labels)
        if used.size > 1 and rng.random() < OF_TWO:
            kinds = rng.choice(used, 2, replace=False)
            i, j = (rng.choice(np.flatnonzero(self.labels == kind)) for kind in kinds)
            return int(i), int(j)
        members = np.flatnonzero(self.labels == rng.choice(used))
        if members.size < 2:
            return None
        i, j = rng.choice(members, 2, replace=False)
        return int(i), int(j)

    def _launch(self, squares, order, n_scans: int, rng) -> np.ndarray:
        """Return the log odds of side 1 for all items of `order` but the first two.

        Sides are redrawn at once given their precisions; the current types have no influence.
        """
        sides = np.zeros(order.size, dtype=np.intc)
        allocate(squares, self.half, self.shape, self.rate, order, sides, False, rng)
        rest, total = order[2:], squares.sum(axis=0)
        for _ in range(n_scans - 1):
            odds = self._log_odds(squares, total, sides)[rest]
            sides[rest] = rng.random(rest.size) < expit(odds)
        return self._log_odds(squares, total, sides)[rest]

    def _log_odds(self, squares, total, sides) -> np.ndarray:
        """Return the log odds of side 1 given the precisions that fit the items of both sides."""
        n = np.bincount(sides, minlength=2).astype(float)
        of_one = product(sides.astype(float), squares)
        spread = np.stack([np.maximum(total - of_one, 0), of_one])
        t = (self.shape + n[:, None] * self.half) / (self.rate + spread / 2)
        log_scale = product(np.log(t), self.half) + np.log(n)
        return log_scale[1] - log_scale[0] - product(squares, t[1] - t[0]) / 2

    @staticmethod
    def _renewed(sizes, lost, gained) -> np.ndarray:
        """Return the sizes of the types after some of them are replaced by others."""
        sizes = sizes.tolist()
        for size in lost:
            sizes.remove(int(size))
        return np.array([*sizes, *(int(size) for size in gained)])

    def _fit(self, sums: SideSums) -> _Fit:
        """Return laws of the precisions under which the residuals have their expected size."""
        return _Fit(*sums.fit(self.shape, self.rate, N_STEPS))

    def _log_density(self, sums: SideSums, t: np.ndarray) -> float:
        """Return the log density of precisions and items, up to terms independent of the sides."""
        return sums.log_density(t) + float(_log_gamma(t, self.shape, self.rate).sum())


def _log_pairs(n_types: int, n_items) -> float:
    """Return the log ratio of the probabilities of drawing a pair of two types and of one."""
    n = n_items.sum()
    of_two = np.log(OF_TWO) - np.log((n_types + 1) * n_types) - np.log(n_items).sum()
    of_one = np.log(1 - OF_TWO if n_types > 1 else 1) - np.log(n_types) - np.log(n * (n - 1))
    return float(of_two - of_one)


def _log_sides(log_odds: np.ndarray, sides: np.ndarray) -> float:
    """Return the log probability of sides that are drawn independently."""
    return float(-np.logaddexp(0, np.where(sides == 1, -log_odds, log_odds)).sum())


def _log_gamma(t, shape, rate):
    """Return the log density of gamma variates."""
    return shape * np.log(rate) - gammaln(shape) + (shape - 1) * np.log(t) - rate * t
