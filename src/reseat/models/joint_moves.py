"""Joint moves of the publications and the types of references, with default settings."""

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

#: Probability that the items of two publications are reallocated instead of merged.
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
    """Return the moves that take a `SupervisedModel` from one mode of the posterior to another.

    The first list moves both parts, and the second the types alone. Splits and merges of
    publications need `ReferenceMeans`. Types are split and merged with the means integrated out if
    `means` does so; otherwise given the means, if the law is a gamma distribution. Numbers of
    proposals are per sweep, 0 for none. Two items are neighbours if each is among the
    `n_neighbours` items nearest to the other; with `held`, the publications are left alone.
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
