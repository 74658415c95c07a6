"""The family's models, from configuration to finished chains."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from reseat.datasets import Corpus
from reseat.likelihoods import TermIndex
from reseat.models.sixth import build
from reseat.papers.sixth.plan import Run


def chains_of(run: Run, corpus: Corpus) -> Callable[[int, Path], dict[str, Any]]:
    """Return the function that describes the chains of a model on some documents.

    It is what `reseat.papers.chains.run_studies` expects its `prepare` to return.
    """
    make = partial(build, run.settings, TermIndex(corpus.counts))
    identity = {
        "model": {"name": run.model, **run.settings},
        **corpus.source(),
    }
    return lambda number, _: {
        "build": partial(make, start=run.start(number)),
        "identity": identity,
    }
