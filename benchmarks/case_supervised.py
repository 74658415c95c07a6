"""Sweeps of the models of references at the sizes of the paper's data, and of a plain port."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from references_port import PlainSweep
from timing import Row, Timing, compare, measure, ratio

from reseat.likelihoods import GaussianReferences
from reseat.models.references import SUPERVISED_MODELS, build_supervised

__all__ = ["SIZES", "BenchmarkReferences", "generate", "run"]


@dataclass(frozen=True)
class Size:
    """Size of a data set; pairs are numbers for training and test."""

    items: tuple[int, int]
    entities: tuple[int, int]
    groups: tuple[int, int]
    widths: tuple[int, ...]  # coordinates of each feature
    noise: float  # standard deviation within an entity


SIZES = {
    "digits": Size((700, 660), (5, 5), (1, 1), (1,) * 64, 0.8),
    "identity": Size((1004, 378), (225, 103), (1, 1), (5,) * 8, 0.3),
    "coref": Size((4638, 998), (2600, 523), (135, 59), (6,) * 5, 0.3),
}

#: Models that are also timed with joint moves.
JOINT = ("scdp1", "scdp3_covariance")


@dataclass(frozen=True)
class BenchmarkReferences:
    """Generated references."""

    data: GaussianReferences
    test: np.ndarray
    entities: np.ndarray
    groups: np.ndarray


def generate(size: Size, seed: int = 0) -> BenchmarkReferences:
    """Draw references around the means of their entities."""
    rng = np.random.default_rng(seed)
    n = sum(size.items)
    test = np.arange(n) >= size.items[0]
    entities, groups = np.empty(n, dtype=int), np.empty(n, dtype=int)
    for part in (0, 1):
        items = np.flatnonzero(test == bool(part))
        n_entities, n_groups = size.entities[part], size.groups[part]
        drawn = np.concatenate(
            [np.arange(n_entities), rng.integers(0, n_entities, items.size - n_entities)]
        )
        entities[items] = rng.permutation(drawn) + part * size.entities[0]
        of_entity = rng.integers(0, n_groups, n_entities) + part * size.groups[0]
        groups[items] = of_entity[entities[items] - part * size.entities[0]]
    feature_of = np.repeat(np.arange(len(size.widths)), size.widths)
    means = rng.normal(size=(sum(size.entities), feature_of.size))
    points = means[entities] + size.noise * rng.normal(size=(n, feature_of.size))
    points /= points.std(axis=0)
    return BenchmarkReferences(GaussianReferences(points, feature_of), test, entities, groups)


def begin(made: BenchmarkReferences, model: str, rng, n_sweeps: int = 30, **options):
    """Return a model after some sweeps from the true publications of the test items."""
    labels = {"publication": made.entities, "type": np.zeros(made.test.size, dtype=int)}
    built = build_supervised(
        made.data, model, rng, test=made.test, known=made.entities, groups=made.groups,
        start=labels, **options,
    )  # fmt: skip
    for _ in range(n_sweeps):
        built.sweep(rng)
    return built


def run(quick: bool) -> list[Row]:
    """Return a row per data set and model, and one of the SCDP-1 sweep beside a plain one."""
    rows = []
    for name, size in SIZES.items():
        made = generate(size)
        for model in SUPERVISED_MODELS:
            rows.append(_sweeps(made, name, model, quick))
        rows += [_sweeps(made, name, model, quick, joint={}) for model in JOINT]
        rows.append(_beside_port(made, name, quick))
    return rows


def _sweeps(made: BenchmarkReferences, name: str, model: str, quick: bool, **options) -> Row:
    rng = np.random.default_rng(1)
    built = begin(made, model, rng, 10 if quick else 30, **options)

    def iterate() -> None:
        built.sweep(rng)
        built.log_joint()

    found = measure(iterate, 10 if quick else 40)
    clusters = ", ".join(f"{n} {key.removeprefix('n_')}" for key, n in built.n_clusters.items())
    model += " with joint moves" if options else ""
    return Row(f"{model}, {name}", str(found), note=f"an iteration and its log joint; {clusters}")


def _beside_port(made: BenchmarkReferences, name: str, quick: bool) -> Row:
    """Time the collapsed sweep over the publications of the test items, with fixed precisions."""
    rng = np.random.default_rng(2)
    built = begin(made, "scdp1", rng, 10)
    part = built.publications
    precisions = built.types.likelihood.precisions[built.types.labels]
    port = PlainSweep(
        made.data.coordinates, np.repeat(precisions, made.data.widths, axis=1), part.groups,
        part.labels, part.prior.concentration,
    )  # fmt: skip
    items = np.flatnonzero(made.test)
    built._condition("publication")
    n_scored = [0]

    def theirs() -> None:
        n_scored[0] = port.run(items, rng)

    ours, plain = compare(lambda: part.move(rng), theirs, 3 if quick else 5)
    ours = Timing(tuple(ours.seconds))
    cells = n_scored[0] * made.data.n_coordinates
    note = f"{n_scored[0]:,} blocks scored a sweep: {ours.median / cells * 1e9:.2f} ns a coordinate"
    return Row(
        f"publications of the test items, {name}", str(ours), "the same in numpy", str(plain),
        ratio(ours, plain), note,
    )  # fmt: skip
