"""The result files of this family, and the names under which the paper prints its systems."""

from __future__ import annotations

from functools import partial

import pandas as pd

from reseat.experiments import tidy
from reseat.experiments.tidy import read_frames, rows_of

#: The paper's four sets in its order, in words.
ROLES = {
    "digits": "digits",
    "identity": "researchers",
    "coref": "proper nouns",
    "refmatch": "references",
}

#: Split a frame by data set, in that order.
by_dataset = partial(tidy.by_dataset, order=tuple(ROLES))

#: Number of the table of each set.
TABLES = {role: number for number, role in enumerate(ROLES, start=1)}

#: The hand-made rules, by set.
RULES = {"identity": "NameMatch", "coref": "SameHead"}

SCDP = ("SCDP-1", "SCDP-2", "SCDP-3")
#: The systems that learn from training items, whose numbers Table 5 compares.
LEARNED = ("Binary", "Xing-K", *SCDP)
#: The systems of the paper and our own, in the order of the tables.
SYSTEMS = (
    *("Coarse", "Fine", *RULES.values(), "K-Means", "CDP", "Binary", "Xing-K"),
    *("SCDP-1", "SCDP-2", "SCDP-2x", "SCDP-3", "SCDP-3p"),
)

#: The start at the true clusters.
TRUTH = "truth"

#: The variant that moves one item at a time, as the paper does.
PLAIN = "single items"

#: Labels of readings for which the paper has a single name, and the names under which it prints
#: them.
LABELS = {
    "SCDP-2x": "SCDP-2 (exact)",
    "SCDP-3": "SCDP-3 (covariance)",
    "SCDP-3p": "SCDP-3 (precision)",
}
PRINTED_AS = {"SCDP-3p": "SCDP-3"}

_IDENTITY = ("dataset", "status", "role")
_RUN = (*_IDENTITY, "system", "variant", "start", "chain")

#: Columns of each result file.
COLUMNS = {
    "baselines": (
        *(*_IDENTITY, "system", "variant", "chosen", "repetition", "metric", "value"),
        *("n_clusters", "seconds"),
    ),
    "draws": (
        *(*_IDENTITY, "draw", "system", "variant", "chosen", "metric", "value"),
        *("n_clusters", "seconds"),
    ),
    "chains": (*_RUN, "summary", "metric", "value"),
    "min_vi": (*_IDENTITY, "system", "variant", "summary", "metric", "value"),
    "diagnostics": (*_RUN, "quantity", "value", "mcse", "ess", "rhat"),
    "data": (*_IDENTITY, "quantity", "value"),
    "growth": (
        *(*_IDENTITY, "n", "dp_mean", "dp_sd", "empirical_mean", "empirical_sd"),
        *("pyp_mean", "pyp_sd"),
    ),
    "full": (*_IDENTITY, "seed", "start", "quantity", "value", "mcse", "rhat"),
    "full_trials": (
        *(*_IDENTITY, "seed", "coordinates", "nugget", "power", "directions"),
        *("log_concentration", "score", "error", "n_folds", "chosen"),
    ),
    "growth_fit": ("dataset", "role", "alpha", "pyp_concentration", "pyp_discount"),
    "moves": (
        *(*_IDENTITY, "system", "variant", "move", "prior", "start", "chain", "quantity"),
        *("ess", "seconds", "ess_per_second", "mean"),
    ),
}


def read_results(paths, kind):
    """Read result files of a kind, a key of :data:`COLUMNS`, as one frame; see `read_frames`."""
    words = ("variant", "start", "summary", "log_concentration")
    return read_frames(paths, COLUMNS[kind], kind, words, flags=["chosen"])


def scored(chains, **where):
    """Return the rows of the chains that tables show, which did not begin at the true clusters."""
    return rows_of(chains[chains["start"] != TRUTH], **where)


def iterations(diagnostics):
    """Return the seconds per iteration, which in the paper is a sweep that moves single items.

    They are, for each system on each data set, the rows of :data:`PLAIN`, or those of the model as
    reported if that variant did not run.
    """
    timed = rows_of(diagnostics, quantity="seconds_per_iteration")
    timed = timed[timed["variant"].isin(["", PLAIN])]
    preferred = timed.groupby(["dataset", "system"])["variant"].transform("max")
    return timed[timed["variant"] == preferred]


def default_scores(baselines, chains):
    """Return the numbers of Tables 1 to 4, for systems as the paper has them, by run and metric.

    The value of a chain is the mean over its kept samples, for every start but the truth. Other
    systems have their chosen variant, and count as sampled if they draw random numbers and ran more
    than once.
    """
    sampled = scored(chains, variant="", summary="mean").assign(sampled=True)
    fixed = baselines[baselines["chosen"]].assign(start="")
    fixed = fixed.rename(columns={"repetition": "chain"})
    runs = fixed.groupby(["dataset", "system"])["chain"].transform("nunique")
    fixed = fixed.assign(sampled=runs > 1)
    columns = [*_IDENTITY, "system", "start", "chain", "metric", "value", "sampled"]
    parts = [part[columns] for part in (fixed, sampled) if len(part)]
    return pd.concat(parts, ignore_index=True) if parts else sampled[columns]


def in_order(names, order):
    """Return names in a given order, followed by the others as they come."""
    names = list(dict.fromkeys(names))
    return [name for name in order if name in names] + [n for n in names if n not in order]


def datasets_for(frame, role):
    """Return the data sets that serve for a set of the paper, in order; claims use the first."""
    return list(dict.fromkeys(rows_of(frame, role=role)["dataset"]))
