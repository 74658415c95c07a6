"""Base of the estimators: chains, the partition that summarises them, and its uncertainty."""

import copy
import hashlib
import inspect
import os
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import wraps
from numbers import Integral
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from reseat.chains import Schedule
from reseat.checks import MAX_CHAINS, check_between, check_strength, check_whole, refusal
from reseat.errors import ConfigError, ReseatWarning
from reseat.estimators.inputs import warn_caller
from reseat.estimators.presenting import Presenting, central
from reseat.estimators.sampling import (
    Sample,
    check_memory,
    flat,
    n_threads,
    phase,
    run_fit,
    sample_of,
    thinned,
)
from reseat.metrics import factorise
from reseat.priors import declared_prior, make_prior, prior, sampled_settings
from reseat.summaries import (
    AGREED,
    FEWEST,
    coclustering,
    describe,
    minimise_expected_loss,
    rhat_in_words,
)

#: Largest number of draws, and of labels in them, by which the partition of least expected loss is
#: searched, so that memory grows only with the items; and least number of draws, which comes first.
SEARCHED, SEARCHED_LABELS, MIN_SEARCHED = 500, 40_000_000, 20
#: Largest number of searches from scratch, with as many from draws, and number of labels that all
#: of them together look at, unless one of each looks at more.
SEARCHES, MANY_LABELS = 8, 8_000_000
#: Parameters on which a result does not depend, and the seed, which is recorded separately.
NOT_IN_IDENTITY = ("folder", "n_jobs", "random_state", "verbose")
#: Parameters that earlier versions did not have; their results can be resumed if these are not set.
NEWER = ("at_most_one",)
#: Smallest number of items for a prior that expects half as many clusters, here one and a half.
MIN_HALVED = 3

#: Largest discount: a larger one alone decides the partition, or rounding errors do.
NEAREST_ONE = 0.999

Fit = TypeVar("Fit", bound=Callable)


def keeps_previous_fit(fit: Fit) -> Fit:
    """Decorate a `fit`: what is refused changes nothing, and it warns if chains disagree."""

    @wraps(fit)
    def kept(self, *args, **kwargs):
        before, labels = vars(self).copy(), getattr(self, "labels_", None)
        try:
            self.check_settings()
            fit(self, *args, **kwargs)
        except BaseException:
            if labels is not None and getattr(self, "labels_", None) is labels:
                vars(self).clear()
                vars(self).update(before)
            else:
                self._remove_results()
            raise
        self._warn_of_disagreement()
        return self

    return kept


@dataclass(eq=False, repr=False)
class PosteriorClustering(Presenting, ClusterMixin, BaseEstimator):
    """Base of the estimators that sample a posterior of partitions, which `fit` defines.

    Parameters
    ----------
    prior : str
        One of `reseat.priors.all_priors`.  Under ``nbnb`` and ``nbd``, clusters stay small.
    concentration : float, optional
        That of a process, which is sampled by default, or of each cluster of ``finite_dirichlet``.
    discount : float, optional
        Discount of ``pitman_yor``, at least 0 and below 1; sampled by default.
    max_clusters : int, optional
        Largest number of clusters, for ``finite_dirichlet`` only.
    n_chains : int
        Number of chains, each with its own starting point.
    n_burn_in, n_samples : int
        Sweeps of each chain that are discarded, and sweeps after these.
    thin : int
        Every thin-th sweep after the burn-in is kept as a draw.
    folder : path-like, optional
        Folder for the files of the chains, which ArviZ and xarray can read.  An interrupted fit
        resumes from them if it is called again, provided that `random_state` is an integer.
    n_jobs : int, optional
        Number of threads, on which results do not depend; -1 for all processors.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
    verbose : int
        Whether progress is printed.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_items,)
        Partition of least posterior expected variation of information, among those with no more
        clusters than some draw has; cluster 0 is the largest.
    n_clusters_ : int
        Number of clusters in `labels_`.
    n_clusters_interval_ : tuple of int
        Central 95 % credible interval of the number of clusters.
    draws_ : ndarray of int32, shape (n_chains, n_draws, n_items)
        Draws of the partition.
    log_joint_ : ndarray of float64, shape (n_chains, n_samples)
        Joint log density of data, partition and hyperparameters after each sweep, in nats.
    traces_ : dict of str to ndarray of float64, shape (n_chains, n_samples)
        Log joint density, numbers of clusters and hyperparameters after each sweep.
    rhat_, ess_ : dict of str to float
        R-hat and effective sample size of each trace, as of `reseat.summaries.describe`.  R-hat
        above 1.05 means that the chains still depend on their starts; it is infinite if too short.
    misfits_ : list of str
        Reasons not to rely on the result that it shows itself, whether or not the chains agree.
    seconds_ : float
        Processor time of all chains together, in seconds.
    n_features_in_ : int
    """

    prior: str = "dirichlet_process"
    _: KW_ONLY
    concentration: float | None = None
    discount: float | None = None
    max_clusters: int | None = None
    n_chains: int = 4
    n_burn_in: int = 200
    n_samples: int = 400
    thin: int = 2
    folder: str | os.PathLike | None = None
    n_jobs: int | None = None
    random_state: int | np.random.Generator | np.random.RandomState | None = None
    verbose: int = 0

    #: Items of the fit that the model counts; others are copies of these.
    _kept_items = slice(None)

    def coclustering(self, **options):
        """Return the posterior probability that each pair of items is in the same cluster.

        Parameters
        ----------
        **options
            As for `reseat.summaries.coclustering`.

        Returns
        -------
        ndarray or scipy.sparse.csr_array, shape (n_items, n_items)
            For more than 20,000 items, sparse and without probabilities below 0.05.
        """
        return coclustering(self._flat_draws(), **options)

    def _of_fit(self):
        """Return a copy with the parameters of the last fit, the model that the draws come from."""
        alike = copy.copy(self)
        # An estimator saved by an earlier version has only the parameters that are set now.
        return alike.set_params(**copy.deepcopy(getattr(self, "_parameters", {})))

    def _forget(self) -> None:
        """Remove the results of an earlier fit, and store the parameters of the new one."""
        self._remove_results()
        self.misfits_ = []
        settings = self.get_params(deep=False)
        self._parameters = {
            name: clone(value, safe=False)
            for name, value in settings.items()
            if name not in NOT_IN_IDENTITY
        }

    def _remove_results(self) -> None:
        # Those stay that scikit-learn sets from the data before anything else is checked.
        seen = ("n_features_in_", "feature_names_in_")
        for name in [name for name in vars(self) if name.endswith("_") and name not in seen]:
            delattr(self, name)

    @property
    def _takes(self) -> tuple[str, ...]:
        """Names of the tags that tell scikit-learn what the estimator takes."""
        return ()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        for name in self._takes:
            setattr(tags.input_tags, name, True)
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        # Not `n_features_in_`, which is set as soon as the data have been checked.
        return hasattr(self, "labels_")

    def check_settings(self) -> None:
        """Raise a ConfigError if a parameter cannot be used, whatever the data."""
        check_prior(self.prior, self.concentration, self.discount, self.max_clusters)
        check_whole("n_chains", self.n_chains, 1, MAX_CHAINS)
        for name, least in (("n_burn_in", 0), ("n_samples", 1), ("thin", 1)):
            check_whole(name, getattr(self, name), least)
        check_memory(self.n_chains, self._schedule())
        # Asking these for a seed would advance them.
        if not isinstance(self.random_state, np.random.Generator | np.random.RandomState):
            seed_of(self.random_state)
        n_threads(self.n_jobs)
        named = isinstance(self.folder, str | os.PathLike) and str(self.folder).strip()
        if self.folder is not None and (not named or "\0" in str(self.folder)):
            fault = "; it must be the path of a folder, or None for no files."
            raise refusal("folder", self.folder, fault)
        if not isinstance(self.verbose, Integral):
            raise refusal("verbose", self.verbose, "; it must be True, False or a number.")
        if self.n_samples < self.thin:
            fault = f" and {{thin}} {self.thin}, which leaves no draws; lower {{thin}}."
            raise refusal("n_samples", self.n_samples, fault)

    def _check_prior_fits(self, n_items: int) -> None:
        """Raise a ConfigError if the prior cannot be used for so few items."""
        if self.max_clusters is not None and self.max_clusters > n_items:
            fault = f", but there are only {n_items} items; lower it."
            raise refusal("max_clusters", self.max_clusters, fault)
        if n_items < MIN_HALVED:
            try:
                make_prior(self._prior_settings(), n_items).prepare(n_items)
            except ConfigError as error:
                raise ConfigError(
                    f"There are only {n_items} items; the prior {self.prior!r} expects half as "
                    f"many clusters as items, and needs at least {MIN_HALVED}."
                ) from error

    @property
    def _most_clusters(self) -> int | None:
        """The parameter `max_clusters` as an int, since it may have been given as 3.0."""
        return None if self.max_clusters is None else int(self.max_clusters)

    def _schedule(self) -> Schedule:
        return Schedule(int(self.n_burn_in), int(self.n_samples), int(self.thin))

    def _prior_settings(self, half: bool = False) -> dict[str, Any]:
        """Return settings for `make_prior`; `half` as many clusters as items may be expected."""
        # Settings that are read from a file have not been checked.
        check_prior(self.prior, self.concentration, self.discount, self._most_clusters)
        settings = sampled_settings(self.prior, "half" if half else {"shape": 1.0, "rate": 1.0})
        if self.concentration is not None:
            settings |= {"concentration": self.concentration, "hyperprior": None}
        if self.discount is not None:
            settings |= {"discount": self.discount, "sample_discount": False}
        return settings | {"n_blocks": self._most_clusters}

    @property
    def _identifying(self) -> dict[str, Any]:
        """The parameters on which a result depends, without newer ones that are not set."""
        return {
            name: value
            for name, value in self.get_params().items()
            if name not in NOT_IN_IDENTITY and not (name in NEWER and value is None)
        }

    def _identity(self, data: str) -> dict[str, Any]:
        """Return what draws depend on besides their number and the seed, for files of chains."""
        settings = self._identifying
        if (own := own_code(self.prior)) is not None:
            settings["prior_code"] = own
        return {"model": {"name": type(self).__name__, **settings}, "data": data}

    def _run(self, build, data: str, seed: int, n_clusters: str = "n_clusters", select=None):
        """Sample and set the attributes; `select` picks the items from what the chains store."""
        sample = run_fit(self, build, self._identity(data), seed)
        self._set_results(sample, seed, n_clusters, select)

    def _set_results(
        self, sample: Sample, seed: int, n_clusters: str = "n_clusters", select=None, labels=None
    ):
        """Set the attributes from draws and traces, and from the partition unless it is sought."""
        self._seed = seed
        self.draws_ = sample.draws if select is None else select(sample.draws)
        self.traces_ = sample.traces
        self.log_joint_ = sample.traces["log_joint"]
        self.n_clusters_interval_ = interval(sample.traces[n_clusters])
        found = {name: describe(values) for name, values in sample.traces.items()}
        self.rhat_ = {name: row["rhat"] for name, row in found.items()}
        self.ess_ = {name: row["ess"] for name, row in found.items()}
        self.seconds_ = sample.seconds
        self.labels_ = self._estimate(self._flat_draws(), seed) if labels is None else labels
        self.n_clusters_ = int(self.labels_.max()) + 1

    def _doubt(self, sentences: Sequence[str], **fields) -> None:
        """Warn of signs that the model does not suit the data, and keep the sentences."""
        for sentence in sentences:
            self.misfits_.append(str(ReseatWarning(sentence, **fields)))
            warn_caller(sentence, **fields)

    def _refused(self, name: str, text: str) -> ConfigError:
        """Return the error about a parameter that cannot be set so."""
        return ConfigError(text, parameter=name, value=getattr(self, name))

    def _warn_of_disagreement(self) -> None:
        """Warn if chains disagree on a number of clusters or, as in two modes, on the log joint."""
        apart = {
            name: rhat
            for name, rhat in getattr(self, "rhat_", {}).items()
            if rhat > AGREED and ("n_clusters" in name or name == "log_joint")
        }
        if not apart:
            return
        worst = max(apart, key=apart.get)
        if self.n_samples < FEWEST:
            said = f"Chains of {self.n_samples} sweeps are too short to tell whether they agree"
        else:
            said = (
                f"The chains do not agree (R-hat of {worst} is {rhat_in_words(apart[worst])} but "
                f"should be at most {AGREED}), so their draws are not yet those of the posterior"
            )
        warn_caller(f"{said}; increase n_burn_in and n_samples.", ConvergenceWarning)

    def _flat_draws(self) -> np.ndarray:
        self._check_draws()
        return flat(self.draws_)

    def _estimate(self, draws: np.ndarray, seed: int) -> np.ndarray:
        """Return the partition that summarises draws of shape (n_draws, n_items)."""
        n_items = draws.shape[1]
        most = min(SEARCHED, max(MIN_SEARCHED, SEARCHED_LABELS // n_items))
        searched = thinned(draws, most)
        n_runs = min(SEARCHES, max(1, MANY_LABELS // searched.size))
        with phase(2 * n_runs, "partition", "searches", bool(self.verbose)) as (progress, stop):
            found = minimise_expected_loss(
                searched,
                "vi",
                # Otherwise, items without a clear cluster would each get one of their own, and the
                # partition would have more clusters than any draw.
                max_clusters=max(factorise(draw)[1] for draw in searched),
                n_runs=n_runs,
                rng=seed,
                n_threads=n_threads(self.n_jobs),
                stop=stop,
                progress=progress,
            )
        return by_size(found.labels)


def of_chains(paths: Sequence[Path], prior: str, schedule: Schedule, select=None):
    """Return the posterior of stored chains; `select` gives the draws of the items."""
    found = PosteriorClustering(
        prior,
        n_chains=len(paths),
        n_burn_in=schedule.burn_in,
        n_samples=schedule.n_samples,
        thin=schedule.thin,
    )
    found._forget()
    sample = sample_of(paths)
    name = next(name for name in ("n_test_clusters", "n_clusters") if name in sample.traces)
    found._set_results(sample, 0, name, select)
    return found


def interval(values: np.ndarray) -> tuple[int, int]:
    """Return the central 95 % interval of whole numbers."""
    low, high = central(values)
    return int(low), int(high)


def by_size(labels: np.ndarray) -> np.ndarray:
    """Number clusters by decreasing size, and those of equal size by their first item."""
    _, first, number, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    return np.argsort(np.lexsort((first, -sizes)))[number]


def seed_of(random_state) -> int:
    """Return the seed of the chains; an integer is used as it is."""
    if isinstance(random_state, Integral):
        if random_state < 0:
            raise refusal("random_state", random_state, "; a seed must be at least 0.")
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except (ValueError, TypeError):
        kinds = "a whole number of at least 0, a numpy.random.Generator or RandomState, or None"
        raise refusal("random_state", random_state, f"; it must be {kinds}.") from None


def check_prior(name: str, concentration, discount, max_clusters) -> None:
    """Raise a ConfigError unless there is such a prior and it has these parameters."""
    if not isinstance(name, str):
        raise refusal("prior", name, "; it must be a name, such as 'dirichlet_process'.")
    declared = declared_prior(name)
    if declared.finite and max_clusters is None:
        fault = f"The prior {name!r} needs {{parameter}}, the largest number of clusters."
        raise ConfigError(fault, parameter="max_clusters")
    if max_clusters is not None and not declared.finite:
        fault = f", but the prior {name!r} has no such limit; omit it, or use 'finite_dirichlet'."
        raise refusal("max_clusters", max_clusters, fault)
    if max_clusters is not None:
        check_whole("max_clusters", max_clusters, 1)
    for parameter, value in (("discount", discount), ("concentration", concentration)):
        if value is not None and parameter not in declared.parameters:
            fault = f"The prior {name!r} has no parameter {{parameter}}; omit it."
            raise ConfigError(fault, parameter=parameter, value=value)
    if concentration is not None:
        check_strength("concentration", concentration)
    if discount is not None:
        check_between("discount", discount, 0, 1, "[)")
        check_between("discount", discount, 0, NEAREST_ONE)


def own_code(name: str) -> str | None:
    """Return the hash of the code of a user's own prior; the version identifies the others."""
    kind = prior.get(name)
    if kind is None or _is_of_the_package(kind):
        return None
    own = [_code_of(base) for base in kind.__mro__[:-1] if not _is_of_the_package(base)]
    return hashlib.sha256(b"".join(own)).hexdigest()


def _is_of_the_package(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == __package__.partition(".")[0]


def _code_of(kind: type) -> bytes:
    try:
        return inspect.getsource(kind).encode()
    except (OSError, TypeError):  # typed at a prompt
        codes = [f.__code__ for f in vars(kind).values() if inspect.isfunction(f)]
        # The `repr` of nested code objects contains addresses, which differ between processes.
        said = [[c for c in code.co_consts if not inspect.iscode(c)] for code in codes]
        return b"".join(code.co_code for code in codes) + repr(said).encode()
