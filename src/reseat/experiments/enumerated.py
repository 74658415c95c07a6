"""All partitions of a few items, and exact against sampled probabilities of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
import pandas as pd

from reseat.chains import MixtureModel
from reseat.errors import DataError


def partitions(n_items):
    """All partitions of the items as tuples of labels in order of first appearance."""
    found = [(0,)]
    for _ in range(n_items - 1):
        found = [(*labels, k) for labels in found for k in range(max(labels) + 2)]
    return found


def exact_and_visited(model: MixtureModel, n_sweeps: int, rng: np.random.Generator) -> list[tuple]:
    """Exact posterior probability of each partition, and how often a chain is there.

    Parameters
    ----------
    model : MixtureModel
        Of a few items, with its hyperparameters fixed.  If its prior has
        labelled blocks, a partition has the weight of all its labellings.
    n_sweeps : int
    rng : numpy.random.Generator

    Returns
    -------
    list of (partition, exact, count)
        The partition as labels such as ``00121``.
    """
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
    exact = np.exp(log_joint - log_joint.max())
    exact /= exact.sum()
    visits = Counter()
    for _ in range(n_sweeps):
        model.sweep(rng)
        visits[first_appearance(model.labels)] += 1
    return [
        ("".join(map(str, labels)), probability, visits[labels])
        for labels, probability in zip(states, exact, strict=True)
    ]


def first_appearance(labels: Iterable[int]) -> tuple[int, ...]:
    """The partition behind some labels, numbered in order of first appearance."""
    seen: dict[int, int] = {}
    return tuple(seen.setdefault(label, len(seen)) for label in labels)


def read_enumeration(path):
    """The file ``enumeration.csv``; the partitions stay text."""
    return pd.read_csv(path, dtype={"partition": str})


def prior_check_table(artefact, counts):
    """Exact against sampled probabilities of the partitions of a few items.

    Parameters
    ----------
    artefact : str
    counts : pandas.DataFrame
        One row a (prior, partition): `prior`, `partition` (labels such as ``00121``), `exact`
        (its probability by enumeration) and `count`, how often the sampler visited it.

    Returns
    -------
    pandas.DataFrame
        `artefact`, `dataset`, `status`, `prior`, `partition`, `exact`, `sampled`, `n_draws`;
        `total_variation` between the two laws of that prior, and `by_chance`, its expected value
        if the draws were independent, about sum sqrt(p (1 - p) / (2 pi n)).
    """
    missing = {"prior", "partition", "exact", "count"} - set(counts.columns)
    if missing or len(counts) == 0:
        wanted = "prior, partition, exact and count"
        raise DataError(f"{artefact} needs rows with the columns {wanted}; make them again.")
    parts = []
    for prior, part in counts.groupby("prior", sort=False):
        # Of coupled partitions the first, as in "0011|010".
        n_items = len(str(part["partition"].iloc[0]).partition("|")[0])
        total = part["count"].sum()
        sampled = part["count"] / total
        spread = np.sqrt(part["exact"] * (1 - part["exact"]) / (2 * np.pi * total))
        parts.append(
            pd.DataFrame(
                {
                    "artefact": artefact,
                    "dataset": f"partitions of {n_items} items",
                    "status": "generated",
                    "prior": prior,
                    "partition": part["partition"].astype(str),
                    "exact": part["exact"],
                    "sampled": sampled,
                    "n_draws": int(total),
                    "total_variation": float(np.abs(part["exact"] - sampled).sum() / 2),
                    "by_chance": float(spread.sum()),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)
