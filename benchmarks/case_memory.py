"""Memory of one chain: the peak of a process that does nothing else."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from corpora import BenchmarkCorpus, save
from timing import Row

__all__ = ["PEAK", "run"]

# On Linux a process inherits the ru_maxrss of the one that started it, so the
# high-water mark of its own memory is read instead; macOS counts in bytes.
# A process that says how much memory it took begins with this.
PEAK = """
import resource, sys

def peak():
    try:
        with open("/proc/self/status") as file:
            line = next(line for line in file if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024 / 1e6
    except (OSError, StopIteration):
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
"""

CHILD = (
    PEAK
    + """
import sys
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
)


def run(corpus: BenchmarkCorpus, n_clusters: int) -> list[Row]:
    """The peak resident memory after some sweeps, and how much the imports took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "corpus.npz")
        save(corpus.counts, path)
        ended = subprocess.run(
            [sys.executable, "-c", CHILD, str(path), str(n_clusters)],
            capture_output=True, text=True, check=True,
        )  # fmt: skip
    imports, peak = map(float, ended.stdout.split())
    note = f"imports alone: {imports:.0f} MB"
    return [Row(f"memory of one chain, K = {n_clusters}", f"{peak:.0f} MB", note=note)]
