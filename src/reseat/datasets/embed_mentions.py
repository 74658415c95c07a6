"""Embedding of mentions as points: numbers directly, distances by classical scaling."""

import logging
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from reseat.checks import check_between, check_choice, check_whole
from reseat.datasets.embedded_mentions import EmbeddedMentions
from reseat.datasets.mentions import Mentions
from reseat.datasets.pair_features import Feature, NumberFeature, mention_features
from reseat.dissimilarities import classical_scaling
from reseat.errors import DataError
from reseat.numerics import on_grid

logger = logging.getLogger(__name__)
EMBEDDINGS = ("mds", "centroids")
MAX_COORDINATES = 30  # of a feature under "centroids", which keeps the whole mass
MIN_VARIANCE = 1e-12  # variance below which a feature is constant; most distances are at most 1


def embed_mentions(
    mentions: Mentions,
    kind: str = "mds",
    share: float = 0.9,
    largest: int = 10,
    scaled_by: str = "training",
    threads: int = 1,
) -> EmbeddedMentions:
    """Give each mention coordinates, feature by feature.

    A number is one coordinate.  Of any other feature, the distances of all items, training and test
    together, are embedded by classical scaling, without labels.  The coordinates of a feature are
    centred and scaled to a total variance of 1.

    Parameters
    ----------
    mentions : Mentions
    kind : {"mds", "centroids"}
        ``mds`` keeps the leading coordinates that hold `share` of the positive mass, at most
        `largest`.  ``centroids`` keeps all, at most 30, and scales them by the distances, so that
        ``mean(D^2 / 2) = 1`` over the ordered pairs of the items of `scaled_by`.  This is as close
        as points can come to the squared distances of footnote 5 of Daumé & Marcu (2005), whose
        negative part is left out here, and each coordinate of a feature counts as one.
    share : float
        Above 0 and at most 1.
    largest : int
        At least 1.
    scaled_by : {"training", "all"}
        Items over which the coordinates have mean 0 and variance 1; the paper does not say.
        With ``training``, a feature that hardly varies there becomes large among the others.
    threads : int
        Threads for the distances of texts and for linear algebra.

    Returns
    -------
    EmbeddedMentions
        Its ``notes`` say which features were dropped and how much of the others was kept.
    """
    check_choice("the embedding", kind, EMBEDDINGS)
    check_between("share", share, 0, 1, "(]")
    check_whole("largest", largest, 1)
    check_choice("scaled_by", scaled_by, ("training", "all"))
    cut = (share, largest) if kind == "mds" else (1.0, MAX_COORDINATES)
    train = ~mentions.test if scaled_by == "training" else np.ones_like(mentions.test)
    kept: dict[str, np.ndarray] = {}
    notes: dict[str, Any] = {}
    dropped = []
    with threadpool_limits(threads, user_api="blas"):
        for name, feature in mention_features(mentions).items():
            points, note = _points(feature, train, kind, cut, threads)
            if points is None:
                dropped.append(name)
            else:
                kept[name], notes[name] = points, note
    where = f"mentions {mentions.identity.name!r}"
    if not kept:
        raise DataError(
            f"no feature varies among the training items ({', '.join(dropped)}), so they cannot be "
            "distinguished",
            source=where,
        )
    if dropped:
        logger.warning(
            f"{where}: {len(dropped)} features do not vary among the training items and are "
            f"dropped: {', '.join(dropped)}"
        )
    widths = [points.shape[1] for points in kept.values()]
    return EmbeddedMentions(
        coordinates=on_grid(np.hstack(list(kept.values()))),
        feature_of=np.repeat(np.arange(len(kept)), widths),
        features=tuple(kept),
        entities=mentions.entities,
        test=mentions.test,
        groups=mentions.groups,
        item_ids=mentions.item_ids,
        role=mentions.role,
        identity=mentions.identity.computed_from(mentions.digest(), kind, cut, scaled_by),
        notes={"embedding": kind, "scaled_by": scaled_by, "dropped": dropped, "features": notes},
    )


def _points(
    feature: Feature, train: np.ndarray, kind: str, cut: tuple[float, int], threads: int
) -> tuple[np.ndarray | None, dict[str, Any]]:
    """Return the coordinates of all items and notes; None if the `train` items do not vary."""
    if isinstance(feature, NumberFeature):
        scaled = NumberFeature(feature.values, train).scaled
        return scaled[:, None] if scaled[train].any() else None, {"coordinates": 1, "share": 1.0}
    if len(np.unique(feature.codes[train])) < 2:
        return None, {}
    distances = feature.matrix(threads)
    weights = np.bincount(feature.codes, minlength=feature.n_values)
    variance = _variance(distances, feature.codes[train])
    scaling = classical_scaling(distances, weights, *cut)
    del distances
    points = scaling.points[feature.codes]
    points -= points[train].mean(axis=0)
    if kind == "mds":
        variance = points[train].var(axis=0).sum()
    if not points.size or variance < MIN_VARIANCE:
        return None, {}
    points /= np.sqrt(variance)
    note = {
        "coordinates": points.shape[1],
        "share": scaling.share,
        "negative": scaling.negative_mass / scaling.positive_mass,
        "distinct": feature.n_values,
    }
    return points, note


def _variance(distances: np.ndarray, codes: np.ndarray) -> float:
    """Return half the mean squared distance over ordered pairs: for points, their variance."""
    weights = np.bincount(codes, minlength=len(distances)) / len(codes)
    return float(sum(w * (row.astype(np.float64) ** 2 @ weights)
                     for w, row in zip(weights, distances, strict=True) if w) / 2)  # fmt: skip
