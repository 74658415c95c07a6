"""The family's models, from configuration to finished chains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from reseat.datasets import Corpus
from reseat.experiments.running import run_studies
from reseat.experiments.sixth.plan import Run
from reseat.likelihoods import TermIndex
from reseat.models.sixth import build

__all__ = ["run_models"]


def run_models(runs: Sequence[Run], corpus: Corpus, **options: Any) -> None:
    """Run the chains of some models on a data set, into one folder.

    Parameters
    ----------
    runs : sequence of Run
    corpus : Corpus
    **options
        ``output``, ``scratch`` and so on, as for
        `reseat.experiments.running.run_studies`.
    """
    words, data = TermIndex(corpus.counts), corpus.identity.to_dict()

    def prepare(run: Run) -> Callable[[int, Path], dict[str, Any]]:
        model = {"name": run.model, **run.settings}
        return lambda number, _: {
            "build": partial(build, run.settings, words, start=run.start(number)),
            "identity": {"model": model, "data": data},
        }

    run_studies(runs, prepare, **options)
