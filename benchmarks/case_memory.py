"""Memory of one chain: the peak memory of a process that does nothing else."""

from __future__ import annotations

import tempfile
from pathlib import Path

from child import run_child
from corpora import BenchmarkCorpus, save
from timing import Row

__all__ = ["run"]

CHILD = """
import numpy as np
import scipy.sparse as sp
from reseat.chains.model import MixtureModel
from reseat.likelihoods import DirichletMultinomial
from reseat.priors import FiniteDirichlet

n_clusters = int(sys.argv[2])
imports = peak()
with np.load(sys.argv[1]) as a:
    counts = sp.csr_array((a["data"], a["indices"], a["indptr"]), shape=tuple(a["shape"]))
model = MixtureModel(FiniteDirichlet(n_blocks=n_clusters, concentration=1.0),
                     DirichletMultinomial(counts, beta=1.0))
rng = np.random.default_rng(0)
model.start_at_random(n_clusters, rng)
for _ in range(3):
    model.sweep(rng)
model.log_joint()
print(imports, peak())
"""


def run(corpus: BenchmarkCorpus, n_clusters: int) -> list[Row]:
    """Return the peak resident memory after some sweeps, and the share of the imports."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus.npz")
        save(corpus.counts, path)
        imports, peak = run_child(CHILD, path, n_clusters)
    note = f"imports alone: {imports:.0f} MB"
    return [Row(f"memory of one chain, K = {n_clusters}", f"{peak:.0f} MB", note=note)]
