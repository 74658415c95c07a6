"""The family's models, from configuration to finished chains."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reseat.chains import MixtureModel, anneal, chain_seed
from reseat.chains.folder import SHARED
from reseat.datasets import Dissimilarities, Points
from reseat.models.distances import build
from reseat.moves import ClampedSweep, gibbs_sweep
from reseat.papers.distances.objects import (
    coordinates_of,
    dimension,
    distances_of,
    held_classes,
    similarities_of,
    start_of,
)
from reseat.papers.distances.plan import HELD, PAPER_KEY, TRUTH, Run

Objects = Points | Dissimilarities

#: Number of blocks at a start from many; room for thousands would make sweeps slow.
MANY_BLOCKS = 200


def _builder(
    run: Run, objects: Objects, memory_bound_mb: float, scratch: Path, number: int
) -> tuple[Callable[[np.random.Generator], MixtureModel], Callable]:
    """Return a function that builds the model at its start, and the move of the model."""
    settings = run.settings
    if settings["likelihood"] == "similarities":
        matrix = similarities_of(objects, settings.get("centre"))
    elif settings["likelihood"] == "points":
        matrix = coordinates_of(objects)
    else:
        shared = None if scratch is None else scratch.parent / SHARED
        matrix = distances_of(objects, memory_bound_mb, shared)
    if settings.get("n_blocks"):
        settings = settings | {"n_blocks": objects.n_blocks}
    move, start = gibbs_sweep, start_of(run, objects, number)
    if start in HELD:
        move = ClampedSweep(held_classes(run, objects))
        keys = PAPER_KEY, run.dataset, run.model, "start", str(number)
        rng = np.random.default_rng(chain_seed(run.seed, *keys))
        start = move.start(1 if start == HELD[0] else MANY_BLOCKS, rng)
    elif start == TRUTH:
        start = objects.labels
    elif start == "many":
        start = min(settings.get("n_blocks", MANY_BLOCKS), MANY_BLOCKS, objects.n_items)
    data = matrix, dimension(objects, settings)
    return partial(build, settings, data, start=start, moves=(move,)), move


def log_joint_of_truth(run: Run, objects: Points) -> float:
    """Return the log joint of the true blocks of points under a model, at the best theta."""
    make, _move = _builder(run, objects, np.inf, None, 0)
    model = make(np.random.default_rng(0))
    model.start(objects.labels)
    best = model.likelihood.log_marginal_at(np.geomspace(1e-4, 1e8, 601)).max()
    return float(best + model.log_prior())


def chains_of(
    run: Run, objects: Objects, memory_bound_mb: float = np.inf
) -> Callable[[int, Path], dict[str, Any]]:
    """Return the `prepare` of a model on some objects, as `run_studies` expects it.

    A matrix of distances above `memory_bound_mb` megabytes is kept in a file.
    """
    return partial(_chain, run, objects, objects.source(), memory_bound_mb)


def _chain(
    run: Run,
    objects: Objects,
    source: dict[str, Any],
    memory_bound_mb: float,
    number: int,
    scratch: Path,
) -> dict[str, Any]:
    moves = []
    settings = {name: value for name, value in run.settings.items() if name != "starts"}

    def begin(rng: np.random.Generator) -> MixtureModel:
        # Matrices are made only when the chain begins; those of all draws would fill the memory.
        make, move = _builder(run, objects, memory_bound_mb, scratch, number)
        moves[:] = [move]
        return make(rng)

    def finish(model: MixtureModel, rng: np.random.Generator) -> dict[str, np.ndarray]:
        last = model.labels
        temper = run.settings.get("temper", "posterior")
        frozen = anneal(model, rng, temper=temper, move=moves[0], **run.settings["annealing"])
        return {"last": last, "annealed": frozen}

    return {
        "build": begin,
        "finish": finish,
        "identity": {
            "model": {"name": run.model, **settings},
            "start": start_of(run, objects, number),
            **source,
        },
    }
