"""Restarts of EM, run as the configuration asks."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reseat.baselines import fit_em_restarts
from reseat.chains import chain_seed
from reseat.datasets import Corpus
from reseat.experiments.documents.plan import SAMPLER, Run
from reseat.io import write_arrays

__all__ = ["run_em_block"]


def run_em_block(
    run: Run,
    numbers: Sequence[int],
    corpus: Corpus,
    *,
    output: Path,
    labels: Sequence[np.ndarray] | None = None,
    threads: int = 1,
) -> None:
    """Run the EM restarts of one job and write their labels and objectives.

    `output`: a ``.npz`` file with ``labels`` (n_restarts, n_documents), ``restart``,
        ``n_iterations``, ``converged`` and ``objective``, the final penalised log likelihood in
        nats.
    `labels`: start of each restart, for models that start from given labels.
    """
    settings, numbers = run.settings, list(numbers)
    results = fit_em_restarts(
        corpus.counts,
        run.n_clusters,
        rngs=[chain_seed(run.seed, *run.stream, number) for number in numbers],
        labels=labels,
        threads=threads,
        smoothing=settings["smoothing"],
        start="labels" if settings["start"] == SAMPLER else settings["start"],
        **{key: settings[key] for key in ("tolerance",) if key in settings},
    )
    found = {
        "restart": np.array(numbers),
        "labels": np.array([result.labels for result in results]),
        "n_iterations": np.array([result.n_iterations for result in results]),
        "converged": np.array([result.converged for result in results]),
        "objective": np.array([result.objective[-1] for result in results]),
    }
    write_arrays(found, output)
