"""Time and memory of `reseat cluster` by size of the data: one command per size, file to labels.

    python benchmarks/own_sizes.py records 5000 50000
    python benchmarks/own_sizes.py documents 100000 --csv sizes.csv -- --burn-in 5 --samples 10

Arguments after ``--`` are passed to the command, whose defaults are measured otherwise.  Data are
generated.  Seconds are CPU time and elapsed time; memory is the largest resident size of the
process, as counted by the operating system.  Rows are added to those of other sizes and options in
the table.  From all rows, a table of growth is written next to it: the slopes of CPU seconds and of
memory between the two largest sizes with the same options, on logarithmic axes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import scipy.sparse as sp
from tables import add_rows
from timing import machine

from reseat.datasets.parsers.generated_customers import parse_generated_customers
from reseat.files.atomic import atomic_path

__all__ = ["GENERATORS", "growth"]

#: Numbers of values of the six categorical fields of records.
LEVELS = {"day": 31, "month": 12, "first": 40, "last": 40, "town": 40, "job": 12}
#: Share of records that are duplicates, and of cells that are replaced by a random value.
AGAIN, WRONG = 0.2, 0.03
#: Vocabulary and clusters of documents, words in each, and the share of words from its cluster.
WORDS, TOPICS, LENGTH, OWN = 20_000, 20, 100, 0.3
#: Coordinates of supervised items, items of each entity, and their standard deviation.
COORDINATES, OF_ENTITY, DEVIATION = 8, 10, 0.1


def _records(n: int, folder: Path) -> list[str]:
    rng = np.random.default_rng(0)
    levels = list(LEVELS.values())
    n_people = n - int(n * AGAIN)
    people = np.column_stack(
        [rng.choice(k, n_people, p=rng.dirichlet(np.full(k, 5.0))) for k in levels]
    )
    who = np.concatenate([np.arange(n_people), rng.integers(0, n_people, n - n_people)])
    rng.shuffle(who)
    cells = people[who]
    cells = np.where(rng.random(cells.shape) < WRONG, rng.integers(0, levels, cells.shape), cells)
    table = pd.DataFrame(cells, columns=list(LEVELS)).astype(str).radd("v")
    table.assign(number=np.arange(n), person=who).to_csv(folder / "in.csv", index=False)
    return ["records", "in.csv", "--id-column", "number", "--entity-column", "person"]


def _customers(n: int, folder: Path) -> list[str]:
    """Write records of strings and numbers, which are compared letter by letter."""
    raw = parse_generated_customers({}, seed=5, n_records=n)
    raw.cells.assign(person=list(raw.entities)).to_csv(folder / "in.csv", index=False)
    return ["records", "in.csv", "--entity-column", "person"]


def _documents(n: int, folder: Path) -> list[str]:
    rng = np.random.default_rng(0)
    frequency = np.cumsum(1.0 / (np.arange(WORDS) + 10.0))
    order = np.array([rng.permutation(WORDS) for _ in range(TOPICS)])
    parts = []
    for first in range(0, n, 20_000):
        size = min(20_000, n - first)
        ranks = np.searchsorted(frequency, rng.random((size, LENGTH)) * frequency[-1])
        topic = np.arange(first, first + size) % TOPICS
        own = rng.random(ranks.shape) < OWN
        words = np.where(own, order[topic[:, None], ranks], ranks).ravel()
        rows = np.repeat(np.arange(size), LENGTH)
        ones = np.ones(words.size, dtype=np.int32)
        parts.append(sp.csr_array(sp.coo_array((ones, (rows, words)), shape=(size, WORDS))))
    sp.save_npz(folder / "in.npz", sp.vstack(parts, format="csr"), compressed=False)
    return ["documents", "in.npz"]


def _distances(n: int, folder: Path) -> list[str]:
    """Write squared distances of points in 20 clusters in blocks of rows; for ``--landmarks``."""
    rng = np.random.default_rng(0)
    cluster = rng.integers(0, TOPICS, n)
    points = rng.normal(size=(n, COORDINATES)) + 6 * rng.normal(size=(TOPICS, COORDINATES))[cluster]
    norms = np.square(points).sum(axis=1)
    written = np.lib.format.open_memmap(folder / "in.npy", "w+", np.float32, (n, n))
    for first in range(0, n, 1000):
        rows = slice(first, first + 1000)
        tile = norms[rows, None] + norms - 2 * points[rows] @ points.T
        tile[np.arange(len(tile)), np.arange(first, first + len(tile))] = 0
        written[rows] = np.maximum(tile, 0)
    return ["distances", "in.npy"]


def _relational(n: int, folder: Path) -> list[str]:
    """Write `n` pairs; there are ten times as many rows as columns, in 20 and 15 clusters."""
    rng = np.random.default_rng(0)
    n_rows = max(20, int(np.sqrt(10 * n / 0.05)))
    n_columns = n_rows // 10
    rate = rng.gamma(0.3, 1.0, (20, 15)).ravel()
    cells = rng.choice(rate.size, n, p=rate / rate.sum())
    rows = rng.integers(0, n_rows // 20, n) * 20 + cells // 15
    columns = rng.integers(0, n_columns // 15, n) * 15 + cells % 15
    counts = sp.csr_array(sp.coo_array((np.ones(n, dtype=np.int32), (rows, columns))))
    sp.save_npz(folder / "in.npz", counts, compressed=False)
    return ["relational", "in.npz"]


def _supervised(n: int, folder: Path) -> list[str]:
    """Write items, half of them of known entities."""
    rng = np.random.default_rng(0)
    entity = np.arange(n) // OF_ENTITY
    centres = rng.normal(size=(int(entity[-1]) + 1, COORDINATES))
    points = centres[entity] + DEVIATION * rng.normal(size=(n, COORDINATES))
    table = pd.DataFrame(points, columns=[f"x{k}" for k in range(COORDINATES)])
    known = np.where(entity < entity[-1] / 2, entity.astype(str), "")
    table.assign(person=known).to_csv(folder / "in.csv", index=False)
    return ["supervised", "in.csv", "--entity-column", "person"]


#: Functions of a size and a folder that write the input and return the command's arguments.
GENERATORS: dict[str, Callable[[int, Path], list[str]]] = {
    "records": _records,
    "customers": _customers,
    "documents": _documents,
    "distances": _distances,
    "relational": _relational,
    "supervised": _supervised,
}


def main(arguments: list[str] | None = None) -> None:
    words = sys.argv[1:] if arguments is None else arguments
    place = words.index("--") if "--" in words else len(words)
    words, extra = words[:place], words[place + 1 :]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", choices=GENERATORS)
    parser.add_argument("sizes", nargs="+", type=int, metavar="N")
    parser.add_argument("--csv", type=Path, help="table that the rows are added to")
    options = parser.parse_args(words)
    models, rows = list(GENERATORS), []
    for n in options.sizes:
        rows.append(_measure(options.model, n, extra))
        if options.csv:  # at once, because later sizes may take an hour
            add_rows(
                options.csv,
                rows[-1:],
                ("model", "items", "options"),
                lambda row: (models.index(row["model"]), int(row["items"]), row["options"]),
            )
    print(machine())
    print(pd.DataFrame(rows).to_string(index=False, na_rep=""))
    if options.csv:
        found = growth(pd.read_csv(options.csv))
        with atomic_path(options.csv.with_name("own_growth.csv")) as temporary:
            found.to_csv(temporary, index=False)
        print(found.to_string(index=False))


def growth(sizes: pd.DataFrame) -> pd.DataFrame:
    """Return slopes between the two largest sizes of each model and options; 1 is linear growth.

    Only large sizes count, because a small run mostly consists of its startup, which does not grow.
    """
    found = []
    for (model, options), part in sizes.groupby(["model", "options"], sort=False):
        if len(part) > 1:
            last = part.sort_values("items").tail(2)
            steps = np.diff(np.log(last[["items", "CPU seconds", "MB"]].to_numpy(float)), axis=0)[0]
            slopes = (steps[1:] / steps[0]).round(2)
            found.append((model, options, *last["items"], *slopes))
    names = ["model", "options", "from", "to", "slope of CPU seconds", "slope of MB"]
    return pd.DataFrame(found, columns=names)


def _measure(model: str, n: int, extra: list[str]) -> dict:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Another process generates the data, because a child inherits its parent's largest size.
        with ProcessPoolExecutor(1, get_context("spawn")) as apart:
            arguments = apart.submit(GENERATORS[model], n, folder).result()
        command = [sys.executable, "-m", "reseat.command", "cluster"]
        command += [*arguments, "-o", "out", *extra]
        begin = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL)
        # `wait4` measures this child alone; `getrusage` would give the largest of all children.
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.monotonic() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f"{model}, {n:,}: the command ended with status {process.returncode}")
        return {
            "model": model,
            "items": n,
            "options": " ".join(extra) or "default",
            "CPU seconds": round(used.ru_utime + used.ru_stime),
            "seconds": round(seconds),
            "MB": round(used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6),
            **_found(folder / "out" / "summary.csv"),
        }


def _found(path: Path) -> dict:
    """Return the number of clusters, its R-hat and, if the truth is known, the ARI."""
    summary = pd.read_csv(path).set_index("quantity")
    first = summary.iloc[0]
    found = {"clusters": round(first["mean"]), "R-hat": "", "ARI": ""}
    if not np.isnan(first["rhat"]):
        found["R-hat"] = round(first["rhat"], 2)
    if "adjusted Rand index" in summary.index:
        found["ARI"] = round(summary.loc["adjusted Rand index", "mean"], 3)
    return found


if __name__ == "__main__":
    main()
