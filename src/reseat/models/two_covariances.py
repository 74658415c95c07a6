"""A Gaussian model of items and entities with full covariances within and between entities."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import eigh

from reseat.chains import GroupedModel, MixtureModel
from reseat.checks import as_mask, numbered_names
from reseat.errors import DataError
from reseat.likelihoods import GaussianReferences, ReferenceMeans, ReferencePrecisions
from reseat.likelihoods.references import PUBLICATION, TYPE
from reseat.models.joint_moves import mutual_neighbours
from reseat.models.references import CONCENTRATION, restaurants, start_labels
from reseat.moves import JointSplitMerge, RestrictedSweep
from reseat.numerics import on_grid, rounded, with_signs
from reseat.priors import DirichletProcess, PartitionPrior

#: Number of pseudo-items that shrink the covariance within entities towards its diagonal.
PSEUDO_ITEMS = 20
#: Least variance in any direction, within and between, as a share of the total variance: that
#: coordinates are exactly equal among the training items does not mean that they always will be.
FLOOR = 1e-6
#: EM stops after this many steps, or when a step adds less than this to the log density per item.
MAX_STEPS, MIN_GAIN = 200, 1e-4


@dataclass(frozen=True)
class TwoCovariances:
    """Items ``r ~ N(p, within)`` about the means ``p ~ N(centre, between)`` of their entities."""

    #: Shape (n_coordinates,); that of the covariances, also of all items, is its square.
    centre: np.ndarray
    within: np.ndarray
    between: np.ndarray
    total: np.ndarray
    #: Penalised log density of the training items before each step of EM, and after the last.
    log_densities: tuple[float, ...] = ()

    def with_nugget(self, share: float) -> TwoCovariances:
        """Return a copy with a share of the total variances added within entities."""
        return replace(self, within=self.within + share * np.diag(np.diag(self.total)))

    def coordinates(self, points: np.ndarray, n_directions: int | None = None) -> tuple:
        """Return coordinates in which means have the covariance I, and precisions about these."""
        ratios, axes = _diagonalise(self.between, self.within)
        kept = np.flatnonzero(ratios > FLOOR)[::-1][:n_directions]
        if not kept.size:
            raise DataError(
                "All training entities have the same mean, so they cannot be distinguished."
            )
        axes = axes[:, kept] / np.sqrt(ratios[kept])
        return with_signs(on_grid((points - self.centre) @ axes)), rounded(ratios[kept])


def learn_covariances(points, entities, others=None) -> TwoCovariances:
    """Learn both covariances from items of known entities, by EM under inverse Wishart priors.

    The prior within entities is worth `PSEUDO_ITEMS` items with the diagonal of that covariance,
    and that of the means, as many entities as coordinates with the rest of the total covariance.
    """
    points = np.asarray(points, dtype=float)
    if np.shape(entities) != points.shape[:1]:
        raise DataError(
            f"The entities have the shape {np.shape(entities)}; there must be one for each of the "
            f"{len(points)} points."
        )
    labels = numbered_names(entities, "entities")
    sizes = np.bincount(labels).astype(float)
    n_items, n_entities, n = len(points), sizes.size, points.shape[1]
    if n_entities < 2:
        raise DataError(
            f"The training items belong to {n_entities} entities; there must be at least two."
        )
    centre = points.mean(axis=0)
    points = points - centre
    averages = np.zeros((n_entities, n))
    np.add.at(averages, labels, points)
    averages /= sizes[:, None]
    residuals = points - averages[labels]
    scatter = residuals.T @ residuals
    # Items of unknown entities vary in further directions.
    every = points if others is None else np.concatenate([points, np.asarray(others) - centre])
    total = every.T @ every / len(every)
    least = FLOOR * np.diag(np.diag(total))

    pooled = scatter / n_items
    prior_within = np.diag(np.diag(pooled)) + least
    values, vectors = np.linalg.eigh(total - pooled)
    prior_between = (vectors * np.maximum(values, 0.0)) @ vectors.T + least
    within, between = pooled + PSEUDO_ITEMS / n_items * prior_within, prior_between
    found: list[float] = []
    while True:
        ratios, axes = _diagonalise(between, within)
        back = within @ axes  # the inverse of the transpose of the axes
        means = averages @ axes
        # Posterior variances and expectations of means where both covariances are diagonal.
        spread = ratios / (1 + sizes[:, None] * ratios)
        expected = sizes[:, None] * spread * means
        value = _log_density(means, sizes, ratios, within, scatter, n_items)
        value -= _penalty(PSEUDO_ITEMS, within, prior_within)
        found.append(value - _penalty(n, between, prior_between))
        stopped = len(found) > 1 and found[-1] - found[-2] < MIN_GAIN * n_items
        if stopped or len(found) > MAX_STEPS:
            return TwoCovariances(centre, within, between, total, tuple(found))
        moments = expected.T @ expected + np.diag(spread.sum(axis=0))
        off = means - expected
        misses = (off.T * sizes) @ off + np.diag(sizes @ spread)
        between = (back @ moments @ back.T + n * prior_between) / (n_entities + n)
        within = scatter + back @ misses @ back.T + PSEUDO_ITEMS * prior_within
        within /= n_items + PSEUDO_ITEMS


def _diagonalise(between, within):
    """Return ascending ratios L and axes V with ``V' within V = I`` and ``V' between V = L``."""
    ratios, axes = eigh(between, within)
    return np.maximum(ratios, 0.0), axes


def _log_density(means, sizes, ratios, within, scatter, n_items):
    """Return the log density of the items with the means of the entities integrated out."""
    # That of items about their average, times that of the average, of variance ratios + 1 / size.
    log_det = np.linalg.slogdet(within)[1]
    value = (n_items - sizes.size) * log_det + np.trace(np.linalg.solve(within, scatter))
    value += len(ratios) * (n_items * np.log(2 * np.pi) + np.log(sizes).sum())
    variances = ratios + 1 / sizes[:, None]
    value += sizes.size * log_det + (np.log(variances) + means**2 / variances).sum()
    return -value / 2


def _penalty(weight, matrix, prior):
    """Return the penalty of a covariance whose prior acts like `weight` observations of `prior`."""
    solved = np.trace(np.linalg.solve(matrix, prior))
    return weight / 2 * (np.linalg.slogdet(matrix)[1] + solved)


class TwoCovarianceModel(GroupedModel):
    """Clusters of the test items, in the `TwoCovariances.coordinates`, for one type of items."""

    def __init__(self, prior, data, precisions, moves, groups, items, joint=(), held=False):
        means = ReferenceMeans(data)
        super().__init__(prior, means, moves, groups)
        self.items, self.joint, self.held = items, tuple(joint), held
        self.types = MixtureModel(DirichletProcess(1.0), ReferencePrecisions(data), ())
        self.types.start(np.zeros(data.n_items, dtype=int))
        self.types.likelihood.precisions = precisions
        means.condition({TYPE: self.types})

    def sweep(self, rng: np.random.Generator) -> int:
        """Make a sweep as any mixture model does, unless the items are held."""
        if not self.held:
            return super().sweep(rng)
        self.update_prior(rng)
        return 0

    def move(self, rng: np.random.Generator) -> int:
        """Apply every move once; return how many items moved."""
        return sum(move(self, self.types, rng) for move in self.joint) + super().move(rng)

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of all clusters, and of clusters with test items."""
        found = np.unique(self.partition.label_array[self.items]).size
        return {**super().n_clusters, "n_test_clusters": found}


def build_two_covariances(
    covariances: TwoCovariances,
    points: np.ndarray,
    rng: np.random.Generator,
    *,
    test,
    known,
    groups,
    power: float = 1.0,
    n_directions: int | None = None,
    start: str | np.ndarray = "singletons",
    prior: PartitionPrior | None = None,
    n_proposals: int = 60,
    n_neighbours: int = 10,
    held: bool = False,
) -> TwoCovarianceModel:
    """Build the model of two covariances at its start; arguments are as for `build_supervised`.

    A `power` of the density below 1 takes the model to hold approximately (Miller and Dunson 2019).
    If items are `held`, only the hyperparameters of the prior are drawn.
    """
    test, groups = as_mask(test, "The marks of test items"), np.asarray(groups)
    coordinates, precisions = covariances.coordinates(points, n_directions)
    data = GaussianReferences(coordinates)
    of, items = restaurants(groups, test), np.flatnonzero(test)
    # Neighbours in units of the scatter about a mean, which is what distinguishes entities.
    near = mutual_neighbours(coordinates * np.sqrt(precisions), of, items, n_neighbours)
    prior = DirichletProcess(1.0, CONCENTRATION) if prior is None else prior
    moves = [RestrictedSweep(of, items)]
    joint = [JointSplitMerge(items, of, near, n_proposals)] if n_proposals else ()
    model = TwoCovarianceModel(prior, data, power * precisions, moves, of, items, joint, held)
    model.start(start_labels(groups, test, np.asarray(known), start)[PUBLICATION])
    return model
