"""Construction of the family's models and chains from the configuration."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reseat.chains import chain_seed
from reseat.datasets import Records
from reseat.likelihoods import RecordIndex, SimilarityIndex
from reseat.models.fields.columns import as_columns
from reseat.models.fields.index import index_fields
from reseat.models.fields.matches import agreeing
from reseat.models.records import build, make_moves, make_pairs
from reseat.moves import Pairs
from reseat.papers.records.plan import PAPER_KEY, SIMILAR, Run
from reseat.summaries import PartitionStatistics

Parts = tuple[dict[str, Any], RecordIndex | SimilarityIndex, Pairs]


def columns_of(run: Run, records: Records) -> list[list] | None:
    """Return the values of each field if the model compares them, or None if it uses codes."""
    if run.settings.get("likelihood") != SIMILAR:
        return None
    cells = [
        np.array([*levels, None], dtype=object)[codes]
        for levels, codes in zip(records.levels, records.codes.T, strict=True)
    ]
    return as_columns(np.column_stack(cells))


def parts_of(run: Run, records: Records) -> Parts:
    """Return the settings of a model, the index of the records, and the law of the chaperones."""
    # Delta is bounded on real records alone, if at all.
    settings, columns = dict(run.settings), columns_of(run, records)
    if run.delta is not None or not run.settings.get("bounded", True):
        settings["delta"] = settings["delta"] | {"bound": None}
    generating = settings.get("marginals") == "generating"
    if columns is None:
        index = RecordIndex(records.codes, records.marginals if generating else None)
    else:
        index = index_fields(columns)[0]
    rng = np.random.default_rng(chain_seed(run.seed, PAPER_KEY, run.name, "pairs"))
    return settings, index, make_pairs(run.settings, records.codes, rng, columns)


def chains_of(run: Run, records: Records) -> Callable[[int, Path], dict[str, Any]]:
    """Return the `prepare` of a model on some records, as `run_studies` expects it."""
    settings, index, pairs = parts_of(run, records)
    make = partial(build, settings, index, moves=make_moves(settings, pairs))
    columns = columns_of(run, records)
    # Gibbs sweeps from a random start are too slow for records compared by similarity.
    other = records.n_records if columns is None else agreeing(columns)
    starts = {"singletons": "singletons", "random": other}
    model = {"name": run.model, **run.settings}
    source = records.source()
    return lambda number, _: {
        "build": partial(make, start=starts[run.start(number)]),
        "statistics": PartitionStatistics(records.entities),
        "identity": {"model": model, "start": run.start(number), **source},
    }
