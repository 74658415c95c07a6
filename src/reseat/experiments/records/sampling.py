"""The family's models, from configuration to finished chains."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reseat.chains import MixtureModel, chain_seed
from reseat.datasets import Records
from reseat.errors import ConfigError
from reseat.experiments.records.plan import PAPER_KEY, Run
from reseat.experiments.running import run_studies
from reseat.hyperpriors import BetaHyperprior, GammaHyperprior
from reseat.likelihoods import CategoricalRecords, HitMissRecords, Likelihood, RecordIndex
from reseat.moves import Chaperones, Pairs, SimilarPairs, gibbs_sweep
from reseat.priors import make_prior
from reseat.summaries import PartitionStatistics

__all__ = [
    "make_index",
    "make_likelihood",
    "make_pairs",
    "model_builder",
    "run_models",
    "start_labels",
]

#: Gibbs sweeps with which a start at random labels is relaxed.  Without them the concentration
#: follows the random blocks upwards, and chaperones alone need thousands of sweeps to come back.
RELAXING_SWEEPS = 3


def make_likelihood(settings: Mapping[str, Any], index: RecordIndex, *, real: bool) -> Likelihood:
    """The likelihood of one entry of ``records.models``.

    Parameters
    ----------
    settings : mapping
    index : RecordIndex
    real : bool
        Whether these are real records, on which the concentration is bounded
        unless ``bounded`` is false.
    """
    if settings.get("likelihood") == "hitmiss":
        miss = settings["miss"]
        hyperprior = BetaHyperprior.from_moments(miss["mean"], miss["sd"], miss["bound"])
        return HitMissRecords(index, miss["start"], hyperprior)
    delta = settings["delta"]
    bound = delta["bound"] if real and settings.get("bounded", True) else None
    return CategoricalRecords(
        index,
        delta["start"],
        settings.get("per_field", False),
        GammaHyperprior(delta["shape"], delta["rate"], bound),
    )


def make_pairs(run: Run, records: Records) -> Pairs:
    """The distribution of chaperones, the same for all chains on these records."""
    if run.settings.get("pairs") == "uniform":
        return Pairs(records.n_records)
    rng = np.random.default_rng(chain_seed(run.seed, PAPER_KEY, run.name, "pairs"))
    return SimilarPairs(records.codes, rng, **run.settings["similar"])


def make_index(run: Run, records: Records) -> RecordIndex:
    """The records, with the marginals that the model takes."""
    if run.settings.get("marginals") != "generating":
        return RecordIndex(records.codes)
    if records.marginals is None:
        raise ConfigError(
            f"The model {run.model!r} needs the marginals that the records were drawn from, which "
            f"{run.name!r} has not."
        )
    return RecordIndex(records.codes, records.marginals)


def start_labels(start: str, n_items: int, rng: np.random.Generator) -> np.ndarray:
    """Labels of a start: ``singletons``, or ``random`` labels below the number of items."""
    return np.arange(n_items) if start == "singletons" else rng.integers(0, n_items, n_items)


def model_builder(run: Run, records: Records) -> Callable[[np.random.Generator, str], MixtureModel]:
    """A function that builds the model at a start, given a generator and the start."""
    index, pairs = make_index(run, records), make_pairs(run, records)
    move = Chaperones(pairs, n_scans=run.settings.get("n_scans", 1))

    def build(rng: np.random.Generator, start: str) -> MixtureModel:
        model = MixtureModel(
            make_prior(run.settings, records.n_records),
            make_likelihood(run.settings, index, real=run.delta is None),
            (move,),
        )
        model.start(start_labels(start, records.n_records, rng))
        if start == "random":
            for _ in range(RELAXING_SWEEPS):
                gibbs_sweep(model.partition, model.prior, model.likelihood, rng)
        return model

    return build


def run_models(runs: Sequence[Run], load: Callable[[Run], Records], **options: Any) -> None:
    """Run the chains of some models on all draws of a data set, into one folder.

    Parameters
    ----------
    runs : sequence of Run
    load : callable
        Reads the records of a run.
    **options
        ``output``, ``scratch`` and so on, as for
        `reseat.experiments.running.run_studies`.
    """

    def prepare(run: Run) -> Callable[[int, Path], dict[str, Any]]:
        records = load(run)
        return partial(_chain, run, records, model_builder(run, records))

    models = ", ".join(dict.fromkeys(run.model for run in runs))
    run_studies(runs, prepare, label=f"{runs[0].dataset}: {models}", **options)


def _chain(
    run: Run, records: Records, build: Callable, number: int, _scratch: Path
) -> dict[str, Any]:
    return {
        "build": partial(build, start=run.start(number)),
        "statistics": PartitionStatistics(records.entities),
        "identity": {
            "model": {"name": run.model, **run.settings},
            "start": run.start(number),
            "data": records.identity.to_dict(),
        },
    }
