"""Random choice of mentions for training that keeps all mentions of an entity on one side."""

from collections.abc import Sequence

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from reseat.datasets.mentions import number_entities
from reseat.datasets.parsers.options import check_draw
from reseat.datasets.uniforms import Uniforms
from reseat.errors import DataError


def draw_sides(
    wholes: Sequence[str], entities: Sequence[str], share: float, seed: int
) -> np.ndarray:
    """Assign whole names or documents to the training side or the test side.

    Wholes that share an entity stay together. In random order, each connected group is assigned to
    the training side if this brings the size of that side closer to the wanted share, and to the
    test side otherwise. Return whether each item is for testing.
    """
    check_draw({"train_share": share, "seed": seed})
    rows, columns = number_entities(wholes), number_entities(entities)
    n_wholes = int(rows.max()) + 1
    shape = 2 * (n_wholes + int(columns.max()) + 1,)
    links = sp.coo_array((np.ones(len(rows)), (rows, n_wholes + columns)), shape=shape)
    parts = connected_components(links, directed=False)[1][rows]
    parts = number_entities(parts.tolist())
    sizes = np.bincount(parts)
    if len(sizes) < 2:
        raise DataError("all items are connected, so none of them can be held out for testing")
    wanted, taken = share * len(parts), 0
    test = np.ones(len(sizes), dtype=bool)
    draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
    for part in draw.order(len(sizes)):
        if taken + sizes[part] / 2 <= wanted:
            test[part] = False
            taken += int(sizes[part])
    if not taken or test.sum() == 0:
        raise DataError(
            f"no split that keeps connected items together leaves {share:.0%} of them for training"
        )
    return test[parts]
