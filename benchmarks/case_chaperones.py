"""Cost of a chaperone pair by number of records, and compared with a plain program."""

from __future__ import annotations

import numpy as np
import records
from chaperones_port import PlainChaperones
from timing import Row, Timing, compare, measure, ratio

from reseat.moves import Chaperones

__all__ = ["run"]


def run(quick: bool) -> list[Row]:
    """Return a row for each prior and kind of pairs, then one with the plain program as a peer."""
    numbers = (500, 5_000) if quick else (500, 5_000, 50_000)
    made = {n: records.generate(n) for n in numbers}
    rows = []
    for prior in records.PRIORS:
        for kind in ("similar", "uniform"):
            paces = [_pace(made[n], prior, kind, quick) for n in numbers]
            medians = [timing.median for timing in paces]
            rows.append(
                Row(
                    f"a chaperone pair, {prior}, {kind} pairs",
                    " | ".join(f"{seconds * 1e6:.2f}" for seconds in medians) + " µs",
                    note=f"{_among(numbers)} records; "
                    f"at most {max(medians) / min(medians):.2g} times the least",
                )
            )
    return [*rows, _against_port(made[5_000], quick)]


def _among(numbers) -> str:
    return " | ".join(f"{n:,}" for n in numbers)


def _pace(made: records.BenchmarkRecords, prior: str, kind: str, quick: bool) -> Timing:
    """Return the seconds per pair in equilibrium, with fixed hyperparameters."""
    n = made.index.n_items
    move = Chaperones(made.pairs[kind], n_pairs=max(n, 5_000))
    model = records.begin(made, prior, (move,))
    rng = np.random.default_rng(0)
    for _ in range(10):
        model.sweep(rng)
    timing = measure(
        lambda: move(model.partition, model.prior, model.likelihood, rng), 7 if quick else 15
    )
    return Timing(tuple(seconds / move.n_pairs for seconds in timing.seconds))


def _against_port(made: records.BenchmarkRecords, quick: bool) -> Row:
    n_pairs = 2_000 if quick else 20_000
    move = Chaperones(made.pairs["similar"], n_pairs=n_pairs)
    model = records.begin(made, "DP", (move,))
    rng = np.random.default_rng(1)
    for _ in range(10):
        model.sweep(rng)
    delta = model.likelihood.hyperparameters["delta"]
    port = PlainChaperones(
        made.codes, made.index.marginals, model.labels, model.prior.concentration, delta
    )
    ours, theirs = compare(
        lambda: move(model.partition, model.prior, model.likelihood, rng),
        lambda: port.run(made.pairs["similar"].sample(rng, n_pairs)),
        3 if quick else 5,
    )
    note = (
        f"{n_pairs:,} pairs from the same state, in turn; afterwards {model.partition.n_blocks:,} "
        f"and {len(port.members):,} blocks stand"
    )
    return Row(
        f"{n_pairs:,} chaperone pairs, DP, 5,000 records", str(ours), "lists and dicts (Python)",
        str(theirs), ratio(ours, theirs), note,
    )  # fmt: skip
