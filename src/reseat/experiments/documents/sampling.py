"""The family's models, from configuration to finished chains and restarts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reseat.baselines import fit_em_restarts
from reseat.chains import chain_seed
from reseat.datasets import Corpus
from reseat.experiments.documents.plan import Run
from reseat.experiments.running import run_studies
from reseat.io import atomic_path
from reseat.likelihoods import TermIndex
from reseat.models.documents import build

__all__ = ["run_chain_block", "run_em_block"]


def run_chain_block(run: Run, numbers: Sequence[int], corpus: Corpus, **options: Any) -> None:
    """Run the chains of one job into a folder, which appears whole.

    Chains start, as the paper's do, with every document in one of the K
    clusters at random; with K unknown, in one of as many as the paper has.

    Parameters
    ----------
    run : Run
    numbers : sequence of int
        Which chains.
    corpus : Corpus
    **options
        ``output``, ``scratch`` and so on, as for
        `reseat.experiments.running.run_studies`.
    """
    index, settings = TermIndex(corpus.counts), run.settings | {"n_blocks": run.n_clusters}
    identity = {
        "model": {"name": run.model, "n_clusters": run.n_clusters, **run.settings},
        "data": corpus.identity.to_dict(),
    }

    def decide(number: int, _scratch: Path) -> dict[str, Any]:
        return {
            "build": lambda rng: build(settings, index, rng, run.n_clusters),
            "identity": identity | {"random_sweep": run.random_sweep(number)},
        }

    run_studies(
        [run],
        lambda run: decide,
        numbers=numbers,
        label=f"{run.dataset}, {run.model}, chains {numbers[0]} to {numbers[-1]}",
        **options,
    )


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

    Parameters
    ----------
    run : Run
    numbers : sequence of int
        Which restarts.
    corpus : Corpus
    output : path
        A ``.npz`` with ``labels`` (n_restarts, n_documents), ``restart``,
        ``n_iterations``, ``converged`` and ``objective``, the last penalised
        log likelihood in nats.
    labels : sequence of arrays, optional
        Start of each restart, for models that begin at given labels.
    threads : int
    """
    settings, numbers = run.settings, list(numbers)
    results = fit_em_restarts(
        corpus.counts,
        run.n_clusters,
        rngs=[chain_seed(run.seed, *run.stream, number) for number in numbers],
        labels=labels,
        threads=threads,
        smoothing=settings["smoothing"],
        start="labels" if settings["start"] == "gibbs" else settings["start"],
        **{key: settings[key] for key in ("tolerance",) if key in settings},
    )
    with atomic_path(output) as temporary:
        np.savez_compressed(
            temporary,
            restart=np.array(numbers),
            labels=np.array([result.labels for result in results]),
            n_iterations=np.array([result.n_iterations for result in results]),
            converged=np.array([result.converged for result in results]),
            objective=np.array([result.objective[-1] for result in results]),
        )
