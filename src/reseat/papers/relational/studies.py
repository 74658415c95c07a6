"""Studies beside the fits: exact checks, classes of pairs, and relations that share a type."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betaln

from reseat.chains import CoupledModel, MixtureModel, chain_seed
from reseat.datasets import Relations
from reseat.likelihoods import LinkTable, RelationalLinks
from reseat.numerics import TIE_BITS, on_grid, rounded
from reseat.papers.enumerated import partitions, visit_counts
from reseat.papers.relational.chains import choose_held_out
from reseat.papers.relational.fits import relations_of, search, table_shape
from reseat.papers.relational.formulas import BETA, CONCENTRATION, COUNTS, log_probability
from reseat.papers.relational.plan import MODELS, PAPER_KEY, Fit
from reseat.priors import DirichletProcess
from reseat.variational import AspectModel, Relation, fit_relational

# ---- Exact checks, on a table small enough to enumerate, of the chains and of the fits' bound ----


def _links(model: str) -> LinkTable:
    links = LinkTable(COUNTS)
    return links if model == "firm" else links.binary()


def count_partitions(check: Mapping[str, int], seed: int) -> pd.DataFrame:
    """Return the exact posterior of each pair of partitions, and how often a chain visits it."""
    states = list(product(*map(partitions, COUNTS.shape)))
    found = []
    for name in MODELS:
        links = _links(name)
        parts = {}
        for place, kind in enumerate(links.types):
            likelihood = RelationalLinks(links, place, BETA)
            parts[kind] = MixtureModel(DirichletProcess(CONCENTRATION), likelihood)
        model = CoupledModel(parts)
        log_joint = np.empty(len(states))
        for place, (rows, columns) in enumerate(states):
            model.start({"row": np.array(rows), "column": np.array(columns)})
            log_joint[place] = model.log_joint()
        exact = np.exp(log_joint - np.logaddexp.reduce(log_joint))
        rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "enumeration", name))
        model.start({kind: np.zeros(n, dtype=int) for kind, n in model.part_sizes.items()})
        known = dict(zip(states, exact, strict=True))
        found.append(visit_counts(f"{name.upper()}, DP", model, known, check["n_sweeps"], rng))
    return pd.concat(found, ignore_index=True)


def bound_table(seed: int, n_restarts: int = 20) -> pd.DataFrame:
    """Return the ELBO of the best restart (eq. 4 to 8) and the log evidence, by enumeration."""
    n_rows, n_columns = COUNTS.shape
    relation = Relation.from_matrix(COUNTS)
    rows = []
    for name in MODELS:
        links = _links(name)
        terms = [
            log_probability(np.bincount(z, minlength=n_rows))
            + log_probability(np.bincount(y, minlength=n_columns))
            + _log_links(links, z, y)
            for z in product(range(n_rows), repeat=n_rows)
            for y in product(range(n_columns), repeat=n_columns)
        ]
        seen = relation if name == "firm" else relation.binary()
        sizes = {"row": n_rows, "column": n_columns}
        how = {"beta": BETA, "concentration": CONCENTRATION, "n_restarts": n_restarts}
        rng = chain_seed(seed, PAPER_KEY, "bound", name)
        posterior = fit_relational(seen, sizes, sizes, rng=rng, **how)
        rows.append((name, posterior.elbo, float(np.logaddexp.reduce(terms))))
    return pd.DataFrame(rows, columns=["model", "elbo", "log_evidence"])


def _log_links(links: LinkTable, rows: tuple[int, ...], columns: tuple[int, ...]) -> float:
    linked, unlinked = links.cell_counts(np.array(rows), np.array(columns))
    return float((betaln(BETA + linked, BETA + unlinked) - betaln(BETA, BETA)).sum())


# ---- Classes of pairs, found by the aspect model ---------------------------------------------


def find_classes(
    relations: Relations, dataset: str, aspect: Mapping[str, Any], seed: int, threads: int = 1
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Return the starts of the aspect model, the best first, and the classes of pairs by each."""
    stream = chain_seed(seed, PAPER_KEY, dataset, "aspect")
    model = AspectModel(
        **aspect, threads=threads, random_state=int(stream.generate_state(1)[0])
    ).fit(relations.matrix(relations.relations[0].name))
    order = np.argsort(-rounded(model.starts_["log_likelihood"], TIE_BITS), kind="stable")
    starts = model.starts_.iloc[order].assign(dataset=dataset, status=relations.identity.status)
    labels = [model.pair_labels(start=start).astype(np.int16) for start in order]
    return starts, {"labels": np.stack(labels)}


# ---- Relations that share a type, clustered together and apart -------------------------------


def predict_together(
    relations: Relations, fits: Mapping[str, Mapping], held_out: float, threads: int = 1
) -> pd.DataFrame:
    """Predict held-out cells of each relation from a fit to all, and from one to it alone."""
    from sklearn.metrics import roc_auc_score

    rows = []
    for fit in (Fit(**attributes) for attributes in fits.values()):
        hidden = [
            choose_held_out(relations, held_out, fit.seed, number)
            for number in range(len(relations.relations))
        ]
        seen = relations_of(relations, fit.model, hidden)
        stream, more = f"held out {fit.model}", {"n_restarts": fit.n_restarts, "threads": threads}
        together = search(fit, relations, seen, stream, "together", **more)
        for number, table in enumerate(relations.relations):
            cells = hidden[number]
            dense = np.zeros(table_shape(relations, table), dtype=table.counts.dtype)
            dense[tuple(table.coordinates.T)] = table.counts
            counts = dense[tuple(cells.T)]
            linked = counts > 0
            alone = search(fit, relations, [seen[number]], stream, table.name, **more)
            found = {"together": (together, number), "apart": (alone, 0)}
            values = counts if fit.model == "firm" else linked.astype(int)
            ones = np.ones(len(cells), dtype=int)
            log = {
                how: posterior.log_predictive(place, cells, values)
                for how, (posterior, place) in found.items()
            }
            gain = log["together"] - log["apart"]
            row = {
                "dataset": fit.dataset, "status": relations.identity.status, "role": fit.role,
                "model": fit.model, "relation": table.name,
                "n_cells": len(cells), "n_linked": int(linked.sum()),
                "gain": gain.mean(), "gain_se": gain.std(ddof=1) / np.sqrt(gain.size),
            }  # fmt: skip
            for how, (posterior, place) in found.items():
                link = posterior.log_predictive(place, cells, ones)
                row[how] = log[how].mean()
                # Fits that differ only in their last digits have the same area.
                row[f"auc_{how}"] = roc_auc_score(linked, on_grid(link, TIE_BITS))
            rows.append(row)
    return pd.DataFrame(rows)
