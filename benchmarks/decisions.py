"""What decisions about pairs are worth: F of generated customers before and after fifty of them.

    python benchmarks/decisions.py                        four sets of 5,000 customers
    python benchmarks/decisions.py --csv table.csv        put the rows into a table as well
    python benchmarks/decisions.py --records 500 --sets 1

Pairs are chosen by the expected gain of an answer, as the page `review.html` does, by the
probability nearest to one half, or at random among the doubtful ones; the truth decides about each,
and the records are clustered again with the same seed.  For comparison, pairs are also drawn at
random from those that are wrong, which only somebody who knows the truth can do.
"""

from __future__ import annotations

import argparse
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
from tables import add_rows
from timing import machine

from reseat import Microclustering
from reseat.command.cluster import SIMILAR_LENGTHS
from reseat.datasets.parsers.generated_customers import parse_generated_customers
from reseat.equal_pairs import equal_pairs
from reseat.metrics import pair_f
from reseat.summaries import probable_pairs

#: Seed of the first set, which is that of `own_sets.py`.
FIRST_SEED = 16
#: Probabilities between which a pair is doubtful.
DOUBTFUL = 0.05, 0.95
WAYS = ("expected gain", "nearest to one half", "random", "knowing what is wrong")


def wrong_pairs(truth: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Return the pairs of records that are together in one partition only, shape (n, 2)."""
    found = [set(zip(*equal_pairs(part), strict=True)) for part in (truth, labels)]
    return np.array(sorted(found[0] ^ found[1]))


def chosen_pairs(model: Microclustering, way: str, n: int, seed: int, truth) -> np.ndarray:
    """Return pairs to decide about, shape (n, 2)."""
    if way == "expected gain":
        return model.questions(n)[["first", "second"]].to_numpy()
    if way == "knowing what is wrong":
        return np.random.default_rng(seed).permutation(wrong_pairs(truth, model.labels_))[:n]
    first, second, probability = probable_pairs(model._flat_draws())
    low, high = DOUBTFUL
    doubtful = np.flatnonzero((probability >= low) & (probability <= high))
    order = np.argsort(np.abs(probability[doubtful] - 0.5), kind="stable")
    if way == "random":
        order = np.random.default_rng(seed).permutation(doubtful.size)
    return np.stack([first, second], axis=1)[doubtful[order[:n]]]


def main() -> None:
    """Measure, print the rows, and put them into a table if asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--csv", type=Path)
    parser.add_argument("--records", type=int, default=5000)
    parser.add_argument("--sets", type=int, default=4)
    parser.add_argument("--decisions", type=int, nargs="+", default=[50])
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    print(machine())
    length = next(length for most, length in SIMILAR_LENGTHS if given.records <= most)
    settings = dict(zip(("n_burn_in", "n_samples", "thin"), length, strict=True))
    rows = []
    for number in range(given.sets):
        seed = FIRST_SEED + number
        raw = parse_generated_customers({}, seed=seed, n_records=given.records)
        truth = pd.factorize(np.asarray(raw.entities))[0]
        model = Microclustering(random_state=seed, **settings).fit(raw.cells)
        before = pair_f(truth, model.labels_)
        for n, way in product(given.decisions, WAYS):
            pairs = chosen_pairs(model, way, n, seed, truth)
            same = truth[pairs[:, 0]] == truth[pairs[:, 1]]
            answers = np.where(same, "same", "different").astype(object)
            again = Microclustering(random_state=seed, **settings)
            again.fit(raw.cells, decisions=np.column_stack([pairs, answers]))
            after = pair_f(truth, again.labels_)
            rows.append(
                {
                    "customers": given.records,
                    "seed": seed,
                    "pairs chosen by": way,
                    "decisions": len(pairs),
                    "wrong pairs": len(wrong_pairs(truth, model.labels_)),
                    "F before": f"{before:.3f}",
                    "F after": f"{after:.3f}",
                    "share of what was missing": f"{(after - before) / (1 - before):.2f}",
                }
            )
            print(rows[-1], flush=True)
    if given.csv is not None:
        add_rows(
            given.csv,
            rows,
            ("customers", "seed", "pairs chosen by", "decisions"),
            lambda row: (
                int(row["customers"]),
                int(row["seed"]),
                WAYS.index(row["pairs chosen by"]),
            ),
        )


if __name__ == "__main__":
    main()
