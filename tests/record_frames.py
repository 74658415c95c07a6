"""Small data frames in the formats of the records family, built on the published numbers."""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd
from places import ROOT

from reseat.configuration import read_yaml
from reseat.papers.records.evidence import ERROR_RATES, LOSSES
from reseat.papers.records.plan import Run
from reseat.papers.records.results import BOX, COUNTED, DELTAS, MODELS, SAMPLED, SETS, Published

PUBLISHED = Published.load(ROOT / "config" / "published")
#: The models of the configuration, by name.
CONFIGURED = read_yaml(ROOT / "config" / "records.yaml")["records"]["models"]
STATUS = dict.fromkeys(("italy", "nltcs5000"), "faithful")
STATUS |= dict.fromkeys(("syria2000", "syriasizes"), "stand-in")
#: Metric of Table 1 that a quantity of a summary corresponds to.
PRINTED = {"n_clusters": "E[K]", "fnr": "FNR", "fdr": "FDR", "delta": "E[delta]"}


def keys(role, delta, draw, model, status=None, recipe=None):
    """Return the columns that identify a row."""
    variant = f"{recipe or role}_d{round(100 * delta):02d}"
    row = {"dataset": f"{variant}_{draw}", "variant": variant, "status": status or STATUS[role]}
    return row | {"role": role, "delta_true": delta, "draw": draw} | of_model(model)


@cache
def of_model(name):
    """Return the columns that identify a model of the configuration, which must not be changed."""
    draw = {"seed": 0, "dataset": "italy_d02", "role": "italy", "draw": 0, "delta": 0.02}
    run = Run(**draw, model=name, settings=CONFIGURED[name], length={})
    return {"model": name, **run.printed}


def summary_row(identity, quantity, mean, truth=np.nan, **given):
    """Return a row of `summary.csv`, with unremarkable values where none are given."""
    spread = given.pop("sd", 1.0)
    row = identity | {"quantity": quantity, "truth": truth, "mean": mean, "sd": spread}
    row |= {"mcse": spread / 20, "ess": 400.0, "rhat": 1.002, "n_chains": 4, "n_draws": 8000}
    row |= dict(zip(BOX, mean + spread * np.array([-2.7, -0.7, 0.0, 0.7, 2.7]), strict=True))
    return row | {"q025": mean - 2 * spread, "q975": mean + 2 * spread} | given


def value_as_published(role, delta, model, quantity):
    """Return the paper's (value, truth) of a quantity, from Table 1 or a median of Figure 2."""
    system = MODELS[model]
    if quantity in PRINTED:
        value = PUBLISHED.table1[role, delta, system, PRINTED[quantity]]
        truth = {"n_clusters": PUBLISHED.true_clusters(role, delta), "delta": delta}
        return value, truth.get(quantity, 0.0)
    box = _boxes()[role, delta, system, quantity]
    return box["median"], box["truth"]


@cache
def _boxes():
    boxes = PUBLISHED.fig2.set_index(["role", "delta", "system", "statistic"])
    return boxes.to_dict("index")


def summaries(n_draws=4, value=value_as_published, roles=tuple(SETS), noise=0.0, **identity):
    """Return summaries of all variants and models; `value` gives each quantity and its truth.

    It takes the names of the paper's models; in the summaries are their readings that count. Error
    rates of matching sets are those of the posterior. The draws differ by `noise`, which is
    relative to the value and the same for all models.
    """
    rng = np.random.default_rng(20)
    rows = []
    for role, delta, draw in product(roles, DELTAS, range(n_draws)):
        shift = 1 + noise * rng.standard_normal()
        for model, quantity in product(COUNTED, ("n_clusters", "delta", *LOSSES)):
            of = keys(role, delta, draw, model, **identity)
            mean, truth = value(role, delta, SAMPLED.get(model, model), quantity)
            rows.append(summary_row(of, quantity, mean * shift, truth))
            if quantity in LOSSES[ERROR_RATES]:
                row = {"quantity": f"{quantity}_matching_sets", "ess": np.nan, "rhat": np.nan}
                rows.append(rows[-1] | row)
    return pd.DataFrame(rows)


def draws_of(means, quantity="n_clusters", role="italy", delta=0.02, model="dp", truth=587.0):
    """Return summaries of one quantity on several draws; draw n, from 0, has R-hat 1 + n."""
    rows = []
    for draw, mean in enumerate(means):
        of = keys(role, delta, draw, model)
        rows.append(summary_row(of, quantity, mean, truth, sd=4.0, rhat=1 + draw))
    return pd.DataFrame(rows)


def boxes_of_figure2():
    """Return summaries of draw 0, with some boxes slightly shifted from the published ones."""
    rows = []
    model_of = dict(zip(MODELS.values(), COUNTED, strict=True))
    for box in PUBLISHED.fig2.to_dict("records"):
        of = keys(box["role"], box["delta"], 0, model_of[box["system"]])
        shift = 0.004 * box["truth"] if box["statistic"] in ("n_singletons", "mean_size") else 0.0
        own = {name: box[name] + shift for name in BOX}
        rows.append(summary_row(of, box["statistic"], box["median"], box["truth"], **own))
    return pd.DataFrame(rows)


def prior_draws(n_draws=40, items=(50, 100, 200, 400, 800)):
    """Return draws whose largest block is a given function of N: log N, or a constant share."""
    rng = np.random.default_rng(5)
    shares = {
        "NBNB": lambda n: 2 * np.log(n) / n,
        "NBD": lambda n: 1.5 * np.log(n) / n,
        "DP": lambda _n: 0.62,
        "PYP": lambda _n: 0.42,
    }
    rows = []
    for system, n, draw in product(shares, items, range(n_draws)):
        largest = max(1, round(n * shares[system](n) * np.exp(0.2 * rng.standard_normal())))
        clusters = n / 2 if system in ("NBNB", "NBD") else 3 * np.log(n)
        row = {"system": system, "n_items": n, "draw": draw, "max_size": min(n, largest)}
        rows.append(row | {"n_clusters": max(1, rng.poisson(clusters))})
    return pd.DataFrame(rows)


def moves(speeds, chains=4, dataset="italy_d05_0", status="faithful"):
    """Return runs of moves with these effective samples per second, varied by 5 % by chain."""
    rows = []
    for move, speed in speeds.items():
        for quantity in ("n_clusters", "log_joint"):
            gains = 100 * speed * np.exp(0.05 * np.linspace(-1, 1, chains))
            for chain, ess in [*enumerate(gains), (-1, gains.sum())]:
                of_chain, together = {"dataset": dataset, "status": status, "move": move}, chain < 0
                of_chain |= {"chain": chain, "quantity": quantity, "mean": 590.0, "mcse": 0.3}
                of_chain |= {"ess": ess, "seconds": 100.0 * (chains if together else 1)}
                of_chain |= {"n_sweeps": 2000, "n_chains": chains if together else 1, "rhat": 1.0}
                rows.append(of_chain)
    return pd.DataFrame(rows)


def invariance(ascending=1e-15, split=5e-3, irreducible=True):
    """Return distances of the posterior from the stationary law for two orders of visits."""
    orders = {"order": ["ascending", "block by block"], "total_variation": [ascending, split]}
    one = pd.DataFrame(orders | {"irreducible": irreducible})
    return pd.concat([one.assign(prior=prior) for prior in MODELS.values()], ignore_index=True)


def size_counts(role="syria2000", delta=0.05, draw=0, model="nbd", status=None, **given):
    """Return `sizes.csv` of one posterior, near the true counts."""
    counts = PUBLISHED.fig3[PUBLISHED.fig3["role"] == role].set_index("size")["count"]
    truth = counts.to_numpy()
    sizes = pd.DataFrame({"size": counts.index, "truth": truth, "mean": 1.1 * truth + 0.2})
    identity = keys(role, delta, draw, model, status, **given)
    return sizes.assign(q025=truth, q975=1.2 * truth + 1, **identity)
