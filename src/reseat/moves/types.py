"""Splits and merges of types, with the means of the publications integrated out for the move."""

import numpy as np
from scipy.special import expit, gammaln

from reseat.checks import check_whole
from reseat.errors import ConfigError
from reseat.likelihoods import PrecisionLaw
from reseat.likelihoods._precision_density import PrecisionDensity
from reseat.moves._seating import check_seated
from reseat.moves._type_sums import SideSums, TypeMembers, allocate
from reseat.numerics import product

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

    All other items of both types are allocated to two sides one by one, in random order, by their
    residuals from the means that they would have as one type, and redrawn several times given the
    precisions of the sides.  Then these are drawn from gamma laws that approximate their
    conditional.  Half of the pairs are drawn such that a small type comes up as often as a large
    one.  Two types are redistributed as often as merged.  Means that are held follow a proposal.

    Parameters
    ----------
    n_proposals, n_scans : int
        Number of pairs per call, of which those of a type with one item are skipped, and how often
        the sides are drawn.

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
    Dahl (2005), as for `PublicationTypes`; Jain and Neal (2004).

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import likelihoods, moves
    >>> from reseat.models.references import build_supervised
    >>> rng, data = np.random.default_rng(1), likelihoods.GaussianReferences([[-3.0], [3.0], [2.9]])
    >>> model = build_supervised(data, "scdp1", rng, test=[True] * 3, known=[0, 0, 0])
    >>> model.joint = [moves.IntegratedTypeSplitMerge(n_proposals=5)]
    >>> n_moved = model.sweep(rng)
    """

    #: The move leaves the likelihood of the publications conditioned on the new types.
    settles = True

    def __init__(self, n_proposals: int = 5, n_scans: int = 12):
        self.n_proposals = check_whole("n_proposals", n_proposals, 1)
        self.n_scans = check_whole("n_scans", n_scans, 1)
        self.proposed_ = {"split": 0, "merge": 0, "share": 0}
        self.accepted_ = {"split": 0, "merge": 0, "share": 0}

    def __call__(self, publications, types, rng) -> int:
        """Make the proposals; return 0, because no item changes its publication."""
        law = types.likelihood.law
        if publications.likelihood.collapsed and (
            law.kind == "covariance" or (law.depends_on_means and not types.likelihood.held)
        ):
            raise ConfigError(
                "If the law of the precisions depends on the means, these must be held to split "
                "and merge types; use ExplicitMeans."
            )
        if publications.n_items < 2:
            return 0
        state = _State(publications, types)
        for _ in range(self.n_proposals):
            state.propose(self, rng)
        if state.changed:
            state.give_back(publications, types)
            publications.condition({"type": types})
        return 0


# ---- Means that are held while types are split and merged ------------------------------------

#: Means of a feature stand still if their variance is below this share of that of the items; their
#: prior precision is then so large that the items do not count.
FLAT, STILL = 0.1, 1e15

#: Number of items with the precisions of both types together with which each side begins, and
#: number of scans after which the residuals are those from the means given both sides.
N_ALIKE, N_BETWEEN = 4.0, 3


class _HeldMeans:
    """Means that are held, which a proposal takes along, and the density of the precisions.

    A mean keeps its distance from its posterior mean, in posterior standard deviations, unless the
    law of the precisions keeps the means together: then all stand still.
    """

    def __init__(self, publications, law: PrecisionLaw | None):
        means, data = publications.likelihood, publications.likelihood.data
        self.points, self.of, self.sigma = data.coordinates, data.feature_of, means.sigma
        self.starts = data.starts[:-1]
        self.block = publications.labels
        self.order = np.argsort(self.block, kind="stable")
        self.used, self.edges = np.unique(self.block[self.order], return_index=True)
        self.means, self.law = means.means, law
        self.slots = publications.partition.size_array, means.slot_groups
        if law is not None:
            self.density = PrecisionDensity(data, law, self.slots[1].max() + 1)
        self.value, self.centre = 0.0, None
        self.still = self._still(self.means)
        if law is not None:
            # No proposal changes these means, so both directions are proposed under their laws.
            n = np.diff(np.append(self.edges, self.block.size))[:, None]
            means = self.means.copy()
            means[self.used] = self._taken(self._sums(self.points) / n)
            self.laws = self.density.given(means, *self.slots)[1]

    def _still(self, means: np.ndarray) -> np.ndarray:
        spread, whole = (
            np.add.reduceat(x.var(axis=0), self.starts) for x in (means[self.used], self.points)
        )
        return (spread < FLAT * whole) & (self.law is not None)

    def _taken(self, moved: np.ndarray) -> np.ndarray:
        """Return the means of the blocks, moved where they do not stand still."""
        return np.where(self.still[self.of], self.means[self.used], moved)

    def seen(self, points: np.ndarray, base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return points and prior precisions of means, relative to the means that stand still."""
        points = np.where(self.still[self.of], points - self.means[self.block], points)
        return points, np.where(self.still, STILL, base)

    def follow(self, labels: np.ndarray, t: np.ndarray) -> float:
        """Propose means for these types; return the log ratio of the precisions' densities."""
        mass = 1 / self.sigma + self._sums(t[labels])
        scale, mass = 1 / np.sqrt(mass)[:, self.of], mass[:, self.of]
        centre = self._sums(t[labels][:, self.of] * self.points) / mass
        means, value = self.means.copy(), 0.0
        if self.centre is not None:
            moved = centre + (means[self.used] - self.centre) * (scale / self.scale)
            means[self.used] = self._taken(moved)
        if self.law is not None:
            self.density.take(t[np.unique(labels)])
            value = self.density.given(means, *self.slots)[0]
        self.proposed = means, value, centre, scale
        return value - self.value if (self._still(means) == self.still).all() else -np.inf

    def accept(self) -> None:
        """Keep what was proposed."""
        self.means, self.value, self.centre, self.scale = self.proposed

    def _sums(self, values: np.ndarray) -> np.ndarray:
        """Return the sums over the items of each block."""
        return np.add.reduceat(values[self.order], self.edges)


class _State:
    """The labels and precisions of the types while proposals are made."""

    def __init__(self, publications, types):
        for part in (publications, types):
            check_seated(part.partition, part.prior, part.likelihood)
        means, data = publications.likelihood, publications.likelihood.data
        self.points, self.starts, self.half = data.coordinates, data.starts, data.widths / 2.0
        self.base = np.full(data.n_features, 1 / means.sigma)
        laws = types.likelihood.parameters["laws"]
        self.prior = types.prior
        self.block = publications.labels.astype(np.intp)
        self.used, self.labels = np.unique(types.labels, return_inverse=True)
        self.t = types.likelihood.precisions[self.used]
        self.changed = False
        law = types.likelihood.law
        self.follows = law.depends_on_means and not types.likelihood.held
        self.means = None
        if not means.collapsed:
            self.means = _HeldMeans(publications, law if self.follows else None)
            self.means.follow(self.labels, self.t)
            self.means.accept()
            laws = self.means.laws if self.follows else laws
        self.shape, self.rate, self.chi = laws.T.copy()

    def give_back(self, publications, types) -> None:
        """Write the labels and precisions after the proposals back to `types`."""
        used, labels = np.unique(self.labels, return_inverse=True)
        types.start(labels)
        precisions = types.likelihood.precisions
        precisions[: used.size] = self.t[used]
        types.likelihood.precisions = precisions
        if self.means is not None:
            publications.likelihood.means = self.means.means
            types.likelihood.renew_law(publications)

    def propose(self, move: IntegratedTypeSplitMerge, rng) -> None:
        """Draw two items and make a proposal, which the move counts."""
        by_type = rng.random() < BY_TYPE
        if by_type:
            pair = self._pair_of_types(rng)
            if pair is None:
                return
            i, j = pair
        else:
            n = self.labels.size
            i = int(rng.integers(n))
            j = (i + 1 + int(rng.integers(n - 1))) % n
        one, two = self.labels[i], self.labels[j]
        members = np.flatnonzero((self.labels == one) | (self.labels == two))
        sides = (self.labels[members] == two).astype(np.intc)
        rest = rng.permutation(np.flatnonzero((members != i) & (members != j)))
        order = np.concatenate([np.searchsorted(members, [i, j]), rest])

        points, base = self.points, self.base
        if self.means is not None:
            points, base = self.means.seen(points, base)
        base = TypeMembers(points, self.starts, self.block, self.labels, self.t, members, base)
        whole = SideSums(base, np.zeros_like(sides), 1)
        log_odds = self._launch(base, whole, order, move.n_scans, rng)
        drawn = sides.copy()
        drawn[rest] = rng.random(rest.size) < expit(log_odds)
        kind = "split" if one == two else "share" if rng.random() < SHARE else "merge"
        move.proposed_[kind] += 1
        if kind == "split":
            drawn[order[:2]] = 0, 1
        there, here = (_log_sides(log_odds, s[rest]) for s in (drawn, sides))

        old = whole if kind == "split" else SideSums(base, sides, 2)
        new = whole if kind == "merge" else SideSums(base, drawn, 2)
        lost, gained = (
            np.array([members.size]) if sums is whole else np.bincount(s, minlength=2)
            for sums, s in ((old, sides), (new, drawn))
        )
        old_law, (shape, rate) = self._fit(old), self._fit(new)
        before = self.t[[one] if kind == "split" else [one, two]]
        after = np.maximum(rng.gamma(shape) / rate, np.finfo(float).tiny)
        labels, t = self.labels.copy(), self.t.copy()
        if kind == "split":
            labels[members[drawn == 0]] = len(t)
            t = np.concatenate([t, after[:1]])
            t[one] = after[1]
        elif kind == "merge":
            labels[members] = one
            t[one] = after[0]
        else:
            labels[members] = np.where(drawn == 1, two, one)
            t[[one, two]] = after
        gain = self._log_density(new, after) - self._log_density(old, before)
        if self.means is not None:
            gain += self.means.follow(labels, t)
        gain += _log_gamma(before, *old_law) - _log_gamma(after, shape, rate)
        gain += {"split": -there, "merge": here, "share": here - there}[kind]
        sizes = np.bincount(self.labels)
        sizes = sizes[sizes > 0]
        kept = sizes.tolist()
        for size in lost.tolist():
            kept.remove(size)
        renewed = np.array(kept + gained.tolist())
        gain += self.prior.log_prob(renewed) - self.prior.log_prob(sizes)
        if kind == "share":
            if by_type:  # an item of a small type is more likely to be drawn
                gain += np.log(lost).sum() - np.log(gained).sum()
        else:
            fewer = min(sizes.size, renewed.size)
            odds = np.log(1 - SHARE)
            if self.prior.max_blocks is not None:  # these are probabilities of one labelling
                odds += np.log(max(self.prior.max_blocks - fewer, np.finfo(float).tiny))
            if by_type:
                odds += _log_pairs(fewer, gained if kind == "split" else lost)
            gain += odds if kind == "split" else -odds
        if np.log1p(-rng.random()) >= gain:
            return
        move.accepted_[kind] += 1
        self.changed, self.labels, self.t = True, labels, t
        if self.means is not None:
            self.means.accept()

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

    def _launch(self, base, whole, order, n_scans: int, rng) -> np.ndarray:
        """Return the log odds of side 1 for all items of `order` but the first two.

        Sides are redrawn at once given their precisions; the current types have no influence.
        """
        sides, mean = np.zeros(order.size, dtype=np.intc), np.divide(*self._fit(whole))
        squares, shape, rate = whole.residuals(mean), self.shape, self.rate
        if self.follows:
            shape, rate = N_ALIKE * self.half, N_ALIKE * self.half / mean[0]
        allocate(squares, self.half, shape, rate, order, sides, rng)
        rest, total = order[2:], squares.sum(axis=0)
        for scan in range(1, n_scans):
            if self.follows and scan % N_BETWEEN == 0:
                halves = SideSums(base, sides, 2)
                squares = halves.residuals(np.divide(*self._fit(halves)))
                total = squares.sum(axis=0)
            odds = self._log_odds(squares, total, sides)[rest]
            sides[rest] = rng.random(rest.size) < expit(odds)
        return self._log_odds(squares, total, sides)[rest]

    def _log_odds(self, squares, total, sides) -> np.ndarray:
        """Return the log odds of side 1 given the precisions that fit the items of both sides."""
        n = np.bincount(sides, minlength=2).astype(float)
        of_one = product(sides.astype(float), squares)
        spread = np.stack([np.maximum(total - of_one, 0), of_one])
        shape, rate = self.shape + n[:, None] * self.half, self.rate + spread / 2
        t = (shape + np.sqrt(shape**2 + 4 * rate * self.chi)) / (2 * rate)  # the mode of log t
        log_scale = product(np.log(t), self.half) + np.log(n)
        return log_scale[1] - log_scale[0] - product(squares, t[1] - t[0]) / 2

    def _fit(self, sums: SideSums) -> tuple[np.ndarray, np.ndarray]:
        """Return shapes and rates of laws under which the residuals have their expected size."""
        return sums.fit(self.shape, self.rate, self.chi, N_STEPS)

    def _log_density(self, sums: SideSums, t: np.ndarray) -> float:
        """Return the log density of the items, and of precisions whose law is fixed."""
        found = sums.log_density(t)
        if not self.follows:
            found += _log_gamma(t, self.shape, self.rate)
        return found


def _log_pairs(n_types: int, n_items) -> float:
    """Return the log ratio of the probabilities of drawing a pair of two types and of one."""
    n = n_items.sum()
    of_two = np.log(OF_TWO) - np.log((n_types + 1) * n_types) - np.log(n_items).sum()
    of_one = np.log(1 - OF_TWO if n_types > 1 else 1) - np.log(n_types) - np.log(n * (n - 1))
    return float(of_two - of_one)


def _log_sides(log_odds: np.ndarray, sides: np.ndarray) -> float:
    """Return the log probability of sides that are drawn independently."""
    return float(-np.logaddexp(0, np.where(sides == 1, -log_odds, log_odds)).sum())


def _log_gamma(t, shape, rate) -> float:
    """Return the log density of gamma variates."""
    each = shape * np.log(rate) - gammaln(shape) + (shape - 1) * np.log(t) - rate * t
    return float(each.sum())
