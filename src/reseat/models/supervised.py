"""Models that cluster items after the example of others whose clusters are known."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from reseat.chains import GroupedModel, SupervisedModel, split_labels
from reseat.likelihoods import GaussianReferences
from reseat.models.joint_moves import nearest
from reseat.models.references import build_supervised
from reseat.moves import CanopySweep, RestrictedSweep, SplitMerge
from reseat.numerics import k_means
from reseat.priors import make_prior

#: Settings that are passed to `build_supervised`, with the names of its keywords.
SAME = "form types law pairs aux share sigma shape rate precision n_candidates".split()
KEYWORDS = {name: name for name in SAME} | {"lambda": "strength"}


@dataclass(frozen=True)
class Items:
    """Coordinates of all items, a mark for those to cluster, entities of the others, and groups."""

    data: GaussianReferences
    #: Shape (n_items,), as are the next two.
    test: np.ndarray
    known: np.ndarray
    groups: np.ndarray


def build(
    settings: Mapping[str, Any],
    items: Items,
    rng: np.random.Generator,
    start: str | np.ndarray | Mapping[str, np.ndarray],
) -> SupervisedModel | GroupedModel:
    """Build the model at its start (Daumé and Marcu 2005, sections 3 to 5).

    `start`: as for `build_supervised`, or ``scdp1``, its state after ``warm_up`` sweeps;
    ``learned``, singletons after as many sweeps of all but publications; or ``k_means``, as many
    clusters of the test items of each group as there are training entities.
    """

    marks = {"test": items.test, "known": items.known, "groups": items.groups}
    make = partial(build_supervised, items.data, rng=rng, **marks)
    named = start if isinstance(start, str) else None
    if named == "k_means":
        start = _nearest_centres(items, rng)
    elif named == "scdp1":
        first = make("scdp1", start="singletons")
        for _ in range(settings["warm_up"]):
            first.sweep(rng)
        start = split_labels(first.labels, first.part_sizes)
    keywords = {KEYWORDS[name]: value for name, value in settings.items() if name in KEYWORDS}
    for name, part in (("prior", "publication_prior"), ("type_prior", "type_prior")):
        if settings.get(part) is not None:
            keywords[name] = make_prior(settings[part], items.test.size)
    keywords["sampled"] = [KEYWORDS[name] for name in settings.get("sampled", ())]
    keywords["moves"] = _moves(settings, items)
    if settings.get("moves") == "joint":
        keywords["joint"] = settings["move"] | {"held": bool(settings.get("held"))}
    if named != "learned":
        return make(settings["model"], start=start, **keywords)
    model = make(settings["model"], start="singletons", **keywords)
    for _ in range(settings["warm_up"]):
        model.learn(rng)
    return model


def _moves(settings: Mapping[str, Any], given: Items) -> Callable:
    """Return the function that `build_supervised` calls to get the moves."""
    kind = settings.get("moves")
    coordinates = given.data.coordinates
    if settings["model"] == "cdp":  # its model has the test items alone
        coordinates = coordinates[given.test]

    def moves(groups: np.ndarray, items: np.ndarray) -> Sequence[Callable]:
        if settings.get("held"):
            return []
        if kind == "canopy":
            move = settings["move"]
            near = nearest(coordinates, groups, items, move["n_neighbours"])
            return [CanopySweep((near + near.T).tocsr(), groups, items, move["full_every"])]
        sweep = RestrictedSweep(groups, items)
        if kind == "split_merge":
            return [SplitMerge(items, groups, **settings["move"]), sweep]
        return [sweep]

    return moves


def _nearest_centres(items: Items, rng: np.random.Generator) -> np.ndarray:
    """Return the clusters of the test items by K-means within each group."""
    n_clusters = np.unique(items.known[~items.test]).size
    found = np.zeros(items.test.size, dtype=int)
    for group in np.unique(items.groups[items.test]):
        members = np.flatnonzero(items.test & (items.groups == group))
        if members.size <= n_clusters:
            found[members] = np.arange(members.size)
        else:
            found[members] = k_means(items.data.coordinates[members], n_clusters, rng)
    return found
