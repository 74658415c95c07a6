"""The family's models, from configuration to finished chains."""

from collections.abc import Callable
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


def _move(run: Run, objects: Objects, number: int) -> Callable:
    held = start_of(run, objects, number) in HELD
    return ClampedSweep(held_classes(run, objects)) if held else gibbs_sweep


def _model(
    run: Run,
    objects: Objects,
    number: int,
    rng: np.random.Generator,
    memory_bound_mb: float = np.inf,
    folder: Path | None = None,
) -> MixtureModel:
    """Return the model of a chain at its start; `folder` is for matrices above the bound."""
    settings, start = run.settings, start_of(run, objects, number)
    if settings["likelihood"] == "similarities":
        matrix = similarities_of(objects, settings.get("centre"))
    elif settings["likelihood"] == "points":
        matrix = coordinates_of(objects)
    else:
        matrix = distances_of(objects, memory_bound_mb, folder)
    if settings.get("n_blocks"):
        settings = settings | {"n_blocks": objects.n_blocks}
    move = _move(run, objects, number)
    if start in HELD:
        keys = PAPER_KEY, run.dataset, run.model, "start", str(number)
        own = np.random.default_rng(chain_seed(run.seed, *keys))
        start = move.start(1 if start == HELD[0] else MANY_BLOCKS, own)
    elif start == TRUTH:
        start = objects.labels
    elif start == "many":
        start = min(settings.get("n_blocks", MANY_BLOCKS), MANY_BLOCKS, objects.n_items)
    data = matrix, dimension(objects, settings)
    return build(settings, data, rng, start, (move,))


def log_joint_of_truth(run: Run, objects: Points) -> float:
    """Return the log joint of the true blocks of points under a model, at the best theta."""
    model = _model(run, objects, 0, np.random.default_rng(0))
    model.start(objects.labels)
    best = model.likelihood.log_marginal_at(np.geomspace(1e-4, 1e8, 601)).max()
    return float(best + model.log_prior())


def chains_of(
    run: Run, objects: Objects, memory_bound_mb: float = np.inf
) -> Callable[[int, Path], dict[str, Any]]:
    """Return the `prepare` of a model for `run_studies`; larger matrices are kept in files."""
    settings = {name: value for name, value in run.settings.items() if name != "starts"}
    model, source = {"name": run.model, **settings}, objects.source()

    def chain(number: int, scratch: Path) -> dict[str, Any]:
        def begin(rng: np.random.Generator) -> MixtureModel:
            # Matrices are made only when the chain begins; those of all draws would fill memory.
            return _model(run, objects, number, rng, memory_bound_mb, scratch.parent / SHARED)

        def finish(model: MixtureModel, rng: np.random.Generator) -> dict[str, np.ndarray]:
            how = {"move": _move(run, objects, number), **settings["annealing"]}
            last, temper = model.labels, settings.get("temper", "posterior")
            return {"last": last, "annealed": anneal(model, rng, temper=temper, **how)}

        start = start_of(run, objects, number)
        identity = {"model": model, "start": start, **source}
        return {"build": begin, "finish": finish, "identity": identity}

    return chain
