"""The Dirichlet process and its two-parameter extension, as partition priors."""

from collections.abc import Mapping

import numpy as np
import scipy
from scipy.special import gammaln

from reseat import checks
from reseat.errors import ConfigError, DataError
from reseat.priors._concentration import sample_concentration
from reseat.priors._prior import PartitionPrior
from reseat.priors.hyperpriors import (
    GammaHyperprior,
    below_bound,
    draw_hyperparameter,
    slice_sample,
)
from reseat.priors.named import prior

#: Initial value of a sampled concentration if the one that was solved for is not positive.
MIN_START = 0.01


class ConcentrationPrior(PartitionPrior):
    """A partition prior with a concentration, which several groups of items can share."""

    def log_prob(self, sizes) -> float:
        return self.log_prob_groups([sizes])

    def log_hyperprior(self) -> float:
        """Return the log density of a sampled concentration; that of a sampled discount is 0."""
        return 0.0 if self.hyperprior is None else self.hyperprior.log_density(self.concentration)

    @property
    def hyperparameters(self) -> dict[str, float]:
        return {"concentration": self.concentration}

    def update(self, sizes, rng: np.random.Generator) -> None:
        self.update_groups([sizes], rng)


@prior(
    "dirichlet_process",
    title="DP",
    parameters={"concentration": "positive or half", "hyperprior": "gamma or half"},
    groups=True,
)
class DirichletProcess(ConcentrationPrior):
    """Chinese restaurant process (Ewens' law).

    An item joins ``n`` others with weight ``n`` or opens a block with weight ``concentration``.

    Parameters
    ----------
    concentration : float
        Initial or, without `hyperprior`, fixed value; at most 1e9.
    hyperprior : GammaHyperprior, optional
        If given, the concentration is resampled after every sweep.

    Raises
    ------
    ConfigError
        If the concentration is out of range, or `hyperprior` rules out its initial value.

    References
    ----------
    Ewens (1972); Escobar and West (1995) for the concentration.

    Examples
    --------
    >>> from reseat.priors import DirichletProcess
    >>> round(DirichletProcess(1.0).log_prob([2, 1]), 4)  # the log of a sixth
    -1.7918
    """

    def __init__(self, concentration: float = 1.0, hyperprior: GammaHyperprior | None = None):
        self.concentration = checks.check_strength("concentration", concentration, 0)
        checks.check_start("concentration", self.concentration, hyperprior)
        self.hyperprior = hyperprior

    @classmethod
    def for_items(cls, n_items, *, concentration=1.0, hyperprior=None):
        """Return the prior for `n_items` items, from settings as described in `make_prior`."""
        return cls(_solved(concentration, n_items, 0.0), _gamma(hyperprior, n_items))

    def tabulate(self) -> None:
        with np.errstate(divide="ignore"):
            log_join = np.log(np.arange(self.n_items + 1))
        self.set_tables(log_join, np.full(self.n_items + 1, np.log(self.concentration)))

    def log_prob_groups(self, groups) -> float:
        sizes, n_items, n_blocks = _pool(groups)
        found = n_blocks.sum() * np.log(self.concentration)
        found += (gammaln(self.concentration) - gammaln(self.concentration + n_items)).sum()
        return float(found + gammaln(sizes).sum())

    def update_groups(self, groups, rng: np.random.Generator) -> None:
        """Resample the concentration given the number of blocks of each group."""
        if self.hyperprior is None:
            return
        _, n_items, n_blocks = _pool(groups)
        self.concentration = sample_concentration(
            self.concentration, n_items, n_blocks, self.hyperprior, rng
        )
        self.tabulate()

    def sample_sizes(self, n_items: int, rng: np.random.Generator) -> np.ndarray:
        """Draw block sizes, as the blocks appear, and the concentration if it is sampled."""
        concentration = draw_hyperparameter(self.hyperprior, self.concentration, rng)
        return _sample_sizes(n_items, concentration, 0.0, rng)


@prior(
    "pitman_yor",
    title="PYP",
    parameters={
        "concentration": "positive or half",
        "hyperprior": "gamma or half",
        "discount": "below one",
        "sample_discount": "flag",
    },
    groups=True,
)
class PitmanYor(ConcentrationPrior):
    """Two-parameter Chinese restaurant process.

    An item joins a block of ``n`` others with weight ``n - discount`` or opens a new one beside
    ``K`` others with weight ``concentration + discount * K``.

    Parameters
    ----------
    concentration, hyperprior
        As for `DirichletProcess`, but the concentration can be anything above ``-discount``.
    discount : float
        In ``[0, 1)``.
    sample_discount : bool
        Whether the discount is slice sampled too, under a uniform prior.

    Raises
    ------
    ConfigError
        As for `DirichletProcess`.

    References
    ----------
    Pitman and Yor (1997); Pitman (2006), section 3.2.

    Examples
    --------
    >>> from reseat.priors import PitmanYor
    >>> round(PitmanYor(1.0, discount=0.5).log_prob([1, 1, 1]), 4)  # the log of a half
    -0.6931
    """

    def __init__(
        self,
        concentration: float = 1.0,
        discount: float = 0.25,
        hyperprior: GammaHyperprior | None = None,
        sample_discount: bool = False,
    ):
        self.discount = checks.check_between("discount", discount, 0, 1, "[)")
        hint, least = ", that is above minus the discount", 0.0 - self.discount
        self.concentration = checks.check_between(
            "concentration", concentration, least, checks.STRONGEST, "(]", hint
        )
        if hyperprior is not None and concentration <= 0:
            raise ConfigError(
                f"concentration is {concentration}; under a gamma prior it must be positive."
            )
        checks.check_start("concentration", self.concentration, hyperprior)
        if sample_discount and discount == 0:
            raise ConfigError("discount is 0; to sample it, start from a value inside (0, 1).")
        self.hyperprior = hyperprior
        self.sample_discount = sample_discount

    @classmethod
    def for_items(
        cls, n_items, *, concentration=1.0, hyperprior=None, discount=0.25, sample_discount=False
    ):
        """Return the prior for `n_items` items, from settings as described in `make_prior`."""
        solved = _solved(concentration, n_items, discount)
        if concentration == "half" and hyperprior is not None and solved <= 0:
            solved = MIN_START  # the discount alone makes more blocks than half the items
        return cls(solved, discount, _gamma(hyperprior, n_items), sample_discount)

    def tabulate(self) -> None:
        n = np.arange(self.n_items + 1)
        with np.errstate(divide="ignore"):
            log_open = np.log(np.clip(self.concentration + self.discount * n, 0, None))
            # Any weight will do for the first block, because there is no alternative to it.
            log_open[0] = 0.0
            self.set_tables(np.log(np.clip(n - self.discount, 0, None)), log_open)

    def log_prob_groups(self, groups) -> float:
        return _log_prob(_pooled(groups), self.concentration, self.discount)

    @property
    def hyperparameters(self) -> dict[str, float]:
        return {"concentration": self.concentration, "discount": self.discount}

    def update_groups(self, groups, rng: np.random.Generator) -> None:
        """Slice sample the concentration, then the discount, which all groups share."""
        if self.hyperprior is None and not self.sample_discount:
            return
        pooled = _pooled(groups)
        if self.hyperprior is not None:

            def log_density(x: float) -> float:
                # On the log scale, where the log Jacobian is x itself.
                prior = self.hyperprior.log_density(below_bound(np.exp(x), self.hyperprior))
                return _log_prob(pooled, np.exp(x), self.discount) + prior + x

            x = slice_sample(log_density, np.log(self.concentration), rng)
            self.concentration = float(below_bound(np.exp(x), self.hyperprior))
        if self.sample_discount:

            def log_density(x: float) -> float:
                d = 1 / (1 + np.exp(-x))
                if not max(0.0, -self.concentration) < d < 1:
                    return -np.inf
                return _log_prob(pooled, self.concentration, d) + np.log(d) + np.log1p(-d)

            start = np.log(self.discount) - np.log1p(-self.discount)
            self.discount = float(1 / (1 + np.exp(-slice_sample(log_density, start, rng))))
        self.tabulate()

    def sample_sizes(self, n_items: int, rng: np.random.Generator) -> np.ndarray:
        """Draw block sizes, as the blocks appear, and the hyperparameters that are sampled."""
        concentration = draw_hyperparameter(self.hyperprior, self.concentration, rng)
        discount = self.discount
        if self.sample_discount:
            least = max(0.0, -concentration)
            discount = least + (1 - least) * rng.random()
        return _sample_sizes(n_items, concentration, discount, rng)


def _solved(concentration: float | str, n_items: int, discount: float) -> float:
    if concentration == "half":
        return solve_concentration(n_items, n_items / 2, discount)
    return concentration


def _gamma(hyperprior: Mapping[str, float] | str | None, n_items: int) -> GammaHyperprior | None:
    if hyperprior == "half":
        return GammaHyperprior(1.0, 2.0 / n_items)
    return None if hyperprior is None else GammaHyperprior(**hyperprior)


def _pool(groups) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sizes of all blocks, and the numbers of items and of blocks of each group."""
    n_blocks = np.array([len(sizes) for sizes in groups])
    if not n_blocks.all():
        raise DataError("A group has no block sizes; each group needs at least one.")
    sizes = checks.as_sizes(np.concatenate(groups))
    return sizes, np.add.reduceat(sizes, np.cumsum(n_blocks) - n_blocks), n_blocks


def _pooled(groups) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return what `_log_prob` needs of the blocks, for any concentration and discount."""
    sizes, n_items, n_blocks = _pool(groups)
    # Number of groups in which a block was opened beside k = 1, 2, … others.  The first block of a
    # group does not count, because there was no alternative to it.
    opened = n_blocks.size - np.cumsum(np.bincount(n_blocks))[1:-1]
    return sizes, n_items, opened, np.arange(1, opened.size + 1)


def _log_prob(pooled, concentration: float, discount: float) -> float:
    sizes, n_items, opened, beside = pooled
    found = (opened * np.log(concentration + discount * beside)).sum()
    found -= (gammaln(concentration + n_items) - gammaln(concentration + 1)).sum()
    return float(found + (gammaln(sizes - discount) - gammaln(1 - discount)).sum())


def _sample_sizes(n_items, concentration, discount, rng):
    """Draw the size of the block of the first remaining item, and so on, by stick breaking."""
    sizes = []
    while n_items:
        frequency = rng.beta(1 - discount, concentration + discount)
        size = 1 + rng.binomial(n_items - 1, frequency)
        sizes.append(size)
        n_items -= size
        concentration += discount  # the concentration of the items that remain
    return np.array(sizes)


# ---- The expected number of blocks for a given concentration, and the inverse ----------------

#: Bounds of the search for a solution, as logarithms of concentration + discount.
BRACKET = (-700.0, 700.0)


def expected_blocks(n_items: int, concentration: float, discount: float = 0.0) -> float:
    """Return the prior mean of the number of blocks of a Dirichlet or Pitman–Yor process.

    Parameters
    ----------
    n_items : int
    concentration : float
        At least ``-discount``.
    discount : float
        In ``[0, 1)``; 0 is the Dirichlet process.

    Raises
    ------
    ConfigError
        If a parameter is out of range.

    References
    ----------
    Pitman (2006), section 3.3.
    """
    n_items = checks.check_whole("n_items", n_items, 1)
    discount = checks.check_between("discount", discount, 0, 1, "[)")
    concentration = checks.check_between(
        "concentration", concentration, 0.0 - discount, ends="[)", hint=", minus the discount"
    )
    i = np.arange(1, n_items)
    if discount == 0:
        return float(1 + np.sum(concentration / (concentration + i)))
    # On average, each item multiplies theta + d K by 1 + d / (theta + i).
    growth = np.log1p(discount / (concentration + i)).sum()
    return float(np.exp(growth) + concentration / discount * np.expm1(growth))


def solve_concentration(n_items: int, n_blocks: float, discount: float = 0.0) -> float:
    """Return the concentration, above ``-discount``, for which `expected_blocks` is `n_blocks`.

    Parameters
    ----------
    n_items, discount
        As for `expected_blocks`.
    n_blocks : float
        Strictly between 1 and `n_items`.

    Raises
    ------
    ConfigError
        If no concentration has that mean, or a parameter is out of range.
    """
    discount = checks.check_between("discount", discount, 0, 1, "[)")
    n_items = checks.check_whole("n_items", n_items, 1)
    if not 1 < n_blocks < n_items:
        raise ConfigError(
            f"No concentration gives {n_items} items {n_blocks:g} blocks on average; request more "
            f"than 1 and fewer than {n_items}."
        )
    found = scipy.optimize.brentq(
        lambda x: expected_blocks(n_items, np.exp(x) - discount, discount) - n_blocks, *BRACKET
    )
    return float(np.exp(found) - discount)
