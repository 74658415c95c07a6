"""The family's models, from configuration to finished chains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reseat.chains import MixtureModel, anneal
from reseat.datasets import Dissimilarities, Points
from reseat.experiments.distances.classes import held_classes
from reseat.experiments.distances.matrices import dimension, distances_of, similarities_of
from reseat.experiments.distances.plan import Run
from reseat.experiments.running import run_studies
from reseat.likelihoods import Likelihood, WishartDistances, WishartSimilarities
from reseat.moves import UNLABELLED, ClampedSweep, gibbs_sweep
from reseat.priors import make_prior

__all__ = ["make_likelihood", "model_builder", "run_models"]

Objects = Points | Dissimilarities

#: Blocks of the start from many; room for a block of each of thousands would make sweeps slow.
MANY_BLOCKS = 200


def make_likelihood(run: Run, objects: Objects, matrix: np.ndarray) -> Likelihood:
    """The likelihood of one entry of ``distances.models``, theta in the middle of its grid."""
    settings = run.settings
    dim = dimension(objects, settings)
    grid = run.grid(dim)
    if settings["likelihood"] == "similarities":
        return WishartSimilarities(matrix, dim, grid=grid, dtype=np.float64)
    return WishartDistances(
        matrix,
        dim,
        grid=grid,
        exponent=settings.get("exponent", "derived"),
        dtype=np.float64 if settings.get("precision") == "double" else np.float32,
    )


def model_builder(
    run: Run, objects: Objects, scratch: Path, number: int = 0
) -> tuple[Callable[[np.random.Generator], MixtureModel], Callable]:
    """A function that builds the model at its start, and its move.

    Chains start from one block, as in the paper; with classes that are held,
    from a block for each of them and one for the rest.  On real objects
    whose classes are not held, chains with an odd number start from many
    blocks at random, which shows whether they have forgotten where they began.
    """
    settings = run.settings
    if settings["likelihood"] == "similarities":
        matrix = similarities_of(objects, settings.get("centre"))
    else:
        matrix = distances_of(objects, settings["memory_bound_mb"], scratch)
    held = held_classes(run, objects)
    clamped = bool((held != UNLABELLED).any())
    move = ClampedSweep(held) if clamped else gibbs_sweep
    n_blocks = objects.n_blocks if settings.get("n_blocks") else None

    def build(rng: np.random.Generator) -> MixtureModel:
        model = MixtureModel(
            make_prior(settings, objects.n_items, n_blocks),
            make_likelihood(run, objects, matrix),
            (move,),
        )
        if clamped:
            model.start(move.start())
        elif isinstance(objects, Points) or number % 2 == 0:
            model.start(np.zeros(objects.n_items, dtype=int))
        else:
            model.start_at_random(min(MANY_BLOCKS, objects.n_items), rng)
        return model

    return build, move


def run_models(runs: Sequence[Run], load: Callable[[Run], Objects], **options: Any) -> None:
    """Run the chains of all models on all draws of a data set, into one folder.

    Parameters
    ----------
    runs : sequence of Run
    load : callable
        Reads the objects of a run.
    **options
        ``output``, ``scratch`` and so on, as for
        `reseat.experiments.running.run_studies`.
    """

    def prepare(run: Run) -> Callable[[int, Path], dict[str, Any]]:
        return partial(_chain, run, load(run))

    run_studies(runs, prepare, **options)


def _chain(run: Run, objects: Objects, number: int, scratch: Path) -> dict[str, Any]:
    moves = []

    def build(rng: np.random.Generator) -> MixtureModel:
        # Matrices are made when the chain begins: those of all draws would fill the memory.
        make, move = model_builder(run, objects, scratch, number)
        moves[:] = [move]
        return make(rng)

    def finish(model: MixtureModel, rng: np.random.Generator) -> dict[str, np.ndarray]:
        last = model.labels
        temper = run.settings.get("temper", "posterior")
        frozen = anneal(model, rng, temper=temper, move=moves[0], **run.settings["annealing"])
        return {"last": last, "annealed": frozen}

    return {
        "build": build,
        "finish": finish,
        "identity": {
            "model": {"name": run.model, **run.settings},
            "data": objects.identity.to_dict(),
        },
    }
