"""A small block model, for the figure that shows what relational clustering does."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from reseat.datasets.relations import Relations
from reseat.datasets.uniforms import Uniforms
from reseat.errors import ConfigError
from reseat.relation_tables import RelationTable


def places_generated_blocks(options: Mapping[str, Any]) -> list[list[str]]:
    """Return the entity type of each place, for the only relation."""
    return [[options["rows"]["type"], options["columns"]["type"]]]


def parse_generated_blocks(
    paths: Mapping[str, Path],
    seed: int,
    relation: str,
    rows: Mapping[str, Any],
    columns: Mapping[str, Any],
    pattern: Sequence[Sequence[float]],
) -> Relations:
    """Draw a matrix of links between shuffled clusters.

    `relation`: name of the relation.
    `rows`, `columns`: ``type``, the type of the entities; ``names``, their names; and ``sizes``,
        the number of entities in each cluster.
    `pattern`: probability of a link between entities of two clusters.
    """
    links = np.array(pattern, dtype=float)
    if links.shape != (len(rows["sizes"]), len(columns["sizes"])):
        raise ConfigError(
            f"the option 'pattern' is {' x '.join(map(str, links.shape))}; it must have one row "
            f"for each of the {len(rows['sizes'])} row sizes and one column for each of the "
            f"{len(columns['sizes'])} column sizes"
        )
    if not ((links >= 0) & (links <= 1)).all():
        raise ConfigError("the option 'pattern' must contain probabilities between 0 and 1")
    if rows["type"] == columns["type"]:
        raise ConfigError(
            f"the options 'rows.type' and 'columns.type' are both {rows['type']!r}; they must "
            "differ"
        )
    draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
    clusters = {}
    for key, side in (("rows", rows), ("columns", columns)):
        if sum(side["sizes"]) != len(side["names"]):
            raise ConfigError(
                f"the option '{key}.sizes' adds up to {sum(side['sizes'])}, but there are "
                f"{len(side['names'])} names"
            )
        in_order = np.repeat(np.arange(len(side["sizes"])), side["sizes"])
        clusters[side["type"]] = in_order[draw.order(len(in_order))]
    one, other = clusters.values()
    cells = np.argwhere(draw.chance(links[np.ix_(one, other)], (len(one), len(other))))
    return Relations(
        entities={side["type"]: [str(name) for name in side["names"]] for side in (rows, columns)},
        relations=(RelationTable(relation, tuple(clusters), cells, np.ones(len(cells), int)),),
        classes={kind: (found + 1).astype(str).tolist() for kind, found in clusters.items()},
    )
