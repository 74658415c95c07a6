"""Estimator that clusters items after the example of others whose clusters are known."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Self

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from reseat.chains import Interrupted, by_turns
from reseat.checks import check_choice, check_flag, refusal
from reseat.errors import ColumnWarning, DataError
from reseat.estimators.base import PosteriorClustering, by_size, keeps_previous_fit, seed_of
from reseat.estimators.inputs import (
    absent_texts,
    as_given,
    as_numbers,
    group_per_item,
    one_per_item,
    plain_array,
    warn_caller,
    warn_of_words,
)
from reseat.estimators.sampling import data_hash, numbers_of, phase
from reseat.likelihoods import GaussianReferences
from reseat.models.choosing import N_FITS, Candidate, compare_models, entity_keys
from reseat.models.references import SUPERVISED_MODELS
from reseat.models.supervised import Items, build
from reseat.models.two_covariances import build_two_covariances, learn_covariances
from reseat.priors import all_priors, make_prior
from reseat.reading.values import MISSING_CELLS

#: Mark of an item to be clustered, and its spellings as a text, of which pandas writes the second.
UNKNOWN, UNKNOWN_TEXTS = -1, ("-1", "-1.0")
#: Texts that mean the same in a table of texts alone.
NO_ENTITY = (*MISSING_CELLS, *UNKNOWN_TEXTS, "?")
#: Number of known items up to which it may be due to chance that no two share an entity.
FEW_KNOWN = 5
STARTS = ("singletons", "one")
#: Models whose blocks can be split and merged, so that chains soon leave a start with one cluster.
COLLAPSED = ("scdp1", "scdp2", "cdp")
N_PROPOSALS = 5
#: The option to use the better model; and the two models compared, the simpler one first.
AUTOMATIC, SIMPLE, TWO_COVARIANCES = "auto", "scdp1", "two_covariances"
#: Separates the random numbers for choosing a model from those of the chains.
STREAM = 0x5EED


@dataclass(eq=False, repr=False)
class SupervisedClustering(PosteriorClustering):
    """Clusters of new items, learned from items whose clusters are known.

    What distinguishes the known entities is learned from their items; the others, with the label
    -1, None, NaN or "", are clustered accordingly, into new entities unless `share` is set.

    Parameters
    ----------
    prior : str
        ``dirichlet_process`` or ``pitman_yor``, whose hyperparameters groups can share.
    model : str
        ``scdp1`` learns how far apart the items of one entity are, feature by feature;
        ``two_covariances`` also learns how features vary together, within and between entities.
        With ``auto``, the model is used that recovers held-out entities better, which is ``scdp1``
        if fewer than 8 have two or more items, or if `share`, `concentration` or `prior` is set.
        The other models of `reseat.models.references.SUPERVISED_MODELS` are those of the paper;
        ``cdp`` learns nothing and serves for comparison.
    feature_of : sequence of int, optional
        Feature of each column, starting at 0 and never decreasing; the columns of one feature
        share a precision.  By default, each column is one.  ``two_covariances`` ignores this.
    standardise : bool
        Whether to centre and scale columns by the training items, as the priors expect.  Columns
        that do not vary among these, but for rounding, are left out, with a warning.
    share : bool
        Whether items may also join the known entities, and entities of other groups.
    concentration, discount, max_clusters, n_chains, n_burn_in, n_samples, thin, folder, n_jobs, \
random_state, verbose
        As in `reseat.estimators.base.PosteriorClustering`; `max_clusters` does not apply here.

    Attributes
    ----------
    labels_ : ndarray of int64, shape (n_items,)
        Known items have the number of their entity in `classes_`; the other clusters follow.
    classes_ : ndarray, shape (n_known_entities,)
        The known entities.
    n_clusters_ : int
        Number of clusters that contain items to cluster, which `summary` and the figures count,
        too; 0 if all items are known.  In `traces_` it is ``n_test_clusters``, or ``n_clusters``
        under ``cdp``, which otherwise counts the known entities as well.
    n_clusters_interval_ : tuple of int
    model_ : str
        The model that was used; if all items are known, the parameter `model`.
    choices_ : pandas.DataFrame
        The settings that were compared, if any, the best first: ``model``; the ``nugget`` (share of
        the total variances that is added within entities) and the ``power`` of the density; the
        pairwise ``F`` of held-out entities and its standard ``error`` over the folds.

    Notes
    -----
    If all items have an entity, `fit` keeps them, and `predict` clusters new items next to them;
    without `y`, all items are clustered and nothing is learned.

    References
    ----------
    Daumé and Marcu (2005), for the models ``scdp1`` to ``cdp``.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import SupervisedClustering
    >>> centres = np.random.default_rng(1).normal(size=(12, 4))
    >>> X = np.repeat(centres, 5, axis=0) + 0.1 * np.random.default_rng(2).normal(size=(60, 4))
    >>> y = np.repeat([0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1], 5)
    >>> SupervisedClustering(random_state=1).fit(X, y).n_clusters_
    4
    """

    #: Model and settings that `predict` takes over from a fit.
    _given: ClassVar[tuple[str, Candidate | None] | None] = None
    #: Known entities are not counted, because they were given and not found.
    _counted = "clusters of the items to cluster"

    _: KW_ONLY
    model: str = AUTOMATIC
    feature_of: Sequence[int] | None = None
    standardise: bool = True
    share: bool = False

    @keeps_previous_fit
    def fit(self, X, y=None, groups=None) -> Self:
        """Learn from the known items and cluster the others.

        Parameters
        ----------
        X : array of float, shape (n_items, n_features)
        y : array, shape (n_items,), optional
            Entity of each item, as numbers or texts; -1, None, NaN (also `pandas.NA`), ``"-1"``,
            ``"-1.0"`` or a blank text for the items to cluster.  In an array of texts, ``"nan"``
            and the other words that `reseat cluster` treats as an unknown entity mean the same;
            elsewhere they are entities, with a warning.
        groups : array, shape (n_items,), optional
            Groups, for example documents: no cluster contains items of two groups.  Every item
            must have one; blank texts and words for a missing value are refused.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If there are not as many entities or groups as items, entities have mixed types, none is
            known, all known items have the same or each its own, or a parameter cannot be used.

        Warns
        -----
        ConvergenceWarning
            If the chains do not agree on the number of clusters or on the log joint.
        """
        X = as_numbers(self, X, np.float64, ensure_min_samples=2)
        entities, classes = _entities(y, len(X))
        if y is not None and not classes.size:
            raise DataError(
                "y contains no known entity, so there is nothing to learn from; fill in the known "
                "entities, or omit y to cluster without them."
            )
        if classes.size and self.model != "cdp":
            _check_learnable(entities)
        groups = np.zeros(len(X), dtype=int) if groups is None else groups
        groups = group_per_item("group", groups, len(X))
        codes = _numbered(groups)
        if self.share and (codes != codes[0]).any():
            raise self._refused(
                "share",
                "{share:True} lets items join the known entities of any group, so that groups "
                "would have no effect; omit one of them.",
            )
        self._forget()
        # `predict` uses the seed of the fit, too, and the model that it chose.
        seed = self._seed = seed_of(self.random_state)
        self._best = None
        # Copies, because the user may change X or groups.
        self.classes_, self._training = classes, (X.copy(), entities, groups.copy())
        test = entities == UNKNOWN
        if test.any():
            self._cluster(X, entities, test, codes, seed)
        else:
            self.labels_, self.n_clusters_, self.model_ = entities.copy(), 0, self.model
            self.n_clusters_interval_, self.choices_ = (0, 0), _as_choices([])
        return self

    def fit_predict(self, X, y=None, groups=None):
        """Call `fit` and return `labels_`."""
        return self.fit(X, y, groups).labels_

    def predict(self, X, groups=None):
        """Cluster new items together, next to the known items of the last `fit`.

        Parameters
        ----------
        X : array of float, shape (n_new, n_features)
        groups : array, shape (n_new,), optional

        Returns
        -------
        ndarray of int64, shape (n_new,)
            Clusters are numbered after the entities of `classes_`, which items can join if `share`
            is set.  Model and seed are those of the fit; for the uncertainty, give all items to it.
        """
        check_is_fitted(self, "labels_")
        X = as_numbers(self, X, np.float64, reset=False)
        if groups is not None:
            groups = group_per_item("group", groups, len(X))  # before they join those of the fit
        known = self._training[1] != UNKNOWN
        train, entities, old = (values[known] for values in self._training)
        if groups is None:
            groups = np.full(len(X), old[0] if old.size else 0)
        alike = clone(self._of_fit().set_params(folder=None, random_state=self._seed))
        alike._given = self._best
        if not known.any():
            return alike.fit(X, groups=groups).labels_
        y = np.append(entities, np.full(len(X), UNKNOWN))
        new = alike.fit(np.concatenate([train, X]), y, _joined(old, groups))
        return new.labels_[len(train) :]

    def check_settings(self) -> None:
        if self.max_clusters is not None:
            fault = ", but no prior whose hyperparameters groups can share has such a limit"
            raise refusal("max_clusters", self.max_clusters, f"{fault}; omit it.")
        check_choice("prior", self.prior, [p.name for p in all_priors().values() if p.groups])
        super().check_settings()
        check_choice("model", self.model, (AUTOMATIC, *SUPERVISED_MODELS, TWO_COVARIANCES))
        check_flag("standardise", self.standardise)
        check_flag("share", self.share)
        if self.share and self.model == "cdp":
            raise self._refused("share", "The model 'cdp' ignores known items; omit {share}.")
        if self.share and self.model == TWO_COVARIANCES:
            fault = "does not allow items to join known entities; omit {share}, or choose 'scdp1'."
            raise self._refused("share", f"The model 'two_covariances' {fault}")

    def _check_draws(self) -> None:
        if hasattr(self, "labels_") and not hasattr(self, "draws_"):
            raise DataError(
                "All items were known, so nothing was sampled; give items without an entity to "
                "fit, or use predict."
            )
        super()._check_draws()

    def _numbers_of_draws(self) -> np.ndarray:
        return numbers_of(self._flat_draws()[:, self._test])

    def _cluster(self, X, entities, test, groups, seed) -> None:
        learned = ~test if not test.all() else test
        points, features = self._points(X, learned)
        items = Items(GaussianReferences(points, features), test, entities, groups)
        sampled = self.concentration is None and self.prior == "dirichlet_process"
        self._best = self._chosen(items, seed, sampled and not self.share)
        self.model_, best = self._best
        if self.model_ == TWO_COVARIANCES:
            start = self._two_covariances(items, best, sampled)
        else:
            settings = self._settings(self.model_, sampled)
            starts = STARTS if self.model_ in COLLAPSED else STARTS[:1]

            def start(rng: np.random.Generator, number: int):
                return build(settings, items, rng, by_turns(starts, number))

        alone = self.model_ == "cdp"

        def all_items(draws: np.ndarray) -> np.ndarray:
            if not alone:
                return np.ascontiguousarray(draws[..., : len(X)])
            whole = np.empty((*draws.shape[:2], len(X)), dtype=draws.dtype)
            whole[..., test] = draws + self.classes_.size
            whole[..., ~test] = entities[~test]
            return whole

        self._test, self._known = test, entities
        counted = "n_clusters" if alone else "n_test_clusters"
        self._run(start, data_hash(X, entities, groups), seed, counted, all_items)
        self.n_clusters_ = np.unique(self.labels_[test]).size

    def _chosen(self, items: Items, seed: int, free: bool) -> tuple[str, Candidate | None]:
        """Return the model that was chosen, which `predict` keeps, and set `choices_`."""
        if self._given is not None:
            self.choices_ = _as_choices([])
            return self._given
        found = []
        if free and self.model in (AUTOMATIC, TWO_COVARIANCES) and not items.test.all():
            found = self._compare(items, np.random.default_rng([seed, STREAM]))
        self.choices_ = _as_choices(found)
        if self.model == AUTOMATIC:
            return (found[0].model, found[0]) if found else (SIMPLE, None)
        return self.model, next((one for one in found if one.model == self.model), None)

    def _compare(self, items: Items, rng: np.random.Generator) -> list[Candidate]:
        with phase(N_FITS, "model", "fits", bool(self.verbose)) as (progress, stop):

            def after_fit() -> None:
                progress.step()
                if stop.is_set():
                    raise Interrupted

            return compare_models(items, self._settings(SIMPLE, sampled=True), rng, after_fit)

    def _settings(self, model: str, sampled: bool) -> dict:
        # By default, sampled concentrations have the priors of the paper.
        prior = None if sampled and model != "cdp" else self._prior_settings()
        settings = {"model": model, "share": self.share, "publication_prior": prior}
        if model in COLLAPSED:
            settings |= {"moves": "split_merge", "move": {"n_proposals": N_PROPOSALS}}
        return settings

    def _two_covariances(self, items: Items, best: Candidate | None, sampled: bool):
        """Return a function that builds the model of two covariances at its start."""
        points, train = items.data.coordinates, ~items.test
        if not train.any():
            raise DataError(
                "The model 'two_covariances' needs items with known entities; specify them in y, "
                "or choose the model 'cdp'."
            )
        keys = entity_keys(items.known[train], items.groups[train])
        learned = learn_covariances(points[train], keys, points[items.test])
        power = 1.0
        if best is not None:
            learned, power = learned.with_nugget(best.choice.nugget), best.choice.power

        given = {"test": items.test, "known": items.known, "groups": items.groups, "power": power}

        def start(rng: np.random.Generator, number: int):
            prior = None if sampled else make_prior(self._prior_settings(), items.test.size)
            place = by_turns(STARTS, number)
            return build_two_covariances(learned, points, rng, start=place, prior=prior, **given)

        return start

    def _estimate(self, draws: np.ndarray, seed: int) -> np.ndarray:
        test, n_known = self._test, self.classes_.size
        labels = self._known.copy()
        if not self.share:
            labels[test] = n_known + super()._estimate(draws[:, test], seed)
            return labels
        found = super()._estimate(draws, seed)
        for cluster in np.unique(found[~test]):
            members = found == cluster
            labels[members & test] = np.bincount(self._known[members & ~test]).argmax()
        new = test & ~np.isin(found, found[~test])
        if new.any():
            labels[new] = n_known + by_size(found[new])
        return labels

    def _points(self, X: np.ndarray, learned: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the coordinates that vary among the training items, and the feature of each."""
        n_columns = X.shape[1]
        features = np.arange(n_columns) if self.feature_of is None else np.asarray(self.feature_of)
        if features.shape != (n_columns,):
            fault = f"it must have one for each of the {n_columns} columns."
            raise self._refused("feature_of", f"{{parameter}} has {features.size} entries; {fault}")
        steps = np.diff(features, prepend=0) if features.dtype.kind in "iu" else np.array([-1])
        if features[0] != 0 or not np.isin(steps, (0, 1)).all():
            fault = "each entry must be equal to the previous one or larger by one."
            raise self._refused("feature_of", f"{{parameter}} must start at 0, and {fault}")
        centre, spread = X[learned].mean(axis=0), X[learned].std(axis=0)
        # Columns that will be scaled may have any unit; in others, variation that is negligible
        # next to the rest is rounding error.
        size = np.abs(centre) if self.standardise else np.maximum(np.abs(centre), spread.max())
        varies = spread > 1e-12 * size
        if not varies.any():
            raise DataError(
                "No column varies among the training items, so they cannot be distinguished."
            )
        if not varies.all():
            names = getattr(self, "feature_names_in_", np.arange(n_columns))[~varies]
            warn_caller(
                "Columns that do not vary among the training items are left out: "
                f"{', '.join(map(repr, names.tolist()))}.",
                ColumnWarning,
            )
        points = X[:, varies]
        if self.standardise:
            points = (points - centre[varies]) / spread[varies]
        return points, np.unique(features[varies], return_inverse=True)[1]


def _entities(y, n_items: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the number of each item's entity, -1 where unknown, and the names of the entities."""
    if y is None:
        return np.full(n_items, UNKNOWN), np.empty(0, dtype=int)
    names = one_per_item("entities", y, n_items, argument="y")
    given = as_given(y)
    known = ~pd.isna(given)
    known[known] = [not _marks_unknown(name) for name in given[known]]
    if isinstance(y, np.ndarray) and y.dtype.kind in "US":
        known[known] = ~absent_texts("y", names[known], NO_ENTITY)
    else:
        warn_of_words("y", given[known])
    if names.dtype.kind == "f":  # whole numbers among unknown ones may have been rounded
        names = given
    entities = np.full(n_items, UNKNOWN)
    try:
        classes, entities[known] = np.unique(names[known], return_inverse=True)
    except TypeError:
        raise DataError(
            "The entities have mixed types, such as numbers and texts; convert all of them to "
            f"texts, and use {UNKNOWN} for unknown entities."
        ) from None
    return entities, plain_array(classes)


def _as_choices(found: Sequence[Candidate]) -> pd.DataFrame:
    """Return the models that were compared, the best first, as `SupervisedClustering.choices_`."""
    rows = []
    for one in found:
        chosen = (np.nan, np.nan) if one.choice is None else (one.choice.nugget, one.choice.power)
        rows.append((one.model, *chosen, one.score, one.error))
    return pd.DataFrame(rows, columns=["model", "nugget", "power", "F", "error"])


def _check_learnable(entities: np.ndarray) -> None:
    """Raise a DataError if known items do not show what distinguishes entities."""
    _, sizes = np.unique(entities[entities != UNKNOWN], return_counts=True)
    if sizes.size == 1:
        raise DataError(
            "All known items in y have the same entity, so nothing shows what distinguishes "
            "entities; fill in items of at least two, or choose the model 'cdp', which learns "
            "nothing."
        )
    if sizes.size > FEW_KNOWN and sizes.max() == 1:
        raise DataError(
            "Every known item in y has its own entity, so nothing shows how far apart items of one "
            "entity are; fill in several items of an entity, or choose the model 'cdp', which "
            "learns nothing."
        )


def _marks_unknown(name) -> bool:
    """Return whether the name of an entity means that it is not known."""
    if isinstance(name, bytes):
        name = name.decode(errors="replace")
    return name.strip() in ("", *UNKNOWN_TEXTS) if isinstance(name, str) else name == UNKNOWN


def _joined(old: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Join groups without making any two equal, as NumPy would by turning numbers into texts."""
    if old.dtype.kind == new.dtype.kind:
        return np.concatenate([old, new])
    return np.concatenate([old.astype(object), new.astype(object)])


def _numbered(groups: np.ndarray) -> np.ndarray:
    """Return groups as numbers, because the chains compare them many times."""
    # NumPy compares uint64 with signed integers as floating-point numbers.
    if groups.dtype.kind in "iub" and groups.dtype != np.uint64:
        return groups
    return pd.factorize(groups, sort=True)[0]
