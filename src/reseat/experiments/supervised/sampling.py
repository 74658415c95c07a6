"""The family's models, from configuration to finished chains."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from reseat.chains import GroupedModel, SupervisedModel, build_supervised, split_labels
from reseat.datasets import References
from reseat.errors import DataError
from reseat.experiments.running import run_studies
from reseat.experiments.supervised.plan import Run
from reseat.hyperpriors import GammaHyperprior
from reseat.likelihoods import GaussianReferences
from reseat.moves import CanopySweep, RestrictedSweep, SplitMerge
from reseat.priors import DirichletProcess, PartitionPrior, PitmanYor

__all__ = ["model_builder", "nearest_canopies", "run_models"]

#: Settings that are keywords of `build_supervised` under the same names.
KEYWORDS = ("form", "types", "law", "pairs", "aux", "share", "sigma", "shape", "rate")

#: The discount at which chains with a Pitman-Yor prior begin.
DISCOUNT = 0.25


def nearest_canopies(
    coordinates: np.ndarray, groups: np.ndarray, items: np.ndarray, n_neighbours: int
) -> csr_array:
    """Pairs of items of a group of which one is among the nearest of the other.

    Parameters
    ----------
    coordinates : ndarray, shape (n_items, n_coordinates)
    groups : ndarray of int, shape (n_items,)
    items : ndarray of int
        Those that canopies are made of; the others are in none.
    n_neighbours : int

    Returns
    -------
    scipy.sparse.csr_array of bool, shape (n_items, n_items)
        Symmetric.
    """
    from sklearn.neighbors import NearestNeighbors  # slow to import, and few chains need it

    rows, columns = [], []
    for group in np.unique(groups[items]):
        members = items[groups[items] == group]
        if members.size < 2:
            continue
        search = NearestNeighbors(n_neighbors=min(n_neighbours, members.size - 1))
        found = search.fit(coordinates[members]).kneighbors(return_distance=False)
        rows.append(np.repeat(members, found.shape[1]))
        columns.append(members[found.ravel()])
    n = len(coordinates)
    if not rows:
        return csr_array((n, n), dtype=bool)
    first, second = np.concatenate(rows), np.concatenate(columns)
    pairs = np.concatenate([first, second]), np.concatenate([second, first])
    return csr_array((np.ones(pairs[0].size, dtype=bool), pairs), shape=(n, n))


def _moves(run: Run, coordinates: np.ndarray) -> Callable[[np.ndarray, np.ndarray], Sequence]:
    """What `build_supervised` asks for moves by."""
    settings = run.settings
    kind = settings.get("moves")

    def moves(groups: np.ndarray, items: np.ndarray) -> Sequence[Callable]:
        if settings.get("held"):
            return []
        if kind == "canopy":
            canopies = nearest_canopies(
                coordinates, groups, items, settings["move"]["n_neighbours"]
            )
            return [CanopySweep(canopies, groups, items, settings["move"]["full_every"])]
        sweep = RestrictedSweep(groups, items)
        if kind == "split_merge":
            return [SplitMerge(items, groups, **settings["move"]), sweep]
        return [sweep]

    return moves


def _priors(run: Run) -> dict[str, PartitionPrior]:
    """Priors that the paper's models do not have by themselves."""
    settings = run.settings
    hyperprior = GammaHyperprior(**settings["concentration"])
    cdp = settings["model"] == "cdp"
    if settings.get("prior") == "pitman_yor":
        return {"prior": PitmanYor(1.0, DISCOUNT, hyperprior, sample_discount=True)}
    if cdp and not settings.get("sample_concentration"):
        return {"prior": DirichletProcess(1.0)}
    priors = {"prior": DirichletProcess(1.0, hyperprior)}
    return priors if cdp else priors | {"type_prior": DirichletProcess(1.0, hyperprior)}


def model_builder(
    run: Run, references: References
) -> Callable[[np.random.Generator, str], SupervisedModel | GroupedModel]:
    """A function that builds the model at a start, given a generator and the start.

    From ``truth`` it begins at the entities of the test items, and from ``k_means`` at as many
    clusters of them in each group as there are training entities.  With the setting ``held`` the
    publications stay where they are, and all else is drawn: what the log joint of such a chain is
    from ``truth`` says whether others are below it because they do not mix.

    From ``scdp1`` the model begins where a chain of SCDP-1 from singletons
    stands after ``warm_up`` sweeps; from ``learned`` at singletons, after as
    many sweeps that left the publications alone.

    Raises
    ------
    DataError
        If the training items are of fewer than two entities: nothing can be
        learned from them.
    """
    settings = run.settings
    learned = np.unique(references.entities[~references.test]).size
    if learned < 2:
        raise DataError(
            f"The training items of {references.identity.name!r} are of {learned} entities; mark "
            "items of two or more as training items."
        )
    data = GaussianReferences(references.coordinates, references.feature_of)
    items = {
        "test": references.test,
        "known": references.entities,
        "groups": references.groups,
    }
    given: dict[str, Any] = {name: settings[name] for name in KEYWORDS if name in settings}
    given |= {"strength": settings["lambda"], "n_candidates": settings["n_candidates"]}
    # CDP has an engine of the test items alone, and canopies of these.
    alone = settings["model"] == "cdp"
    coordinates = references.coordinates[references.test] if alone else references.coordinates

    def build(rng: np.random.Generator, start: str) -> SupervisedModel | GroupedModel:
        def make(model: str, start, **keywords):
            return build_supervised(data, model, rng, start=start, **items, **keywords)

        if start in ("truth", "k_means"):
            true = start == "truth"
            start = references.entities if true else _nearest_centres(references, learned, rng)
        elif start == "scdp1":
            first = make("scdp1", "singletons")
            for _ in range(settings["warm_up"]):
                first.sweep(rng)
            start = split_labels(first.labels, first.part_sizes)
        keywords = {"moves": _moves(run, coordinates), **_priors(run), **given}
        if settings.get("moves") == "joint":
            keywords["joint"] = settings["move"] | {"held": bool(settings.get("held"))}
        if not (isinstance(start, str) and start == "learned"):
            return make(settings["model"], start, **keywords)
        model = make(settings["model"], "singletons", **keywords)
        for _ in range(settings["warm_up"]):
            model.learn(rng)
        return model

    return build


def _nearest_centres(references: References, n_clusters: int, rng) -> np.ndarray:
    """K-means of the test items of each group."""
    from sklearn.cluster import KMeans  # slow to import, and few chains need it

    found = np.zeros(references.n_items, dtype=int)
    for group in np.unique(references.groups[references.test]):
        members = np.flatnonzero(references.test & (references.groups == group))
        n = min(n_clusters, members.size)
        state = int(rng.integers(2**31))
        found[members] = KMeans(n, n_init=1, random_state=state).fit_predict(
            references.coordinates[members]
        )
    return found


def run_models(
    runs: Sequence[Run],
    load: Callable[[Run], References],
    *,
    output: Path,
    scratch: Path,
    **options,
) -> None:
    """Run the chains of some models on a data set, into one folder.

    Parameters
    ----------
    runs : sequence of Run
    load : callable
        Reads the items of a run.
    output, scratch, **options
        As for `reseat.experiments.running.run_studies`.
    """

    def prepare(run: Run) -> Callable[[int, Path], dict[str, Any]]:
        references = load(run)
        build = model_builder(run, references)
        identity = {
            "model": {"name": run.model, **run.settings},
            "data": references.identity.to_dict(),
        }
        return lambda number, _: {
            "build": partial(build, start=run.start(number)),
            "identity": identity,
        }

    run_studies(
        runs,
        prepare,
        output=output,
        scratch=scratch,
        label=f"{runs[0].dataset}: {', '.join(run.model for run in runs)}",
        **options,
    )
