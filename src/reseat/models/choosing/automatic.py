"""Which model finds the clusters of new items best: that by which held-out entities are found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reseat.baselines.folds import grouped_folds
from reseat.errors import DataError
from reseat.likelihoods import GaussianReferences
from reseat.models.choosing.choice import Choice
from reseat.models.choosing.held_out import Trial, entity_keys, hold_out, mean_f
from reseat.models.supervised import Items, build

__all__ = ["N_FITS", "Candidate", "compare_models"]

#: What the model of two covariances is tried with; all directions are kept.
GRID = {"nuggets": (0.0, 0.02), "powers": (1.0, 0.3, 0.1, 0.03)}
#: Folds, and sweeps before the kept ones, and those.
N_FOLDS, BURN_IN, N_SAMPLES = 4, 8, 8
#: Fits in all, at most.
N_FITS = N_FOLDS * (1 + len(GRID["nuggets"]) * len(GRID["powers"]))
#: No more training items than this are looked at, of entities that are drawn.
MOST_ITEMS = 1500
#: Fewer entities than this that have two items or more decide nothing.
LEAST_ENTITIES = 8
#: More columns than this take too long.
MOST_COLUMNS = 200


@dataclass(frozen=True)
class Candidate(Trial):
    """A model, and how well it finds held-out entities.

    Attributes
    ----------
    choice : Choice or None
        What a model of two covariances is set by.
    scores : tuple of float
        See `Trial`.
    model : str
        ``two_covariances``, or the name of another.
    """

    choice: Choice | None
    model: str

    @property
    def error(self) -> float:
        """Standard error of that mean; not a number for one fold."""
        n = len(self.scores)
        return float(np.std(self.scores, ddof=1) / np.sqrt(n)) if n > 1 else np.nan


def compare_models(
    items: Items,
    settings: Mapping[str, Any],
    rng: np.random.Generator,
    after_fit: Callable[[], None] = lambda: None,
) -> list[Candidate]:
    """Find training entities that nothing was learned from, by each model.

    Parameters
    ----------
    items : Items
        Those of the test are left out.
    settings : mapping
        Of the model that the model of two covariances is to beat, as for
        `reseat.models.supervised.build`.
    rng : numpy.random.Generator
    after_fit : callable
        Called after each of at most `N_FITS` fits; what it raises ends the work.

    Returns
    -------
    list of Candidate
        The best first, and of equal ones the simpler model; none if the training entities are too
        few to tell, or have too many columns.
    """
    train = _sample(items, rng)
    points = items.data.coordinates[train]
    entities, groups = items.known[train], items.groups[train]
    keys = entity_keys(entities, groups) if train.size else entities
    if (np.bincount(keys) > 1).sum() < LEAST_ENTITIES or points.shape[1] > MOST_COLUMNS:
        return []
    try:
        folds = grouped_folds(entities, groups, N_FOLDS, rng)
        trials = hold_out(
            {"given": points},
            *(entities, groups, rng),
            folds=folds,
            **GRID,
            directions=(points.shape[1],),
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
    """Training items, all of an entity or none, and no more than can be looked at."""
    train = np.flatnonzero(~items.test)
    if train.size <= MOST_ITEMS:
        return train
    keys = entity_keys(items.known[train], items.groups[train])
    order = rng.permutation(keys.max() + 1)
    within = np.cumsum(np.bincount(keys)[order]) <= MOST_ITEMS
    return train[np.isin(keys, order[within])]
