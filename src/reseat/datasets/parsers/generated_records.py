"""Made-up recipes and records, for trying everything out without any data."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reseat.checks import check_choice, check_whole
from reseat.datasets.parsers.options import check_probabilities
from reseat.datasets.raw import RawRecords
from reseat.datasets.recipes import RecordRecipe
from reseat.datasets.uniforms import Uniforms
from reseat.errors import ConfigError

SHAPES = {  # weights of n levels, the same on every machine
    "even": lambda n: np.ones(n),
    "falling": lambda n: 1.0 / np.arange(1, n + 1),
    "hump": lambda n: np.arange(1.0, n + 1) * np.arange(n, 0.0, -1),
}


def parse_generated_recipe(
    paths: Mapping[str, Path], sizes: Sequence[int], fields: Mapping[str, Mapping[str, Any]]
) -> RecordRecipe:
    """Make a recipe from a simple rule for each field.

    `sizes`: numbers of entities that have 1, 2, ... records.
    `fields`: for each field ``levels``, the number of its levels, and ``shape``, the form of their
        frequencies: ``even``, ``falling`` (1 / rank) or ``hump``.
    """
    sizes, weights = _checked(sizes, fields)
    levels = (tuple(str(level + 1) for level in range(len(w))) for w in weights.values())
    return RecordRecipe.from_counts(tuple(weights), tuple(levels), weights.values(), sizes)


def parse_generated_records(
    paths: Mapping[str, Path],
    seed: int,
    sizes: Sequence[int],
    fields: Mapping[str, Mapping[str, Any]],
    distortion: float = 0.05,
    missing: float = 0.05,
) -> RawRecords:
    """Draw records whose values are sometimes wrong and sometimes missing.

    `sizes`, `fields`: as in `parse_generated_recipe`.
    `distortion`, `missing`: probabilities that a cell is a draw from the distribution of its field
        instead of the value of the entity, and that it is empty.
    """
    check_probabilities(distortion=distortion, missing=missing)
    sizes, weights = _checked(sizes, fields)
    draw = Uniforms(np.random.Generator(np.random.PCG64(seed)))
    own = np.repeat(np.arange(1, len(sizes) + 1), sizes)
    entities = np.repeat(np.arange(len(own)), own)[draw.order(int(own.sum()))]
    cells = {}
    for field, of_levels in weights.items():
        cumulative = np.cumsum(of_levels)
        shown = draw.choose(cumulative, len(own))[entities]
        other = draw.choose(cumulative, len(entities))
        shown = np.where(draw.chance(distortion, len(entities)), other, shown)
        column = pd.Series((shown + 1).astype(str).astype(object))
        cells[field] = column.mask(draw.chance(missing, len(entities)))
    ids = [str(number) for number in range(1, len(entities) + 1)]
    return RawRecords(pd.DataFrame(cells), [str(entity) for entity in entities], ids)


def _checked(sizes, fields) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    if not sizes or any(not isinstance(n, int) or n < 0 for n in sizes):
        raise ConfigError(
            "the option 'sizes' must list whole numbers of at least 0, one for each size"
        )
    weights = {}
    for name, rule in fields.items():
        if not isinstance(rule, Mapping) or set(rule) != {"levels", "shape"}:
            raise ConfigError(f"the option 'fields.{name}' must have the keys levels and shape")
        check_whole(f"the option 'fields.{name}.levels'", rule["levels"], 2)
        check_choice(f"the option 'fields.{name}.shape'", rule["shape"], SHAPES)
        weights[name] = SHAPES[rule["shape"]](rule["levels"])
    return np.array(sizes, dtype=np.int64), weights
