"""Variational fits of the family's models, and the files in which they are stored."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.chains import Interrupted, chain_seed
from reseat.configuration import MERGED, Place
from reseat.datasets import Relations
from reseat.errors import ConfigError
from reseat.files import atomic
from reseat.papers.relational.plan import PAPER_KEY, SAME_NUMBERS, Fit
from reseat.variational import Relation, fit_relational
from reseat.variational.restarts import best_restart


@dataclass(frozen=True)
class FittedRelations:
    """The stored part of a fit."""

    #: Most likely cluster of each entity in each restart, by type. Shape (n_restarts, n_entities).
    every: Mapping[str, np.ndarray]
    restarts: pd.DataFrame

    @classmethod
    def load(cls, folder: Path) -> FittedRelations:
        """Read a fit that :func:`run_fits` wrote."""
        with np.load(Path(folder) / "labels.npz") as stored:
            every = {name: stored[name].astype(int) for name in stored.files}
        return cls(every, pd.read_csv(Path(folder) / "restarts.csv", keep_default_na=False))

    @property
    def best(self) -> int:
        """Number of the restart with the greatest ELBO."""
        return best_restart(self.restarts["elbo"])

    @property
    def labels(self) -> dict[str, np.ndarray]:
        """Clusters of the best restart, by type."""
        return {kind: labels[self.best] for kind, labels in self.every.items()}

    @property
    def n_clusters(self) -> dict[str, int]:
        """Number of non-empty clusters of the best restart, by type."""
        return {kind: np.unique(labels).size for kind, labels in self.labels.items()}


def load_fits(folder: Path, fits: Sequence[dict]) -> list[tuple[Fit, FittedRelations]]:
    """Return each fit, from plain types, with what `run_fits` wrote of it and its role."""
    found = []
    for fit in (Fit(**attributes) for attributes in fits):
        fitted = FittedRelations.load(Path(folder) / fit.name)
        found.append((fit, replace(fitted, restarts=fitted.restarts.assign(role=fit.role))))
    return found


def relations_of(relations: Relations, model: str, hidden=None) -> list[Relation]:
    """Return the relations as a model sees them, counts or links, with more cells `hidden`."""
    found = []
    for number, table in enumerate(relations.relations):
        if hidden is not None:
            shape = table_shape(relations, table)
            cells, others = (
                np.ravel_multi_index(c.T, shape) for c in (table.coordinates, hidden[number])
            )
            kept = ~np.isin(cells, others)
            missing = np.unique(np.concatenate([table.missing, hidden[number]]), axis=0)
            seen = {"coordinates": table.coordinates[kept], "counts": table.counts[kept]}
            table = replace(table, **seen, missing=missing)
        relation = Relation.of_table(table)
        found.append(relation if model == "firm" else relation.binary())
    return found


def table_shape(relations: Relations, table) -> tuple[int, ...]:
    """Return the number of entities at each place of a relation."""
    return tuple(relations.n_entities[kind] for kind in table.types)


def search(
    fit: Fit,
    relations: Relations,
    seen: Sequence[Relation],
    *stream: str,
    truncation: Mapping[str, int] | None = None,
    **options: Any,
):
    """Fit a model to relations as it sees them; `options` are those of `fit_relational`."""
    if truncation is None:
        truncation = {kind: fit.truncation[kind] for relation in seen for kind in relation.types}
    sizes = {kind: relations.n_entities[kind] for kind in truncation}
    most = {kind: min(truncation[kind], n) for kind, n in sizes.items()}
    rng = chain_seed(fit.seed, PAPER_KEY, fit.dataset, *stream)
    return fit_relational(seen, sizes, most, rng=rng, **options, **fit.search)


def truncation_of(fit: Fit, relations: Relations, twin: FittedRelations | None) -> dict[str, int]:
    """Return the largest number of clusters of each type, for a control those of its `twin`."""
    given, kinds = fit.truncation, relations.entities
    if given.keys() != kinds.keys():
        raise ConfigError(
            f"the types are {', '.join(given)}, but must be {', '.join(kinds)}, those of the data.",
            source=Place(MERGED, ("relational", "sets", fit.dataset, "truncation")),
        )
    if fit.control == SAME_NUMBERS:
        given = twin.n_clusters
    return {kind: min(given[kind], len(entities)) for kind, entities in kinds.items()}


def fit_model(
    fit: Fit, relations: Relations, *, threads: int = 1, twin: FittedRelations | None = None
):
    """Run the restarts of a fit; return the best posterior, and labels and scores of all."""
    found: dict[int, Mapping[str, np.ndarray]] = {}

    def keep(restart, ended):
        found[restart] = ended.labels

    seen = relations_of(relations, fit.model)
    how = {"truncation": truncation_of(fit, relations, twin), "n_restarts": fit.n_restarts}
    how |= {"threads": threads, "on_restart": keep}
    posterior = search(fit, relations, seen, fit.name, **how)
    labels = [found[restart] for restart in sorted(found)]
    every = {kind: np.stack([of[kind] for of in labels]) for kind in relations.entities}
    restarts = posterior.restarts.assign(
        best=posterior.restarts.index == best_restart(posterior.restarts["elbo"]),
        elbo_full=posterior.restarts["elbo"] + posterior.entity_draws,
        status=relations.identity.status,
        **fit.key,
    )
    return posterior, FittedRelations(every, restarts)


def run_fits(
    fits: Sequence[Fit],
    relations: Relations,
    *,
    output: Path,
    scratch: Path,
    threads: int = 1,
    stop: threading.Event | None = None,
) -> None:
    """Run fits, a control after its IRM, into a folder that appears only when complete."""
    output, scratch = Path(output), Path(scratch)
    atomic.keep_if_same(
        scratch, {"fits": [asdict(fit) for fit in fits], "relations": relations.digest()}
    )
    for fit in fits:
        folder = scratch / fit.name
        atomic.remove_leftovers(folder)  # which would become a part of the output
        if folder.exists():
            continue
        if stop is not None and stop.is_set():
            raise Interrupted(f"{fit.dataset}: stopped before {fit.name}")
        twin = None
        if fit.control:
            of_irm = ("irm", fit.initialisation)
            irm = next(other for other in fits if (other.model, other.initialisation) == of_irm)
            twin = FittedRelations.load(scratch / irm.name)
        posterior, fitted = fit_model(fit, relations, threads=threads, twin=twin)
        print(f"{fit.dataset}, {fit.name}: ELBO {posterior.elbo:.2f}, {posterior.n_clusters}")
        with atomic.atomic_folder(folder) as temporary:
            labels = {kind: part.astype(np.int16) for kind, part in fitted.every.items()}
            atomic.write_arrays(labels, temporary / "labels.npz")
            np.save(temporary / "elbo_trace.npy", posterior.elbo_trace)
            atomic.write_table(fitted.restarts, temporary / "restarts.csv")
    atomic.replace_folder(scratch, output)
    # Last, because fits without their settings are refused when the job is restarted.
    (Path(output) / atomic.SETTINGS).unlink()
