"""Test whether chains of SCDP-1 agree if the rate of the precisions is lowered step by step.

    python benchmarks/annealed_rate.py data/processed/standard/references/cora_text.npz
    python benchmarks/annealed_rate.py FILE --rates 100 10 1 --sweeps 50 --starts one truth
    python benchmarks/annealed_rate.py FILE --csv benchmarks/annealed_rate.csv

Under a gamma law with a large rate no coordinate is precise, so chains from all starts agree soon.
Each rate starts from the final partitions of the one before.  The last rate has five times as many
sweeps, and the second half of them is reported.  FILE is a data set that a run of the workflow has
processed.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from tables import add_rows
from timing import machine

from reseat.chains import split_labels
from reseat.configuration import read_yaml
from reseat.datasets import EmbeddedMentions
from reseat.likelihoods import GaussianReferences
from reseat.models.supervised import Items, build
from reseat.papers.supervised.plan import COMMON
from reseat.priors import sampled_settings

__all__ = ["annealed"]

ROOT = Path(__file__).resolve().parents[1]
STARTS = ("singletons", "one", "k_means", "truth")
RATES = (100, 60, 36, 22, 13, 8, 5, 3, 2, 1.5, 1.2, 1)


def annealed(
    references: EmbeddedMentions, start: str, rates: list[float], n_sweeps: int, seed: int
) -> dict[str, float]:
    """Return the end of one chain: means over the second half of the sweeps of the last rate."""
    data = GaussianReferences(references.coordinates, references.feature_of)
    items = Items(data, references.test, references.entities, references.groups)
    rng = np.random.default_rng([seed, STARTS.index(start), 0])
    state = references.entities if start == "truth" else start
    before = time.process_time()
    for rate in rates:
        model = build(_settings(rate), items, rng, start=state)
        trace = []
        for _ in range(n_sweeps * (5 if rate == rates[-1] else 1)):
            model.sweep(rng)
            counts = model.n_clusters
            trace.append(
                (model.log_integrated(), counts["n_test_clusters"], counts["n_clusters_type"])
            )
        state = split_labels(model.labels, model.part_sizes)
    kept = np.array(trace[len(trace) // 2 :])
    log_joint, clusters, types = kept.mean(axis=0)
    return {
        "log joint": round(log_joint, 1),
        "its standard deviation": round(kept[:, 0].std(), 1),
        "test clusters": round(clusters, 1),
        "types": round(types, 1),
        "CPU seconds": round(time.process_time() - before),
    }


def _settings(rate: float) -> dict:
    """Return the settings of the model with joint moves, but with the given rate."""
    section = read_yaml(ROOT / "config" / "supervised.yaml")["supervised"]
    prior = sampled_settings("dirichlet_process", section["concentration"])
    settings = {name: section[name] for name in COMMON} | section["models"]["scdp1"]
    priors = {"publication_prior": prior, "type_prior": prior}
    return settings | priors | {"rate": rate, "move": section["joint"]}


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--rates", type=float, nargs="+", default=RATES)
    parser.add_argument("--sweeps", type=int, default=300, help="of each rate")
    parser.add_argument("--starts", nargs="+", choices=STARTS, default=STARTS)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--csv", type=Path, help="where the table goes besides")
    options = parser.parse_args(arguments)
    references = EmbeddedMentions.load(options.file)
    print(machine())
    for start in options.starts:
        found = annealed(references, start, options.rates, options.sweeps, options.seed)
        row = {"data": options.file.stem, "rates": len(options.rates), "sweeps": options.sweeps}
        row |= {"start": start, **found}
        print(", ".join(f"{name} {value}" for name, value in row.items()), flush=True)
        if options.csv is not None:
            place = lambda row: (row["data"], int(row["rates"]), STARTS.index(row["start"]))  # noqa: E731
            add_rows(options.csv, [row], ("data", "rates", "sweeps", "start"), place)


if __name__ == "__main__":
    main()
