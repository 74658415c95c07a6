"""The family's models, from configuration to finished chains and restarts."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from reseat.baselines import fit_em_restarts
from reseat.chains import Chain, MixtureModel, chain_seed, run_folder
from reseat.datasets import Corpus
from reseat.experiments.documents.plan import Run
from reseat.io import atomic_path
from reseat.likelihoods import DirichletMultinomial, TermIndex
from reseat.priors import make_prior

__all__ = ["run_chain_block", "run_em_block"]


def run_chain_block(
    run: Run,
    numbers: Sequence[int],
    corpus: Corpus,
    *,
    output: Path,
    scratch: Path,
    threads: int = 1,
    checkpoint_seconds: float = 30.0,
    stop: threading.Event | None = None,
) -> None:
    """Run the chains of one job into the folder `output`, which appears whole.

    Chains start, as the paper's do, with every document in one of the K
    clusters at random; with K unknown, in one of as many as the paper has.

    Parameters
    ----------
    run : Run
    numbers : sequence of int
        Which chains.
    corpus : Corpus
    output : path
        Folder of the finished files.
    scratch : path
        Folder that unfinished and finished chains share until all are done; a
        job that is started again finds them there.
    threads : int
        Chains side by side.
    checkpoint_seconds : float
    stop : threading.Event, optional
    """
    settings, n_clusters = run.settings, run.n_clusters
    index = TermIndex(corpus.counts)

    def build(rng: np.random.Generator) -> MixtureModel:
        mixture = MixtureModel(
            make_prior(settings, index.n_items, n_clusters),
            DirichletMultinomial(index, settings["beta"]),
        )
        mixture.start_at_random(n_clusters, rng)
        return mixture

    identity = {
        "model": {"name": run.model, "n_clusters": n_clusters, **settings},
        "data": corpus.identity.to_dict(),
    }

    def chains(done: Path, unfinished: Path) -> list[Chain]:
        return [
            Chain(
                number=number,
                build=build,
                schedule=run.chain_schedule(number),
                seed=run.seed,
                stream=run.stream,
                path=done / f"chain-{number:04d}.nc",
                scratch=unfinished / f"chain-{number:04d}",
                identity=identity | {"random_sweep": run.random_sweep(number)},
            )
            for number in numbers
        ]

    run_folder(
        chains,
        output=output,
        scratch=scratch,
        threads=threads,
        checkpoint_seconds=checkpoint_seconds,
        stop=stop,
        label=f"{run.dataset}, {run.model}, chains {numbers[0]} to {numbers[-1]}",
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
        start="dirichlet" if settings["start"] == "dirichlet" else "labels",
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
