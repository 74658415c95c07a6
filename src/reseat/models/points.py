"""Points, or objects with distances, as a mixture of Student-t components."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg

from reseat.chains import MixtureModel
from reseat.errors import DataError
from reseat.likelihoods import CategoricalRecords, JointBlocks, Likelihood, StudentBlocks
from reseat.models.starts import begin
from reseat.moves import SplitMerge, gibbs_sweep
from reseat.numerics import k_means, on_grid, with_signs
from reseat.priors import GammaHyperprior, make_prior

#: Largest number of directions that are all kept, and fewest items for each of them.
ALL_UP_TO, ITEMS_EACH = 15, 5
#: Most and fewest of more directions that are kept, and share of the variance that they hold.
MOST_KEPT, FEWEST_KEPT, KEPT_SHARE = 20, 2, 0.9
#: Eigenvalues are zero up to rounding below this part of the largest.
ROUNDED = 1e-10
#: Share of the items with the same value in a column above which values are spread; and the width
#: over which they are, in standard deviations, at least if all are rounded, and otherwise.
TIED, ROUNDED_WIDTH, TIED_WIDTH = 0.1, 0.25, 1.0
#: Number of rows that are read at once.
ROWS = 10_000
#: Numbers of clusters of the starts by K-means, besides one cluster; and fewest items for each.
KMEANS_STARTS, ITEMS_OF_START = (30, 10, 20), 3
#: Splits and merges that are proposed in each sweep, and scans before each proposal.
PROPOSALS = {"n_proposals": 16, "n_scans": 3}
#: Prior of the concentration of categories in each block and column: gamma with a mean of 1.
CATEGORIES = {"shape": 1.0, "rate": 1.0}


@dataclass(frozen=True)
class Directions:
    """The directions of points that the model sees: centred, and with a variance of 1 in each."""

    #: Shape (n_columns,).
    mean: np.ndarray
    #: Shape (n_columns, n_directions).
    weights: np.ndarray
    #: Width over which values of each column are spread, and the only one that is, or NaN for all.
    widths: np.ndarray
    tied: np.ndarray
    #: Share of the variance of all columns that is in these directions.
    share: float

    def placed(
        self, points: np.ndarray, rng: np.random.Generator, codes: np.ndarray | None = None
    ) -> "Placed":
        """Return what the model sees of points, and of their categories."""
        found = np.empty((len(points), self.weights.shape[1]))
        for rows in _parts(len(points)):
            part = _centred(_spread(points[rows], self.widths, self.tied, rng), self.mean)
            found[rows] = part @ self.weights
        # What a column that does not vary lacks is known.
        items, columns = np.nonzero(np.isnan(points) & self.weights.any(axis=1))
        return Placed(on_grid(found), (items, self.weights[columns]), codes)


@dataclass(frozen=True)
class Placed:
    """Points as the model sees them."""

    #: Shape (n_items, n_directions); missing cells are guessed to be the mean of their column.
    coordinates: np.ndarray
    #: Item of each missing cell, and how the coordinates change with its value.
    missing: tuple[np.ndarray, np.ndarray] | tuple[()] = ()
    #: Codes of the categories of the items, -1 if they are missing; None if there are none.
    codes: np.ndarray | None = None

    def numbers(self) -> StudentBlocks:
        """Return the likelihood of the points."""
        return StudentBlocks(self.coordinates, **{"missing": self.missing} if self.missing else {})

    def likelihood(self) -> Likelihood:
        """Return the likelihood of the points and the categories."""
        if self.codes is None:
            return self.numbers()
        law = GammaHyperprior(**CATEGORIES)
        categories = CategoricalRecords(self.codes, 1.0, per_field=True, hyperprior=law)
        return JointBlocks(self.numbers(), categories)

    def and_more(self, new: "Placed") -> "Placed":
        """Return these points followed by others."""
        coordinates = np.concatenate([self.coordinates, new.coordinates])
        if not self.missing:  # of objects with distances
            return Placed(coordinates)
        items, changes = zip(self.missing, new.missing, strict=True)
        places = np.append(items[0], len(self.coordinates) + items[1])
        return Placed(coordinates, (places, np.concatenate(changes)))


def find_directions(points: np.ndarray, scale: bool, rng: np.random.Generator) -> Directions:
    """Return invariant coordinates (Tyler et al. 2009) or, of many, leading principal components.

    Only for the latter do the units of columns matter, which `scale` sets to standard deviations.
    """
    n_items, n_columns = points.shape
    gaps = bool(np.isnan(points).any())
    if gaps:
        mean = np.nanmean(points, axis=0, dtype=float)
    else:
        mean = sum(points[rows].sum(axis=0, dtype=float) / n_items for rows in _parts(n_items))
    widths, tied = np.zeros((2, n_columns))
    if n_columns <= ALL_UP_TO:
        widths, tied = np.array([_width(column[~np.isnan(column)]) for column in points.T]).T
    seed = int(rng.integers(2**31))

    def chunks():
        again = np.random.default_rng(seed)
        return (
            _centred(_spread(points[rows], widths, tied, again), mean) for rows in _parts(n_items)
        )

    deviations = np.sqrt(sum((part**2).sum(axis=0) for part in chunks()) / n_items)
    units = np.where(deviations > 0, deviations, 1.0)
    values, vectors = _principal(chunks, units, n_items)
    rank = int((values > ROUNDED * values[0]).sum()) if values[0] > 0 else 0
    if rank == 0:
        return Directions(mean, np.zeros((n_columns, 1)), widths, tied, 1.0)
    if rank <= min(ALL_UP_TO, n_items // ITEMS_EACH):
        weights = vectors[:, :rank] / np.sqrt(values[:rank]) / units[:, None]
        # Once more, because rounding errors of a covariance of very different columns are large.
        second = sum((part @ weights).T @ (part @ weights) for part in chunks()) / n_items
        values, vectors = linalg.eigh(second)
        weights = weights @ (vectors / np.sqrt(values))
        fourth = 0.0
        for found in (part @ weights for part in chunks()):
            fourth = fourth + found.T @ (found * (found**2).sum(axis=1)[:, None]) / n_items
        weights = weights @ linalg.eigh(fourth)[1][:, ::-1]
        share = 1.0
    else:
        if gaps:
            raise DataError(
                f"X has empty cells among {n_items} rows and {n_columns} columns; cells can be "
                f"empty only if at most {ALL_UP_TO} columns differ, with {ITEMS_EACH} rows for "
                "each. Fill the cells in, or leave columns out."
            )
        if not scale:
            units = np.ones(n_columns)
            values, vectors = _principal(chunks, units, n_items)
        n_kept = n_directions(values, n_items)
        weights = vectors[:, :n_kept] / np.sqrt(values[:n_kept]) / units[:, None]
        share = float(values[:n_kept].sum() / values.sum())
    # The sign of each direction is such that the largest coordinate is positive.
    ends = np.zeros((2, weights.shape[1]))
    for part in chunks():
        found = on_grid(part @ weights)
        ends[0] = np.maximum(ends[0], found.max(axis=0))
        ends[1] = np.maximum(ends[1], -found.min(axis=0))
    return Directions(mean, weights * np.where(ends[1] > ends[0], -1.0, 1.0), widths, tied, share)


def n_directions(values: np.ndarray, n_items: int) -> int:
    """Return how many leading directions lie above the edge of noise (Marchenko & Pastur 1967)."""
    values = values[values > ROUNDED * values[0]]
    rank = values.size
    if rank <= min(ALL_UP_TO, n_items // ITEMS_EACH):
        return rank
    n_kept = 0
    while n_kept < rank - 1:
        noise = values[n_kept:].mean()
        edge = noise * (1 + np.sqrt((rank - n_kept) / (n_items - 1))) ** 2
        if values[n_kept] <= edge:
            break
        n_kept += 1
    of_variance = int(np.searchsorted(np.cumsum(values), KEPT_SHARE * values.sum())) + 1
    return min(rank, max(FEWEST_KEPT, min(n_kept, of_variance, MOST_KEPT)))


def whitened(placed: np.ndarray) -> tuple[np.ndarray, float]:
    """Return leading principal coordinates, scaled to a variance of 1, and their spectrum's share.

    Those that are `placed` come largest first, each times the root of its eigenvalue.
    """
    if not placed.shape[1]:
        return np.zeros((len(placed), 1)), 1.0
    placed = placed - placed.mean(axis=0)
    values = np.square(placed).sum(axis=0) / len(placed)
    n_kept = n_directions(values, len(placed))
    share = float(values[:n_kept].sum() / values.sum())
    return with_signs(on_grid(placed[:, :n_kept] / np.sqrt(values[:n_kept]))), share


def as_before(known: np.ndarray, old: np.ndarray, new: np.ndarray) -> Placed:
    """Return new points in `known` coordinates, which differ by sign, unit and origin."""
    centre, middle = old.mean(axis=0), known.mean(axis=0)
    moved = ((old - centre) * (known - middle)).sum(axis=0)
    unit = moved / np.square(old - centre).sum(axis=0)
    return Placed(on_grid(middle + (new - centre) * unit))


def build(
    settings: Mapping[str, Any],
    points: Placed,
    rng: np.random.Generator,
    start: str | int | np.ndarray,
    moves: Sequence[Callable] | None = None,
) -> MixtureModel:
    """Build the model at its start; a number is that of the clusters of K-means."""
    moves = (SplitMerge(**PROPOSALS), gibbs_sweep) if moves is None else moves
    likelihood = points.likelihood()
    model = MixtureModel(make_prior(settings, likelihood.n_items), likelihood, moves)
    if isinstance(start, int):
        start = k_means(points.coordinates, start, rng)
    begin(model, start, rng)
    return model


def starts(n_items: int) -> tuple[str | int, ...]:
    """Return the starts of chains, which take turns."""
    bound = max(1, n_items // ITEMS_OF_START)
    return "one", *(min(number, bound) for number in KMEANS_STARTS)


def _parts(n_items: int) -> list[slice]:
    return [slice(first, first + ROWS) for first in range(0, n_items, ROWS)]


def _centred(points: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Return points minus the mean, with 0 for missing cells."""
    found = points - mean
    found[np.isnan(found)] = 0.0
    return found


def _spread(points: np.ndarray, widths, tied, rng: np.random.Generator) -> np.ndarray:
    """Return points with tied values of some columns spread uniformly over a width."""
    columns = np.flatnonzero(widths)
    if not columns.size:
        return points
    found = np.array(points, dtype=float)
    noise = widths[columns] * (rng.random((len(points), columns.size)) - 0.5)
    chosen = np.isnan(tied[columns]) | (found[:, columns] == tied[columns])
    found[:, columns] += np.where(chosen, noise, 0.0)
    return found


def _width(column: np.ndarray) -> tuple[float, float]:
    """Return the width over which tied values of a column are spread, and which; 0 for none.

    All whole numbers are spread; of others, such as amounts that are often zero, the most frequent.
    """
    values, times = np.unique(column, return_counts=True)
    if values.size < 2 or times.max() <= max(1, TIED * column.size):
        return 0.0, np.nan
    deviation = float(np.std(column, dtype=float))
    gaps = np.diff(values.astype(float))
    steps = gaps / gaps.min()
    if (np.abs(steps - np.rint(steps)) < 1e-6 * steps).all():
        return max(float(gaps.min()), ROUNDED_WIDTH * deviation), np.nan
    return TIED_WIDTH * deviation, float(values[times.argmax()])


def _principal(chunks: Callable, units: np.ndarray, n_items: int) -> tuple[np.ndarray, np.ndarray]:
    """Return eigenvalues and eigenvectors of the covariance, largest first."""
    scaled = (part / units for part in chunks())
    if n_items > units.size:
        values, vectors = linalg.eigh(sum(part.T @ part / n_items for part in scaled))
    else:
        points = np.concatenate([*scaled])
        values, left = linalg.eigh(points @ points.T / n_items)
        vectors = points.T @ left / np.sqrt(n_items * np.maximum(values, ROUNDED * values[-1]))
    return np.maximum(values[::-1], 0.0), vectors[:, ::-1]
