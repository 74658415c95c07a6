"""Timed comparison of Gibbs sweeps, chaperones, split–merge and both on the same models."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.datasets import Records
from reseat.errors import DataError
from reseat.models.records import build, make_moves
from reseat.moves import Chaperones, Pairs, SplitMerge, gibbs_sweep
from reseat.papers.records.chains import parts_of
from reseat.papers.records.plan import Run
from reseat.papers.records.study_tables import move_traces
from reseat.summaries import PartitionStatistics, describe

#: Chains of each move. They start from the truth, so that mixing in equilibrium is compared.
N_CHAINS = 4

#: Scans of a split–merge move before the last one. The clusters are so small that more are wasted.
SCANS = 2

QUANTITIES = ("n_clusters", "log_joint", "fdr")


def compare_moves(
    runs: Sequence[Mapping[str, Any]], records: Sequence[Path], n_sweeps: Mapping[str, int]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare the moves on the records of each run, burn-ins being in proportion to sweeps."""
    found = [
        _compare(Run(**run), folder, n_sweeps) for run, folder in zip(runs, records, strict=True)
    ]
    rows, traces = zip(*found, strict=True)
    return pd.concat(rows, ignore_index=True), pd.concat(traces, ignore_index=True)


def _compare(run, folder, n_sweeps):
    """Run every move, one after the other in this process."""
    records = Records.load(folder / run.data_file)
    if records.entities is None:
        raise DataError(
            f"{run.name}: the moves are compared from the true entities, which these records lack; "
            "name others for moves."
        )
    settings, index, pairs = parts_of(run, records)
    moves = {
        "gibbs": (gibbs_sweep,),
        "chaperones_uniform": (Chaperones(Pairs(records.n_records)),),
        "chaperones_similarity": (Chaperones(pairs),),
        "split_merge": (SplitMerge(n_proposals=records.n_records, n_scans=SCANS, pairs=pairs),),
        "both": make_moves(settings, pairs),
    }
    statistics = PartitionStatistics(records.entities)
    rows, thinned = [], []
    for name, move in moves.items():
        kept = n_sweeps["gibbs" if name == "gibbs" else "chaperones"]
        burn_in = round(run.length["burn_in"] * kept / n_sweeps["gibbs"])
        arrays = {quantity: np.empty((N_CHAINS, burn_in + kept)) for quantity in QUANTITIES}
        seconds = np.empty(N_CHAINS)
        for chain in range(N_CHAINS):
            rng = np.random.default_rng(chain_seed(run.seed, *run.stream, name, chain))
            model = build(settings, index, rng, records.entities, move)
            traces = {quantity: arrays[quantity][chain] for quantity in QUANTITIES}
            seconds[chain] = _run(model, rng, traces, statistics)
        thinned.append(move_traces(run.name, name, arrays, seconds))
        for quantity in QUANTITIES:
            draws = arrays[quantity][:, burn_in:]
            for chain in (*range(N_CHAINS), -1):
                own = slice(None) if chain < 0 else slice(chain, chain + 1)
                found = describe(draws[own])
                row = {"dataset": run.name, "status": records.identity.status, "move": name}
                row |= {"chain": chain, "quantity": quantity}
                row |= {key: found[key] for key in ("mean", "mcse", "ess", "rhat")}
                row |= {"seconds": float(seconds[own].sum() * kept), "n_sweeps": kept}
                rows.append(row | {"n_chains": found["n_chains"]})
    return pd.DataFrame(rows), pd.concat(thinned, ignore_index=True)


def _run(model, rng, traces, statistics):
    """Fill the traces and return the CPU seconds per sweep, hyperparameters included."""
    spent = 0.0
    for sweep in range(traces["log_joint"].size):
        began = time.thread_time()
        model.sweep(rng)
        spent += time.thread_time() - began
        traces["n_clusters"][sweep] = model.partition.n_blocks
        traces["log_joint"][sweep] = model.log_joint()
        traces["fdr"][sweep] = statistics(model.labels, model.block_sizes)["fdr"]
    return spent / traces["log_joint"].size
