"""Speed of the Gibbs engine: time per (document, term, cluster)."""

from __future__ import annotations

import numpy as np
from case_gibbs import BETA, equilibrium
from corpora import BenchmarkCorpus
from timing import Row, measure

from reseat.chains.model import MixtureModel
from reseat.likelihoods import DirichletMultinomial, TermIndex
from reseat.priors import DirichletProcess, FiniteDirichlet, PitmanYor

__all__ = ["run"]


def run(corpus: BenchmarkCorpus, n_clusters: int, quick: bool) -> list[Row]:
    """Time sweeps from the same state under three priors."""
    start, _ = equilibrium(corpus, n_clusters, 10 if quick else 50)
    index = TermIndex(corpus.counts)
    priors = [
        ("finite Dirichlet", FiniteDirichlet(n_blocks=n_clusters, concentration=1.0)),
        ("Dirichlet process", DirichletProcess(concentration=1.0)),
        ("Pitman-Yor", PitmanYor(concentration=1.0, discount=0.25)),
    ]
    rows = []
    for name, prior in priors:
        model = MixtureModel(prior, DirichletMultinomial(index, beta=BETA))
        model.start(start.labels)
        rng = np.random.default_rng(0)
        blocks = []

        def sweep(model=model, rng=rng, blocks=blocks):
            model.sweep(rng)
            blocks.append(model.partition.n_blocks)

        seconds = measure(sweep, 5 if quick else 15, warmup=5)
        n_blocks = np.mean(blocks[5:])
        pace = seconds.median / (corpus.counts.nnz * n_blocks) * 1e9
        note = (
            f"{pace:.2f} ns for a (document, term, cluster), {n_blocks:.1f} clusters with documents"
        )
        rows.append(Row(f"engine, {name}", str(seconds), note=note))
    return rows
