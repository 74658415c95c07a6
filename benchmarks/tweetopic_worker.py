"""Time tweetopic's DMM, in the peers' environment and never in that of reseat.

Arguments: corpus.npz, out.json, number of clusters, alpha, beta, number of iterations.
"""

import json
import sys
import time

import numpy as np
import scipy.sparse as sp
import tweetopic
from tweetopic import _dmm


def main(corpus, out, n_clusters, alpha, beta, n_iterations):
    with np.load(corpus) as arrays:
        counts = sp.csr_matrix(
            (arrays["data"], arrays["indices"], arrays["indptr"]), shape=tuple(arrays["shape"])
        )
    seconds = []
    step = _dmm._sampling_step

    def timed_step(**arguments):
        begin = time.thread_time()
        step(**arguments)
        seconds.append(time.thread_time() - begin)

    # fit() itself is used, with a clock around each of its iterations, so that neither
    # reading the documents nor compiling, in the first iteration, counts.
    _dmm._sampling_step = timed_step
    model = tweetopic.DMM(
        n_components=n_clusters,
        n_iterations=n_iterations + 1,
        alpha=alpha,
        beta=beta,
        random_state=0,
    )
    model.fit(counts)

    # tweetopic exponentiates log scores without subtracting their maximum; where all
    # of them underflow, it uses the uniform distribution instead.
    sample = np.arange(0, counts.shape[0], max(1, counts.shape[0] // 500))
    sample = sample[np.diff(counts.indptr)[sample] > 0]
    probabilities = model.transform(counts[sample])
    underflow = (probabilities == probabilities[:, :1]).all(axis=1).mean()
    with open(out, "w", encoding="utf-8") as file:
        json.dump({"seconds": seconds[1:], "underflow": float(underflow)}, file)


if __name__ == "__main__":
    main(
        sys.argv[1], sys.argv[2], int(sys.argv[3]),
        float(sys.argv[4]), float(sys.argv[5]), int(sys.argv[6]),
    )  # fmt: skip
