"""Restarts of EM, from several starts, too, and single samples of finished chains."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from reseat.baselines import fit_em_restarts
from reseat.chains import chain_seed, read_groups
from reseat.datasets import Corpus
from reseat.files.atomic import write_arrays
from reseat.papers.documents.plan import SAMPLER, Run


def run_em_block(
    run: Run,
    numbers: Sequence[int],
    corpus: Corpus,
    *,
    output: Path,
    labels: Sequence[np.ndarray] | None = None,
    threads: int = 1,
) -> None:
    """Run the EM restarts of one job, from `labels` if given, and write them to an NPZ."""
    settings = run.settings
    how = {key: settings[key] for key in ("smoothing", "start", "tolerance") if key in settings}
    if how["start"] == SAMPLER:
        how["start"] = "labels"
    how["rngs"] = [chain_seed(run.seed, *run.stream, number) for number in numbers]
    results = fit_em_restarts(corpus.counts, run.n_clusters, labels=labels, threads=threads, **how)
    found = {"restart": np.array(numbers)}
    for name in ("labels", "n_iterations", "converged"):
        found[name] = np.array([getattr(result, name) for result in results])
    found["objective"] = np.array([result.objective[-1] for result in results])
    write_arrays(found, output)


def chain_files(blocks: Iterable[Path]) -> list[Path]:
    """Return the chain files in the folders of finished jobs, in the order of their numbers."""
    files = [path for block in blocks for path in Path(block).glob("chain-*.nc")]
    return sorted(files, key=lambda path: path.name)


def snapshot(groups: Mapping, sweep: int) -> np.ndarray:
    """Return the labels after `sweep`, which must be one of the snapshots of the chain."""
    group = groups["snapshots"]
    return group["labels"][np.flatnonzero(group["sweep"] == sweep)[0]]


def random_labels(path: Path) -> np.ndarray:
    """Return the labels of the random sample of a chain, shape (n_documents,)."""
    groups, attributes = read_groups(path, {"snapshots"})
    return snapshot(groups, attributes["configuration"]["random_sweep"])


def read_snapshot(path, sweep):
    """Return the stored labels nearest to a sweep, counted from the start, and their sweep."""
    stored = read_groups(path, {"snapshots"})[0]["snapshots"]
    sweeps, labels = stored["sweep"], stored["labels"]
    place = int(np.argmin(np.abs(sweeps - sweep)))
    return labels[place].astype(np.int64), int(sweeps[place])


def read_samples(blocks: Iterable[Path], sweeps: Sequence[int]):
    """Return samples of each chain of some finished jobs, as from `read_snapshot`, by sweep."""
    return [[read_snapshot(path, sweep) for sweep in sweeps] for path in chain_files(blocks)]
