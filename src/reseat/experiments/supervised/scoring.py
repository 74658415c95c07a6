"""Scores of the test items and diagnostics, from finished chains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from reseat.chains import chain_seed, read_groups, split_labels
from reseat.datasets import EmbeddedMentions
from reseat.datasets.mentions import size_statistics
from reseat.experiments.supervised.measures import measure
from reseat.experiments.supervised.plan import PAPER_KEY, Run
from reseat.experiments.supervised.results import TRUTH
from reseat.summaries import describe, minimise_expected_loss

__all__ = ["Scores", "describe_data", "score_models"]

#: Largest number of draws, over all chains, from which the partition of least expected VI is found.
MOST_DRAWS = 400


@dataclass
class Scores:
    """Tidy rows of the chains of all models on a data set."""

    #: One row per chain, summary (``mean`` over the kept draws, ``map``, ``last``) and metric.
    chains: list = field(default_factory=list)
    #: One row per model and metric: the partition of least expected VI.
    min_vi: list = field(default_factory=list)
    #: One row per chain and quantity.
    diagnostics: list = field(default_factory=list)
    #: One row per chain and quantity: effective draws and the time that they took.
    moves: list = field(default_factory=list)


def score_models(
    runs: Iterable[Run], references: EmbeddedMentions, folders: Iterable[Path]
) -> Scores:
    """Score the chains of all models on the test items of a data set."""
    scores = Scores()
    files = {path.name: path for folder in folders for path in Path(folder).glob("*.nc")}
    for run in runs:
        _score_run(scores, run, references, files)
    return scores


def _test_draws(references: EmbeddedMentions, labels: np.ndarray) -> np.ndarray:
    """Return the clusters of the test items, shape (n_draws, n_test), from what a chain stored."""
    n, n_test = references.n_items, references.n_test
    labels = labels.astype(np.int64)
    if labels.shape[-1] == n_test:  # CDP clusters no other items
        return labels
    return split_labels(labels, {"publication": n, "type": n})["publication"][:, references.test]


def _score_run(scores: Scores, run: Run, references: EmbeddedMentions, files: Mapping) -> None:
    truth = references.entities[references.test]
    key = {
        "dataset": run.dataset,
        "status": references.identity.status,
        "role": run.role,
        **run.key,
    }
    stored = [read_groups(files[run.file(chain)]) for chain in run.chains]
    draws = [_test_draws(references, tree["partition"]["labels"][0]) for tree, _ in stored]
    measured = [[measure(truth, labels) for labels in chain] for chain in draws]
    for chain, (tree, _) in zip(run.chains, stored, strict=True):
        rows = measured[chain]
        best = _test_draws(references, tree["summary"]["map"][None])[0]
        found = {
            "mean": {name: float(np.mean([row[name] for row in rows])) for name in rows[0]},
            "map": measure(truth, best),
            "last": rows[-1],
        }
        at = key | {"start": run.start(chain), "chain": chain}
        scores.chains += [
            at | {"summary": summary, "metric": metric, "value": value}
            for summary, values in found.items()
            for metric, value in values.items()
        ]
    scores.min_vi += [
        key | {"summary": "min_vi", "metric": metric, "value": value}
        for metric, value in measure(truth, _least_vi(run, _blind(run, draws))).items()
    ]
    _diagnose(scores, run, key, stored, draws, measured)


def _blind(run: Run, draws: list[np.ndarray]) -> list[np.ndarray]:
    """Return the draws of chains that did not begin at the true clusters, or all if all did."""
    found = [draws[chain] for chain in run.chains if run.start(chain) != TRUTH]
    return found or draws


def _least_vi(run: Run, draws: list[np.ndarray]) -> np.ndarray:
    pooled = np.concatenate(draws)
    chosen = np.unique(np.linspace(0, len(pooled) - 1, MOST_DRAWS).round().astype(int))
    rng = np.random.default_rng(chain_seed(run.seed, PAPER_KEY, run.dataset, run.model, "min_vi"))
    # Only sweeps of single items: re-allocating whole clusters takes minutes and changes nothing.
    found = minimise_expected_loss(pooled[chosen], "vi", n_runs=4, rng=rng, n_reallocations=0)
    return found.labels


def _diagnose(scores: Scores, run: Run, key, stored, draws, measured) -> None:
    traces = {
        "log_joint": np.stack([tree["sample_stats"]["log_joint"][0] for tree, _ in stored]),
        "n_test_clusters": np.stack([[len(np.unique(d)) for d in chain] for chain in draws]),
        "F": np.array([[row["F"] for row in chain] for chain in measured]),
    }
    for name in stored[0][0]["posterior"]:
        if name not in ("chain", "draw"):
            traces[name] = np.stack([tree["posterior"][name][0] for tree, _ in stored])
    # A chain of a single partition does not name the part to which its concentration belongs.
    renamed = {"concentration": "concentration_publication"}
    traces = {renamed.get(name, name): np.asarray(t, dtype=float) for name, t in traces.items()}
    for name, values in traces.items():
        rhat = describe(values)["rhat"]
        for chain, (_, attributes) in zip(run.chains, stored, strict=True):
            found = describe(values[chain : chain + 1])
            at = key | {"start": run.start(chain), "chain": chain, "quantity": name}
            row = {"value": found["mean"], "mcse": found["mcse"], "ess": found["ess"]}
            row |= {"rhat": rhat}
            scores.diagnostics.append(at | row)
            if name in ("log_joint", "n_test_clusters", "F"):
                scores.moves.append(_moves_row(run, at, found, attributes))
    for chain, (_, attributes) in zip(run.chains, stored, strict=True):
        seconds = attributes["seconds"]
        timings = {
            "seconds": seconds,
            "seconds_per_iteration": seconds / run.schedule.n_sweeps,
            "n_iterations": run.schedule.n_sweeps,
        }
        scores.diagnostics += [
            key
            | {"start": run.start(chain), "chain": chain, "quantity": name}
            | {"value": value, "mcse": np.nan, "ess": np.nan, "rhat": np.nan}
            for name, value in timings.items()
        ]


def _moves_row(run: Run, at: Mapping, found: Mapping, attributes: Mapping) -> dict:
    schedule = run.schedule
    # Moves are compared without the burn-in, which takes time but gives no draws.
    seconds = attributes["seconds"] * (1 - schedule.burn_in / schedule.n_sweeps)
    return dict(at) | {
        "move": run.settings.get("moves", "gibbs"),
        "prior": run.settings.get("prior", "dirichlet_process"),
        "mean": found["mean"],
        "ess": found["ess"],
        "seconds": seconds,
        "ess_per_second": found["ess"] / seconds,
    }


def describe_data(references: EmbeddedMentions, key: Mapping) -> list[dict]:
    """Return the sizes of a data set, and what trivial systems would score on its test items.

    One row per quantity.
    """
    sizes = size_statistics(references.entities[references.test])
    found = {
        "n_items": references.n_items,
        "n_train": references.n_items - references.n_test,
        "n_test": references.n_test,
        "n_entities": references.n_entities,
        "n_train_entities": references.n_train_entities,
        "n_test_entities": sizes["entities"],
        # The numbers of groups may have gaps if only part of the items was taken.
        "n_groups": np.unique(references.groups).size,
        "n_features": references.n_features,
        "n_coordinates": references.n_coordinates,
        **{name: sizes[name] for name in ("pair_share", "entropy", "largest")},
    }
    return [dict(key) | {"quantity": name, "value": float(value)} for name, value in found.items()]
