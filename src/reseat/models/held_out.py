"""Settings of the model of two covariances, chosen by held-out training entities."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from reseat.baselines.item_pairs import grouped_folds
from reseat.metrics import as_contingency, pair_f
from reseat.models.two_covariances import build_two_covariances, learn_covariances
from reseat.priors import DirichletProcess

__all__ = ["SAMPLED", "Choice", "Trial", "entity_keys", "hold_out", "mean_f", "prior_of"]


# ---- Settings of the model of two covariances ------------------------------------------------

#: Stands for a concentration that is sampled along with everything else.
SAMPLED = "sampled"


@dataclass(frozen=True)
class Choice:
    """Settings that are chosen by held-out entities."""

    #: Name of the coordinates of the items.
    coordinates: str
    #: Share of the total variances that is added to the covariance within entities.
    nugget: float
    #: Power of the density of the items given their means.
    power: float
    #: Largest number of directions to keep, the most informative ones.
    directions: int
    #: Log concentration of the Dirichlet process: a number at which it is held, or ``sampled``.
    log_concentration: str = SAMPLED


# ---- Choice of the settings of a model of two covariances by held-out training entities ------


@dataclass(frozen=True)
class Trial:
    """A choice of settings and how well held-out entities are found with it."""

    choice: Choice
    #: Pairwise F of each fold, averaged over the kept sweeps.
    scores: tuple[float, ...]

    @property
    def score(self) -> float:
        """Mean score over the folds."""
        return float(np.mean(self.scores))


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
) -> list[Trial]:
    """Find held-out entities with every combination of the given settings.

    In each fold, both covariances are learned from some of the training entities, and the items of
    the others are clustered, starting from singletons. The trials come the best first and, among
    equals, in the order in which the settings were given. `points` may have several kinds of
    coordinates; other settings are explained by `Choice`. By default, `folds` are drawn by
    `reseat.baselines.grouped_folds`. `after_fit` is called after each fit; an exception that it
    raises ends the work. Further arguments are those of `build_two_covariances`.
    """
    if folds is None:
        folds = grouped_folds(entities, groups, n_folds, rng)
    scores: dict[Choice, list[float]] = {}
    keys = entity_keys(entities, groups)
    work = list(product(folds, points.items()))
    # Each fold and kind of coordinates has a stream of its own.
    for (held, (name, coordinates)), stream in zip(work, rng.spawn(len(work)), strict=True):
        learned = learn_covariances(coordinates[~held], keys[~held], coordinates[held])
        for values in product(nuggets, powers, directions, log_concentrations):
            choice = Choice(name, *values[:3], f"{values[3]}")
            model = build_two_covariances(
                learned.with_nugget(choice.nugget),
                coordinates,
                stream,
                test=held,
                known=entities,
                groups=groups,
                power=choice.power,
                n_directions=choice.directions,
                prior=prior_of(choice),
                **options,
            )
            found = mean_f(model, held, keys, stream, burn_in, n_samples)
            scores.setdefault(choice, []).append(found)
            after_fit()
    trials = [Trial(choice, tuple(values)) for choice, values in scores.items()]
    return sorted(trials, key=lambda trial: -trial.score)


def mean_f(model, held, keys, rng: np.random.Generator, burn_in: int, n_samples: int) -> float:
    """Return the pairwise F of held-out items, averaged over the kept sweeps of a chain.

    The model is at its start, and its first labels are those of the items.
    """
    found = []
    for sweep in range(burn_in + n_samples):
        model.sweep(rng)
        if sweep >= burn_in:
            labels = model.labels[: held.size]
            found.append(pair_f(as_contingency(keys[held], labels[held])))
    return float(np.mean(found))


def entity_keys(entities: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Number the entities of the items; entities of different groups are different."""
    keys = np.stack([groups, entities], axis=1)
    return np.unique(keys, axis=0, return_inverse=True)[1].ravel()
