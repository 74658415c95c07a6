"""Scores of chains and restarts against the true classes."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.baselines import fit_em_restarts
from reseat.chains import chain_seed, read_groups
from reseat.datasets import Corpus
from reseat.metrics import evaluate
from reseat.numerics import TIE_BITS, on_grid
from reseat.papers.documents.plan import PAPER_KEY, Run
from reseat.papers.documents.studies import snapshot
from reseat.summaries import minimise_expected_loss, whole_trace

#: Number of draws that the search for a partition of least expected loss uses, and of its runs.
LOSS_DRAWS, LOSS_RUNS = 100, 4


def score_chains(
    run: Run, corpus: Corpus, files: Iterable[Path], loss_chains: int = 0
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Return scores of the summaries of each chain, and traces, shape (n_chains, n_sweeps)."""
    rows, traces = [], []
    for path in files:
        groups, attributes = read_groups(path)
        configuration = attributes["configuration"]
        chain = configuration["chain"]
        log_joint = whole_trace(groups, "sample_stats", "log_joint")
        n_clusters = whole_trace(groups, "posterior", "n_clusters")
        traces.append((log_joint, n_clusters, chain, attributes["seconds"]))
        for summary, sweep, labels in _summaries(run, configuration, groups, chain < loss_chains):
            sample = sweep if summary == "fixed" else np.nan
            value = np.nan if sweep is None else log_joint[sweep - 1]
            rows.append(_row(run, corpus, chain, summary, labels, sample, value))
    names = "log_joint", "n_clusters", "chain", "seconds"
    arrays = dict(zip(names, map(np.array, zip(*traces, strict=True)), strict=True))
    return pd.DataFrame(rows), arrays | {"burn_in": np.array(run.burn_in)}


def score_restarts(
    run: Run, corpus: Corpus, files: Iterable[Path]
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Score every EM restart; ``log_joint`` is the penalised log likelihood in nats."""
    names, stored = ("restart", "n_iterations", "converged", "labels", "objective"), []
    for path in files:
        with np.load(path) as arrays:
            stored.append([arrays[name] for name in names])
    restart, n_iterations, converged, *found = map(np.concatenate, zip(*stored, strict=True))
    rows = [
        _row(run, corpus, int(number), "argmax", labels, np.nan, float(objective))
        for number, labels, objective in zip(restart, *found, strict=True)
    ]
    runs = {"chain": restart, "n_iterations": n_iterations, "converged": converged}
    return pd.DataFrame(rows), runs


def _summaries(
    run: Run, configuration: Mapping, groups: Mapping, with_losses: bool
) -> Iterator[tuple[str, int | None, np.ndarray]]:
    """Yield the name, the sweep (if it is one sample) and the labels of each summary of a chain."""
    chain, summary = configuration["chain"], groups["summary"]
    if "marginal" in summary:
        yield "marginal", None, summary["marginal"]
    # The first of the kept sweeps with the highest log joint, up to rounding.
    kept = groups["sample_stats"]["log_joint"][0]
    best = run.burn_in + 1 + int(np.argmax(on_grid(kept, TIE_BITS)))
    yield "map", best, summary["map"]
    random_sweep = configuration["random_sweep"]
    yield "random", random_sweep, snapshot(groups, random_sweep)
    for sweep in run.fixed_sweeps():
        yield "fixed", sweep, snapshot(groups, sweep)
    if with_losses and "partition" in groups:
        draws = groups["partition"]["labels"][0]
        draws = draws[:: max(1, -(-len(draws) // LOSS_DRAWS))]
        # At most as many clusters as a draw has; Binder's loss would split off singletons.
        most = max(np.unique(draw).size for draw in draws)
        for loss in ("binder", "vi"):
            rng = np.random.default_rng(chain_seed(run.seed, *run.stream, chain, loss))
            # Reallocating whole clusters takes minutes, and in trials it found nothing more.
            estimate = minimise_expected_loss(
                draws, loss=loss, max_clusters=most, n_runs=LOSS_RUNS, n_reallocations=0, rng=rng
            )
            yield loss, None, estimate.labels


def _row(run, corpus, chain, summary, labels, sample, log_joint) -> dict:
    row = {"dataset": run.dataset, "status": corpus.identity.status, "model": run.model}
    row |= {"chain": chain, "summary": summary, "sample": sample}
    return row | evaluate(corpus.labels, labels) | {"log_joint": log_joint}


def sample_em_starts(
    corpus: Corpus,
    dataset: str,
    n_clusters: int,
    em_starts: Mapping[str, Any],
    seed: int,
    threads: int = 1,
) -> pd.DataFrame:
    """Score EM after several iterations, from symmetric Dirichlet draws of word probabilities."""
    wanted, restarts, rows = em_starts["iterations"], range(em_starts["n_restarts"]), []
    for concentration in em_starts["concentrations"]:
        about = {"dataset": dataset, "status": corpus.identity.status}
        about |= {"concentration": concentration}

        def score(restart: int, iteration: int, labels: np.ndarray, about=about) -> None:
            if iteration in wanted:
                place = {"restart": restart, "iterations": iteration}
                # In an order that does not depend on what was imported before.
                found = sorted(evaluate(corpus.labels, labels).items())
                rows.append(about | place | dict(found))

        stream = (PAPER_KEY, dataset, "em_starts", f"{concentration:g}")
        how = {"rngs": [chain_seed(seed, *stream, restart) for restart in restarts]}
        how |= {"start_concentration": concentration, "on_labels": score, "threads": threads}
        how |= {"max_iterations": max(wanted), "tolerance": 0.0}
        results = fit_em_restarts(corpus.counts, n_clusters, **how)
        for restart, result in enumerate(results):
            for iteration in range(result.n_iterations + 1, max(wanted) + 1):
                score(restart, iteration, result.labels)  # it had converged before
    order = ["concentration", "restart", "iterations"]
    return pd.DataFrame(rows).sort_values(order, ignore_index=True)
