"""Estimator for points, or objects with distances: a mixture of Student-t components."""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import combinations
from numbers import Integral
from typing import Self

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from reseat.chains import MixtureModel, by_turns, chain_seed
from reseat.checks import check_between, check_choice, check_flag, check_whole
from reseat.dissimilarities import landmark_scaling
from reseat.dissimilarities.embedding import principal_coordinates
from reseat.errors import ConfigError, DataError
from reseat.estimators.base import (
    MIN_HALVED,
    PosteriorClustering,
    interval,
    keeps_previous_fit,
    seed_of,
)
from reseat.estimators.distances import doubt_distances, new_rows, read_matrix, squares_of
from reseat.estimators.inputs import (
    as_cells,
    as_numbers,
    check_number_table,
    warn_caller,
    warn_of_rounding,
)
from reseat.estimators.misfit import misfits_of_neighbours, misfits_of_points
from reseat.estimators.prediction import Extended, Predicting
from reseat.estimators.sampling import check_matrix_fits, data_hash, flat, numbers_of, thinned
from reseat.metrics import adjusted_rand, factorise
from reseat.models.points import Placed, as_before, build, find_directions, starts, whitened
from reseat.summaries import describe
from reseat.summaries._valleys import valley_depths

#: Number of objects above which distances to landmarks are used, and the number of landmarks then.
FEW_OBJECTS, LANDMARKS = 3000, 2000
#: Share of the items beyond which a merged cluster tells nothing.
TOO_LARGE = 0.8
#: Components for each cluster, on average, from which clusters are curved shapes.
CURVED = 3.0
#: Two depths of valleys; where the numbers of clusters at these, or of components and clusters,
#: differ by this factor, the clusters are not elliptical.
SHALLOW, STEEP, FACTOR = 0.65, 0.35, 2.0
#: Sweeps over weights and covariances for the first draw of a chain, for each further one, and
#: before new items are seated.
FIRST_SWEEPS, SWEEPS, NEW_SWEEPS = 10, 1, 3
#: Sweeps without a bound on the number of clusters before the start of a chain with one.
WARM_UP = 50
#: Number of draws of each chain that are compared with those of others.
N_COMPARED = 5
#: Largest share of copies that count each; more would be narrow clusters of their own.
MANY_COPIES = 0.1
#: Least share of different values of some column of points that are equal only as copies; digits of
#: the span of a column up to which copies are equal.
MOST_DIFFER, COPIED = 0.5, 7


@dataclass(eq=False, repr=False)
class StudentMixture(Predicting, PosteriorClustering):
    """Clusters of points, or of objects with distances, of any size, spread and correlation.

    Each component of the mixture is a Student-t distribution with a covariance of its own, which is
    shrunk to a common one.  Components are one cluster where the density between them has no
    valley.  No invertible map of up to 15 columns matters, and neither location nor scale of more.
    Categories are independent of the numbers and of each other, given the component.

    Parameters
    ----------
    prior : str
    metric : {"euclidean", "precomputed"}
        Whether X contains points, or distances of all pairs.
    square : bool
        Whether to square distances first; otherwise, they are treated as squared ones.
    scale : bool
        Whether to divide more than 15 columns, of which only the leading principal components are
        used, by their standard deviations.
    merge : float, optional
        Components are one cluster unless the density between them falls below this share of the
        lower of their two peaks, at some point of every path over other components.  They are left
        apart if it is None or `max_clusters` is given, if there would be more than a third as many
        clusters as components, and if one cluster would have more than 80 % of the items.
    categorical_features : sequence of int or str, optional
        Positions or names of the columns of X with categories; components then stay apart.
    landmarks : int, optional
        Number of random objects by whose distances all others are placed; by default 2,000 if there
        are more than 3,000.
    concentration, discount, max_clusters, n_chains, n_burn_in, n_samples, thin, folder, n_jobs, \
random_state, verbose
        See `reseat.estimators.base.PosteriorClustering`, as for the common attributes.  `draws_`
        and what follows from it are of clusters; the trace ``n_components`` counts components.

    Attributes
    ----------
    components_ : ndarray of int64, shape (n_items,)
        Partition into components of least posterior expected variation of information.
    component_draws_ : ndarray of int32, shape (n_chains, n_draws, n_items)
        Draws of the partition into components.
    merged_ : bool
        Whether components were read as one cluster anywhere.
    agreement_ : float
        Mean adjusted Rand index between draws of different chains; NaN for one chain.  It is a
        row of `summary`.
    n_directions_ : int
        Number of coordinates that the model sees.
    share_ : float
        Share of the variance, or of the positive spectrum of distances, that these hold.
    landmarks_ : ndarray of int, shape (n_landmarks,), or None
        The objects to which distances were used; None if all distances were.

    References
    ----------
    Fraley and Raftery (2007), Bayesian regularization for normal mixture estimation and model-based
    clustering; clusters of components: Ray and Lindsay (2005), The topography of multivariate
    normal mixtures, and Hennig (2010), Methods for merging Gaussian mixture components.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat import StudentMixture
    >>> rng = np.random.default_rng(1)
    >>> points = rng.normal(size=(90, 2)) * [5, 1] + np.repeat([[0, 0], [0, 9]], 45, axis=0)
    >>> StudentMixture(random_state=1).fit(points).n_clusters_
    2
    """

    _: KW_ONLY
    metric: str = "euclidean"
    square: bool = False
    scale: bool = False
    merge: float | None = 0.35
    categorical_features: Sequence[int | str] | None = None
    landmarks: int | None = None
    n_burn_in: int = 150
    n_samples: int = 150
    thin: int = 3

    @keeps_previous_fit
    def fit(self, X, y=None) -> Self:
        """Cluster points or objects.

        Parameters
        ----------
        X : array, shape (n_items, n_features) or (n_items, n_items)
            Points, in which up to 15 columns may have empty cells (NaN), which are integrated out;
            or distances, symmetric with a zero diagonal, or their condensed form.
        y : ignored

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If X cannot be used, there are fewer than three items, or a parameter cannot be used.

        Warns
        -----
        ConvergenceWarning
            If the chains do not agree on the number of clusters or on the log joint.
        ReseatWarning
            If the number of clusters depends on how deep a valley between two of them must be.
        """
        X, codes = self._parted(X)
        check_number_table(X, condensed=self.metric == "precomputed")
        seed = seed_of(self.random_state)
        # The last bits of eigenvectors, and so all draws, would depend on the number of threads.
        with threadpool_limits(1, user_api="blas"):
            if self.metric == "precomputed":
                X, (coordinates, share), landmarks, between, kept, place = self._placed(X, seed)
                directions, points = None, Placed(coordinates)
            else:
                X = self._numbers(X, ensure_min_samples=3)
                warn_of_rounding(X)
                rows = X if codes is None else np.column_stack([X, codes])
                spans = np.fmax.reduce(rows) - np.fmin.reduce(rows)
                kept, place = _counted(rows, "points are copies of others", spans)
                codes = None if codes is None else codes[kept]
                rng = np.random.default_rng(chain_seed(seed, "points", "directions"))
                directions = find_directions(X[kept], self.scale, rng)
                landmarks = between = None
                rng = np.random.default_rng(chain_seed(seed, "points", "spread"))
                points, share = directions.placed(X[kept], rng, codes), directions.share
        coordinates = points.coordinates
        self._check_prior_fits(len(coordinates))
        self._forget()
        self._directions, self._points, self._between = directions, points, between
        self._kept_items = kept
        self.landmarks_, self.share_ = landmarks, share
        if self.metric == "precomputed":
            doubt_distances(self, X, landmarks)
        self.n_directions_ = coordinates.shape[1]
        settings, places = self._prior_settings(), starts(len(coordinates))
        most = self._most_clusters

        def start(rng: np.random.Generator, number: int) -> MixtureModel:
            place = by_turns(places, number)
            if most is not None and codes is None:
                place = _bounded_start(points, place, most, rng)
            elif isinstance(place, int) and most is not None:
                place = min(place, most)
            return build(settings, points, rng, place)

        counted = X[kept]
        hashed = data_hash(counted) if codes is None else data_hash(counted) + data_hash(codes)
        select = None if place is None else lambda draws: draws[..., place]
        self._run(start, hashed, seed, select=select)
        self._merge(seed)
        found = misfits_of_neighbours(coordinates, np.random.default_rng(seed))
        if self.metric != "precomputed":
            names = getattr(self, "feature_names_in_", range(X.shape[1]))
            found += misfits_of_points(X, names)
        self._doubt(found)
        return self

    def check_settings(self) -> None:
        super().check_settings()
        check_choice("metric", self.metric, ("euclidean", "precomputed"))
        check_flag("square", self.square)
        check_flag("scale", self.scale)
        if self.merge is not None:
            check_between("merge", self.merge, 0, 1, "()")
        if self.categorical_features is not None and self.metric == "precomputed":
            fault = "{parameter} is set, but distances have no columns; leave it out."
            raise self._refused("categorical_features", fault)
        if self.landmarks is not None:
            check_whole("landmarks", self.landmarks, 3)
            if self.metric != "precomputed":
                fault = "{parameter} is set, but points need no landmarks; leave it out."
                raise self._refused("landmarks", fault)

    def _parted(self, X):
        """Return the numbers of a table, and the codes of its categories or None."""
        if self.categorical_features is None:
            return X, None
        cells = as_cells(X)
        table = cells if hasattr(cells, "iloc") else pd.DataFrame(np.asarray(cells, dtype=object))
        names = np.atleast_1d(np.asarray(self.categorical_features, dtype=object))
        places = [_place(table.columns, name) for name in names]
        others = np.setdiff1d(np.arange(table.shape[1]), places)
        if not places or not others.size:
            raise DataError(
                "categorical_features names "
                + ("no column" if not places else "all columns")
                + " of X; name those with categories, and leave at least one column of numbers."
            )
        codes = np.column_stack([pd.factorize(table.iloc[:, place])[0] for place in places])
        for axis, what in ((1, "row"), (0, "column")):
            lacking = (codes < 0).all(axis=axis)
            if lacking.any():
                place = int(lacking.argmax())
                name = place if axis else places[place]
                raise DataError(
                    f"X has no category in {what} {name}; fill one in, or leave it out."
                )
        numbers = table.iloc[:, others]
        return numbers.apply(_as_floats), codes

    def _numbers(self, X, **options) -> np.ndarray:
        """Return points, of which no row or column lacks all numbers."""
        X = as_numbers(self, X, ensure_all_finite="allow-nan", **options)
        missing = np.isnan(X)
        for axis, what in ((1, "Row"), (0, "Column")):
            empty = missing.all(axis=axis)
            if empty.any():
                raise DataError(f"{what} {int(empty.argmax())} of X has no number; leave it out.")
        return X

    def _placed(self, X, seed: int):
        """Return what was read, coordinates, landmarks, squares between those, and `_counted`."""
        few = FEW_OBJECTS if self.landmarks is None else 0
        X, landmarks = read_matrix(self, X, self.landmarks or LANDMARKS, seed, few)
        check_matrix_fits(len(X))
        squares = squares_of(X, landmarks, self.square)
        if landmarks is not None:
            placed = whitened(landmark_scaling(squares, landmarks))
            return X, placed, landmarks, squares[landmarks], slice(None), None
        kept, place = _counted(squares, "objects are copies of others by their distances")
        squares = squares[kept][:, kept]
        return X, whitened(principal_coordinates(squares)), None, squares, kept, place

    def _merge(self, seed: int) -> None:
        """Read components as one cluster where there is no valley between them."""
        vars(self).pop("_depths", None)  # of an earlier fit
        self.component_draws_, self.components_ = self.draws_, self.labels_
        for name in ("traces_", "rhat_", "ess_"):
            found = getattr(self, name)
            renamed = {"n_clusters": "n_components"}
            setattr(self, name, {renamed.get(key, key): found[key] for key in found})
        self.merged_ = False
        if self.merge is not None and self.max_clusters is None and self._points.codes is None:
            merged = self._at_depth(self.merge)
            parts, wholes = _median_count(self._of_components()), _median_count(merged)
            if parts >= CURVED * wholes:
                labels = self._estimate(merged, seed)
                if np.bincount(labels).max() <= TOO_LARGE * labels.size:
                    self.merged_, self.labels_ = True, labels
                    self.draws_ = merged.reshape(self.draws_.shape)
            self._warn_of_shapes(parts, wholes)
        self.n_clusters_ = int(self.labels_.max()) + 1
        counts = self._numbers_of_draws().reshape(self.draws_.shape[:2])
        self.n_clusters_interval_ = interval(counts.ravel())
        found = describe(counts)
        self.rhat_["n_clusters"], self.ess_["n_clusters"] = found["rhat"], found["ess"]
        # Of draws of different chains.
        some = combinations([thinned(chain, N_COMPARED) for chain in self.draws_], 2)
        alike = [adjusted_rand(*pair) for chains in some for pair in zip(*chains, strict=True)]
        self.agreement_ = float(np.mean(alike)) if alike else float("nan")

    def _of_components(self) -> np.ndarray:
        """Return the draws of components with labels from 0, shape (n_draws, n_items)."""
        draws = flat(self.component_draws_)
        return np.stack([factorise(draw)[0] for draw in draws]).astype(np.int32)

    @cached_property
    def _depths(self) -> list[np.ndarray]:
        """Draw means and covariances given each draw's labels; return log depths of the valleys."""
        rng = np.random.default_rng(chain_seed(self._seed, "points", "valleys"))
        found, n_draws = [], self.component_draws_.shape[1]
        for number, draw in enumerate(self._of_components()[:, self._kept_items]):
            sizes = np.bincount(draw)
            first = number % n_draws == 0
            if first:
                likelihood = self._points.numbers()
            likelihood.assign(draw, sizes.size)
            for _ in range(FIRST_SWEEPS if first else SWEEPS):
                components = likelihood.draw_components(rng)
            found.append(valley_depths(*components, sizes, likelihood.tails))
        return found

    def _at_depth(self, share: float) -> np.ndarray:
        """Return the draws with components merged between which the density keeps this share."""
        depth = -np.log(share)
        merged = [
            connected_components(depths <= depth)[1][draw]
            for draw, depths in zip(self._of_components(), self._depths, strict=True)
        ]
        return np.stack(merged).astype(np.int32)

    def _warn_of_shapes(self, of_components: float, clusters: float) -> None:
        """Warn if the number of clusters depends on the depth that a valley must have."""
        shallow, steep = (_median_count(self._at_depth(s)) for s in (SHALLOW, STEEP))
        if of_components >= FACTOR * clusters or shallow >= FACTOR * steep:
            said = (
                f"The clusters are not elliptical: {of_components:.0f} elliptical components make "
                f"{shallow:.0f} clusters if the density between two must fall below {SHALLOW:.0%}, "
                f"and {steep:.0f} if below {STEEP:.0%}. Compare several numbers of clusters with "
                "labels_at(n); for curved shapes, HDBSCAN is a better choice."
            )
            self._doubt([said], parameter="merge")

    def labels_at(self, n_clusters: int) -> np.ndarray:
        """Return a partition into a given number of clusters.

        In each draw with more components, those with the shallowest valleys between them are merged
        first (average linkage).

        Parameters
        ----------
        n_clusters : int

        Returns
        -------
        ndarray of int64, shape (n_items,)
            The partition of least posterior expected variation of information; it may have fewer
            clusters.
        """
        check_is_fitted(self, "component_draws_")
        if self._points.codes is not None:
            raise DataError("There are no valleys between categories; give max_clusters instead.")
        n_clusters = check_whole("n_clusters", n_clusters, 1)
        cut = [
            _cut(draw, depths, n_clusters)
            for draw, depths in zip(self._of_components(), self._depths, strict=True)
        ]
        return self._of_fit()._estimate(np.stack(cut).astype(np.int32), self._seed)

    def summary(self) -> pd.DataFrame:
        found = super().summary()
        found.loc["agreement of chains", "mean"] = self.agreement_
        return found

    def _check_extensible(self) -> bool:
        if self.categorical_features is not None:
            raise AttributeError(
                "New items cannot be added to a fit with categories; fit to all items."
            )
        return True

    def _extended(self, X):
        with threadpool_limits(1, user_api="blas"):  # as in fit
            if self.metric == "precomputed":
                X, _ = new_rows(self, X, self.n_features_in_)
                new = self._placed_beside(X)
            else:
                X = self._numbers(X, reset=False)
                rng = np.random.default_rng(chain_seed(self._seed, "points", "new"))
                new = self._directions.placed(X, rng)
        points = self._points.and_more(new)
        settings = self._prior_settings()

        def seated(rng: np.random.Generator, labels: np.ndarray, moves) -> MixtureModel:
            model = build(settings, points, rng, labels, moves)
            for _ in range(NEW_SWEEPS):
                model.likelihood.update(model.partition, rng)
            return model

        return Extended(seated, len(X))

    def _placed_beside(self, rows: np.ndarray) -> Placed:
        """Return new objects placed by their distances, by classical scaling out of sample."""
        known = self._points.coordinates
        rows = rows[:, self._kept_items]
        if self.landmarks_ is not None:
            rows, known = rows[:, self.landmarks_], known[self.landmarks_]
        squares = rows**2 if self.square else rows
        n_old, n_directions = known.shape
        found = landmark_scaling(np.concatenate([self._between, squares]), np.arange(n_old))
        if not found.shape[1]:  # all distances of the fit are 0
            return Placed(np.zeros((len(rows), 1)))
        return as_before(known, *np.split(found[:, :n_directions], [n_old]))

    def _seats(self) -> np.ndarray:
        return self._of_components().reshape(self.component_draws_.shape)

    @property
    def _takes(self) -> tuple[str, ...]:
        return ("pairwise",) if self.metric == "precomputed" else ("allow_nan",)


def _counted(rows: np.ndarray, said: str, spans: np.ndarray | None = None) -> tuple:
    """Return the rows that count once, and the place of each row among them; None if all do."""
    counted = rows
    if spans is not None:  # copies may differ by little
        units = np.where(spans > 0, spans, 1.0)
        # Adding 0 makes -0 a 0, which has other bytes.
        counted = (np.round(row / units, COPIED) + 0.0 for row in rows)
    hashes = [blake2b(row.tobytes(), digest_size=16).digest() for row in counted]
    place = pd.factorize(np.array(hashes, dtype=object))[0]
    kept = np.unique(place, return_index=True)[1]
    n_copies = place.size - kept.size
    if n_copies <= MANY_COPIES * place.size or kept.size < MIN_HALVED:
        return slice(None), None
    # If no column has many values, rows may be equal because of rounding.
    least = 0.0 if spans is None else MOST_DIFFER * kept.size
    if all(np.unique(column).size < least for column in rows[kept].T):
        return slice(None), None
    warn_caller(
        f"{n_copies:,} of {place.size:,} {said}; they count once, and are in the cluster of the "
        "one that counts."
    )
    return kept, place


def _place(columns: pd.Index, name: int | str) -> int:
    """Return the position of a column that is given by its name or its position."""
    if name in columns:
        return int(columns.get_loc(name))
    if isinstance(name, Integral) and not isinstance(name, bool) and 0 <= name < len(columns):
        return int(name)
    fault = f"{{parameter}} names {name!r}, but X has no such column."
    raise ConfigError(fault, parameter="categorical_features", value=name)


def _as_floats(column: pd.Series) -> pd.Series:
    """Return a column of objects as numbers; texts are left for the checks of X to refuse."""
    try:
        return column.astype(float)
    except (TypeError, ValueError):
        return column


def _bounded_start(points: Placed, start, most: int, rng: np.random.Generator) -> np.ndarray:
    """Return the clusters of a short chain without a bound, merged to at most so many."""
    # Chains whose clusters are all taken can hardly split any, and would stay near their start.
    model = build({"prior": "dirichlet_process"}, points, rng, start)
    for _ in range(WARM_UP):
        model.sweep(rng)
    draw, n_found = factorise(model.labels)
    model.likelihood.assign(draw, n_found)
    components = model.likelihood.draw_components(rng)
    depths = valley_depths(*components, np.bincount(draw), model.likelihood.tails)
    return _cut(draw, depths, most)


def _cut(draw: np.ndarray, depths: np.ndarray, n_clusters: int) -> np.ndarray:
    """Merge components, those with the shallowest valleys first, until there are so many."""
    if len(depths) <= n_clusters:
        return draw
    tree = linkage(squareform(depths, checks=False), "average")
    return fcluster(tree, n_clusters, "maxclust")[draw] - 1


def _median_count(draws: np.ndarray) -> float:
    """Return the median number of clusters over draws, shape (n_draws, n_items)."""
    return float(np.median(numbers_of(draws)))
