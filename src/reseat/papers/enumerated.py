"""Enumeration of all partitions of a few items, to compare exact and sampled probabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import softmax

from reseat.errors import DataError
from reseat.papers.tables import read_frames
from reseat.vocabulary import GENERATED

if TYPE_CHECKING:  # a table of counts does not depend on how chains run
    from reseat.chains import CoupledModel, MixtureModel

#: Columns of the counts that check a sampler: the target (a prior, with its likelihood or model
#: where there are several), a partition (labels such as ``00121``; for coupled partitions
#: ``0011|010``), its probability by enumeration, and how often the sampler visited it.
COUNTS = ("prior", "partition", "exact", "count")


def partitions(n_items):
    """Return all partitions of the items, as tuples of labels in order of first appearance."""
    found = [(0,)]
    for _ in range(n_items - 1):
        found = [(*labels, k) for labels in found for k in range(max(labels) + 2)]
    return found


def first_appearance(labels: Iterable[int]) -> tuple[int, ...]:
    """Return the labels renumbered in order of first appearance."""
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(label, len(seen)) for label in labels)


def posterior(model: MixtureModel) -> dict[tuple, float]:
    """Return the exact probability of each partition, summed over the labellings of blocks."""
    bound = model.prior.max_blocks
    states = [
        labels
        for labels in partitions(model.likelihood.n_items)
        if bound is None or max(labels) < bound
    ]
    log_joint = np.empty(len(states))
    for place, labels in enumerate(states):
        model.start(labels)
        log_joint[place] = model.log_joint()
        if bound is not None:
            log_joint[place] += np.log(np.arange(bound - max(labels), bound + 1)).sum()
    exact = softmax(log_joint)
    return {(labels,): float(p) for labels, p in zip(states, exact, strict=True)}


def visit_counts(
    name: str,
    model: MixtureModel | CoupledModel,
    exact: Mapping[tuple, float],
    n_sweeps: int,
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Count how often a chain visits each state, a tuple of partitions that `exact` must have."""
    sizes = getattr(model, "part_sizes", {"items": len(model.labels)})
    starts = np.cumsum([*sizes.values()])[:-1]
    visits = Counter()
    for _ in range(n_sweeps):
        model.sweep(rng)
        parts = np.split(model.labels, starts)
        visits[tuple(map(first_appearance, parts))] += 1
    strange = visits.keys() - exact.keys()
    if strange:
        raise DataError(
            f"{name}: the chain visited {len(strange)} state(s) without an exact probability, such "
            f"as {min(strange)}; the sampler or the enumeration is wrong."
        )
    rows = [
        (name, "|".join("".join(map(str, part)) for part in state), probability, visits[state])
        for state, probability in exact.items()
    ]
    return pd.DataFrame(rows, columns=list(COUNTS))


def read_counts(path):
    """Read a file of visits with the columns :data:`COUNTS`, keeping the partitions as text."""
    return read_frames([path], COUNTS, "enumeration", dtype={"partition": str})


def check_table(artefact, counts):
    """Compare exact and sampled probabilities of the partitions of a few items."""
    parts = []
    for prior, part in counts.groupby("prior", sort=False):
        # Coupled partitions, as in "0011|010", are described by the first of them.
        n_items = len(str(part["partition"].iloc[0]).partition("|")[0])
        total = part["count"].sum()
        sampled = part["count"] / total
        # About the distance that independent draws are expected to have.
        spread = np.sqrt(part["exact"] * (1 - part["exact"]) / (2 * np.pi * total))
        found = {"artefact": artefact, "dataset": f"partitions of {n_items} items"}
        found |= {"status": GENERATED, "prior": prior}
        found |= {"partition": part["partition"].astype(str), "exact": part["exact"]}
        found |= {"sampled": sampled, "n_draws": int(total)}
        found["total_variation"] = float(np.abs(part["exact"] - sampled).sum() / 2)
        found["by_chance"] = float(spread.sum())
        parts.append(pd.DataFrame(found))
    return pd.concat(parts, ignore_index=True)
