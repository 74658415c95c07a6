"""The data sets that `own_data.py` clusters: what each method is given, and the truth."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.request import urlopen

import corpora
import numpy as np
import pandas as pd

from reseat.datasets import DataSettings, Registry, build
from reseat.datasets.parsers.generated_customers import parse_generated_customers

__all__ = ["SETS", "OwnSet", "load", "save"]

ROOT = Path(__file__).resolve().parent.parent
#: Records under the MIT licence that are no part of the repository: file, origin, sha256.
HISTORICAL = (
    ROOT / "data" / "raw" / "historical-people" / "historical_50k.parquet",
    "https://raw.githubusercontent.com/moj-analytical-services/splink_datasets/"
    "75876d806d9eff72072d21878150ee50a96d5f41/data/historical_figures_with_errors_50k.parquet",
    "b8b748402ff37b15c2d5e8a5b9374abe269b9d297aacb7f4c9498365b7cace43",
)


@dataclass(frozen=True)
class OwnSet:
    """A data set as a user would have it."""

    #: Model of reseat for such data.
    kind: str
    about: str
    #: Counts, coordinates, distances or, for records, cells: strings, empty if a value is missing.
    data: np.ndarray
    #: Shape (n_items,).
    truth: np.ndarray
    #: Names of the fields of records.
    fields: tuple[str, ...] = ()

    @property
    def n_clusters(self) -> int:
        """The true number of clusters, given to methods that need it."""
        return np.unique(self.truth).size


def _documents(quick: bool) -> OwnSet:
    n, n_clusters = (300, 5) if quick else (2000, 20)
    made = corpora.generate(n, 8000, n_clusters, 60)
    truth = np.arange(n) % n_clusters
    return OwnSet("documents", made.description, made.counts.toarray(), truth)


def _newsgroups(quick: bool) -> OwnSet:
    corpus = _registered("newsgroups20", "documents")
    kept = np.sort(np.random.default_rng(0).choice(len(corpus.labels), 2000, replace=False))
    counts, truth = corpus.counts.tocsr()[kept], corpus.labels[kept]
    # Words of a single document say nothing of clusters, and cost memory as columns of a table.
    counts = counts[:, np.flatnonzero(np.asarray((counts > 0).sum(axis=0)).ravel() > 1)]
    full = np.flatnonzero(np.asarray(counts.sum(axis=1)).ravel())[: 300 if quick else None]
    counts, truth = counts[full].toarray(), truth[full]
    about = f"{len(truth):,} articles of 20 Newsgroups, {counts.shape[1]:,} words"
    return OwnSet("documents", about, counts, truth)


def _registered(name: str, kind: str):
    """Return a data set of the project that is part of the repository or was downloaded."""
    registry = Registry.load(ROOT / "config" / "datasets.yaml")
    settings = DataSettings(mirrors=(ROOT / "data",), raw=ROOT / "data" / "raw", download=False)
    return build(registry, name, settings, kind=kind)


def _digits(quick: bool) -> OwnSet:
    from sklearn.datasets import load_digits

    points, truth = load_digits(return_X_y=True)
    kept = slice(300 if quick else None)
    about = f"{len(truth[kept]):,} handwritten digits of 8 x 8 pixels (scikit-learn)"
    return OwnSet("points", about, points[kept], truth[kept])


def _measured(load: str, about: str) -> Callable[[bool], OwnSet]:
    """Return a set of scikit-learn, with its columns divided by their standard deviations."""

    def found(quick: bool) -> OwnSet:
        from sklearn import datasets

        points, truth = getattr(datasets, load)(return_X_y=True)
        return OwnSet("points", about, points / points.std(axis=0), truth)

    return found


def _covariances(quick: bool) -> OwnSet:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 6, 300 if quick else 900)
    points = np.empty((truth.size, 10))
    for cluster in range(6):
        members = truth == cluster
        turn = np.linalg.qr(rng.normal(size=(10, 10)))[0]
        spread = np.exp(0.9 * rng.normal(size=10))
        noise = rng.normal(size=(members.sum(), 10)) * np.sqrt(spread)
        points[members] = 2.2 * rng.normal(size=10) + noise @ turn
    about = "6 clusters in 10 dimensions, each with a covariance of its own (generated)"
    return OwnSet("points", about, points, truth)


def _skewed(quick: bool) -> OwnSet:
    rng = np.random.default_rng(7)
    truth = np.repeat(np.arange(4), 60 if quick else 150)
    centres = np.array([[0, 0, 0], [5, 0, 2], [0, 6, 4], [6, 6, 0]])
    points = centres[truth] + rng.gamma(1.0, 1.0, (truth.size, 3))
    return OwnSet("points", "4 clusters with exponential tails (generated)", points, truth)


def _moons(quick: bool) -> OwnSet:
    from sklearn.datasets import make_moons

    points, truth = make_moons(200 if quick else 600, noise=0.06, random_state=0)
    return OwnSet("points", "two moons (generated)", points, truth)


def _proteins(quick: bool) -> OwnSet:
    found = _registered("protein213", "dissimilarities")
    about = f"{len(found.classes)} globins of four classes, evolutionary dissimilarities"
    return OwnSet("distances", about, np.asarray(found.values, dtype=float), found.classes)


def _people(quick: bool) -> OwnSet:
    name = "RLdata500" if quick else "RLdata10000"
    table = pd.read_csv(ROOT / "data" / "rldata" / f"{name}.csv.gz", dtype=str)
    truth = table.pop("ent_id").astype(int).to_numpy()
    cells = table.drop(columns="rec_id")
    n_people = np.unique(truth).size
    about = f"{len(cells):,} records of {n_people:,} made-up people with typing errors ({name})"
    return _records(about, cells, truth)


def _customers(quick: bool) -> OwnSet:
    raw = parse_generated_customers({}, seed=16, n_records=500 if quick else 5000)
    cells = raw.cells
    about = f"{len(cells):,} customers: typing errors, nicknames, moves, empty cells (generated)"
    return _records(about, cells, pd.factorize(np.asarray(raw.entities))[0])


def _febrl(quick: bool) -> OwnSet:
    path = ROOT / "data" / "febrl" / "dataset3.csv.gz"
    table = pd.read_csv(path, dtype=str, skipinitialspace=True, nrows=500 if quick else None)
    truth = pd.factorize(table.pop("rec_id").str.split("-").str[1])[0]
    cells = table.drop(columns="soc_sec_id")
    n_people = np.unique(truth).size
    about = (
        f"{len(cells):,} records of {n_people:,} made-up people, without their numbers (FEBRL 3)"
    )
    return _records(about, cells, truth)


def _historical(quick: bool) -> OwnSet:
    """Return records of Wikidata with generated errors; reading them needs pyarrow."""
    path, origin, sha256 = HISTORICAL
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with urlopen(origin) as stream:
            path.write_bytes(stream.read())
    if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
        raise SystemExit(f"{path} is not what was published; delete it and run this again.")
    cells = pd.read_parquet(path)[: 500 if quick else None].drop(columns="cluster")
    truth = pd.factorize(cells.pop("unique_id").str.partition("-")[0])[0]
    about = f"{len(cells):,} records of {truth.max() + 1:,} historical people (splink_datasets)"
    return _records(about, cells, truth)


def _records(about: str, cells: pd.DataFrame, truth: np.ndarray) -> OwnSet:
    data = cells.astype(object).where(cells.notna(), "").to_numpy().astype(str)
    return OwnSet("records", about, data, truth, tuple(cells.columns))


def _purchases(quick: bool) -> OwnSet:
    rng = np.random.default_rng(0)
    shape, sides = ((100, 60), (3, 4)) if quick else ((1000, 500), (8, 10))
    rows, columns = (rng.integers(0, k, n) for k, n in zip(sides, shape, strict=True))
    counts = rng.poisson(rng.gamma(0.3, 0.7, sides)[rows][:, columns])
    about = f"{shape[0]:,} customers, {shape[1]} goods, {counts.sum():,} purchases (generated)"
    return OwnSet("relational", about, counts, rows)


#: Data sets by name: functions of whether to return a small one.
SETS: dict[str, Callable[[bool], OwnSet]] = {
    "documents": _documents,
    "newsgroups": _newsgroups,
    "digits": _digits,
    "iris": _measured("load_iris", "150 irises of three species (scikit-learn)"),
    "wine": _measured("load_wine", "178 wines of three cultivars (scikit-learn)"),
    "cancer": _measured("load_breast_cancer", "569 tumours, benign or not (scikit-learn)"),
    "covariances": _covariances,
    "skewed": _skewed,
    "moons": _moons,
    "proteins": _proteins,
    "people": _people,
    "customers": _customers,
    "febrl": _febrl,
    "historical": _historical,
    "purchases": _purchases,
}


def save(found: OwnSet, path: Path) -> None:
    """Write a data set to a file, for a process that may not have reseat."""
    np.savez(path, data=found.data, fields=np.array(found.fields, dtype=str), truth=found.truth)


def load(path: Path) -> tuple[np.ndarray, tuple[str, ...], np.ndarray]:
    """Return the data, fields and truth that `save` has written."""
    with np.load(path) as stored:
        return stored["data"], tuple(stored["fields"].tolist()), stored["truth"]
