"""Chains of records: an outer iteration, mixing compared with Gibbs sweeps, a million records."""

from __future__ import annotations

import time

import numpy as np
import records
from child import run_child
from timing import Row, measure

from reseat.moves import gibbs_sweep
from reseat.summaries import PartitionStatistics
from reseat.summaries.diagnostics import bulk_ess

__all__ = ["run"]


def run(quick: bool) -> list[Row]:
    """Return the rows of all three comparisons."""
    made = records.generate(1_000 if quick else 5_000)
    return [
        *(_iteration(made, prior, quick) for prior in ("NBNB", "NBD")),
        _mixing(made, "NBD", quick),
        _memory(20_000 if quick else 1_000_000),
    ]


def _iteration(made: records.BenchmarkRecords, prior: str, quick: bool) -> Row:
    """Time all that a chain does between two entries in its traces."""
    model = records.begin(made, prior)
    statistics = PartitionStatistics(made.entities)
    rng = np.random.default_rng(0)

    def iterate():
        model.sweep(rng)
        model.log_joint()
        statistics(model.labels, model.partition.block_sizes())

    n = made.index.n_items
    seconds = measure(iterate, 20 if quick else 100, warmup=20)
    note = f"{n:,} pairs, hyperparameters, error rates and statistics of sizes, log joint"
    return Row(f"outer iteration, {prior}, {n:,} records", str(seconds), note=note)


def _mixing(made: records.BenchmarkRecords, prior: str, quick: bool) -> Row:
    """Compare effective draws of the number of blocks per second, from the same state."""
    burnt = records.begin(made, prior)
    rng = np.random.default_rng(0)
    for _ in range(50 if quick else 500):
        burnt.sweep(rng)
    lengths = {"chaperones": 300 if quick else 4_000, "gibbs": 60 if quick else 150}
    speed, spent, effective = {}, {}, {}
    for name, n_sweeps in lengths.items():
        model = records.begin(made, prior, None if name == "chaperones" else (gibbs_sweep,))
        model.restore(burnt.state())
        n_blocks = np.empty(n_sweeps)
        begin = time.thread_time()
        for sweep in range(n_sweeps):
            model.sweep(rng)
            n_blocks[sweep] = model.partition.n_blocks
        spent[name] = time.thread_time() - begin
        effective[name] = effective_draws(n_blocks)
        speed[name] = effective[name] / spent[name]
    ours, theirs = (f"{speed[name]:.3g} effective draws/s" for name in ("chaperones", "gibbs"))
    each = "; ".join(
        f"{name}: {effective[name]:.0f} of {n:,} sweeps in {spent[name]:.3g} s"
        for name, n in lengths.items()
    )
    note = f"of the number of blocks, {made.index.n_items:,} records; {each}"
    return Row(
        f"chaperones on similar pairs, {prior}", ours, "reseat's own Gibbs sweep", theirs,
        f"{speed['chaperones'] / speed['gibbs']:.3g}x", note,
    )  # fmt: skip


def effective_draws(chain: np.ndarray) -> float:
    """Return the bulk effective sample size of a chain."""
    return bulk_ess(chain[None, :])


CHILD = """
import time
import numpy as np
import records

imports, begin = peak(), time.thread_time()
made = records.generate(int(sys.argv[1]), kinds=("similar",))
model = records.begin(made, "NBD")
made_in, begin = time.thread_time() - begin, time.thread_time()
rng = np.random.default_rng(0)
for _ in range(20):
    model.sweep(rng)
    model.log_joint()
print(imports, peak(), made_in, time.thread_time() - begin)
"""


def _memory(n_records: int) -> Row:
    imports, peak, made_in, seconds = run_child(CHILD, n_records)
    note = (
        f"a process of its own; {seconds / 20:.2g} s an iteration, "
        f"{made_in:.2g} s to draw the records and their buckets, imports {imports:.0f} MB"
    )
    what = f"20 outer iterations, NBD, {n_records:,} records"
    return Row(what, f"{seconds:.3g} s, {peak:.0f} MB", note=note)
