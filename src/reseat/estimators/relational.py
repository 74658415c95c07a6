"""Estimator for tables of how often rows and columns occur together: clusters of both."""

import copy
from collections import Counter
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.utils.validation import check_is_fitted

from reseat.chains import CoupledModel, Interrupted, Schedule, by_turns, split_labels
from reseat.checks import MAX_CHAINS, check_choice, check_flag, check_strength, check_whole
from reseat.counts import canonical_counts, missed_of
from reseat.estimators.base import (
    PosteriorClustering,
    by_size,
    interval,
    keeps_previous_fit,
    n_threads,
    seed_of,
)
from reseat.estimators.inputs import TAKES_COUNTS, as_counts, warn_caller
from reseat.estimators.misfit import misfits_of_counts, misfits_of_relations
from reseat.estimators.pairs import Explaining, settle
from reseat.estimators.sampling import (
    check_memory,
    data_hash,
    flat,
    numbers_of,
    phase,
    splits_and_sweep,
)
from reseat.likelihoods import LinkTable
from reseat.models.relational import N_TRIED, best_rates, build
from reseat.summaries import coclustering
from reseat.variational import SIDES, fit_table, reach_best
from reseat.variational.restarts import best_restart

INITIALISATIONS = ("k_means", "dirichlet_1", "dirichlet_01", "hard")
#: The first suits large tables, the second small or sparse ones.
BOTH = ("k_means", "dirichlet_01")
#: Numbers of random clusters on each side that Gibbs chains start from, in turn.
STARTING_CLUSTERS = (5, 20)
#: Parameters that have no effect under each kind of inference.
UNUSED = {
    "gibbs": ("n_restarts", "initialisation", "merge", "max_row_clusters", "max_column_clusters")
}
#: Share of the truncation from which there may be more clusters than can be found.
NEARLY = 0.9
#: How far above the largest rate that is to be expected in a cluster one is a hub.
HUB = 7.0


@dataclass(eq=False, repr=False)
class RelationalModel(Explaining, PosteriorClustering):
    """Clusters of the rows and of the columns of a table of counts.

    A count is the number of times that two things were seen together.  All rows of a cluster occur
    equally often with each cluster of columns, unless they have rates of their own.

    Parameters
    ----------
    prior : str
        Prior of both sides.  Variational inference only supports ``dirichlet_process``.
    inference : {"variational", "gibbs"}
        The former is fast but understates the uncertainty; Gibbs sampling is slower and does not.
    binary : bool
        Whether to treat every count above 0 as 1 (the infinite relational model).
    own_rates : {"auto", "yes", "no"}
        Whether rows, or columns, have Poisson rates of their own, so that busy and quiet ones may
        be in one cluster (`reseat.likelihoods.RelationalRates`).  With ``auto``, this is tried, by
        chains that are not in `folder`, if clusters differ only in their totals, and kept if the
        log joint density of counts and clusters is highest with such rates.
    one_kind : bool
        Whether rows and columns are the same things, in the same order, which then have one
        partition; a link from one to another is not one back.  Needs variational inference.
    beta : float
        Both parameters of the Beta prior of the probability of a link.
    max_row_clusters, max_column_clusters : int
        Largest numbers that variational inference finds; it warns if it finds nearly as many.
    n_restarts : int
    initialisation : {"k_means", "dirichlet_1", "dirichlet_01", "hard"} or sequence of them
        Starts of `reseat.variational.fit_relational`; several share the restarts.
    merge : bool
        Whether variational inference merges clusters if that raises the bound.  Otherwise,
        ``k_means`` and ``hard`` often end with far too many clusters, and the others with too few.
    concentration, discount, max_clusters, n_chains, n_burn_in, n_samples, thin, folder, n_jobs, \
random_state, verbose
        As in `reseat.estimators.base.PosteriorClustering`.  Variational inference has one
        chain, whose ``n_samples // thin`` draws are independent, and a default concentration
        of 1.

    Attributes
    ----------
    labels_, column_labels_ : ndarray of int64, shape (n_rows,) and (n_columns,)
        Clusters of rows and of columns, the largest first.
    n_clusters_, n_column_clusters_ : int
    n_clusters_interval_, n_column_clusters_interval_ : tuple of int
    draws_, column_draws_ : ndarray of int32, shape (n_chains, n_draws, n_rows or n_columns)
    own_rates_ : dict of str to bool
        Whether the rows (``row``) and columns (``column``) have rates of their own, by Gibbs
        sampling; empty if the model has none.
    posterior_ : reseat.variational.RelationalPosterior
        Only for variational inference, which has no `log_joint_`, and nothing in `rhat_` and
        `ess_`.  Clusters are numbered as in `labels_` and `column_labels_`; unused ones follow.
    elbo_ : float
        Lower bound of the log evidence in nats, only for variational inference.
    n_best_restarts_ : int
        Number of restarts of variational inference that came within 1 nat of this bound.

    References
    ----------
    Kurihara, Kameya and Sato (2006); Kemp et al. (2006) for ``binary``; Karrer and Newman (2011)
    for ``own_rates``.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import RelationalModel
    >>> counts = np.kron([[5, 0], [0, 5]], np.ones((6, 4), dtype=int))
    >>> RelationalModel(random_state=1).fit(counts).column_labels_
    array([0, 0, 0, 0, 1, 1, 1, 1])
    """

    _: KW_ONLY
    inference: str = "variational"
    binary: bool = False
    own_rates: str = "auto"
    one_kind: bool = False
    beta: float = 0.1
    max_row_clusters: int = 80
    max_column_clusters: int = 120
    n_restarts: int = 10
    initialisation: str | Sequence[str] = BOTH
    merge: bool = True

    _side, _takes = "row", TAKES_COUNTS

    @keeps_previous_fit
    def fit(self, X, y=None, trials=None, decisions=None, column_decisions=None) -> Self:
        """Cluster the rows and the columns of a table.

        Parameters
        ----------
        X : sparse or dense array of counts, shape (n_rows, n_columns)
            Whole numbers of at least 0, not all 0.
        y : ignored
        trials : sparse or dense array of counts, shape (n_rows, n_columns), optional
            How often each pair was tried, at least as often as it succeeded, which is its count in
            X; 0 means never, so that nothing is known of it.
        decisions, column_decisions : array-like or data frame, shape (n_decisions, 3), optional
            What is known of pairs: two numbers, and ``"same"``, ``"different"`` or ``"unsure"``.
            Only with ``inference="gibbs"`` or ``own_rates="yes"``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X, `trials` or decisions contain anything else, or a parameter cannot be used.

        Warns
        -----
        ConvergenceWarning
            If chains of Gibbs sampling do not agree on a number of clusters or on the log joint.
        """
        X = as_counts(self, X, ensure_min_samples=2, ensure_min_features=2)
        self._check_prior_fits(min(X.shape))
        counts = canonical_counts(X, "the table: ", "row {}".format)
        self._check_possible(counts.shape, trials)
        if trials is not None:
            missed_of(counts, trials)
        asked = decisions, column_decisions
        decided = {
            side: settle(given, size, side)
            for side, size, given in zip(SIDES, counts.shape, asked, strict=True)
        }
        chains = self.inference == "gibbs" or self.own_rates == "yes"
        if not chains and any(decided.values()):
            fault = "Variational inference takes no decisions; use {inference:'gibbs'}."
            raise self._refused("inference", fault)
        if not chains:
            # The draws follow the ascents, which would be lost if they did not fit.
            check_memory(1, Schedule(0, int(self.n_samples), int(self.thin)), sum(counts.shape))
        seed = seed_of(self.random_state)
        self._forget()
        self.own_rates_ = {}
        self._table = counts, trials
        if chains:
            rates = (True, True) if self.own_rates == "yes" else None
            self._fit_gibbs(counts, seed, trials, rates, decided=decided)
        else:
            self._fit_variational(counts, seed, trials)
        if trials is not None:
            return self
        both = self.labels_, self.column_labels_
        doubts = []
        if self.own_rates != "yes":
            doubts += misfits_of_relations(counts, *both)
            doubts += misfits_of_relations(counts.T, *both[::-1], side="columns")
        if doubts and self.own_rates == "auto" and not self.one_kind:
            self._try_own_rates(counts, seed, decided)
            doubts = []
        if not self.binary:
            both = self.labels_, self.column_labels_
            doubts += misfits_of_counts(counts, *both, [*self.own_rates_.values()])
        self._doubt(doubts, parameter="binary")
        self._warn_of_hubs(counts)
        return self

    def _warn_of_hubs(self, counts) -> None:
        """Warn of rows or columns that the model splits off in spite of rates of their own."""
        both = self.labels_, self.column_labels_
        for side, axis, labels in zip(SIDES, (1, 0), both, strict=True):
            totals = np.asarray(counts.sum(axis=axis)).ravel()
            sizes = np.bincount(labels)
            rates = totals * (sizes / np.maximum(np.bincount(labels, totals), 1))[labels]
            # The largest of so many exponential variates of mean 1 is hardly ever larger.
            if self.own_rates_.get(side) and (rates > np.log(sizes)[labels] + HUB).any():
                warn_caller(
                    f"Some {side}s have far more links than the others of their cluster. The "
                    "model may split them off, and there may be fewer clusters than its interval "
                    "says."
                )

    def _check_possible(self, shape: tuple[int, int], trials) -> None:
        """Raise a ConfigError if a parameter is not for such data."""
        if self.one_kind and shape[0] != shape[1]:
            size = f"{shape[0]} rows and {shape[1]} columns"
            fault = f"{{parameter}} is set, but the table has {size}; it must be square."
            raise self._refused("one_kind", fault)
        for parameter, used in (("binary", self.binary), ("own_rates", self.own_rates == "yes")):
            if used and trials is not None:
                fault = "{parameter} is for counts without trials; leave it out."
                raise self._refused(parameter, fault)

    def _try_own_rates(self, counts, seed: int, decided) -> None:
        """Fit again with rates of rows, columns or both, if the data speak for that."""
        rates = self._best_rates(counts, seed, decided)
        if not any(rates):
            warn_caller(
                "Some clusters differ only in how many links they have, and the data speak against "
                "rates of their own of the rows or columns; to allow these, set "
                "{own_rates:'yes'}.",
                parameter="own_rates",
            )
            return
        self._remove_results()
        self.misfits_ = []
        folder, self.folder = self.folder, None  # which has the chains without rates
        try:
            self._fit_gibbs(counts, seed, rates=rates, decided=decided)
        finally:
            self.folder = folder
        sides = " and ".join(f"{side}s" for side, own in self.own_rates_.items() if own)
        warn_caller(
            f"Some clusters differed only in how many links they have; now {sides} have rates of "
            "their own, for which the data speak, so that busy and quiet ones may share a cluster. "
            "Chains were sampled for this. To leave rates out, set {own_rates:'no'}.",
            parameter="own_rates",
        )

    def _best_rates(self, counts, seed: int, decided) -> tuple[bool, bool]:
        links = self._links(counts)
        n_sweeps = N_TRIED * len(STARTING_CLUSTERS)
        with phase(n_sweeps, "rates", "sweeps", bool(self.verbose)) as (progress, stop):

            def after_sweep() -> None:
                if stop.is_set():
                    raise Interrupted("the comparison of rates was stopped")
                progress.step()

            def start(number: int, rates: tuple[bool, bool]):
                rng = np.random.default_rng([seed, number])
                return self._start(links, rng, number, rates, decided), rng

            return best_rates(start, len(STARTING_CLUSTERS), after_sweep)

    def check_settings(self) -> None:
        super().check_settings()
        check_choice("inference", self.inference, ("variational", "gibbs"))
        check_strength("beta", self.beta)
        check_choice("own_rates", self.own_rates, ("auto", "yes", "no"))
        for name in ("binary", "one_kind", "merge"):
            check_flag(name, getattr(self, name))
        for name in ("max_row_clusters", "max_column_clusters"):
            check_whole(name, getattr(self, name), 1)
        check_whole("n_restarts", self.n_restarts, 1, MAX_CHAINS)
        chains = self.inference == "gibbs" or self.own_rates == "yes"
        if chains and self.one_kind:
            fault = "{parameter} needs variational inference without rates; leave out the others."
            raise self._refused("one_kind", fault)
        if not chains and self.folder is not None:
            fault = "is set, but variational inference runs no chains that it could hold"
            remedy = "leave it out, or use {inference:'gibbs'}."
            raise self._refused("folder", f"{{parameter}} {fault}; {remedy}")
        if not len(self._starts()):
            raise self._refused("initialisation", "{parameter} is empty; name at least one.")
        for name in self._starts():
            check_choice("initialisation", name, INITIALISATIONS)
        if not chains and self.prior != "dirichlet_process":
            remedy = "use {inference:'gibbs'} or the prior 'dirichlet_process'."
            fault = f"Variational inference does not support the prior {{value}}; {remedy}"
            raise self._refused("prior", fault)

    def column_coclustering(self, **options):
        """Return the same as `coclustering` for the columns, shape (n_columns, n_columns)."""
        check_is_fitted(self, "column_draws_")
        return coclustering(flat(self.column_draws_), **options)

    def explain_columns(self, first: int, second: int) -> pd.DataFrame:
        """Return the same as `explain` for two columns."""
        check_is_fitted(self, "column_draws_")
        turned = copy.copy(self)
        turned._side = "column"
        turned.labels_, turned.column_labels_ = self.column_labels_, self.labels_
        return turned.explain(first, second)

    def _explained(self):
        if self.one_kind:
            fault = "Clusters of one kind of things are not explained; leave {parameter} out."
            raise self._refused("one_kind", fault)
        if not self.traces_ and self.concentration is None:
            self.concentration = 1.0  # that of variational inference
        (other,) = set(SIDES) - {self._side}
        labels = {self._side: self.labels_, other: self.column_labels_}
        links = self._links(*self._table)
        rates = tuple(self.own_rates_.values()) or None
        model = self._start(links, np.random.default_rng(0), 0, rates, {})
        model.start(labels)
        part = model.parts[self._side]
        table = self._table[0] if self._side == "row" else self._table[0].T
        counts = table.tocsr() @ np.eye(labels[other].max() + 1, dtype=np.int64)[labels[other]]
        names = [f"{other} cluster {number}" for number in range(counts.shape[1])]
        own = self.own_rates_.get(self._side, False)
        return part.prior, part.likelihood, [*names, *["rate of its own"] * own], counts.__getitem__

    def _starts(self) -> Sequence[str]:
        given = self.initialisation
        return given if isinstance(given, (list, tuple)) else (given,)

    def _truncation(self, shape: tuple[int, int]) -> tuple[int, int]:
        limits = self.max_row_clusters, self.max_column_clusters
        return min(int(limits[0]), shape[0]), min(int(limits[1]), shape[1])

    def _fit_variational(self, counts, seed: int, trials=None) -> None:
        n_restarts = int(self.n_restarts)
        watched = phase(n_restarts, "ascents", "restarts", bool(self.verbose))
        turns = Counter(by_turns(self._starts(), number) for number in range(n_restarts))
        with watched as (progress, _):
            fits = [
                fit_table(
                    counts,
                    self._truncation(counts.shape),
                    trials=trials,
                    binary=self.binary,
                    one_kind=self.one_kind,
                    concentration=1.0 if self.concentration is None else self.concentration,
                    beta=self.beta,
                    initialisation=initialisation,
                    merge=self.merge,
                    n_restarts=n_turns,
                    threads=n_threads(self.n_jobs),
                    rng=seed,
                    on_restart=lambda *_: progress.step(),
                )
                for initialisation, n_turns in turns.items()
            ]
        tables = [
            fit.restarts.assign(initialisation=name) for name, fit in zip(turns, fits, strict=True)
        ]
        best = fits[best_restart([fit.elbo for fit in fits])]
        found = replace(best, restarts=pd.concat(tables, ignore_index=True))
        self.elbo_ = found.elbo
        self.n_best_restarts_ = int(reach_best(found.restarts["elbo"]).sum())
        if self.n_best_restarts_ == 1 < n_restarts:
            warn_caller(
                f"Only one of {n_restarts} restarts reached the highest bound that was found, so "
                "there may be a higher one; increase {parameter}.",
                parameter="n_restarts",
            )
        self._warn_if_truncated(found, counts.shape)
        self.seconds_ = float(found.restarts["seconds"].sum())
        self.traces_, self.rhat_, self.ess_ = {}, {}, {}
        rng = np.random.default_rng(seed)
        n_draws = int(self.n_samples) // int(self.thin)
        draws = {side: _draw(q, n_draws, rng)[None] for side, q in found.memberships.items()}
        labels = {side: by_size(found.labels[side]) for side in draws}
        self.posterior_ = found.ordered(
            {side: _places(found.labels[side], labels[side], q.shape[1])
             for side, q in found.memberships.items()}
        )  # fmt: skip
        if self.one_kind:
            draws["column"], labels["column"] = draws["row"], labels["row"]
        self._take(draws, *labels.values())
        self.n_clusters_interval_, self.n_column_clusters_interval_ = (
            interval(numbers_of(flat(draws[side]))) for side in SIDES
        )

    def _warn_if_truncated(self, found, shape: tuple[int, int]) -> None:
        for side, limit, n_items in zip(SIDES, self._truncation(shape), shape, strict=True):
            n_found = np.unique(found.labels.get(side, 0)).size
            if limit < n_items and n_found >= NEARLY * limit:
                warn_caller(
                    f"{n_found} clusters of {side}s were found, and no more than {limit} could be; "
                    "increase {parameter}.",
                    parameter=f"max_{side}_clusters",
                )

    def _links(self, counts, trials=None) -> LinkTable:
        links = LinkTable(counts, types=SIDES, trials=trials)
        return links.binary() if self.binary else links

    def _start(self, links: LinkTable, rng, number: int, rates, decided) -> CoupledModel:
        """Return a model with several clusters, as a single one has no reason to split."""
        settings = {
            **self._prior_settings(), "beta": self.beta, "own_rates": rates, "decided": decided
        }  # fmt: skip
        n_blocks = {
            side: min(by_turns(STARTING_CLUSTERS, number), self._most_clusters or size, size)
            for side, size in zip(SIDES, links.shape, strict=True)
        }
        return build(settings, links, rng, n_blocks, splits_and_sweep)

    def _fit_gibbs(self, counts, seed: int, trials=None, rates=None, *, decided) -> None:
        links = self._links(counts, trials)
        sizes = dict(zip(SIDES, links.shape, strict=True))
        tried = () if trials is None else (links.sides[0].missed,)
        given = ()
        if any(decided.values()):
            nothing = {"units": None, "apart": None}
            given = (part for side in SIDES for part in (decided[side] or nothing).values())
        whole = {}

        def rows(draws: np.ndarray) -> np.ndarray:
            whole.update(split_labels(draws, sizes))
            return whole["row"]

        def start(rng: np.random.Generator, number: int) -> CoupledModel:
            return self._start(links, rng, number, rates, decided)

        self._run(start, data_hash(counts, *tried, *given), seed, "n_clusters_row", rows)
        self._take(whole, self.labels_, self._estimate(flat(whole["column"]), seed))
        self.n_column_clusters_interval_ = interval(self.traces_["n_clusters_column"])
        self.own_rates_ = dict(zip(SIDES, rates or (), strict=False))

    def _identity(self, data: str) -> dict[str, Any]:
        identity = super()._identity(data)
        for name in UNUSED["gibbs"]:  # variational inference has no chains
            del identity["model"][name]
        return identity

    def _take(self, draws, labels, column_labels) -> None:
        self.draws_, self.column_draws_ = (np.ascontiguousarray(draws[side]) for side in SIDES)
        self.labels_, self.column_labels_ = labels, column_labels
        self.n_clusters_ = int(labels.max()) + 1
        self.n_column_clusters_ = int(column_labels.max()) + 1


def _places(labels: np.ndarray, renumbered: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return the number in `labels` of each cluster of `renumbered`; unused numbers follow."""
    used = labels[np.unique(renumbered, return_index=True)[1]]
    return np.concatenate([used, np.setdiff1d(np.arange(n_clusters), used)])


def _draw(memberships: np.ndarray, n_draws: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the cluster of each item independently, and return shape (n_draws, n_items)."""
    below = np.cumsum(memberships, axis=1)
    below[:, -1] = 1.0
    drawn = np.empty((n_draws, len(memberships)), dtype=np.int32)
    for draw in drawn:
        draw[:] = (below < rng.random(len(memberships))[:, None]).sum(axis=1)
    return drawn
