"""Results of the workflow's chains on a data set of one's own, as `reseat cluster` gives them."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.spatial.distance import cdist

from reseat.chains import Schedule
from reseat.command.inputs.loaded import LoadedInput
from reseat.command.portraits import medoids, modal_values, typical_columns
from reseat.command.results import Result, membership, report_of
from reseat.command.writing import write_files
from reseat.datasets import Corpus, Dissimilarities, EmbeddedMentions, Records, Relations
from reseat.estimators.base import of_chains
from reseat.estimators.sampling import flat
from reseat.files.atomic import atomic_folder, write_table
from reseat.papers.diagnostics import chains_by_model
from reseat.papers.relational.fits import FittedRelations
from reseat.papers.supervised.scores import test_draws


def write_stored(
    family: str, dataset: str, data: Path, chains: Iterable[Path], output: Path
) -> None:
    """Write a folder with the clusters that each model has found, and pages about them."""
    with atomic_folder(output) as folder:
        if family == "relational":
            relations = Relations.load(data)
            fits = [path for part in chains for path in part.iterdir() if path.is_dir()]
            for fit in sorted(fits):  # of which the best restart is stored
                for kind, labels in FittedRelations.load(fit).labels.items():
                    clusters = np.unique(labels, return_inverse=True)[1] + 1
                    table = pd.DataFrame({"item": relations.entities[kind], "cluster": clusters})
                    write_table(table, folder / fit.name / f"{kind}_labels.csv")
            return
        material, select = _READERS[family](data if data.is_file() else data / "0.npz")
        found = [path for part in chains for path in part.glob("*.nc")]
        for (_, model), stored in chains_by_model(found).items():
            (folder / model).mkdir()
            paths, attributes = [path for _, path, *_ in stored], stored[0][-1]
            given = attributes["configuration"]
            lengths = {key: given["schedule"][key] for key in ("burn_in", "n_samples", "thin")}
            prior = given["model"].get("prior", "dirichlet_process")
            estimator = of_chains(paths, prior, Schedule(**lengths), select)
            draws = flat(estimator.draws_)
            result = Result(
                prefix="",
                items=material.items,
                labels=estimator.labels_,
                probability=membership(estimator.labels_, draws),
                draws=draws,
                n_chains=len(paths),
                trace=next(n for n in ("n_test_clusters", "n_clusters") if n in estimator.rhat_),
                n_clusters=None,
                interval=estimator.n_clusters_interval_,
                portraits=material.portray(estimator.labels_),
                truth=material.truth,
            )
            report = replace(report_of([result], estimator, material), advice=())
            write_files(folder / model, report, material, model, f"{dataset} by {model}")


# ---- Data sets of each family, and what finds the clusters of items in the draws of a chain ----


def _documents(path: Path) -> tuple[LoadedInput, None]:
    corpus = Corpus.load(path)
    portray = partial(typical_columns, corpus.counts, [*map(str, corpus.vocabulary)])
    return _loaded("documents", corpus.document_ids, portray, corpus.labels), None


def _records(path: Path) -> tuple[LoadedInput, None]:
    records = Records.load(path)
    columns = zip(records.levels, records.codes.T, strict=True)
    cells = np.column_stack([np.array([*names, None], object)[codes] for names, codes in columns])
    portray = partial(modal_values, cells, records.fields)
    return _loaded("records", records.record_ids, portray, records.entities), None


def _distances(path: Path) -> tuple[LoadedInput, None]:
    objects = Dissimilarities.load(path)
    portray = partial(medoids, objects.values, objects.item_ids)
    return _loaded("objects", objects.item_ids, portray, objects.classes), None


def _supervised(path: Path) -> tuple[LoadedInput, Callable]:
    mentions = EmbeddedMentions.load(path)
    test, points = mentions.test, mentions.coordinates[mentions.test]
    names = np.array(mentions.item_ids, dtype=object)[test]
    portray = partial(medoids, lambda some, others: cdist(points[some], points[others]), names)
    material = _loaded("test items", names, portray, mentions.entities[test])
    return material, lambda draws: np.stack([test_draws(mentions, part) for part in draws])


_READERS = {
    "documents": _documents,
    "records": _records,
    "distances": _distances,
    "supervised": _supervised,
}


def _loaded(what: str, names: Iterable, portray: Callable, truth) -> LoadedInput:
    items = [*map(str, names)]
    return LoadedInput(f"{len(items):,} {what}", {}, items, portray, truth=truth)
