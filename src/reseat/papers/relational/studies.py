"""Studies beside the fits: exact checks on a small table, and classes of pairs."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import betaln

from reseat.chains import CoupledModel, MixtureModel, chain_seed
from reseat.datasets import Relations
from reseat.likelihoods import LinkTable, RelationalLinks
from reseat.papers.enumerated import partitions, visit_counts
from reseat.papers.relational.formulas import BETA, CONCENTRATION, COUNTS
from reseat.papers.relational.plan import MODELS, PAPER_KEY
from reseat.priors import DirichletProcess
from reseat.variational import AspectModel, Relation, fit_relational

# ---- Exact checks, on a table small enough to enumerate, of the chains and of the fits' bound ----


def _model(name: str) -> CoupledModel:
    links = LinkTable(COUNTS)
    links = links if name == "firm" else links.binary()
    return CoupledModel(
        {
            kind: MixtureModel(DirichletProcess(CONCENTRATION), RelationalLinks(links, place, BETA))
            for place, kind in enumerate(links.types)
        }
    )


def _joints(model: CoupledModel) -> dict[tuple, float]:
    """Return the log joint of every pair of partitions."""
    n_rows, n_columns = COUNTS.shape
    found = {}
    for rows in partitions(n_rows):
        for columns in partitions(n_columns):
            model.start({"row": np.array(rows), "column": np.array(columns)})
            found[rows, columns] = model.log_joint()
    return found


def count_partitions(check: Mapping[str, int], seed: int) -> pd.DataFrame:
    """Return the exact posterior of each pair of partitions, and how often a chain visits it."""
    found = []
    for name in MODELS:
        model = _model(name)
        joint = _joints(model)
        values = np.array(list(joint.values()))
        exact = np.exp(values - np.logaddexp.reduce(values))
        rng = np.random.default_rng(chain_seed(seed, PAPER_KEY, "enumeration", name))
        model.start({kind: np.zeros(n, dtype=int) for kind, n in model.part_sizes.items()})
        probabilities = dict(zip(joint, exact, strict=True))
        found.append(
            visit_counts(f"{name.upper()}, DP", model, probabilities, check["n_sweeps"], rng)
        )
    return pd.concat(found, ignore_index=True)


def bound_table(seed: int, n_restarts: int = 20) -> pd.DataFrame:
    """Return the ELBO of the best restart and the log evidence, summed over all assignments.

    Both are for the truncated stick-breaking prior of the variational fits, with as many clusters
    of each type as entities, and without the term for the draws of entities. See Kurihara et al.
    (2006), eq. 4 to 8.
    """
    n_rows, n_columns = COUNTS.shape
    relation = Relation.from_matrix(COUNTS)
    rows = []
    for name in MODELS:
        links = LinkTable(COUNTS)
        links = links if name == "firm" else links.binary()
        terms = [
            _log_sticks(z, n_rows) + _log_sticks(y, n_columns) + _log_links(links, z, y)
            for z in product(range(n_rows), repeat=n_rows)
            for y in product(range(n_columns), repeat=n_columns)
        ]
        posterior = fit_relational(
            relation if name == "firm" else relation.binary(),
            {"row": n_rows, "column": n_columns},
            {"row": n_rows, "column": n_columns},
            beta=BETA,
            concentration=CONCENTRATION,
            n_restarts=n_restarts,
            rng=chain_seed(seed, PAPER_KEY, "bound", name),
        )
        rows.append((name, posterior.elbo, float(np.logaddexp.reduce(terms))))
    return pd.DataFrame(rows, columns=["model", "elbo", "log_evidence"])


def _log_sticks(labels: tuple[int, ...], truncation: int) -> float:
    """Return the log probability of an assignment, with the sticks integrated out."""
    sizes = np.bincount(labels, minlength=truncation)
    beyond = sizes.sum() - np.cumsum(sizes)
    terms = betaln(1 + sizes, CONCENTRATION + beyond) - betaln(1, CONCENTRATION)
    return float(terms[:-1].sum())  # the last stick takes all that remains


def _log_links(links: LinkTable, rows: tuple[int, ...], columns: tuple[int, ...]) -> float:
    linked, unlinked = links.cell_counts(np.array(rows), np.array(columns))
    return float((betaln(BETA + linked, BETA + unlinked) - betaln(BETA, BETA)).sum())


# ---- Classes of pairs, found by the aspect model ---------------------------------------------


def find_classes(
    relations: Relations, dataset: str, aspect: Mapping[str, Any], seed: int, threads: int = 1
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Fit the aspect model to a set of pairs.

    Return one row per start, and, as ``labels``, the class of every pair, shape (n_rows,
    n_columns).
    """
    stream = chain_seed(seed, PAPER_KEY, dataset, "aspect")
    model = AspectModel(
        **aspect, threads=threads, random_state=int(stream.generate_state(1)[0])
    ).fit(relations.matrix(relations.relations[0].name))
    starts = pd.DataFrame(model.starts_).assign(dataset=dataset, status=relations.identity.status)
    return starts, {"labels": model.pair_labels().astype(np.int16)}
