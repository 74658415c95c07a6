"""Posterior summaries of every quantity, and error rates of point estimates, of finished chains."""

from collections.abc import Callable, Iterable, Mapping
from itertools import zip_longest
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from reseat.chains import chain_seed, read_groups
from reseat.datasets import Records
from reseat.papers.records import ESTIMATES
from reseat.papers.records.plan import Run
from reseat.summaries import (
    PartitionStatistics,
    describe,
    matching_sets,
    minimise_expected_loss,
    probable_pairs,
    whole_trace,
)

#: Largest number of draws over which an expected loss is minimised; they are evenly spaced.
MAX_DRAWS = 100


def score_models(
    runs: Iterable[Run], load: Callable[[Run], Records], folders: Iterable[Path]
) -> SimpleNamespace:
    """Return rows by quantity, chain and block size, and traces, (n_chains, n_sweeps), by name."""
    scores = SimpleNamespace(summary=[], chains=[], sizes=[], traces={})
    files = {path.name: path for folder in folders for path in Path(folder).glob("*.nc")}
    records: dict[str, Records] = {}
    for run in runs:
        if run.name not in records:
            records[run.name] = load(run)
        _score_run(scores, run, records[run.name], files)
    return scores


def _score_run(scores, run: Run, records: Records, files: Mapping) -> None:
    stored = [read_groups(files[run.file(chain)]) for chain in run.chains]
    trees = [groups for groups, _ in stored]
    delta = np.nan if run.delta is None else run.delta
    key = {"dataset": run.name, "variant": run.dataset, "status": records.identity.status}
    key |= {"role": run.role, "delta_true": delta, "draw": run.draw, "model": run.model}
    key |= run.printed
    truths = _true_values(run, records)
    quantities = [name for name in trees[0]["posterior"] if name not in ("chain", "draw")]
    for quantity in (*quantities, "log_joint"):
        group = "sample_stats" if quantity == "log_joint" else "posterior"
        draws = np.stack([tree[group][quantity][0] for tree in trees])
        if quantity in ("n_clusters", "log_joint"):
            whole = np.stack([whole_trace(tree, group, quantity) for tree in trees])
            scores.traces[f"{run.name}/{run.model}/{quantity}"] = whole
        row = {"quantity": quantity, "truth": truths.get(quantity, np.nan)}
        scores.summary.append(key | row | describe(draws))
        for chain, (_, attributes) in zip(run.chains, stored, strict=True):
            found = describe(draws[chain : chain + 1])
            row = {"chain": chain, "start": run.start(chain), "quantity": quantity}
            row |= {name: found[name] for name in ("mean", "sd", "mcse", "ess")}
            row |= {name: attributes[name] for name in ("seconds", "seconds_per_sweep")}
            scores.chains.append(key | row)
    scores.traces[f"{run.name}/{run.model}/burn_in"] = np.array(run.schedule.burn_in)
    scores.sizes += [key | row for row in _size_rows(trees, records)]
    if records.entities is not None:
        rng = np.random.default_rng(chain_seed(run.seed, *run.stream, "estimates"))
        labels = np.stack([tree["partition"]["labels"][0] for tree in trees])
        scores.summary += [key | row for row in estimate_rows(labels, records.entities, rng)]


def _true_values(run: Run, records: Records) -> dict[str, float]:
    if records.entities is None:
        return {}
    sizes = records.entity_sizes()
    truths = PartitionStatistics(records.entities)(records.entities, sizes)
    truths["n_clusters"] = float(sizes.size)
    if run.delta is not None:
        truths["delta"] = run.delta
    return truths


def _size_rows(trees, records: Records) -> list[dict]:
    """Return the posterior number of blocks of each size, from the stored partitions."""
    draws = np.concatenate([tree["partition"]["labels"][0] for tree in trees])
    counts = [np.bincount(np.bincount(labels))[1:] for labels in draws.astype(np.int64)]
    known = records.entities is not None
    truth = np.bincount(records.entity_sizes())[1:] if known else ()
    # A row for each size: the true number of blocks, then that of each draw.
    table = np.array([*zip_longest(truth, *counts, fillvalue=0)], dtype=float)
    drawn = table[:, 1:]
    found = {"size": np.arange(len(table)) + 1, "truth": table[:, 0] if known else np.nan}
    low, high = np.quantile(drawn, [0.025, 0.975], axis=1)
    found |= {"mean": drawn.mean(axis=1), "q025": low, "q975": high}
    return pd.DataFrame(found).to_dict("records")


# ---- Error rates of point estimates ----------------------------------------------------------
#
# The paper does not say how its rates were made. The authors' earlier work computes those of the
# shared most probable maximal matching sets (Steorts, Hall and Fienberg 2016, section 5).


def estimate_rows(labels: np.ndarray, truth: np.ndarray, rng: np.random.Generator) -> list[dict]:
    """Return the error rates of every point estimate, from labels (n_chains, n_draws, n_items)."""
    n_chains, n_draws, _n_items = labels.shape
    # The Monte Carlo error is that of a chain alone, or half of a single one: rather too large.
    parts = list(labels) if n_chains > 1 else np.array_split(labels[0], min(2, n_draws))
    rows = []
    for name in ESTIMATES:
        whole = estimate_rates(name, np.concatenate(labels), truth, rng)
        apart = [estimate_rates(name, part, truth, rng) for part in parts]
        for rate, value in whole.items():
            values = np.array([rates[rate] for rates in apart])
            error = values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan
            row = {"quantity": f"{rate}_{name}", "truth": 0.0, "mean": value, "mcse": float(error)}
            rows.append(row | {"n_chains": n_chains, "n_draws": n_draws})
    return rows


def estimate_rates(
    name: str, draws: np.ndarray, truth: np.ndarray, rng: np.random.Generator
) -> dict[str, float]:
    """Return the error rates of a point estimate from draws of shape (n_draws, n_items)."""
    return error_rates(_pairs(name, draws, rng), _together(truth))


def error_rates(pairs: np.ndarray, true: np.ndarray) -> dict[str, float]:
    """Return the rates of pairs that are missed and of pairs that are false; 0 for 0 of 0."""
    n_right = np.intersect1d(pairs, true, assume_unique=True).size
    return {
        "fnr": (true.size - n_right) / max(1, true.size),
        "fdr": (pairs.size - n_right) / max(1, pairs.size),
    }


def _pairs(name: str, draws: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the pairs of items, as codes, that a point estimate, even if no partition, joins."""
    n_items = draws.shape[1]
    if name == "probable_pairs":
        first, second, probability = probable_pairs(draws, 0.5)
        return (first * n_items + second)[probability > 0.5]
    if name == "matching_sets":
        labels = matching_sets(draws)
    else:
        kept = np.unique(np.linspace(0, len(draws) - 1, MAX_DRAWS).round().astype(int))
        loss = name.removeprefix("least_")
        # Only sweeps of single items, as the draws that are improved are near the best partition.
        found = minimise_expected_loss(draws[kept], loss, n_runs=1, rng=rng, n_reallocations=0)
        labels = found.labels
    return _together(labels)


def _together(labels: np.ndarray) -> np.ndarray:
    first, second, _probability = probable_pairs(labels[None], 1.0)
    return first * labels.size + second
