"""The objects of the family: their matrices, and their known classes."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from reseat.chains import by_turns, chain_seed
from reseat.datasets import Dissimilarities, Points
from reseat.datasets.dissimilarities import UNLABELLED
from reseat.dissimilarities import (
    kernel_pca,
    negative_mass,
    squared_distances,
    subtract_row_means,
    to_negative_type,
)
from reseat.errors import ConfigError
from reseat.files.atomic import atomic_path
from reseat.likelihoods import fixed_point
from reseat.numerics import on_grid
from reseat.papers.distances.plan import HELD, PAPER_KEY, STARTS, Run

# ---- The matrices that the models of the family take, from points or from dissimilarities ----


def load_objects(path: Path) -> Points | Dissimilarities:
    """Read the points or the dissimilarities in a file."""
    with np.load(path, allow_pickle=False) as archive:
        kind = Dissimilarities if "class_names" in archive else Points
    return kind.load(path)


def make_euclidean(
    objects: Dissimilarities, rank: int, method: str, rng: np.random.Generator
) -> tuple[Dissimilarities, str]:
    """Make dissimilarities into squared distances of negative type; say for a log what changed."""
    share = negative_mass(objects.values)
    rank = min(rank, kernel_pca(objects.values).shape[1])
    values = to_negative_type(objects.values, rank, method, rng)
    changed = float(np.sqrt(np.mean((values - objects.values) ** 2)))
    said = f"negative share of the spectrum {share:.4f}; rank {rank} changes {changed:.4f} (rms)"
    about = {"rank": rank, "method": method}
    about["computed"] = {"negative_mass": round(share, 6), "rms_change": round(changed, 6)}
    return objects.replace_values(values.astype(np.float32), **about), said


def dimension(objects: Points | Dissimilarities, settings: Mapping[str, Any]) -> float:
    """Return the degrees of freedom: ``times`` the columns less ``lost``, or the rank kept."""
    if isinstance(objects, Points):
        dim = objects.dim - settings.get("lost", 0)
    else:
        dim = objects.identity.preprocessing["rank"]
    return max(1, settings.get("times", 1) * dim)


def coordinates_of(objects: Points | Dissimilarities) -> np.ndarray:
    """Return coordinates whose squared distances are those of `distances_of`."""
    return objects.values / np.sqrt(objects.dim)


def distances_of(
    objects: Points | Dissimilarities, bound_mb: float = np.inf, folder: Path | None = None
) -> np.ndarray:
    """Return the squared distances over the number of columns, from a file if above the bound."""
    if objects.n_items**2 * np.dtype(np.float32).itemsize <= bound_mb * 1e6:
        if isinstance(objects, Dissimilarities):
            return objects.values
        return squared_distances(objects.values, np.float32)
    path = Path(folder) / f"{objects.identity.name}-{objects.source()['content'][:16]}.npy"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_path(path) as temporary:
            with open(temporary, "wb") as stream:
                np.save(stream, fixed_point(distances_of(objects)))
    return np.load(path, mmap_mode="r")


def similarities_of(objects: Points | Dissimilarities, centre: str | None) -> np.ndarray:
    """Return inner products over the number of columns, less row means of points or kernel PCA."""
    if not isinstance(objects, Points):
        raise ConfigError(
            "Similarities and coordinates need points, but only dissimilarities are known for "
            f"{objects.identity.name!r}; use a model of distances."
        )
    points, dim = objects.values, objects.dim
    if centre == "kpca":
        points = kernel_pca(squared_distances(points)) * np.sqrt(dim)
    if centre is not None:
        points = subtract_row_means(points)
    points = on_grid(points)  # so that all products add up without rounding
    return points @ points.T / dim


# ---- Known classes of objects, where chains start, and the truth -----------------------------

#: Fewest objects of a class that is hidden as a whole.
SEVERAL = 4


def held_classes(run: Run, objects: Points | Dissimilarities) -> np.ndarray:
    """Return the class that each object keeps in a model, the same for all chains, or -1."""
    clamp = run.settings.get("clamp", "labelled")
    if isinstance(objects, Points) or clamp == "none":
        return np.full(objects.n_items, UNLABELLED)
    held = objects.classes.astype(int)
    if clamp == "hidden":
        rng = np.random.default_rng(chain_seed(run.seed, PAPER_KEY, run.dataset, "hidden"))
        for number in range(objects.n_classes):
            members = np.flatnonzero(objects.classes == number)
            n_hidden = int(round(run.settings["hidden_share"] * members.size))
            held[rng.permutation(members)[: min(n_hidden, members.size - 1)]] = UNLABELLED
        several = np.flatnonzero(np.bincount(objects.classes[objects.classes >= 0]) >= SEVERAL)
        whole = rng.permutation(several)[: run.settings.get("hidden_classes", 0)]
        held[np.isin(objects.classes, whole)] = UNLABELLED
    return held


def start_of(run: Run, objects: Points | Dissimilarities, number: int) -> str:
    """Return where a chain starts; without a setting, points start in one block, as the paper's."""
    if (held_classes(run, objects) != UNLABELLED).any():
        return by_turns(HELD, number)
    usual = STARTS[:1] if isinstance(objects, Points) else STARTS
    return by_turns(run.settings.get("starts", usual), number)


def true_classes(objects: Points | Dissimilarities) -> np.ndarray:
    """Return the true block or class of each object, its group if it has none, or -1."""
    if isinstance(objects, Points):
        return objects.labels.astype(int)
    truth = objects.classes.astype(int)
    if objects.groups is not None:
        groups = np.asarray(objects.groups)
        known = (truth == UNLABELLED) & (groups != "")
        # A group with the same name as a class is that class.
        names = dict.fromkeys([*objects.class_names, *np.unique(groups[known]).tolist()])
        places = {name: place for place, name in enumerate(names)}
        truth[known] = [places[name] for name in groups[known].tolist()]
    return truth
