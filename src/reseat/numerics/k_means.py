"""K-means from points of a fixed start, the same on every processor."""

import numpy as np
import scipy

from reseat.numerics._k_means import Lloyd

#: Lloyd's iterations stop when the centres move less than this share of the mean variance.
TOLERANCE, MAX_ITERATIONS = 1e-4, 300


def k_means(points, n_clusters: int, rng: np.random.Generator, n_restarts: int = 1) -> np.ndarray:
    """Return the best of several runs of Lloyd's algorithm; no sum depends on the processor."""
    if n_clusters == 1:
        return np.zeros(points.shape[0], dtype=np.int64)
    if scipy.sparse.issparse(points):
        lloyd = Lloyd(scipy.sparse.csr_array(points, dtype=np.float64, copy=True))
    else:
        # A common offset would cost precision.
        points = np.asarray(points, dtype=np.float64)
        lloyd = Lloyd(scipy.sparse.csr_array(points - points.mean(axis=0)))
    n_trials = 2 + int(np.log(n_clusters))
    best, least = None, np.inf
    for _ in range(n_restarts):
        lloyd.start(n_clusters, n_trials, rng)
        inertia = lloyd.run(TOLERANCE, MAX_ITERATIONS)
        if inertia < least:
            best, least = lloyd.labels.copy(), inertia
    return best.astype(np.int64)
