"""Checks of posterior draws, and numbering of their labels."""

import numpy as np

from reseat._labels import in_order
from reseat.checks import check_unmasked
from reseat.errors import DataError
from reseat.metrics.contingency import factorise


def as_draws(draws):
    """Return draws of a partition as a two-dimensional integer array."""
    check_unmasked("draws", draws, "fill them, or remove their draws")
    draws = np.asarray(draws)
    if draws.ndim != 2:
        raise DataError(
            f"draws has shape {draws.shape}: it must have one partition per row, shape (n_draws, "
            "n_items)."
        )
    if draws.size == 0:
        raise DataError(
            f"draws has shape {draws.shape}: a summary needs at least one draw and one item."
        )
    if draws.dtype.kind not in "iub":
        raise DataError(f"draws has dtype {draws.dtype}: the labels must be integers.")
    return draws


def canonical(draws):
    """Renumber draws by first appearance, so equal partitions are equal; count their clusters."""
    draws = as_draws(draws)
    codes = np.empty(draws.shape, dtype=np.int32)
    n_clusters = np.empty(draws.shape[0], dtype=np.int64)
    for row, draw in enumerate(draws):
        codes[row], n_clusters[row] = factorise(draw)
    return codes, n_clusters


class DrawClusters:
    """Clusters of all draws in one numbering: `cells`, shape (n_items, n_draws), and members.

    The `members` of each begin at its entry of `starts`, ascending, shape (n_cells + 1,). The
    `n_several` clusters of two items or more have the lowest numbers.
    """

    def __init__(self, codes, n_clusters):
        n_draws, n_items = codes.shape
        first = np.concatenate(([0], np.cumsum(n_clusters)))
        if max(first[-1], codes.size) > np.iinfo(np.int32).max:
            raise DataError(
                f"{n_draws} draws of {n_items} items are more than a summary can index: thin the "
                "draws."
            )
        sizes = np.concatenate([np.bincount(draw) for draw in codes])
        several = sizes > 1
        self.n_several = int(np.count_nonzero(several))
        number = np.empty(sizes.size, dtype=np.int32)
        number[several] = np.arange(self.n_several)
        number[~several] = np.arange(self.n_several, sizes.size)
        self.starts = np.concatenate(([0], np.cumsum(sizes[several])))
        self.cells = np.empty((n_items, n_draws), dtype=np.int32)
        self.members = np.empty(n_draws * n_items, dtype=np.int32)
        place, lone = 0, int(self.starts[-1])
        for d in range(n_draws):
            own = slice(first[d], first[d + 1])
            self.cells[:, d] = number[own][codes[d]]
            order = in_order(codes[d].astype(np.int64), int(n_clusters[d]))
            together = several[own][codes[d][order]]
            n_together = np.count_nonzero(together)
            self.members[place : place + n_together] = order[together]
            self.members[lone : lone + n_items - n_together] = order[~together]
            place, lone = place + n_together, lone + n_items - n_together
        self.starts = np.append(self.starts, np.arange(place + 1, n_draws * n_items + 1))
