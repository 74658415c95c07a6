"""The family's models, from configuration to finished chains."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reseat.datasets import Corpus
from reseat.experiments.documents.plan import Run
from reseat.experiments.running import run_studies
from reseat.likelihoods import TermIndex
from reseat.models.documents import build

__all__ = ["run_chain_block"]


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
