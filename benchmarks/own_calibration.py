"""Whether the intervals of duplicates hold the truth, and whether a run says so if they do not.

    python benchmarks/own_calibration.py                           a hundred sets of each kind
    python benchmarks/own_calibration.py --csv table.csv           put the rows into a table as well
    python benchmarks/own_calibration.py --sets 10 --records 500   fewer and larger ones

Customers are generated with independent mistakes, and then with what misleads a model that takes
fields for independent, or leaves it little to go by.  Every set is clustered with the lengths that
the command takes, and chains are continued as by the command.  An interval holds if the truth lies
in it; a set is right if all three do.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from tables import add_rows
from timing import machine

from reseat import Microclustering
from reseat.command.cluster import SIMILAR_LENGTHS
from reseat.command.options import LONGER
from reseat.datasets.parsers.generated_customers import parse_generated_customers
from reseat.metrics import pair_precision, pair_recall
from reseat.summaries import AGREED, SAME, disagreement

__all__ = ["KINDS", "covered", "fitted", "generated_customers", "is_doubted"]

#: Seed of the first set.
FIRST_SEED = 2000
PLAIN = {"nicknames": 0.0, "moves": 0.0}
#: Share of the people who live with another one, and of the records with exchanged names.
LIVING_TOGETHER, EXCHANGED = 0.5, 0.1
#: Shares of people with 1, 2, … records where there are few duplicates.
MOSTLY_ALONE = (0.9, 0.1)


def as_they_are(cells: pd.DataFrame, entities: np.ndarray, rng) -> pd.DataFrame:
    return cells


def households(cells: pd.DataFrame, entities: np.ndarray, rng) -> pd.DataFrame:
    """Let some people live in pairs, with one surname, address and telephone number."""
    cells = cells.copy()
    shared = ["last_name", "postcode", "city", "phone"]
    people = rng.permutation(np.unique(entities))
    for one, other in people[: int(LIVING_TOGETHER * people.size) // 2 * 2].reshape(-1, 2):
        to, found = np.flatnonzero(entities == one), np.flatnonzero(entities == other)
        chosen = rng.choice(found, to.size)
        cells.loc[to, shared] = cells.loc[chosen, shared].to_numpy()
    return cells


def one_to_one(cells: pd.DataFrame, entities: np.ndarray, rng) -> pd.DataFrame:
    """Add three columns that a table of cities has, and leave the post code out."""
    cells = cells.drop(columns="postcode")
    known = cells["city"].value_counts()
    numbers = {city: number for number, city in enumerate(known.index[known > 1])}
    for name in ("branch", "manager", "region"):
        cells[name] = [f"{name}{numbers[x]:02d}" if x in numbers else None for x in cells["city"]]
    return cells


def small_towns(cells: pd.DataFrame, entities: np.ndarray, rng) -> pd.DataFrame:
    """Give every two people a town with its own post code, area code and county."""
    town = rng.permutation(entities.max() + 1)[entities] // 2
    names = cells["city"].dropna().unique()
    return cells.drop(columns="phone").assign(
        postcode=[f"{10_000 + 37 * k:05d}" for k in town],
        city=[f"{names[k % names.size]} {k // names.size}" for k in town],
        area_code=[f"{200 + 7 * k:04d}" for k in town],
        county=[f"county {k // 3}" for k in town],
    )


def few_columns(cells: pd.DataFrame, entities: np.ndarray, rng) -> pd.DataFrame:
    return cells[["first_name", "last_name", "birth_year"]]


def exchanged(cells: pd.DataFrame, entities: np.ndarray, rng) -> pd.DataFrame:
    """Exchange the first and the last name of some records."""
    cells, names = cells.copy(), ["first_name", "last_name"]
    rows = rng.random(len(cells)) < EXCHANGED
    cells.loc[rows, names] = cells.loc[rows, names[::-1]].to_numpy()
    return cells


#: Kinds of sets: options of the generator of customers, and what is done to its table.
KINDS: dict[str, tuple[dict, Callable]] = {
    "typing errors and empty cells": (PLAIN, as_they_are),
    "nicknames": ({"moves": 0.0}, as_they_are),
    "nicknames and moves": ({}, as_they_are),
    "households": (PLAIN, households),
    "one-to-one columns": (PLAIN, one_to_one),
    "strangers in small towns": (PLAIN | {"shares": MOSTLY_ALONE}, small_towns),
    "few columns": (PLAIN, few_columns),
    "first and last names exchanged": (PLAIN, exchanged),
}


def generated_customers(kind: str, seed: int, n_records: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the cells of a generated table, None if empty, and the person of each record."""
    options, change = KINDS[kind]
    raw = parse_generated_customers({}, seed=seed, n_records=n_records, **options)
    truth = pd.factorize(np.asarray(raw.entities))[0]
    cells = change(raw.cells, truth, np.random.default_rng(seed)).astype(object)
    return cells.where(cells.notna(), None).to_numpy(), truth


def is_doubted(model) -> bool:
    """Return whether the command would say of a fit that it cannot be relied on."""
    if model.misfits_ or hasattr(model, "elbo_"):
        return bool(model.misfits_)
    name = next(name for name in ("n_clusters_row", "n_clusters") if name in model.rhat_)
    rhat = max(model.rhat_[name], model.rhat_["log_joint"])
    return bool(rhat > AGREED and disagreement(model.draws_) > SAME)


def fitted(cells: np.ndarray, seed: int) -> Microclustering:
    """Cluster records with chains of the command's length, and longer ones if they disagree."""
    burn_in, n_samples, thin = next(taken for most, taken in SIMILAR_LENGTHS if len(cells) <= most)
    few = len(cells) <= SIMILAR_LENGTHS[0][0]
    for times in (1, LONGER) if few else (1,):
        model = Microclustering(
            likelihood="similar",
            random_state=seed,
            n_burn_in=burn_in,
            n_samples=times * n_samples,
            thin=thin,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the verdict below counts them
            model.fit(cells)
        if max(model.rhat_["n_clusters"], model.rhat_["log_joint"]) <= AGREED:
            break
    return model


def covered(kind: str, seed: int, n_records: int) -> dict[str, float]:
    """Return truth and expectation for one set, and whether the intervals contain the truth."""
    cells, truth = generated_customers(kind, seed, n_records)
    model = fitted(cells, seed)
    found = {}
    for name, score in (("precision", pair_precision), ("recall", pair_recall)):
        true = score(truth, model.labels_)
        mean, low, high = getattr(model.quality_, name)
        found |= {name: true, f"expected {name}": mean, f"{name} held": low <= true <= high}
    low, high = model.n_clusters_interval_
    found["entities held"] = low <= truth.max() + 1 <= high
    found["right"] = all(found[f"{name} held"] for name in ("precision", "recall", "entities"))
    found["doubted"] = is_doubted(model)
    return found


def row_of(kind: str, sets: pd.DataFrame, n_records: int) -> dict[str, float | str]:
    """Return the row of a kind: means over its sets, and how often right and wrong are doubted."""
    means = sets.drop(columns="doubted").astype(float).mean().round(3)
    right = sets["right"].astype(bool)
    return {
        "kind": kind, "sets": len(sets), "records": n_records, **means,
        "right and doubted": int(sets["doubted"][right].sum()),
        "wrong": int((~right).sum()), "wrong and doubted": int(sets["doubted"][~right].sum()),
    }  # fmt: skip


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=100, help="of each kind")
    parser.add_argument("--records", type=int, default=300, help="in each set")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=[*KINDS], help="which kinds")
    parser.add_argument("--csv", type=Path, help="where the table goes besides")
    options = parser.parse_args(arguments)
    rows, names = [], list(KINDS)
    for kind in options.kinds:
        seeds = range(FIRST_SEED, FIRST_SEED + options.sets)
        sets = pd.DataFrame([covered(kind, seed, options.records) for seed in seeds])
        rows.append(row_of(kind, sets, options.records))
        print(rows[-1], flush=True)
        if options.csv:
            add_rows(options.csv, rows[-1:], ("kind",), lambda row: names.index(row["kind"]))
    print(machine())
    print(pd.DataFrame(rows).to_string(index=False))


if __name__ == "__main__":
    main()
