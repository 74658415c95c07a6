"""Choice of the model for the clusters of new items: the one that finds held-out entities best."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reseat.baselines.item_pairs import grouped_folds
from reseat.errors import DataError
from reseat.likelihoods import GaussianReferences
from reseat.models.held_out import Choice, Trial, entity_keys, hold_out, mean_f
from reseat.models.supervised import Items, build

__all__ = ["N_FITS", "Candidate", "compare_models"]

#: Settings that are tried for the model of two covariances; all directions are kept.
GRID = {"nuggets": (0.0, 0.02), "powers": (1.0, 0.3, 0.1, 0.03)}
#: Numbers of folds, of burn-in sweeps and of kept sweeps.
N_FOLDS, BURN_IN, N_SAMPLES = 4, 8, 8
#: Largest total number of fits.
N_FITS = N_FOLDS * (1 + len(GRID["nuggets"]) * len(GRID["powers"]))
#: Largest number of training items to use; if there are more, entities are drawn at random.
MOST_ITEMS = 1500
#: Least number of entities with two items or more; with fewer, nothing is compared.
LEAST_ENTITIES = 8
#: More columns than this take too long.
MOST_COLUMNS = 200


@dataclass(frozen=True)
class Candidate(Trial):
    """A model and how well it finds held-out entities."""

    #: Settings of a model of two covariances; None for any other model.
    choice: Choice | None
    #: ``two_covariances``, or the name of another model.
    model: str

    @property
    def error(self) -> float:
        """Standard error of the mean over the folds; NaN if there is only one."""
        n = len(self.scores)
        return float(np.std(self.scores, ddof=1) / np.sqrt(n)) if n > 1 else np.nan


def compare_models(
    items: Items,
    settings: Mapping[str, Any],
    rng: np.random.Generator,
    after_fit: Callable[[], None] = lambda: None,
) -> list[Candidate]:
    """Compare models by how well they find training entities from which they have not learned.

    `settings` are those of the model that the model of two covariances is to beat, as for
    `reseat.models.supervised.build`. The best comes first and, among equals, that model; the list
    is empty if the training entities are too few or too alike to tell, or have too many columns.
    `after_fit` is called after each of at most `N_FITS` fits; an exception that it raises ends the
    work.
    """
    train = _sample(items, rng)
    points = items.data.coordinates[train]
    entities, groups = items.known[train], items.groups[train]
    keys = entity_keys(entities, groups) if train.size else entities
    if (np.bincount(keys) > 1).sum() < LEAST_ENTITIES or points.shape[1] > MOST_COLUMNS:
        return []
    # A column may vary only among the items that were not drawn.
    varying = points[:, np.ptp(points, axis=0) > 0]
    if not varying.shape[1]:
        return []
    try:
        folds = grouped_folds(entities, groups, N_FOLDS, rng)
        trials = hold_out(
            {"given": varying},
            *(entities, groups, rng),
            folds=folds,
            **GRID,
            directions=(varying.shape[1],),
            burn_in=BURN_IN,
            n_samples=N_SAMPLES,
            after_fit=after_fit,
        )
    except DataError:  # the entities of some fold do not differ, or no fold is left
        return []
    found = []
    data = GaussianReferences(points, items.data.feature_of)
    for held, stream in zip(folds, rng.spawn(len(folds)), strict=True):
        model = build(settings, Items(data, held, entities, groups), stream, "singletons")
        found.append(mean_f(model, held, keys, stream, BURN_IN, N_SAMPLES))
        after_fit()
    candidates = [Candidate(None, tuple(found), settings["model"])]
    candidates += [Candidate(trial.choice, trial.scores, "two_covariances") for trial in trials]
    return sorted(candidates, key=lambda candidate: -candidate.score)


def _sample(items: Items, rng: np.random.Generator) -> np.ndarray:
    """Return at most `MOST_ITEMS` training items: all items of an entity or none."""
    train = np.flatnonzero(~items.test)
    if train.size <= MOST_ITEMS:
        return train
    keys = entity_keys(items.known[train], items.groups[train])
    order = rng.permutation(keys.max() + 1)
    within = np.cumsum(np.bincount(keys)[order]) <= MOST_ITEMS
    return train[np.isin(keys, order[within])]
