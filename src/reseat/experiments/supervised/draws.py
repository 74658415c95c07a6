"""Baselines on further draws of the items of a data set.

The paper does not say which images of digits it drew. How far scores on one draw of them say
something about its numbers is known only from others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from reseat.chains import chain_seed
from reseat.datasets import Mentions, embed_mentions
from reseat.experiments.supervised.baselines import score_baselines
from reseat.experiments.supervised.plan import PAPER_KEY, Plan

__all__ = ["drawn_again", "score_draws"]


def drawn_again(plan: Plan) -> tuple[str, ...]:
    """Return the data sets of a run whose items are drawn several times; it must have a study."""
    return tuple(name for name in plan.datasets_of(plan.settings["draws"]) if name in plan.datasets)


def score_draws(
    load: Callable[[int], Mentions],
    dataset: str,
    *,
    role: str,
    embedding: Mapping[str, Any],
    settings: Mapping[str, Any],
    seed: int,
    n_draws: int,
    threads: int = 1,
) -> pd.DataFrame:
    """Score every baseline once on each draw of the items of a data set.

    Those of the run's own seed are draw 0.
    """
    rows = []
    for draw in range(n_draws):
        stream = chain_seed(seed, PAPER_KEY, dataset, "draw", str(draw))
        mentions = load(int(stream.generate_state(1)[0]) if draw else seed)
        references = embed_mentions(mentions, **embedding)
        scores = score_baselines(
            references, mentions, role=role, settings=settings, seed=seed, threads=threads
        )
        rows += [row | {"dataset": dataset, "draw": draw} for row in scores]
    return pd.DataFrame(rows)
