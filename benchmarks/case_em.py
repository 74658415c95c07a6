"""EM iterations: the fused kernel, and the same sums written as scipy.sparse products."""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp
from corpora import BenchmarkCorpus
from timing import Row, Timing, ratio

from reseat.baselines import fit_em

__all__ = ["run"]


class SparseProducts:
    """EM with add-one smoothing as usually written with scipy: two products per iteration."""

    def __init__(self, counts: sp.csr_array, labels: np.ndarray, n_clusters: int):
        self.counts = counts.astype(float)
        # The transpose is faster in row-compressed form, so it is converted once.
        self.transpose = self.counts.T.tocsr()
        self.objective: list[float] = []
        self._maximise(np.eye(n_clusters)[labels])

    def _maximise(self, responsibilities: np.ndarray) -> None:
        n_documents, n_clusters = responsibilities.shape
        self.log_weights = np.log((1.0 + responsibilities.sum(axis=0)) / (n_clusters + n_documents))
        sums = 1.0 + self.transpose @ responsibilities
        self.log_theta = np.log(sums)
        self.log_theta -= np.log(sums.sum(axis=0))

    def iterate(self) -> None:
        """Perform the E-step and the M-step."""
        score = self.counts @ self.log_theta
        score += self.log_weights
        best = score.max(axis=1, keepdims=True)
        np.exp(score - best, out=score)
        total = score.sum(axis=1, keepdims=True)
        score /= total
        self.objective.append(
            float((best + np.log(total)).sum() + self.log_weights.sum() + self.log_theta.sum())
        )
        self._maximise(score)


def run(corpus: BenchmarkCorpus, n_clusters: int, quick: bool) -> list[Row]:
    """Time whole iterations (E-step, M-step, objective) of one run from random labels."""
    n_iterations = 12 if quick else 40
    n_documents = corpus.counts.shape[0]
    labels = np.random.default_rng(0).integers(n_clusters, size=n_documents)
    clock = []
    result = fit_em(
        corpus.counts,
        n_clusters,
        start="labels",
        labels=labels,
        rng=None,
        max_iterations=n_iterations + 1,
        tolerance=0.0,
        on_iteration=lambda iteration, objective: clock.append(time.thread_time()),
    )
    ours = Timing(tuple(np.diff(clock).tolist()))

    peer = SparseProducts(corpus.counts, labels, n_clusters)
    seconds = []
    for _ in range(n_iterations):
        begin = time.thread_time()
        peer.iterate()
        seconds.append(time.thread_time() - begin)
    theirs = Timing(tuple(seconds))
    n_shared = min(len(result.objective), n_iterations)
    apart = np.abs(np.array(peer.objective[:n_shared]) / result.objective[:n_shared] - 1).max()
    note = f"{n_shared} iterations from the same start; objectives differ by {apart:.0e} at most"
    return [
        Row(
            f"EM iteration, K = {n_clusters}", str(ours), "scipy.sparse products",
            str(theirs), ratio(ours, theirs), note,
        )
    ]  # fmt: skip
