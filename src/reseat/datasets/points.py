"""Points in blocks, drawn as in the experiments of Vogt et al. (2010)."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reseat.checks import check_between, check_choice, check_positive, check_whole
from reseat.configuration import did_you_mean
from reseat.datasets.identity import UNNAMED, DatasetIdentity
from reseat.datasets.stored import Stored, counted
from reseat.datasets.uniforms import Uniforms
from reseat.errors import ConfigError

N_TRIES = 1000
DEFAULTS = {"alpha": 2.0, "mean": 0.0, "mean_variance": 0.1, "weights": "dirichlet"}
NEEDED = ("n_items", "n_blocks", "dim", "theta")


@dataclass(frozen=True, eq=False)
class Points(Stored):
    """Points with known true blocks.

    Attributes
    ----------
    values : ndarray of float64, shape (n_items, dim)
    labels : ndarray of int32, shape (n_items,)
        True block of each point, from 0; every block has a point.
    settings : dict
        Settings that they were drawn with; see `draw_points`.
    identity : DatasetIdentity

    Raises
    ------
    DataError
        If lengths disagree, a value is not finite, or there are fewer than three points.

    Examples
    --------
    >>> from reseat.datasets import Points
    >>> points = Points([[0.0], [0.1], [5.0]], [0, 0, 1], {})
    >>> points.n_items, points.dim, points.n_blocks
    (3, 1, 2)
    """

    KIND = "points"

    values: np.ndarray
    labels: np.ndarray
    settings: dict[str, Any]
    identity: DatasetIdentity = UNNAMED

    n_items = counted("values", "points")

    def __post_init__(self):
        super().__post_init__()
        values, labels = np.asarray(self.values, dtype=np.float64), self._whole("labels")
        if values.ndim != 2 or len(values) < 3 or values.shape[1] < 1:
            raise self._fault(
                f"values has the shape {values.shape}; at least 3 points of at least 1 "
                "dimension are needed"
            )
        if not np.isfinite(values).all():
            row = np.argwhere(~np.isfinite(values))[0, 0]
            raise self._fault(f"point {row} has a coordinate that is not a finite number")
        self._check_lengths(len(values), "points", "labels")
        empty = np.flatnonzero(np.bincount(labels) == 0)
        if empty.size:
            raise self._fault(f"block {empty[0]} has no points")
        self._set(values=np.ascontiguousarray(values), labels=labels, settings=dict(self.settings))

    @property
    def dim(self) -> int:
        """Number of columns, d."""
        return self.values.shape[1]

    @property
    def n_blocks(self) -> int:
        """Number of true blocks."""
        return int(self.labels.max()) + 1

    def summary(self) -> dict[str, Any]:
        sizes = np.bincount(self.labels)
        return {
            "items": self.n_items,
            "dim": self.dim,
            "blocks": self.n_blocks,
            "smallest_block": int(sizes.min()),
            "largest_block": int(sizes.max()),
        }


@dataclass(frozen=True, eq=False)
class PointRecipe(Stored):
    """Settings from which points are drawn.

    Attributes
    ----------
    settings : dict
        Settings of `draw_points`, to which its defaults are added.
    identity : DatasetIdentity
        Draws derive theirs from it.

    Raises
    ------
    ConfigError
        If a key is unknown, missing or out of range; it names the key.

    Examples
    --------
    >>> import numpy as np
    >>> from reseat.datasets import PointRecipe
    >>> recipe = PointRecipe({"n_items": 30, "n_blocks": 3, "dim": 5, "theta": 2.0})
    >>> recipe.draw(np.random.default_rng(1)).values.shape
    (30, 5)
    """

    KIND = "recipe of points"

    settings: Mapping[str, Any]
    identity: DatasetIdentity = UNNAMED

    def __post_init__(self):
        super().__post_init__()
        self._set(settings=_checked(self.settings))

    def draw(self, rng: np.random.Generator, number: int = 0, seed: Any = None) -> Points:
        """Draw points; see `draw_points` for the parameters."""
        return draw_points(self.settings, rng, self.identity.name, number, seed, self.identity)

    def summary(self) -> dict[str, Any]:
        return {key: self.settings[f"n_{key}"] for key in ("items", "blocks")}


def _checked(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return checked settings of `draw_points`, completed by the defaults."""
    known = (*NEEDED, *DEFAULTS)
    for key in settings:
        if key not in known:
            hint = did_you_mean(key, known) or f"; the keys are {', '.join(known)}"
            raise ConfigError(f"points: unknown key {key!r}{hint}")
    for key in NEEDED:
        if key not in settings:
            raise ConfigError(f"points: the key {key!r} is missing")
    found = {**DEFAULTS, **settings}
    for key, least in (("n_items", 3), ("n_blocks", 1), ("dim", 1)):
        check_whole(f"points: {key}", found[key], least)
    if found["n_blocks"] > found["n_items"]:
        raise ConfigError(
            f"points: n_blocks is {found['n_blocks']}, but there are only {found['n_items']} items"
        )
    for key in ("alpha", "theta"):
        check_positive(f"points: {key}", found[key])
    check_between("points: mean_variance", found["mean_variance"], 0)
    check_between("points: mean", found["mean"], -math.inf)
    check_choice("points: weights", found["weights"], ("dirichlet", "equal"))
    return found


def draw_points(
    settings: Mapping[str, Any],
    rng: np.random.Generator,
    name: str,
    number: int = 0,
    seed: Any = None,
    identity: DatasetIdentity | None = None,
) -> Points:
    """Draw points from the Gaussian model of Vogt et al. (2010, section 5).

    The columns of X are independent draws from N(mu, alpha (I + theta B)), where B is 1
    for two points of one block and 0 otherwise: for a point i of block b,
    ``x_ij = mu_i + sqrt(alpha) (e_ij + sqrt(theta) c_bj)`` with standard normal e and c.

    Parameters
    ----------
    settings : mapping
        Required are ``n_items``, ``n_blocks``, ``dim`` (d) and ``theta`` (the ratio of
        between-block to within-block variance).  Optional are ``alpha`` (default 2);
        ``mean`` (0) and ``mean_variance`` (0.1): unless ``mean`` is 0, as mu is then, mu has one
        value for each point, the same in all columns, drawn from N(mean, mean_variance); and
        ``weights`` of the blocks, ``dirichlet`` (uniform on the simplex, the default) or
        ``equal``.  They and the labels are drawn again until every block has a point.
    rng, number, seed
        As for `draw_records`.
    name : str
        Name of the data set; the draw is called ``{name}_{number}``.
    identity : DatasetIdentity, optional
        Identity of the data set; by default one with the status ``generated``.

    Raises
    ------
    ConfigError
        If a setting is unknown, missing or out of range, or if some block is empty in each of
        1000 draws of the labels.
    """
    found = _checked(settings)
    identity = identity or DatasetIdentity(name=name, title=name, status="generated")
    steps = {**identity.preprocessing, "draw": int(number), "seed": seed, "settings": found}
    if seed is not None:  # otherwise nothing but the points tells what was drawn
        identity = identity.computed_from("points", found, name, number, seed)
    title = identity.title + (f", draw {number}" if number else "")
    draw = Uniforms(rng)
    labels = _labels(found, draw)
    n_items, dim = found["n_items"], found["dim"]
    centres = math.sqrt(found["theta"]) * draw.normal((found["n_blocks"], dim))
    values = math.sqrt(found["alpha"]) * (draw.normal((n_items, dim)) + centres[labels])
    if found["mean"] != 0:
        scatter = math.sqrt(found["mean_variance"]) * draw.normal(n_items)
        values += (found["mean"] + scatter)[:, None]
    return Points(
        values=values,
        labels=labels,
        settings=found,
        identity=replace(identity, name=f"{name}_{number}", title=title, preprocessing=steps),
    )


def _labels(settings: Mapping[str, Any], draw: Uniforms) -> np.ndarray:
    n_items, n_blocks = settings["n_items"], settings["n_blocks"]
    weights = np.ones(n_blocks)
    for _ in range(N_TRIES):
        if settings["weights"] == "dirichlet":
            weights = draw.exponential(n_blocks)  # uniform on the simplex after normalisation
        labels = draw.choose(np.cumsum(weights), n_items)
        if len(np.unique(labels)) == n_blocks:
            return labels
    raise ConfigError(
        f"points: in each of {N_TRIES} draws of {n_items} items at least one of the {n_blocks} "
        "blocks was empty; use more items or fewer blocks"
    )
