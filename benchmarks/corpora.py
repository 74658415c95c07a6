"""Documents for the benchmarks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from reseat.datasets import DataSettings, Registry, build
from reseat.errors import ReseatError

__all__ = ["BenchmarkCorpus", "generate", "newsgroups", "save"]

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True)
class BenchmarkCorpus:
    """Counts and their description."""

    counts: sp.csr_array
    description: str


def _describe(counts: sp.csr_array, name: str) -> BenchmarkCorpus:
    n_documents, n_features = counts.shape
    text = (
        f"{name}: {n_documents:,} documents, {n_features:,} features, "
        f"{counts.nnz:,} non-zeros, {int(counts.sum()):,} tokens"
    )
    return BenchmarkCorpus(counts, text)


def newsgroups(mirror: Path) -> BenchmarkCorpus:
    """Return 20 Newsgroups from `mirror`, or generated documents of the same shape."""
    settings = DataSettings(
        mirrors=(mirror, ROOT / "data"), raw=ROOT / "data" / "raw", download=False
    )
    try:
        registry = Registry.load(ROOT / "config" / "datasets.yaml")
        corpus = build(registry, "newsgroups20", settings, kind="documents")
    except ReseatError as error:
        reason = str(error).splitlines()[0]
        made = generate(19_997, 54_000, 20, 98)
        return BenchmarkCorpus(
            made.counts, f"{made.description}\n(in place of 20 Newsgroups: {reason})"
        )
    return _describe(corpus.counts, "20 Newsgroups")


def generate(
    n_documents: int, n_features: int, n_clusters: int, mean_terms: int, seed: int = 0
) -> BenchmarkCorpus:
    """Draw documents of Zipfian words whose ranks differ from cluster to cluster.

    Each document has about `mean_terms` distinct words, with a spread like that
    of news articles.
    """
    rng = np.random.default_rng(seed)
    # The ranks of two clusters are at least this far apart, in whatever order the words come.
    step = n_features // (n_clusters + 1)
    frequency = 1.0 / (np.arange(n_features) + 10.0)
    rows = []
    for d in range(n_documents):
        length = int(mean_terms * 1.6 * rng.lognormal(-0.4, 0.9)) + 1
        ranks = rng.choice(n_features, size=length, p=frequency / frequency.sum())
        # Half of the words have the same ranks in all clusters; those of the other
        # half are shifted, so that each cluster has its own frequent words.
        own = rng.random(length) < 0.5
        words = np.where(own, (ranks + (1 + d % n_clusters) * step) % n_features, ranks)
        rows.append(np.unique(words, return_counts=True))
    counts = sp.csr_array(
        (
            np.concatenate([number for _, number in rows]).astype(np.int32),
            np.concatenate([words for words, _ in rows]).astype(np.int32),
            np.cumsum([0] + [len(words) for words, _ in rows]).astype(np.int32),
        ),
        shape=(n_documents, n_features),
    )
    return _describe(counts, "generated documents")


def save(counts: sp.csr_array, path: Path) -> None:
    """Write the counts to a file for a worker in another environment."""
    np.savez(
        path,
        data=counts.data.astype(np.int32),
        indices=counts.indices.astype(np.int32),
        indptr=counts.indptr.astype(np.int64),
        shape=np.array(counts.shape),
    )
