"""Estimator for records of people or things, whose clusters stay small."""

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Self

import numpy as np
import pandas as pd
from sklearn.utils.validation import validate_data

from reseat.chains import MixtureModel, by_turns, chain_seed
from reseat.checks import check_choice, check_flag, check_positive, check_strength, refusal
from reseat.errors import ColumnWarning, ConfigError, DataError
from reseat.estimators.base import MIN_HALVED, PosteriorClustering, keeps_previous_fit, seed_of
from reseat.estimators.extending import Extending, NotPickled
from reseat.estimators.inputs import (
    as_cells,
    encode_table,
    float_types,
    group_per_item,
    kinds_of,
    warn_caller,
    warn_of_lone_values,
    warn_of_words,
)
from reseat.estimators.misfit import misfits_of_records
from reseat.estimators.pairs import Explaining, settle
from reseat.estimators.presenting import central
from reseat.estimators.sampling import STREAM, data_hash
from reseat.likelihoods import RecordIndex
from reseat.models.fields.addresses import columns_of
from reseat.models.fields.columns import (
    compared_by_letters,
    fields_in_words,
    in_place,
    remarks_on_numbers,
)
from reseat.models.fields.index import Learned, index_fields
from reseat.models.records import DOUBTS, build, make_moves, make_pairs, together
from reseat.models.records import likelihood as likelihoods
from reseat.priors import make_prior
from reseat.summaries import expected_quality

#: Gamma prior of the distortion.
DELTA_PRIOR = {"shape": 1.0, "rate": 1.0}
#: Share of the bound of the distortion from which the posterior counts as cut off by it.
NEARLY = 0.98
#: What the parameters of fields are called in tables.
NAMED = {
    "beta": "mistakes in",
    "steepness": "steepness of mistakes in",
    "change": "joint changes of",
    "delta": "distortion of",
}
#: Largest number of sources that a message names.
MAX_LISTED = 5
#: Settings for the choice of chaperones.
SIMILAR = {"n_subsets": 63, "most_alike": 30}


@dataclass(eq=False, repr=False)
class Microclustering(Extending, Explaining, PosteriorClustering):
    """Entity resolution by microclustering: clusters of records that refer to the same thing.

    In each field, the records of a cluster have the same value except for distortions.  Under the
    priors ``nbnb``, ``nbd``, ``esc_nb`` and ``esc_d``, clusters do not grow with the records.

    Parameters
    ----------
    prior : str
    likelihood : {"categorical", "similar"}, optional
        Whether a wrong value is an arbitrary one, or likely to be similar to the correct one, which
        is the default if some field has more values than a category, and has no parameters.
    distortion : float
        Start value of how much records of the same thing differ in a field, which is sampled: the
        concentration of its Dirichlet distribution.
    max_distortion : float, optional
        Its upper bound.  Without one, real records often give latent classes, not entities.
    per_field : bool
        Whether every field has its own distortion.  These three parameters only apply to
        ``categorical``.
    at_most_one : "each" or sequence, optional
        Sources, as given to `fit`, of which a cluster has at most one record, because they have no
        duplicates of their own, or ``"each"`` for all of them.
    concentration, discount, max_clusters, n_chains, n_burn_in, n_samples, thin, folder, n_jobs, \
random_state, verbose
        See `reseat.estimators.base.PosteriorClustering`, as for `prior` and common attributes.

    Attributes
    ----------
    categories_ : list of ndarray, each of shape (n_values of the field,)
        Values of each field.
    likelihood_ : str
        The likelihood that was used.
    fields_ : str
        How fields are compared, in words.
    aliases_ : dict of str to list of (str, str)
        Values that stand for each other in the records, such as nicknames, by field.
    changing_ : list of tuple of str
        Groups of fields that may change together, such as an address and a telephone number; how
        often they do is ``change_0`` and so on in the traces.
    quality_ : ExpectedQuality
        Posterior precision, recall and F of the pairs in `labels_`, with 95 % intervals.

    References
    ----------
    Zanella et al. (2016), sections 2 and 3; `reseat.likelihoods.SimilarRecords`.

    Examples
    --------
    >>> from reseat import Microclustering
    >>> records = [["ann smith", "rome"], ["bob jones", "oslo"], ["eve brown", "bonn"],
    ...            ["joe young", "lima"], ["ann smith", "rome"], ["bob jones", "oslo"]]
    >>> Microclustering(random_state=1).fit(records).labels_
    array([0, 1, 2, 3, 0, 1])
    """

    prior: str = "nbnb"
    _: KW_ONLY
    likelihood: str | None = None
    distortion: float = 0.05
    max_distortion: float | None = 0.1
    per_field: bool = False
    at_most_one: str | Sequence | None = None
    n_burn_in: int = 500
    n_samples: int = 1000
    thin: int = 5

    _takes = ("categorical", "string", "allow_nan")

    @keeps_previous_fit
    def fit(self, X, y=None, sources=None, decisions=None) -> Self:
        """Cluster records.

        Parameters
        ----------
        X : array or data frame of categories, shape (n_records, n_fields)
            Texts or numbers; None, NaN, ``pandas.NA``, ``NaT`` and blank texts are missing values,
            for which the field is left out of the likelihood of the record.  In an array of texts,
            so are ``"nan"``, ``"None"``, to which NumPy converts them, and the other words that
            `reseat cluster` treats as missing; elsewhere they are values, with a warning.
        y : ignored
        sources : array-like, shape (n_records,), optional
            File or register that each record is from, for `at_most_one`, and for the likelihood
            ``similar``, under which mistakes then depend on field and source.  Every record must
            have one; blank texts and words for a missing value are refused.
        decisions : array-like or data frame, shape (n_decisions, 3), optional
            What is known of pairs: two numbers, and ``"same"``, ``"different"`` or ``"unsure"``.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a record or a field has no value, there are fewer than three records, a parameter
            cannot be used, or there is not one source for each record.

        Warns
        -----
        ConvergenceWarning
            If the chains do not agree on the number of clusters or on the log joint.
        UserWarning
            Among others, if the posterior of the distortion is cut off by `max_distortion`.
        """
        floats = float_types(X)
        X = validate_data(
            self, as_cells(X), dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=2
        )
        if len(X) < MIN_HALVED:
            raise DataError(
                f"There are only {len(X)} records; the priors, which expect half as many clusters "
                f"as records, need at least {MIN_HALVED}."
            )
        self._check_prior_fits(len(X))
        codes, categories = encode_table(X)
        seed = seed_of(self.random_state)
        columns, exchanged = in_place(columns_of(X))
        names = getattr(self, "feature_names_in_", [str(place) for place in range(X.shape[1])])
        for name, cells in zip(names, np.asarray(X, dtype=object).T, strict=True):
            warn_of_words(f"column {name!r} of X", cells)
            if len(kinds := kinds_of(cells)) > 1:
                warn_caller(
                    f"Column {name!r} of X has {' and '.join(sorted(kinds))}, which are different "
                    "values even if they are written in the same way; convert them to the same "
                    "type."
                )
        likelihood, fields = comparison(columns, names, self.likelihood)
        similar = likelihood == "similar"
        if similar:
            self._check_distortions()
        origin, apart = self._as_sources(sources, len(X), similar)
        decided = settle(decisions, len(X), "record")
        if apart is not None and decided is not None:
            raise DataError("at_most_one and decisions do not go together; leave one of them out.")
        self._forget()
        self.categories_, self.likelihood_, self.fields_ = categories, likelihood, fields
        if similar:
            for (one, other), times in exchanged.items():
                warn_caller(
                    f"{names[one]} and {names[other]} are exchanged in {times:,} records; they are "
                    "compared the right way round."
                )
            for sentence in remarks_on_numbers(names, np.asarray(X, dtype=object)):
                warn_caller(f"{sentence[0].upper()}{sentence[1:]}", ColumnWarning)
            index, learned = index_fields(columns)
        else:
            warn_of_lone_values(codes)
            fields = [*range(codes.shape[1])]
            index = RecordIndex(codes)
            learned = Learned({}, [], fields, codes, [None] * len(fields))
        self.aliases_ = {str(names[field]): pairs for field, pairs in learned.aliases.items()}
        self.changing_ = [tuple(str(names[field]) for field in group) for group in learned.changing]
        self._compared = [str(names[field]) for field in learned.fields]
        settings = self._settings(origin) | {"apart": apart}
        self._float_types = floats
        self._fitted = settings, np.array(X), learned.changing  # a copy: the user may change X
        self._index, self._n_rules = NotPickled(), None
        rng = np.random.default_rng(chain_seed(seed, *STREAM, "pairs"))
        given = (columns, index) if similar else ()
        pairs = make_pairs(settings, codes, rng, *given)
        settings = settings | {"decided": decided}
        moves = make_moves(settings, pairs)
        apart = [partial(together, pairs, doubt) for doubt in DOUBTS] if similar else None
        starts = starts_of(codes, self._most_clusters, apart)

        def start(rng: np.random.Generator, number: int) -> MixtureModel:
            return build(settings, index, rng, by_turns(starts, number)(rng), moves)

        spelt = [np.array([str(value) for value in column]) for column in columns if similar]
        spelt += [origin] if origin is not None else []
        spelt += (decided or {}).values()
        self._run(start, data_hash(codes, *spelt), seed)
        if likelihood == "categorical" and self.max_distortion is not None:
            self._warn_if_bounded()
        self.quality_ = expected_quality(self.labels_, self._flat_draws())
        changing = {
            group: float(np.mean(self.traces_[f"change_{number}"]))
            for number, group in enumerate(self.changing_)
        }
        units = None if decided is None else decided["units"]
        found = learned.codes, learned.near, self._compared, self.labels_, changing, units
        self._doubt(misfits_of_records(*found))
        return self

    def _settings(self, sources: np.ndarray | None) -> dict:
        """Return the settings of the model, with the source of each record."""
        return {
            **self._prior_settings(half=True),
            "likelihood": self.likelihood_,
            "delta": {"start": self.distortion, "bound": self.max_distortion, **DELTA_PRIOR},
            "per_field": self.per_field,
            "similar": SIMILAR,
            "sources": sources,
        }

    def _warn_if_bounded(self) -> None:
        limit = NEARLY * self.max_distortion
        uppers = {
            trace: central(values)[1]
            for trace, values in self.traces_.items()
            if trace.partition("_")[0] == "delta"
        }
        cut = [trace for trace, upper in uppers.items() if upper > limit]
        if cut:
            of = f" of {len(cut)} of {len(uppers)} fields" if self.per_field else ""
            warn_caller(
                f"The 95 % interval of the distortion{of} ends at its bound, "
                f"{self.max_distortion:g}: records differ more than it allows. Compare with a "
                "larger {parameter}, under which clusters may be kinds of records instead of "
                "entities.",
                parameter="max_distortion",
            )

    def _check_distortions(self) -> None:
        """Raise a ConfigError if parameters are set that the likelihood `similar` does not have."""
        for name in ("distortion", "max_distortion", "per_field"):
            value, default = getattr(self, name), getattr(type(self), name)
            if value != default:
                raise refusal(
                    name,
                    value,
                    ", but the likelihood is 'similar', which learns how often fields are "
                    "mistaken; leave it out, or set {likelihood:'categorical'}.",
                )

    def _as_sources(self, sources, n_records: int, similar: bool) -> tuple:
        """Number the sources of all records, and those that `at_most_one` names (-1 for others)."""
        wanted = self.at_most_one
        if sources is None:
            if wanted is not None:
                raise refusal("at_most_one", wanted, ", but {sources} are not given; give them.")
            return None, None
        given = group_per_item("source", sources, n_records, "record")
        codes, names = pd.factorize(given)
        if wanted is None:
            if not similar:
                raise ConfigError(
                    "Sources have mistakes of their own only under {likelihood:'similar'}; leave "
                    "them out, or set this likelihood.",
                    parameter="sources",
                )
            return codes, None
        chosen = names if isinstance(wanted, str) else np.array(wanted, dtype=object)
        unknown = [name for name in chosen if name not in set(names)]
        if unknown:
            known = ", ".join(map(str, names[:MAX_LISTED]))
            fault = f", but no record is from {unknown[0]!r}; there are {known}."
            raise refusal("at_most_one", wanted, fault)
        return codes, np.where(np.isin(names, chosen)[codes], codes, -1)

    def _called(self, trace: str) -> str:
        kind, *numbers = trace.split("_")
        if kind not in NAMED or not numbers:
            return trace
        groups = self.changing_ if kind == "change" else [(name,) for name in self._compared]
        field, *source = map(int, numbers)
        if field >= len(groups):  # a result of an earlier version has no names
            return trace
        beside = "".join(f" (source {number + 1})" for number in source)
        return f"{NAMED[kind]} {' and '.join(groups[field])}{beside}"

    def _explained(self):
        settings, X, changing = self._fitted
        names = list(getattr(self, "feature_names_in_", range(X.shape[1])))
        values = X.astype(object)
        if settings["likelihood"] == "similar":
            found = self._index.value
            if found is None:
                parts = [X] if self._n_rules is None else [X, X[: self._n_rules]]
                columns, *rules = (in_place(columns_of(part))[0] for part in parts)
                found = index_fields(columns, changing, *rules)
            index, learned = found
            names, values = [names[k] for k in learned.fields], values[:, learned.fields]
        else:
            index = RecordIndex(encode_table(X)[0])
        likelihood = likelihoods[settings["likelihood"]](settings, index)
        if getattr(likelihood, "n_groups", 0):
            names.append("fields that change together")
        prior = make_prior(settings, len(X))
        prior.prepare(len(X))
        return prior, likelihood, names, values.__getitem__

    def check_settings(self) -> None:
        super().check_settings()
        check_flag("per_field", self.per_field)
        check_strength("distortion", self.distortion)
        if self.max_distortion is not None:
            check_positive("max_distortion", self.max_distortion)
            if self.distortion > self.max_distortion:
                bound = f" and {{max_distortion}} {self.max_distortion}"
                fault = "; a distortion cannot start above its bound."
                raise refusal("distortion", self.distortion, bound + fault)
        if self.likelihood is not None:
            check_choice("likelihood", self.likelihood, ("categorical", "similar"))
        if isinstance(self.at_most_one, str) and self.at_most_one != "each":
            fault = "; give a list of sources, or 'each' for all of them."
            raise refusal("at_most_one", self.at_most_one, fault)
        if self.at_most_one is not None and self.max_clusters is not None:
            fault = ", but {max_clusters} may leave too few clusters for them; leave one out."
            raise refusal("at_most_one", self.at_most_one, fault)


def comparison(
    columns: Sequence[Sequence], names: Sequence[str], likelihood: str | None = None
) -> tuple[str, str]:
    """Return the likelihood of records, and in words how their fields are compared."""
    found = likelihood or ("similar" if compared_by_letters(columns) else "categorical")
    return found, fields_in_words(names, columns) if found == "similar" else "equal or not"


# ---- Starts of the chains: far apart, and made in time that grows only with the records ------

#: Largest number of records of random starts, whose Gibbs sweeps compare all with every cluster.
RELAXED_UP_TO = 2000
#: Largest mean size of the clusters that a start makes of agreeing records: chaperones take
#: thousands of sweeps to split larger clusters.
ALIKE = 1.25


def starts_of(codes: np.ndarray, max_clusters: int | None, apart=None) -> Sequence[Callable]:
    """Return functions of a generator that make starts, of too many clusters and of too few."""
    n_items = len(codes)
    n_labels = max_clusters or n_items
    if max_clusters is None and apart is not None:
        return apart
    if max_clusters is None and n_items > RELAXED_UP_TO:
        return (lambda _: "singletons"), (lambda rng: alike(codes, rng))
    first = "singletons" if n_labels == n_items else n_labels
    return (lambda _: first), (lambda _: n_labels)


def alike(codes: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return labels that join records which agree in the first few fields of a random order."""
    labels = np.zeros(len(codes), dtype=np.int64)
    for place in rng.permutation(codes.shape[1]):
        levels = int(codes[:, place].max()) + 2
        _, labels = np.unique(labels * levels + codes[:, place] + 1, return_inverse=True)
        if (int(labels.max()) + 1) * ALIKE >= len(codes):
            break
    return labels
