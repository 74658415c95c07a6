"""Chains as the paper may have run them, watched before they settle."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.datasets import Records
from reseat.models.records import build
from reseat.moves import Chaperones
from reseat.papers.records.chains import parts_of
from reseat.papers.records.plan import Run
from reseat.papers.records.results import FDR, FNR, METRICS, SD_K
from reseat.papers.records.scores import estimate_rates
from reseat.summaries import PartitionStatistics

#: How often the authors' later package visits the clusters of two chaperones.
SCANS = 2

#: Sweeps between two partitions of which a point estimate is made.
THIN = 10


def watch_chains(
    runs: Sequence[Mapping[str, Any]], records: Sequence[Path], watch: Mapping[str, Any]
) -> pd.DataFrame:
    """Return what one chain of each run would report if it were stopped after ever more sweeps."""
    rows, folders = [], {path.name: path for path in records}
    for run in (Run(**run) for run in runs):
        data = Records.load(folders[run.dataset] / run.data_file)
        key = {"dataset": run.dataset, "status": data.identity.status, "role": run.role}
        key |= {"delta_true": run.delta, "model": run.model, **run.printed}
        rows += [key | row for row in _watch(run, data, watch["n_sweeps"], watch["every"])]
    return pd.DataFrame(rows)


def _watch(run: Run, records: Records, n_sweeps: int, every: int) -> Iterator[dict]:
    rng = np.random.default_rng(chain_seed(run.seed, *run.stream, "unsettled"))
    settings, index, pairs = parts_of(run, records)
    start = rng.integers(records.n_records, size=records.n_records)
    model = build(settings, index, rng, start, (Chaperones(pairs, n_scans=SCANS),))
    statistics = PartitionStatistics(records.entities)
    traces = {name: np.empty(n_sweeps) for name in ("n_clusters", "fnr", "fdr", "delta", "largest")}
    kept = []
    for sweep in range(n_sweeps):
        model.sweep(rng)
        found = statistics(model.labels, model.block_sizes)
        traces["n_clusters"][sweep] = model.block_sizes.size
        traces["delta"][sweep] = model.hyperparameters["delta"]
        traces["largest"][sweep] = found["max_size"]
        traces["fnr"][sweep], traces["fdr"][sweep] = found["fnr"], found["fdr"]
        if (sweep + 1) % THIN == 0:
            kept.append(model.labels.astype(np.int32))
        if (sweep + 1) % every == 0:
            yield from _report(sweep + 1, traces, kept, records.entities, rng)


def _report(stop, traces, kept, truth, rng) -> list[dict]:
    """Return the numbers of Table 1 from the second half of the sweeps up to a stop."""
    half = {name: trace[stop // 2 : stop] for name, trace in traces.items()}
    values = {metric.name: half[metric.column].mean() for metric in METRICS}
    values |= {SD_K.name: half[SD_K.column].std(ddof=1), "largest cluster": half["largest"].mean()}
    draws = np.stack(kept[len(kept) // 2 :])
    rates = estimate_rates("matching_sets", draws, truth, rng)
    values |= {f"{m.name}, matching sets": rates[m.column] for m in (FNR, FDR)}
    return [{"sweep": stop, "metric": name, "mean": float(v)} for name, v in values.items()]
