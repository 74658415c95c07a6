"""Classes of pairs, found by the aspect model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from reseat.chains import chain_seed
from reseat.datasets import Relations
from reseat.experiments.relational.plan import PAPER_KEY
from reseat.variational import AspectModel

__all__ = ["find_classes"]


def find_classes(
    relations: Relations, dataset: str, settings: Mapping[str, Any], seed: int, threads: int = 1
) -> tuple[pd.DataFrame, np.ndarray]:
    """Fit the aspect model to a set of pairs.

    Return one row per start, and the class of every pair, shape (n_rows, n_columns).
    """
    stream = chain_seed(seed, PAPER_KEY, dataset, "aspect")
    model = AspectModel(
        **settings, threads=threads, random_state=int(stream.generate_state(1)[0])
    ).fit(relations.matrix(relations.relations[0].name))
    starts = pd.DataFrame(model.starts_).assign(dataset=dataset, status=relations.identity.status)
    return starts, model.pair_labels().astype(np.int16)
