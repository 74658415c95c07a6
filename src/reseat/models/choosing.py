"""Models and their settings, chosen by held-out training entities."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from reseat.baselines.item_pairs import grouped_folds
from reseat.errors import DataError
from reseat.likelihoods import GaussianReferences
from reseat.metrics import as_contingency, pair_f
from reseat.models.choice import SAMPLED, Choice
from reseat.models.supervised import Items, build
from reseat.models.two_covariances import build_two_covariances, learn_covariances
from reseat.priors import DirichletProcess


@dataclass(frozen=True)
class Candidate:
    """A model and how well it finds held-out entities."""

    #: Settings of a model of two covariances; None for any other model.
    choice: Choice | None
    #: Pairwise F of each fold, averaged over the kept sweeps.
    scores: tuple[float, ...]
    model: str = "two_covariances"

    @property
    def score(self) -> float:
        """Mean score over the folds."""
        return float(np.mean(self.scores))

    @property
    def error(self) -> float:
        """Standard error of the mean over the folds; NaN if there is only one."""
        n = len(self.scores)
        return float(np.std(self.scores, ddof=1) / np.sqrt(n)) if n > 1 else np.nan


def prior_of(choice: Choice) -> DirichletProcess | None:
    """Return the prior of the partition, or None if its concentration is sampled."""
    if choice.log_concentration == SAMPLED:
        return None
    return DirichletProcess(float(np.exp(float(choice.log_concentration))))


def hold_out(
    points: Mapping[str, np.ndarray],
    entities: np.ndarray,
    groups: np.ndarray,
    rng: np.random.Generator,
    *,
    nuggets: Sequence[float],
    powers: Sequence[float],
    directions: Sequence[int],
    log_concentrations: Sequence[float | str] = (SAMPLED,),
    n_folds: int = 4,
    folds: Sequence[np.ndarray] | None = None,
    burn_in: int = 12,
    n_samples: int = 12,
    after_fit: Callable[[], None] = lambda: None,
    **options: Any,
) -> list[Candidate]:
    """Find held-out entities with all combinations of the settings of `Choice`, the best first."""
    if folds is None:
        folds = grouped_folds(entities, groups, n_folds, rng)
    scores: dict[Choice, list[float]] = {}
    keys = entity_keys(entities, groups)
    work = list(product(folds, points.items()))
    # Each fold and kind of coordinates has a stream of its own.
    for (held, (name, coordinates)), stream in zip(work, rng.spawn(len(work)), strict=True):
        learned = learn_covariances(coordinates[~held], keys[~held], coordinates[held])
        marks = {"test": held, "known": entities, "groups": groups}
        for values in product(nuggets, powers, directions, log_concentrations):
            choice = Choice(name, *values[:3], f"{values[3]}")
            chosen = {"power": choice.power, "n_directions": choice.directions}
            spread = learned.with_nugget(choice.nugget)
            model = build_two_covariances(
                spread, coordinates, stream, prior=prior_of(choice), **marks, **chosen, **options
            )
            found = mean_f(model, held, keys, stream, burn_in, n_samples)
            scores.setdefault(choice, []).append(found)
            after_fit()
    trials = [Candidate(choice, tuple(values)) for choice, values in scores.items()]
    return sorted(trials, key=lambda trial: -trial.score)


def mean_f(model, held, keys, rng: np.random.Generator, burn_in: int, n_samples: int) -> float:
    """Return the pairwise F of held-out items with the first labels, averaged over kept sweeps."""
    found = []
    for sweep in range(burn_in + n_samples):
        model.sweep(rng)
        if sweep >= burn_in:
            labels = model.labels[: held.size]
            # A model that learns nothing has the held-out items alone.
            labels = labels[held] if labels.size == held.size else labels
            found.append(pair_f(as_contingency(keys[held], labels)))
    return float(np.mean(found))


def f_of_folds(
    settings: Mapping[str, Any],
    data: GaussianReferences,
    entities: np.ndarray,
    groups: np.ndarray,
    folds: Sequence[np.ndarray],
    rng: np.random.Generator,
    burn_in: int,
    n_samples: int,
    after_fit: Callable[[], None] = lambda: None,
) -> tuple[float, ...]:
    """Return how well a model of `build` finds the items of each fold from singletons."""
    keys, found = entity_keys(entities, groups), []
    for held, stream in zip(folds, rng.spawn(len(folds)), strict=True):
        model = build(settings, Items(data, held, entities, groups), stream, "singletons")
        found.append(mean_f(model, held, keys, stream, burn_in, n_samples))
        after_fit()
    return tuple(found)


def entity_keys(entities: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Number the entities of the items; entities of different groups are different."""
    keys = np.stack([groups, entities], axis=1)
    return np.unique(keys, axis=0, return_inverse=True)[1].ravel()


# ---- Choice of the model, the one that finds held-out entities best --------------------------

#: Settings that are tried for the model of two covariances; all directions are kept.
GRID = {"nuggets": (0.0, 0.02), "powers": (1.0, 0.3, 0.1, 0.03)}
#: Numbers of folds, of burn-in sweeps and of kept sweeps.
N_FOLDS, BURN_IN, N_SAMPLES = 4, 8, 8
#: Largest total number of fits.
N_FITS = N_FOLDS * (1 + len(GRID["nuggets"]) * len(GRID["powers"]))
#: Largest number of training items to use; if there are more, entities are drawn at random.
MAX_ITEMS = 1500
#: Least number of entities with several items, and largest number of columns, that are compared.
MIN_ENTITIES, MAX_COLUMNS = 8, 200


def compare_models(
    items: Items,
    settings: Mapping[str, Any],
    rng: np.random.Generator,
    after_fit: Callable[[], None] = lambda: None,
) -> list[Candidate]:
    """Compare the model of two covariances with that of `settings`, which comes first in a tie."""
    # The list is empty if training entities are too few or too alike to tell, or have many columns.
    train = _sample(items, rng)
    points = items.data.coordinates[train]
    entities, groups = items.known[train], items.groups[train]
    keys = entity_keys(entities, groups) if train.size else entities
    if (np.bincount(keys) > 1).sum() < MIN_ENTITIES or points.shape[1] > MAX_COLUMNS:
        return []
    # A column may vary only among the items that were not drawn.
    varying = points[:, np.ptp(points, axis=0) > 0]
    if not varying.shape[1]:
        return []
    try:
        fits = {"folds": grouped_folds(entities, groups, N_FOLDS, rng), "after_fit": after_fit}
        fits |= {"burn_in": BURN_IN, "n_samples": N_SAMPLES}
        options = GRID | fits | {"directions": (varying.shape[1],)}
        trials = hold_out({"given": varying}, entities, groups, rng, **options)
    except DataError:  # the entities of some fold do not differ, or no fold is left
        return []
    data = GaussianReferences(points, items.data.feature_of)
    scores = f_of_folds(settings, data, entities, groups, rng=rng, **fits)
    candidates = [Candidate(None, scores, settings["model"]), *trials]
    return sorted(candidates, key=lambda candidate: -candidate.score)


def _sample(items: Items, rng: np.random.Generator) -> np.ndarray:
    """Return at most `MAX_ITEMS` training items: all items of an entity or none."""
    train = np.flatnonzero(~items.test)
    if train.size <= MAX_ITEMS:
        return train
    keys = entity_keys(items.known[train], items.groups[train])
    order = rng.permutation(keys.max() + 1)
    within = np.cumsum(np.bincount(keys)[order]) <= MAX_ITEMS
    return train[np.isin(keys, order[within])]
