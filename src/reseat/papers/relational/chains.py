"""Variational fits and collapsed Gibbs chains, scored on held-out cells."""

import time
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from reseat.chains import (
    Chain,
    Schedule,
    by_turns,
    chain_seed,
    read_groups,
    run_folder,
    split_labels,
)
from reseat.datasets import Relations
from reseat.errors import DataError
from reseat.likelihoods import LinkTable, link_log_predictive
from reseat.models.relational import build
from reseat.numerics import TIE_BITS, on_grid
from reseat.papers.relational.fits import relations_of, search, table_shape
from reseat.papers.relational.plan import MODELS, PAPER_KEY, Fit
from reseat.summaries import describe


def choose_held_out(
    relations: Relations, share: float, seed: int, number: int | None = None
) -> np.ndarray:
    """Draw the held-out cells from the known ones of a relation, shape (n_cells, n_places)."""
    table = relations.relations[number or 0]
    shape = table_shape(relations, table)
    own = () if number is None else (table.name,)
    stream = (PAPER_KEY, relations.identity.name, "held out", *own)
    rng = np.random.default_rng(chain_seed(seed, *stream))
    unknown = np.ravel_multi_index(table.missing.T, shape)
    known = np.setdiff1d(np.arange(int(np.prod(shape))), unknown)
    flat = np.sort(rng.choice(known, size=int(round(share * known.size)), replace=False))
    return np.stack(np.unravel_index(flat, shape), axis=1)


def _links(relations: Relations, model: str, held_out: np.ndarray) -> LinkTable:
    """Return the links that are not held out; missing cells, which are no non-links, follow."""
    table = relations.relations[0]
    hidden = np.concatenate([held_out, table.missing])
    links = LinkTable(relations.matrix(table.name), hidden, table.types)
    return links if model == "firm" else links.binary()


def run_gibbs(
    relations: Relations,
    settings: Mapping[str, Any],
    *,
    seed: int,
    beta: float,
    concentration: float,
    truncation: Mapping[str, int],
    **options: Any,
) -> None:
    """Run the chains of both models into a folder; `options` are those of `run_folder`."""
    held_out = choose_held_out(relations, settings["held_out"], seed)
    tables = {model: _links(relations, model, held_out) for model in MODELS}
    hidden = tables["firm"].held_out_counts[: len(held_out)]
    n_linked = np.count_nonzero(hidden)
    if not 0 < n_linked < len(hidden):
        raise DataError(
            f"data set {relations.identity.name!r}: of the {len(hidden):,} cells that are held "
            f"out, {n_linked:,} have links, but predictions can be scored only if some have and "
            f"some have not; raise held_out of relational.scales, which is "
            f"{settings['held_out']:g}, or remove the set from gibbs.datasets."
        )
    source = relations.source()
    model_settings = {"prior": "dirichlet_process", "concentration": concentration, "beta": beta}
    # From one block, some chains stay at a much lower density for a long time.
    starts = dict.fromkeys(truncation, 1), truncation

    schedule = Schedule(settings["burn_in"], settings["n_samples"], thin=2)

    def chains(done: Path, unfinished: Path) -> list[Chain]:
        found = []
        for model, number in product(MODELS, range(settings["n_chains"])):
            name, start = f"{model}-chain-{number}", by_turns(starts, number)
            make = partial(build, model_settings, tables[model], start=start)
            stream = (PAPER_KEY, relations.identity.name, f"gibbs {model}")
            identity = {"model": {"name": model, "beta": beta, "concentration": concentration}}
            identity |= {"held_out": settings["held_out"]}
            identity |= {"truncation": dict(truncation), **source}  # of the random starts
            more = {"path": done / f"{name}.nc", "scratch": unfinished / name}
            found.append(Chain(number, make, schedule, seed, stream, identity=identity, **more))
        return found

    run_folder(chains, label=f"{relations.identity.name}: collapsed Gibbs", **options)


def score_comparison(
    fits: Mapping[str, Mapping],
    relations: Relations,
    chains: Path,
    gibbs: Mapping[str, Any],
    threads: int = 1,
) -> list[dict]:
    """Fit the models without the held-out cells, and score fits and chains on these, a row each."""
    from sklearn.metrics import roc_auc_score

    rows = []
    for model, attributes in fits.items():
        fit = Fit(**attributes)
        held_out = choose_held_out(relations, gibbs["held_out"], fit.seed)
        links = _links(relations, model, held_out)
        counts = links.held_out_counts[: len(held_out)]
        for method, found in (
            ("vb", _variational(fit, relations, held_out, counts, gibbs["n_restarts"], threads)),
            ("gibbs", _sampled(fit, links, len(held_out), chains, gibbs["n_chains"])),
        ):
            for run, n_clusters, log_predictive, link, seconds, rhat in found:
                row = {"dataset": fit.dataset, "status": relations.identity.status}
                row |= {"role": fit.role, "model": fit.model, "method": method, "run": run}
                row["n_row_clusters"], row["n_column_clusters"] = map(n_clusters.get, links.types)
                row["log_predictive"] = float(np.mean(log_predictive))
                # Cells of equal predictions have the same rank, whatever their last digits.
                row["auc"] = roc_auc_score(counts > 0, on_grid(link, TIE_BITS))
                rows.append(row | {"seconds": seconds, "rhat": rhat})
    return rows


def _variational(fit, relations, held_out, counts, n_restarts, threads) -> Iterator[tuple]:
    found: dict[int, tuple] = {}

    def keep(restart: int, posterior) -> None:
        found[restart] = (
            posterior.n_clusters,
            posterior.log_predictive(0, held_out, counts),
            posterior.log_predictive(0, held_out, np.ones(len(held_out), dtype=int)),
        )

    seen = relations_of(relations, fit.model, [held_out])
    how = {"n_restarts": n_restarts, "threads": threads, "on_restart": keep}
    posterior = search(fit, relations, seen, f"held out {fit.model}", **how)
    for restart, seconds in posterior.restarts[["restart", "seconds"]].itertuples(index=False):
        yield restart, *found[restart], seconds, np.nan


def _sampled(fit, links, n_held_out, folder, n_chains) -> Iterator[tuple]:
    trees = [
        read_groups(Path(folder) / f"{fit.model}-chain-{number}.nc") for number in range(n_chains)
    ]
    joints = np.stack([tree["sample_stats"]["log_joint"][0] for tree, _ in trees])
    rhat = describe(joints)["rhat"]
    sizes = dict(zip(links.types, links.shape, strict=True))
    for number, (tree, attributes) in enumerate(trees):
        draws = [
            tuple(split_labels(labels, sizes).values())
            for labels in tree["partition"]["labels"][0].astype(int)
        ]
        begin = time.process_time()
        log_predictive = link_log_predictive(links, draws, fit.beta)[:n_held_out]
        link = link_log_predictive(links, draws, fit.beta, values=1)[:n_held_out]
        seconds = attributes["seconds"] + (time.process_time() - begin) / 2
        last = tree["posterior"]
        n_clusters = {kind: int(last[f"n_clusters_{kind}"][0, -1]) for kind in links.types}
        yield number, n_clusters, log_predictive, link, seconds, rhat
