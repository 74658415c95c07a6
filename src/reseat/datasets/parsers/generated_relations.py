"""Made-up relations with planted clusters: a small block model, and counts of any size."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import gammaincinv

from reseat.checks import check_between, check_whole
from reseat.datasets.relations import Relations
from reseat.datasets.uniforms import Uniforms
from reseat.errors import ConfigError
from reseat.relation_tables import RelationTable

RARE = 1e-3  # smallest activity (the mean is 1), so that every entity can be drawn
MAX_STRENGTH = 1e9  # activity and contrast


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

    `rows`, `columns`: ``type`` and ``names`` of the entities, and ``sizes`` of the clusters.
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


def places_generated_relations(options: Mapping[str, Any]) -> list[list[str]]:
    """Return the entity type of each place, for each relation."""
    return [list(relation["types"]) for relation in options["relations"].values()]


def parse_generated_relations(
    paths: Mapping[str, Path],
    seed: int,
    types: Mapping[str, Mapping[str, Any]],
    relations: Mapping[str, Mapping[str, Any]],
) -> Relations:
    """Draw tokens between entities in proportion to their activities, gamma variates of mean 1.

    Linked are the clusters whose numbers agree modulo the smallest number of clusters, and others
    by chance.

    `types`: for each type ``entities`` and ``clusters``, their numbers, and ``activity``, the shape
        of the gamma distribution, by default 1.
    `relations`: for each relation ``types``, one for each place; ``tokens``, the number to draw;
        ``linked``, the probability of a link by chance, by default 0; and ``contrast``, the weight
        of linked clusters relative to others.
    """
    draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
    sides = {kind: _Side(kind, rule, draw) for kind, rule in types.items()}
    tables = []
    for name, rule in relations.items():
        tokens = _tokens(name, rule, sides, draw)
        cells, counts = np.unique(tokens, axis=0, return_counts=True)
        tables.append(RelationTable(name, tuple(rule["types"]), cells, counts))
    return Relations(
        entities={kind: side.names(kind) for kind, side in sides.items()},
        relations=tuple(tables),
        classes={kind: (side.clusters + 1).astype(str).tolist() for kind, side in sides.items()},
    )


class _Side:
    """Clusters and activities of the entities of a type."""

    def __init__(self, kind: str, rule: Mapping[str, Any], draw: Uniforms):
        where = f"the option 'types.{kind}"
        n_entities = check_whole(f"{where}.entities'", rule.get("entities"), 1)
        n_clusters = check_whole(f"{where}.clusters'", rule.get("clusters"), 1)
        if n_clusters > n_entities:
            raise ConfigError(f"{where}' has {n_clusters} clusters but only {n_entities} entities")
        shape = check_between(f"{where}.activity'", rule.get("activity", 1.0), RARE, MAX_STRENGTH)
        # Each cluster gets one entity, so that none is empty; the others are placed at random.
        spare = draw.below(n_clusters, n_entities - n_clusters)
        self.clusters = np.concatenate([np.arange(n_clusters), spare])[draw.order(n_entities)]
        uniform = (draw.below(2**32, n_entities) + 0.5) / 2**32
        activity = np.maximum(gammaincinv(shape, uniform) / shape, RARE)
        self.order = np.argsort(self.clusters, kind="stable")  # entities, cluster by cluster
        self.ends = np.cumsum(activity[self.order])
        last = np.cumsum(np.bincount(self.clusters)) - 1  # of each cluster, in this order
        self.starts = np.concatenate([[0.0], self.ends[last]])
        self.masses = np.diff(self.starts)  # of each cluster

    def members(self, clusters: np.ndarray, draw: Uniforms) -> np.ndarray:
        """Draw an entity from each of these clusters, in proportion to activity."""
        uniform = (draw.below(2**32, len(clusters)) + 0.5) / 2**32
        places = np.searchsorted(self.ends, self.starts[clusters] + uniform * self.masses[clusters])
        return self.order[places]

    def names(self, kind: str) -> list[str]:
        width = len(str(len(self.clusters)))
        return [f"{kind} {number:0{width}d}" for number in range(1, len(self.clusters) + 1)]


def _tokens(name: str, rule: Mapping[str, Any], sides, draw: Uniforms) -> np.ndarray:
    """Draw the entities of each token, shape (n_tokens, n_places)."""
    where = f"the option 'relations.{name}"
    kinds = rule.get("types", ())
    unknown = [kind for kind in kinds if kind not in sides]
    if len(kinds) < 2 or unknown:
        raise ConfigError(
            f"{where}.types' is {kinds!r}; it must list two or more of {', '.join(sides)}"
        )
    n_tokens = check_whole(f"{where}.tokens'", rule.get("tokens"), 1)
    chance = check_between(f"{where}.linked'", rule.get("linked", 0), 0, 1)
    contrast = check_between(f"{where}.contrast'", rule.get("contrast"), RARE, MAX_STRENGTH)
    places = [sides[kind] for kind in kinds]
    shape = tuple(len(side.masses) for side in places)
    phases = np.indices(shape) % min(shape)
    linked = (phases == phases[0]).all(axis=0) | draw.chance(chance, shape)
    weights = np.where(linked, contrast, 1.0)
    for axis, side in enumerate(places):
        weights = weights * np.expand_dims(side.masses, [a for a in range(len(shape)) if a != axis])
    blocks = draw.choose(np.cumsum(weights.ravel()), n_tokens)
    clusters = np.unravel_index(blocks, shape)
    tokens = [side.members(found, draw) for side, found in zip(places, clusters, strict=True)]
    tokens = np.stack(tokens, axis=1)
    for axis, kind in enumerate(kinds):
        own = [place for place, other in enumerate(kinds) if other == kind]
        unseen = np.setdiff1d(np.arange(len(places[axis].clusters)), tokens[:, own])
        for entity in unseen:
            slab = np.moveaxis(weights, axis, 0)[places[axis].clusters[entity]]
            rest = np.unravel_index(draw.choose(np.cumsum(slab.ravel()), 1), slab.shape)
            others = places[:axis] + places[axis + 1 :]
            token = [side.members(t, draw)[0] for side, t in zip(others, rest, strict=True)]
            tokens = np.vstack([tokens, np.insert(token, axis, entity)])
    return tokens
