"""Chains of the family's models, run as the configuration asks."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reseat.datasets import Corpus
from reseat.likelihoods import TermIndex
from reseat.models.documents import build
from reseat.papers.chains import run_studies
from reseat.papers.documents.plan import Run


def run_chain_block(run: Run, numbers: Sequence[int], corpus: Corpus, **options: Any) -> None:
    """Run the chains of one job from random clusters, and write them when all are complete."""
    index, settings = TermIndex(corpus.counts), run.settings | {"n_blocks": run.n_clusters}
    model = {"name": run.model, "n_clusters": run.n_clusters, **run.settings}
    identity = {"model": model, **corpus.source()}

    def decide(number: int, _scratch: Path) -> dict[str, Any]:
        return {
            "build": lambda rng: build(settings, index, rng, run.n_clusters),
            "identity": identity | {"random_sweep": run.random_sweep(number)},
        }

    label = f"{run.dataset}, {run.model}, chains {numbers[0]} to {numbers[-1]}"
    run_studies([run], lambda run: decide, numbers=numbers, label=label, **options)
