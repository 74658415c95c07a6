"""Estimator for documents as word counts: a mixture of multinomials."""

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Self

import numpy as np
import scipy.sparse as sp
from scipy.special import gammaln

from reseat.chains import MixtureModel, chain_seed
from reseat.checks import check_choice, check_positive, check_strength
from reseat.counts import canonical_counts, without_copies
from reseat.estimators.base import PosteriorClustering, keeps_previous_fit, seed_of
from reseat.estimators.inputs import OF_TEXTS, TAKES_COUNTS, as_counts, warn_caller
from reseat.estimators.misfit import misfits_of_documents
from reseat.estimators.pairs import Explaining, settle
from reseat.estimators.prediction import Extended, Predicting
from reseat.estimators.sampling import data_hash, splits_and_sweep
from reseat.likelihoods import TermIndex
from reseat.models.documents import SAMPLED, build
from reseat.priors import make_prior

#: Number of random clusters that a chain starts from if their number has no limit.
STARTING_CLUSTERS = 20
#: Smallest number of documents that are left without copies, so that they count once.
FEWEST_COUNTED = 3


class Words:
    """The log marginal of documents as one block, by word, and last for their length."""

    def __init__(self, counts: sp.csr_array):
        self.counts, self.hyperparameters = counts, {"beta": np.nan}

    def restore(self, hyperparameters: dict[str, float]) -> None:
        """Set the parameter of the prior of words."""
        self.hyperparameters = dict(hyperparameters)

    def log_parts(self, documents) -> np.ndarray:
        """Return the parts for some documents, shape (n_words + 1,)."""
        beta = self.hyperparameters["beta"]
        sums = self.counts[np.unique(documents)].sum(axis=0)
        words = gammaln(beta + sums) - gammaln(beta)
        return np.append(words, gammaln(sums.size * beta) - gammaln(sums.size * beta + sums.sum()))


@dataclass(eq=False, repr=False)
class MultinomialMixture(Predicting, Explaining, PosteriorClustering):
    """Clusters of documents by collapsed Gibbs sampling of a mixture of multinomials.

    The documents of a cluster draw their words from one distribution with a Dirichlet prior.

    Parameters
    ----------
    prior : str
    beta : float or "sampled"
        Parameter of this symmetric prior; the smaller it is, the fewer words a cluster concentrates
        on.  By default, it is drawn from twenty equally probable values between 0.01 and 3.
    copies : {"once", "each"}
        Whether documents with the same words count once, and are in the cluster of the one, or
        each, when they form clusters of their own.
    concentration, discount, max_clusters, n_chains, n_burn_in, n_samples, thin, folder, n_jobs, \
random_state, verbose
        See `reseat.estimators.base.PosteriorClustering`, as for `prior` and common attributes.

    References
    ----------
    Walker and Ringger (2008), section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import MultinomialMixture
    >>> counts = np.repeat([[9, 1, 0], [0, 1, 9]], 10, axis=0)
    >>> MultinomialMixture(random_state=1).fit(counts).n_clusters_
    2
    """

    _: KW_ONLY
    beta: float | str = SAMPLED
    copies: str = "once"

    _takes = TAKES_COUNTS

    @keeps_previous_fit
    def fit(self, X, y=None, decisions=None) -> Self:
        """Cluster documents.

        Parameters
        ----------
        X : sparse or dense array of counts, shape (n_documents, n_words)
            Whole numbers of at least 0.
        y : ignored
        decisions : array-like or data frame, shape (n_decisions, 3), optional
            What is known of pairs: two numbers, and ``"same"``, ``"different"`` or ``"unsure"``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X contains anything else, or a parameter cannot be used.

        Warns
        -----
        ConvergenceWarning
            If the chains do not agree on the number of clusters or on the log joint.
        """
        counts = canonical_counts(as_counts(self, X, OF_TEXTS, ensure_min_samples=2))
        kept, place = self._without_copies(counts)
        self._check_prior_fits(kept.size)
        decided = settle(decisions, place.size, "document", place=place)
        self._forget()
        self._kept_items, self._counts = kept, counts[kept]
        index = TermIndex(self._counts)
        n_start = self._most_clusters or min(STARTING_CLUSTERS, index.n_items)

        settings = {**self._prior_settings(), "beta": self.beta, "decided": decided}

        def start(rng: np.random.Generator, number: int) -> MixtureModel:
            return build(settings, index, rng, n_start, splits_and_sweep())

        data = data_hash(self._counts, *(decided or {}).values())
        # Copies are in the draws and the partition again, which they weigh on as often as they are.
        seed = seed_of(self.random_state)
        self._run(start, data, seed, select=lambda draws: draws[..., place])
        rng = np.random.default_rng(chain_seed(seed, "documents", "copies"))
        self._doubt(misfits_of_documents(self._counts, self.labels_[kept], rng))
        return self

    def _without_copies(self, counts: sp.csr_array) -> tuple[np.ndarray, np.ndarray]:
        """Return which documents count, unless hardly any do, and the place of each among them."""
        kept, place = without_copies(counts)
        n_copies = place.size - kept.size
        if not n_copies or self.copies == "each" or kept.size < FEWEST_COUNTED:
            return np.arange(place.size), np.arange(place.size)
        warn_caller(
            f"{n_copies:,} of {place.size:,} documents are copies of others by their words; they "
            "count once, and are in the cluster of the one that counts; {copies:each} counts each.",
            parameter="copies",
        )
        return kept, place

    def _extended(self, X):
        added = canonical_counts(as_counts(self, X, OF_TEXTS, reset=False))
        empty = int(np.count_nonzero(np.diff(added.indptr) == 0))
        if empty:
            warn_caller(
                f"{empty:,} of {added.shape[0]:,} new documents contain no words that were known "
                "when the model was fitted; their clusters depend on the prior alone."
            )
        index = TermIndex(sp.vstack([self._counts, added], format="csr"))
        settings = {**self._prior_settings(), "beta": self.beta}
        return Extended(partial(build, settings, index), added.shape[0])

    def _explained(self):
        prior = make_prior(self._prior_settings(), self._counts.shape[0])
        prior.prepare(self._counts.shape[0])
        names = getattr(self, "feature_names_in_", range(self._counts.shape[1]))
        row = self._counts.tocsr()
        return prior, Words(row), [*names, "length"], lambda k: row[[k]].toarray()[0].tolist()

    def check_settings(self) -> None:
        super().check_settings()
        check_choice("copies", self.copies, ("once", "each"))
        if not (isinstance(self.beta, str) and self.beta == SAMPLED):
            check_positive("beta", self.beta, f", or {SAMPLED!r}")
            check_strength("beta", self.beta)
