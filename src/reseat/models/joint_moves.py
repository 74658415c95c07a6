"""Moves of the publications and the types of references at once, by default settings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reseat.likelihoods import PrecisionLaw
from reseat.models.neighbours import mutual_neighbours
from reseat.moves import (
    IntegratedTypeSplitMerge,
    JointSplitMerge,
    JointSweep,
    PrecisionSteps,
    PublicationTypes,
    TypeSplitMerge,
)

__all__ = ["joint_moves"]

#: How often two publications are shared out anew instead of merged.
SHARE = 0.3


def joint_moves(
    means,
    law: PrecisionLaw,
    groups: np.ndarray,
    items: np.ndarray,
    *,
    n_proposals: int = 20,
    n_neighbours: int = 10,
    n_type_proposals: int = 5,
    held: bool = False,
) -> tuple[list[Callable], list[Callable]]:
    """What a `SupervisedModel` is given to get from one mode of the posterior to another.

    Parameters
    ----------
    means : ReferenceMeans or ExplicitMeans
        Splits and merges of publications need the first.
    law : PrecisionLaw
        Of the precisions.  Types are split and merged with the means integrated out where the
        first argument does so, else given the means if the law is a gamma law.
    groups : ndarray of int, shape (n_items,)
        Restaurant of each item.
    items : ndarray of int
        Those whose publications are looked for.
    n_proposals, n_type_proposals : int
        Pairs of items a sweep that publications, and types, are split or merged by; 0 for none.
    held : bool
        Leave the publications alone, and draw all else.
    n_neighbours : int
        Two items are neighbours if each is among so many nearest of the other.

    Returns
    -------
    joint, types : list of callable
        Moves of both parts, and moves of the types alone.
    """
    joint = [PrecisionSteps(), JointSweep(groups, items[:0] if held else items)]
    if not held and means.collapsed and n_proposals:
        neighbours = mutual_neighbours(means.data.coordinates, groups, items, n_neighbours)
        joint.append(JointSplitMerge(items, groups, neighbours, n_proposals, share=SHARE))
    if means.collapsed:
        joint.append(PublicationTypes())
    types = []
    if n_type_proposals and means.collapsed:
        joint.append(IntegratedTypeSplitMerge(n_type_proposals))
    elif n_type_proposals and law.kind != "covariance":
        types.append(TypeSplitMerge(n_type_proposals))
    return joint, types
