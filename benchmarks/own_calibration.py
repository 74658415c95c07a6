"""Coverage of the intervals of expected precision and recall of duplicates.

    python benchmarks/own_calibration.py                           a hundred sets of each kind
    python benchmarks/own_calibration.py --csv table.csv           put the rows into a table as well
    python benchmarks/own_calibration.py --sets 10 --records 300   fewer and smaller ones

Customers are generated with independent mistakes, and then also with what the model has to learn
from the records: nicknames, and people who have moved.  These sets were not used to choose the
model.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd
from tables import add_rows
from timing import machine

from reseat import Microclustering
from reseat.datasets.parsers.generated_customers import parse_generated_customers
from reseat.metrics import pair_precision, pair_recall

__all__ = ["covered"]

#: Mistakes in the records, as options of the generator.
MISTAKES = {
    "typing errors and empty cells": {"nicknames": 0.0, "moves": 0.0},
    "nicknames as well": {"moves": 0.0},
    "nicknames and moves as well": {},
}
#: Seed of the first set; sets with smaller seeds were used while the model was developed.
FIRST_SEED = 500
#: Longer chains than by default, so that the intervals are those of the posterior.
LENGTH = {"n_burn_in": 100, "n_samples": 300, "thin": 3}


def covered(seed: int, n_records: int, options: dict) -> dict[str, float]:
    """Return truth and expectation for one set, and whether the interval contains the truth."""
    raw = parse_generated_customers({}, seed=seed, n_records=n_records, **options)
    cells = raw.cells.astype(object).where(raw.cells.notna(), None).to_numpy()
    model = Microclustering(likelihood="similar", random_state=seed, **LENGTH).fit(cells)
    truth = pd.factorize(np.asarray(raw.entities))[0]
    found = {}
    for name, score in (("precision", pair_precision), ("recall", pair_recall)):
        true = score(truth, model.labels_)
        mean, low, high = getattr(model.quality_, name)
        found |= {name: true, f"expected {name}": mean, f"{name} held": low <= true <= high}
    return found


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=100, help="of each kind")
    parser.add_argument("--records", type=int, default=500, help="in each set")
    parser.add_argument("--csv", type=Path, help="where the table goes besides")
    options = parser.parse_args(arguments)
    rows, names = [], list(MISTAKES)
    for name in names:
        seeds = range(FIRST_SEED, FIRST_SEED + options.sets)
        sets = [covered(seed, options.records, MISTAKES[name]) for seed in seeds]
        means = pd.DataFrame(sets).astype(float).mean().round(3)
        rows.append({"mistakes": name, "sets": options.sets, "records": options.records, **means})
        if options.csv:
            order = ("mistakes",), lambda row: names.index(row["mistakes"])
            add_rows(options.csv, rows[-1:], *order)
    print(machine())
    print(pd.DataFrame(rows).to_string(index=False))


if __name__ == "__main__":
    main()
