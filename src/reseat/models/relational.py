"""Sampled co-clusters of a table of how often its rows and columns occur together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from reseat.chains import CoupledModel, MixtureModel
from reseat.likelihoods import LinkTable, RelationalLinks
from reseat.moves import gibbs_sweep
from reseat.priors import make_prior


def build(
    settings: Mapping[str, Any],
    links: LinkTable,
    rng: np.random.Generator,
    start: Mapping[str, int],
    make_moves: Callable[[], Sequence[Callable]] = lambda: (gibbs_sweep,),
) -> CoupledModel:
    """Build the model at its start.

    See Kurihara, Kameya and Sato (2006); Kemp et al. (2006).

    `settings`: ``prior`` and its parameters, for both sides, and ``beta`` of the prior of links.
    `links`: counts for the FIRM, binary for the IRM.
    `start`: number of blocks of each type; its entities start in random ones.
    `make_moves`: called for each side; returns its moves.
    """
    model = CoupledModel(
        {
            kind: MixtureModel(
                make_prior(settings, n_entities),
                RelationalLinks(links, place, settings["beta"]),
                make_moves(),
            )
            for place, (kind, n_entities) in enumerate(zip(links.types, links.shape, strict=True))
        }
    )
    model.start_at_random({kind: start[kind] for kind in links.types}, rng)
    return model
