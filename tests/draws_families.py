"""Every model of the configuration, run as the workflow runs it, on a few items.

The sections of all families are those of the project, but the demo scale has less data, shorter
chains and studies that name every model.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from draws import N_SWEEPS, entry
from workflow_runs import ROOT, configuration

from reseat.chains import chain_seed
from reseat.chains.output import write_chain
from reseat.datasets import (
    Registry,
    align_sequences,
    build,
    draw_records,
    embed_mentions,
    transform_scores,
)
from reseat.dissimilarities import kernel_pca, to_negative_type
from reseat.papers.chains import run_studies
from reseat.papers.distances.chains import chains_of as distances_chains
from reseat.papers.documents.chains import run_chain_block
from reseat.papers.documents.studies import random_labels, run_em_block
from reseat.papers.records.chains import chains_of as records_chains
from reseat.papers.records.plan import SIMILAR
from reseat.papers.relational.chains import run_gibbs
from reseat.papers.relational.fits import fit_model
from reseat.papers.relational.scores import sort_toy
from reseat.papers.relational.studies import predict_together
from reseat.papers.run_plan import RunPlan, plan_run
from reseat.papers.supervised.baselines import score_baselines
from reseat.papers.supervised.chains import chains_of as supervised_chains
from reseat.variational import AspectModel

VERBS = ("subject", "verb", "object")
#: Options that make generated data small.
DATA = {
    "demo_delicious": {"n_documents": 30, "n_classes": 3, "n_words": 60, "class_words": 12},
    "demo_italy": {"sizes": [12, 6]},
    "demo_survey": {"sizes": [10, 4, 2]},
    "demo_overlapping": {"n_items": 24, "n_blocks": 3, "dim": 10},
    "demo_means_c100_d3_mu40": {"n_items": 24, "n_blocks": 3},
    "demo_families": {"sizes": [4, 4, 4, 3, 3, 3], "length": 40},
    "demo_identity": {"train": [5, 16], "test": [4, 12]},
    "demo_names": {"train": [2, 16], "test": [2, 12]},
    "demo_citations": {"train": [4, 16], "test": [3, 12]},
    "demo_pairs": {
        "types": {
            "adjective": {"entities": 14, "clusters": 3, "activity": 1.0},
            "noun": {"entities": 18, "clusters": 3, "activity": 1.0},
        },
        "relations": {
            "pairs": {"types": ["adjective", "noun"], "tokens": 300, "linked": 0.2, "contrast": 30}
        },
    },
    "demo_triples": {
        "types": {name: {"entities": 8, "clusters": 2, "activity": 1.0} for name in VERBS},
        "relations": {"triples": {"types": [*VERBS], "tokens": 200, "linked": 0.3, "contrast": 40}},
    },
    "demo_words": {
        "types": {
            name: {"entities": 12, "clusters": 3, "activity": 1.0}
            for name in ("adjective", "noun", "verb")
        },
        "relations": {
            name: {"types": types, "tokens": 150, "linked": 0.2, "contrast": 30}
            for name, types in (
                ("describes", ["adjective", "noun"]),
                ("subject_of", ["noun", "verb"]),
            )
        },
    },
    "demo_network": {
        "types": {"person": {"entities": 14, "clusters": 3, "activity": 2.0}},
        "relations": {
            "writes": {"types": ["person"] * 2, "tokens": 200, "linked": 0.3, "contrast": 30}
        },
    },
    "toy_blocks": {},
}
#: Number of sweeps before the first draw, and from then on.
LENGTH = {"burn_in": 4, "n_samples": N_SWEEPS - 4}
EVERY = {"thin": 1, **LENGTH}


def entries(n_chains: int = 2) -> Iterator[tuple[str, dict]]:
    """Yield the name and the entry of everything that is drawn, by one or two chains of a run."""
    run_plan = plan_run(_configuration(n_chains), ROOT)
    registry = Registry(
        {
            name: replace(entry, options=entry.options | options)
            for name, options in DATA.items()
            for entry in [run_plan.registry[name]]
        }
    )
    for part in (documents, records, distances, relational, supervised):
        with tempfile.TemporaryDirectory() as folder:
            for name, found in part(run_plan, registry, Path(folder)):
                yield f"{part.__name__}/{name}", found


def _configuration(n_chains: int) -> dict:
    """Return the project's configuration with short studies of every model."""
    given = configuration({})
    models = {family: given[family]["models"] for family in ("documents", "records", "supervised")}
    once = {"n_chains": 1, **EVERY}
    twice = once | {"n_chains": n_chains}  # two are from both starts
    # Some models need what not all data sets have, such as generating marginals or classes.
    drawn = {"datasets": ["demo_italy_d05"], "models": [*models["records"]], "first": twice}
    real = [name for name, model in models["records"].items() if "marginals" not in model]
    similar = [name for name in real if models["records"][name].get("likelihood") == SIMILAR]
    real = [name for name in real if name not in similar]
    clamped = [name for name, model in given["distances"]["models"].items() if "clamp" in model]
    points = {
        "datasets": ["demo_overlapping", "demo_means_c100_d3_mu40"],
        "models": [name for name in given["distances"]["models"] if name not in clamped],
        "length": once,
    }
    labelled = {"datasets": ["demo_families"], "models": ["tiwd", *clamped], "length": twice}
    items = {
        "datasets": ["demo_names", "demo_citations"],
        "models": [*models["supervised"]],
        "length": twice | {"n_samples": 8},  # a sweep of the joint moves takes long
    }
    # No part of a scale may be empty, so studies are repeated; equal runs are run only once.
    scales = {
        "documents": {
            "datasets": ["demo_delicious"],
            "n_chains": dict.fromkeys(models["documents"], 1),
        },
        "records": {
            "table1": [drawn],
            "readings": [drawn],
            "real": [{"datasets": ["demo_survey"], "models": real, "first": once}],
            "benchmarks": [{"datasets": ["demo_survey"], "models": similar, "first": once}],
            "moves": {"dataset": "demo_italy_d05"},
        },
        "distances": dict.fromkeys(("accuracy", "trace", "means", "readings"), [points])
        | {"labelled": [labelled]},
        "relational": {
            "pairs": {"n_restarts": 2, "aspect": {"n_classes": 4, "n_starts": 2}},
            "types": {"n_restarts": 2},
            "joint": {"n_restarts": 2, "held_out": 0.2},
            "gibbs": {"n_restarts": 2, "n_chains": 2, **LENGTH},
        },
        "supervised": {
            "studies": [items],
            "binary": {"n_pairs": 40, "n_search_pairs": 20, "n_folds": 2, "n_rounds": 1},
        },
    }
    changes = {
        "documents": {"datasets": {"demo_delicious": {"n_clusters": 4, **EVERY}}},
        "distances": {"annealing": {"n_steps": 5}},
        "relational": {"ascent": {"max_iter": 20}, "aspect": {"max_iter": 20}},
        "supervised": {
            "warm_up": 4,
            "canopy": {"n_neighbours": 4, "full_every": 3},
            "k_means": {"n_restarts": 3},
        },
    }
    sections = {
        family: {**changes.get(family, {}), "scales": {"demo": scale}}
        for family, scale in scales.items()
    }
    return configuration({"scale": "demo", **sections})


@contextmanager
def chains(written: bool = False) -> Iterator[dict[str, dict]]:
    """Collect the entries of the chains that end within the context, by the names of their files.

    The files stay empty unless they are to be `written`, which takes ten times as long as such
    short chains run.
    """
    found = {}

    def keep(path, number, record, attributes, finished=None):
        labels = {"draws": record.draws(), "snapshots": record.snapshots, "map": record.best_labels}
        if record.marginal is not None:
            labels["marginal"] = record.marginal.labels()
        found[path.stem] = entry(labels | dict(finished or {}), record.traces)
        if written:
            write_chain(path, number, record, attributes, finished)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()

    with patch("reseat.chains.runner.write_chain", keep):
        yield found


def data(**arrays: np.ndarray) -> dict:
    """Return the entry of data.

    Integers are compared exactly; of other arrays, the column sums and those of the squares.
    """
    whole = {name: array for name, array in arrays.items() if array.dtype.kind in "iub"}
    sums = {
        f"{name} {moment}": np.sum(array**moment, axis=0)
        for name, array in arrays.items()
        if name not in whole
        for moment in (1, 2)
    }
    return entry(whole, sums)


def documents(run_plan: RunPlan, registry: Registry, folder: Path) -> Iterator[tuple[str, dict]]:
    plan, name = run_plan.families["documents"], "demo_delicious"
    corpus = build(registry, name, run_plan.data, features=plan.features(name), kind="documents")
    counts = corpus.counts.tocsr()
    yield "corpus", data(counts=counts.data, words=counts.indices, labels=corpus.labels)
    for model in plan.models(name):
        run, output = plan.run(name, model), folder / model
        if run.settings["kind"] == "chains":
            with chains(written=True) as found:
                run_chain_block(run, [0], corpus, output=output, scratch=folder / "unfinished")
            yield model, found["chain-0000"]
            continue
        start = None
        if run.settings["start"] == "gibbs":
            start = [random_labels(folder / "gibbs" / "chain-0000.nc")]
        output = output.with_suffix(".npz")
        run_em_block(run, [0], corpus, output=output, labels=start)
        with np.load(output) as found:
            yield model, entry({"labels": found["labels"]}, {"objective": found["objective"]})


def studied(plan, name: str, folder: Path, chains_of, loaded) -> Iterator[tuple[str, dict]]:
    """Yield the chains of all studies of a data set."""
    places = {"output": folder / name, "scratch": folder / "unfinished"}
    with chains() as ended:
        run_studies(plan.runs(name), lambda run: chains_of(run, loaded), **places)
    yield from ((f"{name}/{chain}", found) for chain, found in ended.items())


def records(run_plan: RunPlan, registry: Registry, folder: Path) -> Iterator[tuple[str, dict]]:
    plan = run_plan.families["records"]
    delta, rng = 0.05, np.random.default_rng(chain_seed(plan.seed, "records", "demo_italy"))
    loaded = {
        "demo_italy_d05": draw_records(build(registry, "demo_italy", kind="recipe"), delta, rng),
        "demo_survey": build(registry, "demo_survey", kind="records"),
    }
    for name, found in loaded.items():
        yield f"{name}/data", data(codes=found.codes, entities=found.entities)
        yield from studied(plan, name, folder, records_chains, found)


def distances(run_plan: RunPlan, registry: Registry, folder: Path) -> Iterator[tuple[str, dict]]:
    plan = run_plan.families["distances"]
    for name in plan.datasets:
        rng = np.random.default_rng(chain_seed(plan.seed, "distances", name))
        if name == "demo_families":
            objects, whole = _families(plan.section, registry, folder, rng)
            yield f"{name}/data", data(values=objects.values.astype(float), **whole)
        else:
            objects = build(registry, name, kind="points").draw(rng)
            yield f"{name}/data", data(values=objects.values, labels=objects.labels)
        yield from studied(plan, name, folder, distances_chains, objects)


def _families(section: Mapping, registry: Registry, folder: Path, rng: np.random.Generator):
    """Align sequences and make their distances of negative type, as the rules do."""
    sequences = build(registry, "demo_families", kind="sequences")
    path = folder / "scores.npy"
    align_sequences(sequences, path, folder / "alignment", **section["alignment"])
    scores, entry = np.load(path), section["objects"]["demo_families"]
    objects = transform_scores(scores, sequences, entry["kappa"])
    rank = min(entry["rank"], kernel_pca(objects.values).shape[1])
    values = to_negative_type(objects.values, rank, entry["method"], rng)
    objects = objects.replace_values(values.astype(np.float32), rank=rank)
    return objects, {"scores": scores, "classes": objects.classes}


def relational(run_plan: RunPlan, registry: Registry, folder: Path) -> Iterator[tuple[str, dict]]:
    plan = run_plan.families["relational"]
    for name in plan.datasets_in("pairs", "types"):
        relations = build(registry, name, kind="relations")
        cells = {f"{table.name} cells": table.coordinates for table in relations.relations}
        counts = {f"{table.name} counts": table.counts for table in relations.relations}
        yield f"{name}/data", data(**cells, **counts)
        twins = {}  # the first fit from each start
        for fit in plan.runs(name):
            posterior, fitted = fit_model(fit, relations, twin=twins.get(fit.initialisation))
            twins.setdefault(fit.initialisation, fitted)
            traces = {"elbo": fitted.restarts["elbo"], "elbo_trace": posterior.elbo_trace}
            yield f"{name}/{fit.name}", entry(fitted.every, traces)
    relations = build(registry, "demo_pairs", kind="relations")
    fit = plan.main("demo_pairs", "firm")
    with chains() as ended:
        names = ("seed", "beta", "concentration", "truncation")
        given = {key: getattr(fit, key) for key in names}
        places = {"output": folder / "gibbs", "scratch": folder / "unfinished"}
        run_gibbs(relations, plan.settings["gibbs"], **given, **places)
    yield from ((f"gibbs/{chain}", found) for chain, found in ended.items())
    model = AspectModel(**plan.aspect(), random_state=plan.seed)
    model.fit(relations.matrix(relations.relations[0].name))
    trace = {"log_likelihood": model.log_likelihood_trace_}
    yield "aspect", entry({"labels": model.pair_labels()}, trace)
    for name in plan.datasets_in("joint"):
        relations = build(registry, name, kind="relations")
        share = plan.settings["joint"]["held_out"]
        found = predict_together(relations, plan.joint(name), share)
        linked = found["n_linked"].to_numpy()
        scores = {how: found[how] for how in ("together", "apart", "auc_together", "auc_apart")}
        yield f"{name}/joint", entry({"linked": linked}, scores)
    toy = sort_toy(plan.toy().to_dict(), build(registry, "toy_blocks", kind="relations"))
    yield "toy", data(**toy)


def supervised(run_plan: RunPlan, registry: Registry, folder: Path) -> Iterator[tuple[str, dict]]:
    plan = run_plan.families["supervised"]
    made_up = build(registry, "demo_identity", run_plan.data, plan.seed, kind="mentions")
    texts = " ".join(str(cell) for column in made_up.columns.values() for cell in column)
    letters = np.frombuffer(texts.encode(), dtype=np.uint8)
    yield "demo_identity/data", data(letters=letters, entities=made_up.entities)
    for name in plan.datasets:
        mentions = build(registry, name, run_plan.data, plan.seed, kind="mentions")
        embedded = embed_mentions(mentions, **plan.embedding(name))
        arrays = {key: getattr(embedded, key) for key in ("entities", "groups", "test")}
        yield f"{name}/data", data(**arrays, embedded=embedded.coordinates)
        yield from studied(plan, name, folder, supervised_chains, embedded)
        settings = {"k_means": plan.section["k_means"], "binary": plan.binary}
        given = {"role": plan.role(name), "settings": settings, "seed": plan.seed}
        rows = score_baselines(embedded, mentions, **given)
        scores: dict[str, list[float]] = {}
        for row in rows:
            system = " ".join(filter(None, (row["system"], row["variant"])))
            scores.setdefault(system, []).append(row["value"])
        yield f"{name}/baselines", entry({}, scores)
