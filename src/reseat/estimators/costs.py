"""What a fit will take in memory, before it begins."""

from __future__ import annotations

import os

from reseat.chains import Schedule
from reseat.errors import ConfigError

__all__ = ["MOST_CHAINS", "check_memory", "memory_of"]

#: More chains than anybody can read; a slip of the keyboard rather than a wish.
MOST_CHAINS = 10_000
#: Scalars that a chain keeps of each sweep: log joint, items moved, clusters, hyperparameters.
N_TRACES = 12
#: Bytes of a label in a draw: as it is stored by the chain, and as all chains are handed over.
LABEL_BYTES = 8


def memory_of(n_chains: int, schedule: Schedule, n_items: int) -> int:
    """Bytes of traces and draws of all chains."""
    traces = 2 * 8 * N_TRACES * schedule.n_sweeps
    return n_chains * (traces + LABEL_BYTES * schedule.n_draws * n_items)


def check_memory(n_chains: int, schedule: Schedule, n_items: int = 1) -> None:
    """Raise a ConfigError if what the chains keep does not fit into the machine."""
    wanted, there = memory_of(n_chains, schedule, n_items), _installed()
    if wanted > there:
        raise ConfigError(
            f"{n_chains:,} chains of {schedule.n_sweeps:,} sweeps, of which {schedule.n_draws:,} "
            f"draws of {n_items:,} items are kept, take about {wanted / 2**30:,.0f} GiB, and this "
            f"machine has {there / 2**30:,.0f}; lower n_samples or n_chains, or raise thin."
        )


def _installed() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):  # unknown to this system
        return 2**63
