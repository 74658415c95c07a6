"""Check an installed copy of reseat: the command starts, and a model of each compiled kind fits."""

import importlib.metadata
import shutil
import subprocess
import sys

import numpy as np

from reseat import MultinomialMixture, RelationalModel, StudentMixture, WishartDirichlet


def main() -> int:
    """Fit four models; return the exit code."""
    rng = np.random.default_rng(0)
    half = np.repeat([0, 1], 10)
    points = 9 * half[:, None] + rng.normal(size=(20, 3))
    counts = rng.poisson(np.where(half[:, None] == [0, 1], 9, 1))
    short = {"n_burn_in": 20, "n_samples": 20, "random_state": 1}
    for model, data in (
        (MultinomialMixture(**short), counts),
        (RelationalModel(**short), counts > 4),
        (StudentMixture(**short), points),
        (WishartDirichlet(metric="euclidean", **short), points),
    ):
        print(f"{type(model).__name__}: {model.fit(data).n_clusters_} clusters")
    subprocess.run([shutil.which("reseat") or "reseat", "--help"], check=True, capture_output=True)
    found = importlib.metadata.version("reseat-bayes")
    compilers = [name for name in ("cc", "gcc", "clang") if shutil.which(name)]
    print(f"reseat {found} works with Python {sys.version.split()[0]}; compilers: {compilers}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
