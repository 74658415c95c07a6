"""Small data frames in the formats of the supervised family: printed numbers, a little noise."""

import itertools

import numpy as np
import pandas as pd
import yaml
from document_frames import row_of  # noqa: F401
from places import ROOT

from reseat.papers.supervised.evidence import SupervisedEvidence
from reseat.papers.supervised.results import PLAIN, RULES, Published, default_scores

PUBLISHED = Published.load(ROOT / "config" / "published")

REGISTRY = yaml.safe_load((ROOT / "config" / "datasets.yaml").read_text(encoding="utf-8"))
TITLES = {name: entry["title"] for name, entry in REGISTRY["datasets"].items()}

DATASETS = {
    "usps_digits": ("digits", "faithful"),
    "aminer_identity": ("identity", "stand-in"),
    "gum_names": ("coref", "stand-in"),
    "cora_numbers": ("refmatch", "faithful"),
}
MORE = {"giles_kim": ("identity", "stand-in"), "cora_text": ("refmatch", "faithful")}

SAMPLED = ("CDP", "SCDP-1", "SCDP-2", "SCDP-2x", "SCDP-3", "SCDP-3p")
FIXED = ("Coarse", "Fine", *RULES.values(), "K-Means", "Binary", "Xing-K")
METRICS = ("RI", "P", "R", "F", "CED", "NES", "VI", "NVI")

#: System whose printed numbers stand for one that the paper names differently or does not have.
LIKE = {"SCDP-2x": "SCDP-2", "SCDP-3p": "SCDP-1"}

SECONDS = {"SCDP-1": 0.005, "SCDP-2": 0.006, "SCDP-2x": 0.007, "SCDP-3": 0.05, "SCDP-3p": 0.04}


def value(role, system, metric, changes):
    """Return the printed number, unless `changes` has another; NaN if there is no such row."""
    found = PUBLISHED.tables.get((role, LIKE.get(system, system), metric), np.nan)
    return (changes or {}).get((role, system, metric), found)


def identity(dataset, datasets, **given):
    role, status = datasets[dataset]
    return {"dataset": dataset, "status": status, "role": role} | given


def starts_of(system):
    return ("singletons", "scdp1") if system.startswith("SCDP-3") else ("one", "singletons")


def baselines(changes=None, datasets=DATASETS, drop=()):
    """Return `baselines.csv`: every system once, Xing-K and K-Means in a second variant too."""
    rows = []
    variants = {"Xing-K": ("C>0", "C=0"), "K-Means": ("", "oracle best F")}
    for dataset, system in itertools.product(datasets, FIXED):
        for variant, metric in itertools.product(variants.get(system, ("",)), METRICS):
            row = identity(dataset, datasets, system=system, variant=variant)
            row |= {"chosen": variant in ("", "C>0"), "repetition": 0, "metric": metric}
            row |= {"value": value(row["role"], system, metric, changes)}
            if np.isfinite(row["value"]) and system not in drop:
                rows.append(row | {"n_clusters": 5, "seconds": 1.0})
    return pd.DataFrame(rows)


SUMMARIES = ("mean", "map", "last")


def chains(changes=None, datasets=DATASETS, n_chains=4, noise=0.0005, drop=(), variants=(),
           summaries=SUMMARIES):  # fmt: skip
    """Return `chains.csv`, with chains that alternate between the two starts.

    `variants` adds (system, variant, start).
    """
    rng = np.random.default_rng(51)
    models = [(name, "", None) for name in SAMPLED if name not in drop] + [*variants]
    rows = []
    for dataset, model, chain in itertools.product(datasets, models, range(n_chains)):
        system, variant, start = model
        where = start or starts_of(system)[chain % 2]
        run = identity(dataset, datasets, system=system, variant=variant, start=where)
        for summary, metric in itertools.product(summaries, METRICS):
            number = value(run["role"], system, metric, changes)
            number += noise * rng.standard_normal() + 0.01 * (summary == "map")
            row = {"chain": chain, "summary": summary, "metric": metric, "value": number}
            rows.append(run | row)
    return pd.DataFrame(rows)


def min_vi(datasets=DATASETS):
    """Return `min_vi.csv`, with one row per model and metric."""
    rows = []
    for dataset, system, metric in itertools.product(datasets, SAMPLED, METRICS):
        row = identity(dataset, datasets, system=system, variant="", summary="min_vi")
        number = value(row["role"], system, metric, None) + 0.02
        rows.append(row | {"metric": metric, "value": number})
    return pd.DataFrame(rows)


def diagnostics(datasets=DATASETS, n_chains=4, clusters=None, seconds=None, variants=None):
    """Return `diagnostics.csv`.

    There are 6, 7, 6, 7 clusters unless given by system, and seconds as in :data:`SECONDS`.
    """
    rows = []
    times = SECONDS | (seconds or {})
    models = [(name, "", None) for name in SAMPLED] + list(variants or ())
    for dataset, model, chain in itertools.product(datasets, models, range(n_chains)):
        system, variant, start = model
        run = identity(dataset, datasets, system=system, variant=variant, chain=chain)
        run |= {"start": start or starts_of(system)[chain % 2], "mcse": 0.1, "ess": 50.0}
        base = (clusters or {}).get(system, 6)
        numbers = {
            "log_joint": (-100.0 - chain, 1.8),
            "n_test_clusters": (base + chain % 2, 1.2),
            "seconds_per_iteration": (times.get(system, 0.003) * (1 + 0.01 * chain), np.nan),
        }
        for name, (number, rhat) in numbers.items():
            rows.append(run | {"quantity": name, "value": number, "rhat": rhat})
    return pd.DataFrame(rows)


def data(datasets=DATASETS):
    """Return `data.csv` with a few sizes."""
    sizes = {"n_items": 1000.0, "n_test": 400.0, "n_test_entities": 5.0}
    rows = [
        identity(dataset, datasets, quantity=name, value=size)
        for dataset, (name, size) in itertools.product(datasets, sizes.items())
    ]
    return pd.DataFrame(rows)


def growth(datasets=DATASETS, misfit=None, n_items=60):
    """Return `growth.csv` and `growth_fit.csv`; the data lie `misfit` (by role) above the curve."""
    curves, fits = [], []
    for dataset, (role, _status) in datasets.items():
        n = np.arange(1, n_items + 1)
        mean, share = np.sqrt(n), (misfit or {"digits": 0.3}).get(role, 0.02)
        columns = {"n": n, "dp_mean": mean, "dp_sd": 0.2 * mean * (n > 1), "n_groups": 1}
        columns |= {"empirical_mean": mean * (1 + share * (n > 1)), "empirical_sd": 0.1 * mean}
        columns |= {"pyp_mean": mean, "pyp_sd": 0.1 * mean}
        curves.append(pd.DataFrame(identity(dataset, datasets) | columns))
        fit = {"alpha": 2.0, "pyp_concentration": 1.0, "pyp_discount": 0.1}
        fits.append(identity(dataset, datasets) | fit)
    return pd.concat(curves, ignore_index=True), pd.DataFrame(fits)


def moves(datasets=DATASETS, gain=3.0, n_chains=2):
    """Return `moves.csv`, where split–merge is `gain` times as fast as plain sweeps."""
    rows = []
    for dataset in datasets:
        for variant, move, prior in (
            ("", "gibbs", "dirichlet_process"),
            ("split-merge", "split_merge", "dirichlet_process"),
            ("Pitman-Yor", "gibbs", "pitman_yor"),
        ):
            for chain in range(n_chains):
                for quantity in ("log_joint", "n_test_clusters", "F"):
                    speed = (10.0 + chain) * (gain if variant == "split-merge" else 1.0)
                    rows.append(
                        identity(dataset, datasets, system="SCDP-1", variant=variant)
                        | {"move": move, "prior": prior, "start": "one", "chain": chain}
                        | {"quantity": quantity, "ess": 20 * speed, "seconds": 20.0}
                        | {"ess_per_second": speed, "mean": 0.6}
                    )
    return pd.DataFrame(rows)


def evidence(changes=None, datasets=DATASETS, drop=(), misfit=None, n_chains=4, **given):
    """Return evidence as the paper prints it, except for `changes` by (role, system, metric)."""
    sampled = chains(changes, datasets, n_chains=n_chains, drop=drop, summaries=("mean",))
    scores = default_scores(baselines(changes, datasets, drop), in_both_ways(sampled))
    timed = in_both_ways(diagnostics(datasets, n_chains, **given))
    return SupervisedEvidence(
        scores, timed, data(datasets), growth(datasets, misfit)[0], PUBLISHED, titles=TITLES
    )


def chosen():
    """Return `chosen.csv` of one setting: three seeds, two starts each."""
    about = {"dataset": "cora_numbers", "status": "faithful", "role": "refmatch", "rhat": 1.0}
    about |= {"coordinates": "distances", "system": "SCDP-1", "setting": "sigma chosen"}
    runs = [(0, 0.01, (0.5, 0.7)), (1, 0.3, (0.8, 0.8)), (2, 0.01, (0.7, 0.7))]
    rows = [
        about | {"seed": seed, "sigma": sigma, "start": start, "metric": "F", "value": value}
        for seed, sigma, values in runs
        for start, value in zip(("singletons", "k_means"), values, strict=True)
    ]
    return pd.DataFrame(rows)


def in_both_ways(frame):
    """Return rows of chains, also as those of sweeps that move single items."""
    return pd.concat([frame, frame.assign(variant=PLAIN)], ignore_index=True)


def with_status(status, datasets=DATASETS):
    """Return the data sets with one status for all of them."""
    return {name: (role, status) for name, (role, _status) in datasets.items()}
