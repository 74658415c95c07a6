"""Sampled co-clusters of a table of how often its rows and columns occur together."""

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from reseat.chains import CoupledModel
from reseat.chains.decided import mixture
from reseat.likelihoods import LinkTable, RelationalLinks, RelationalRates
from reseat.moves import gibbs_sweep
from reseat.numerics import TIE_BITS, rounded
from reseat.priors import make_prior


def build(
    settings: Mapping[str, Any],
    links: LinkTable,
    rng: np.random.Generator,
    start: Mapping[str, int],
    make_moves: Callable[[], Sequence[Callable]] = lambda: (gibbs_sweep,),
) -> CoupledModel:
    """Build the model at its start (Kurihara, Kameya and Sato 2006; Kemp et al. 2006).

    `start` is a number of blocks of each type, in random ones; `decided` is by type, too.
    """
    own_rates, models = settings.get("own_rates"), {}
    for place, (kind, n_entities) in enumerate(zip(links.types, links.shape, strict=True)):
        if own_rates is None:
            likelihood = RelationalLinks(links, place, settings["beta"])
        else:
            likelihood = RelationalRates(links, place, own_rates=own_rates[place])
        decided = settings.get("decided", {}).get(kind)
        models[kind] = mixture(make_prior(settings, n_entities), likelihood, make_moves(), decided)
    model = CoupledModel(models)
    model.start_at_random({kind: start[kind] for kind in links.types}, rng)
    return model


# ---- Choice between equal rates and rates of their own ---------------------------------------

#: Number of sweeps of a short chain, and of all chains from one start.
TRIED = 60
RATES = tuple(product((False, True), repeat=2))
N_TRIED = TRIED * len(RATES)


def best_rates(
    start: Callable[[int, tuple[bool, bool]], tuple[CoupledModel, np.random.Generator]],
    n_starts: int,
    after_sweep: Callable[[], None] = lambda: None,
) -> tuple[bool, bool]:
    """Return which types have own rates in the model of the highest log joint of short chains."""
    # One chain that draws which would be stuck.
    found = dict.fromkeys(RATES, -np.inf)
    for rates, number in product(RATES, range(n_starts)):
        model, rng = start(number, rates)
        for _ in range(TRIED):
            model.sweep(rng)
            found[rates] = max(found[rates], model.log_joint())
            after_sweep()
    # Among equals, the one with fewer rates comes first.
    return max(RATES, key=lambda rates: float(rounded(found[rates], TIE_BITS)))
