"""Collapsed Gibbs sweeps: reseat, tweetopic's numba sampler, and a C port with log-gammas."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from child import foreign_environment, reason
from corpora import BenchmarkCorpus, save
from lgamma_port import LogGammaPort, PortUnavailable
from peers import PeersUnavailable, ensure
from timing import Row, Timing, compare, measure, ratio

from reseat.chains.model import MixtureModel
from reseat.likelihoods import DirichletMultinomial
from reseat.priors import FiniteDirichlet

__all__ = ["equilibrium", "run"]

ALPHA = BETA = 1.0
WORKER = Path(__file__).resolve().parent / "tweetopic_worker.py"


def equilibrium(
    corpus: BenchmarkCorpus, n_clusters: int, n_sweeps: int
) -> tuple[MixtureModel, np.random.Generator]:
    """Return the paper's model after `n_sweeps` sweeps from a random start, and its generator."""
    rng = np.random.default_rng(0)
    model = MixtureModel(
        FiniteDirichlet(n_blocks=n_clusters, concentration=ALPHA),
        DirichletMultinomial(corpus.counts, beta=BETA),
    )
    model.start_at_random(n_clusters, rng)
    for _ in range(n_sweeps):
        model.sweep(rng)
    return model, rng


def run(corpus: BenchmarkCorpus, n_clusters: int, quick: bool, use_peers: bool) -> list[Row]:
    """Return a row for each peer, with the time of reseat."""
    model, rng = equilibrium(corpus, n_clusters, 20 if quick else 150)
    moved, occupied = [], []

    def sweep():
        moved.append(model.sweep(rng))
        occupied.append(model.partition.n_blocks)

    ours = measure(sweep, 10 if quick else 30)
    share = np.mean(moved) / corpus.counts.shape[0]
    what = f"Gibbs sweep, K = {n_clusters}"
    state = (
        f"reseat after its burn-in: {share:.1%} of the documents move in a sweep, "
        f"{np.mean(occupied):.1f} of {n_clusters} clusters hold documents"
    )
    return [
        _against_tweetopic(what, ours, corpus, n_clusters, quick, use_peers, state),
        _against_port(what, model, corpus, n_clusters, quick),
    ]


def _against_tweetopic(
    what: str,
    ours: Timing,
    corpus: BenchmarkCorpus,
    n_clusters: int,
    quick: bool,
    allowed: bool,
    state: str,
) -> Row:
    peer = "tweetopic 0.4.0 (numba)"
    if not allowed:
        return Row(what, str(ours), peer, "left out", note=f"{state}; --no-peers was given")
    try:
        interpreter = ensure()
    except PeersUnavailable as error:
        return Row(what, str(ours), peer, "not installed", note=f"{state}; {error}")
    with tempfile.TemporaryDirectory() as folder:
        documents, out = Path(folder, "corpus.npz"), Path(folder, "out.json")
        save(corpus.counts, documents)
        settings = [n_clusters, ALPHA, BETA, 3 if quick else 8]
        ended = subprocess.run(
            [str(interpreter), str(WORKER), str(documents), str(out), *map(str, settings)],
            env=foreign_environment(), capture_output=True, text=True, check=False,
        )  # fmt: skip
        if ended.returncode:
            print(ended.stderr, file=sys.stderr)
            why = reason(ended.stderr, ended.returncode)
            return Row(what, str(ours), peer, "failed", note=f"{state}; {why}")
        result = json.loads(out.read_text(encoding="utf-8"))
    theirs = Timing(tuple(result["seconds"]))
    note = (
        f"{state}; in tweetopic all cluster probabilities underflow for "
        f"{result['underflow']:.0%} of a sample of documents, which it then places uniformly"
    )
    return Row(what, str(ours), peer, str(theirs), ratio(ours, theirs), note)


def _against_port(
    what: str, model: MixtureModel, corpus: BenchmarkCorpus, n_clusters: int, quick: bool
) -> Row:
    peer = "log-gamma for every term (C)"
    with tempfile.TemporaryDirectory() as folder:
        try:
            port = LogGammaPort(corpus.counts, model.labels, n_clusters, ALPHA, BETA, Path(folder))
        except PortUnavailable as error:
            return Row(what, "", peer, "not compiled", note=str(error))
        n_documents = corpus.counts.shape[0]
        our_rng, their_rng = np.random.default_rng(1), np.random.default_rng(1)
        ours, theirs = compare(
            lambda: model.sweep(our_rng),
            lambda: port.sweep(their_rng.random(n_documents)),
            2 if quick else 4,
        )
    same = np.mean(model.labels == port.labels)
    note = (
        f"from the same state with the same random numbers: {same:.2%} of the labels agree "
        "(reseat draws the empty clusters last, so these may get other names)"
    )
    return Row(what, str(ours), peer, str(theirs), ratio(ours, theirs), note)
