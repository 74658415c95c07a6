"""The prior of finitely many blocks with symmetric Dirichlet weights."""

import numpy as np
from scipy.special import gammaln

from reseat.checks import MAX_TOTAL, as_sizes, check_start, check_strength, check_total, check_whole
from reseat.errors import ConfigError
from reseat.priors.hyperpriors import GammaHyperprior
from reseat.priors.named import prior
from reseat.priors.process import ConcentrationPrior


@prior(
    "finite_dirichlet",
    title="finite Dirichlet",
    parameters={"concentration": "positive", "hyperprior": "gamma"},
    finite=True,
)
class FiniteDirichlet(ConcentrationPrior):
    """Symmetric Dirichlet-multinomial over a fixed number of labelled blocks.

    An item joins a block of ``n`` others with weight ``n + concentration`` or opens one of the
    empty blocks, each with weight ``concentration``.

    Parameters
    ----------
    n_blocks : int
        Number of blocks, including empty ones.
    concentration, hyperprior
        As for `DirichletProcess`; the concentration is that of each block, not the total.

    Raises
    ------
    ConfigError
        As for `DirichletProcess`.

    References
    ----------
    Walker and Ringger (2008), section 3 and equation A8.

    Examples
    --------
    >>> from reseat.priors import FiniteDirichlet
    >>> prior = FiniteDirichlet(2, concentration=1.0)
    >>> round(prior.log_prob([3]), 4)  # all in a given one of two blocks: the log of a quarter
    -1.3863
    """

    def __init__(
        self, n_blocks: int, concentration: float = 1.0, hyperprior: GammaHyperprior | None = None
    ):
        self.max_blocks = check_whole("n_blocks", n_blocks, 1)
        self.concentration = check_strength("concentration", concentration, 0)
        check_total("concentration", self.concentration, self.max_blocks, "blocks")
        check_start("concentration", self.concentration, hyperprior)
        self.hyperprior = hyperprior

    @classmethod
    def for_items(cls, n_items, *, n_blocks, concentration=1.0, hyperprior=None):
        """Return the prior for `n_items` items, from settings as described in `make_prior`."""
        law = None if hyperprior is None else GammaHyperprior(**hyperprior)
        return cls(n_blocks, concentration, law)

    def prepare(self, n_items: int) -> None:
        if self.max_blocks > n_items:
            raise ConfigError(
                f"{self.max_blocks} blocks were requested, but there are only {n_items} items; "
                "lower the number of blocks."
            )
        super().prepare(n_items)

    def tabulate(self) -> None:
        n = np.arange(self.n_items + 1)
        with np.errstate(divide="ignore"):
            log_open = np.log(self.concentration * np.clip(self.max_blocks - n, 0, None))
        self.set_tables(np.log(n + self.concentration), log_open)

    def log_prob(self, sizes) -> float:
        """Return the log probability of one labelling with these block sizes.

        This is the first factor of equation A8; the partition itself, with ``K`` occupied blocks,
        is ``n_blocks! / (n_blocks - K)!`` times as probable.  More blocks have the probability 0.
        """
        return self._log_prob_at(self.concentration, as_sizes(sizes))

    def _log_prob_at(self, concentration: float, sizes: np.ndarray) -> float:
        if sizes.size > self.max_blocks:
            return -np.inf
        total = self.max_blocks * concentration
        found = gammaln(total) - gammaln(total + sizes.sum())
        return float(found + (gammaln(concentration + sizes) - gammaln(concentration)).sum())

    def update_groups(self, groups, rng: np.random.Generator) -> None:
        """Slice sample the concentration, which all groups share."""
        if self.hyperprior is None:
            return
        groups, most = [as_sizes(sizes) for sizes in groups], MAX_TOTAL / self.max_blocks

        def log_likelihood(value: float) -> float:
            # Beyond the bound of the constructor, gamma functions cannot resolve the sizes.
            return sum(self._log_prob_at(value, g) for g in groups) if value <= most else -np.inf

        self.concentration = self.hyperprior.resample(self.concentration, log_likelihood, rng)
        self.tabulate()
