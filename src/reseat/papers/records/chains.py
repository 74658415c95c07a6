"""Construction of the family's models and chains from the configuration."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from reseat.chains import chain_seed
from reseat.datasets import Records
from reseat.errors import ConfigError
from reseat.likelihoods import RecordIndex, SimilarityIndex
from reseat.models.fields.columns import as_columns
from reseat.models.fields.index import index_fields
from reseat.models.fields.matches import agreeing
from reseat.models.records import build, make_moves, make_pairs
from reseat.moves import Pairs
from reseat.papers.records.plan import PAPER_KEY, SIMILAR, Run
from reseat.summaries import PartitionStatistics


def settings_of(run: Run) -> dict[str, Any]:
    """Return the settings of the model; delta is bounded on real records alone, if at all."""
    bounded = run.delta is None and run.settings.get("bounded", True)
    delta = run.settings["delta"]
    return run.settings | {"delta": delta if bounded else delta | {"bound": None}}


def columns_of(run: Run, records: Records) -> list[list] | None:
    """Return the values of each field if the model compares them, or None if it uses codes."""
    if run.settings.get("likelihood") != SIMILAR:
        return None
    cells = [
        np.array([*levels, None], dtype=object)[codes]
        for levels, codes in zip(records.levels, records.codes.T, strict=True)
    ]
    return as_columns(np.column_stack(cells))


def index_of(run: Run, records: Records) -> RecordIndex | SimilarityIndex:
    """Return the index of the records, with the marginals that the model uses."""
    columns = columns_of(run, records)
    if columns is not None:
        return index_fields(columns)[0]
    if run.settings.get("marginals") != "generating":
        return RecordIndex(records.codes)
    if records.marginals is None:
        raise ConfigError(
            f"The model {run.model!r} needs the marginals that the records were drawn from, which "
            f"{run.name!r} does not have."
        )
    return RecordIndex(records.codes, records.marginals)


def pairs_of(run: Run, records: Records) -> Pairs:
    """Return the distribution of chaperones, which all chains on these records share."""
    rng = np.random.default_rng(chain_seed(run.seed, PAPER_KEY, run.name, "pairs"))
    return make_pairs(run.settings, records.codes, rng, columns_of(run, records))


def chains_of(run: Run, records: Records) -> Callable[[int, Path], dict[str, Any]]:
    """Return the `prepare` of a model on some records, as `run_studies` expects it."""
    moves = make_moves(run.settings, pairs_of(run, records))
    make = partial(build, settings_of(run), index_of(run, records), moves=moves)
    columns = columns_of(run, records)
    # Gibbs sweeps from a random start are too slow for records compared by similarity.
    other = records.n_records if columns is None else agreeing(columns)
    starts = {"singletons": "singletons", "random": other}
    source = records.source()
    return lambda number, _: {
        "build": partial(make, start=starts[run.start(number)]),
        "statistics": PartitionStatistics(records.entities),
        "identity": {
            "model": {"name": run.model, **run.settings},
            "start": run.start(number),
            **source,
        },
    }
