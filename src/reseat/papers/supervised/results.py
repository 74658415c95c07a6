"""The result files of this family, what the paper prints, and the posterior by start."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from reseat.papers import tables
from reseat.papers.published import PublishedNumbers, keyed
from reseat.papers.supervised import name_scale, scale_of
from reseat.papers.supervised.measures import PRINTED
from reseat.papers.tables import mean_and_error, read_frames, rows_of, tidy, tidy_row
from reseat.summaries import AGREED, rhat_in_words
from reseat.vocabulary import IN_MODES, NOT_CONVERGED, NOTE

# ---- The result files of this family, and the names under which the paper prints its systems ----

#: The paper's four sets in its order, in words.
ROLES = {
    "digits": "digits",
    "identity": "researchers",
    "coref": "proper nouns",
    "refmatch": "references",
}

#: Split a frame by data set, in that order.
by_dataset = partial(tables.by_dataset, order=tuple(ROLES))

TABLES = {role: number for number, role in enumerate(ROLES, start=1)}

RULES = {"identity": "NameMatch", "coref": "SameHead"}

SCDP = ("SCDP-1", "SCDP-2", "SCDP-3")
#: The systems that learn from training items, whose numbers Table 5 compares.
LEARNED = ("Binary", "Xing-K", *SCDP)
#: The systems of the paper and our own, in the order of the tables.
SYSTEMS = (
    *("Coarse", "Fine", *RULES.values(), "K-Means", "CDP", "Binary", "Xing-K"),
    *("SCDP-1", "SCDP-2", "SCDP-2x", "SCDP-3", "SCDP-3p"),
)

TRUTH = "truth"

#: The variant that moves one item at a time, as the paper does, and that with moves which mix. In
#: Tables 1 to 5, rows of the latter have this word after the name of the system.
PLAIN, MIXING = "single items", ""
POSTERIOR = "posterior"

#: Starts of chains with moves that mix which all models have, so that a lead is not one of starts.
COMMON = ("singletons", "k_means")

#: F of training entities from which nothing was learned, for a variance that was tried.
HELD_OUT = "held-out F"

#: Labels of readings for which the paper has a single name, and the names under which it prints
#: them.
LABELS = {
    "SCDP-2x": "SCDP-2 (exact)",
    "SCDP-3": "SCDP-3 (covariance)",
    "SCDP-3p": "SCDP-3 (precision)",
}
PRINTED_AS = {"SCDP-3p": "SCDP-3"}

_IDENTITY = "dataset status role"
_MODEL = f"{_IDENTITY} system variant"
_RUN = f"{_MODEL} start chain"

#: Columns of each kind of result files.
FILE_COLUMNS = {
    "baselines": f"{_MODEL} chosen repetition metric value n_clusters seconds",
    "draws": f"{_MODEL} draw chosen metric value n_clusters seconds",
    "chains": f"{_RUN} summary metric value",
    "min_vi": f"{_MODEL} summary metric value",
    "diagnostics": f"{_RUN} quantity value mcse ess rhat",
    "data": f"{_IDENTITY} quantity value",
    "growth": f"{_IDENTITY} n dp_mean dp_sd empirical_mean empirical_sd pyp_mean pyp_sd",
    "full": f"{_IDENTITY} seed start quantity value mcse rhat",
    "full_trials": f"{_IDENTITY} seed coordinates nugget power directions log_concentration score "
    "error n_folds chosen",
    "chosen": f"{_IDENTITY} coordinates seed system setting sigma start metric value rhat",
    "growth_fit": "dataset role alpha pyp_concentration pyp_discount",
    "moves": f"{_RUN} move prior quantity ess seconds ess_per_second mean",
}


def read_results(paths, kind):
    """Read result files of a kind of :data:`FILE_COLUMNS` as one frame; see `read_frames`."""
    words = ("variant", "start", "summary", "log_concentration", "setting")
    return read_frames(paths, FILE_COLUMNS[kind].split(), kind, words, flags=["chosen"])


def read_worlds(paths):
    """Return the scores on data whose clusters are known."""
    return read_frames(paths, ("world", "draw", "system", "quantity", "value"), "worlds")


def scored(chains, **where):
    """Return the rows of the chains that tables show, which did not begin at the true clusters."""
    return rows_of(chains[chains["start"] != TRUTH], **where)


def label(system, *words):
    """Return the name of a system in a table, followed by those words that are not empty."""
    return ", ".join(filter(None, (LABELS.get(system, system), *words)))


def in_order(names, order):
    """Return names in a given order, followed by the others as they come."""
    names = list(dict.fromkeys(names))
    return [name for name in order if name in names] + [n for n in names if n not in order]


def by_system(frame, artefact):
    """Yield the identity of each data set, each of its systems in order, and the system's rows."""
    for identity, part in by_dataset(frame, artefact):
        for system in in_order(part["system"], SYSTEMS):
            yield identity, system, rows_of(part, system=system)


def iterations(diagnostics):
    """Return the seconds per iteration of :data:`PLAIN`, or of the model if it did not run."""
    timed = rows_of(diagnostics, quantity="seconds_per_iteration")
    timed = timed[timed["variant"].isin(["", PLAIN])]
    preferred = timed.groupby(["dataset", "system"])["variant"].transform("max")
    return timed[timed["variant"] == preferred]


def default_scores(baselines, chains):
    """Return the numbers of Tables 1 to 4 by run and metric; those of chains are means."""
    sampled = scored(chains, summary="mean").assign(sampled=True)
    mixing = sampled["variant"].eq(MIXING) & sampled["start"].isin(COMMON)
    sampled = sampled[mixing | sampled["variant"].eq(PLAIN)]
    fixed = baselines[baselines["chosen"]].rename(columns={"repetition": "chain"})
    runs = fixed.groupby(["dataset", "system"])["chain"].transform("nunique")
    fixed = fixed.assign(start="", sampled=runs > 1)
    columns = [*_RUN.split(), "metric", "value", "sampled"]
    parts = [part[columns] for part in (fixed, sampled) if len(part)]
    return pd.concat(parts, ignore_index=True)


# ---- The numbers that Daumé and Marcu (2005) print -------------------------------------------

_NAMES = ("scdp_setup", *(f"scdp_table{number}" for number in (*TABLES.values(), 5)))


@dataclass(frozen=True)
class Published(PublishedNumbers):
    """The published numbers of this paper, which gives none for Figure 3."""

    FILES = dict.fromkeys(_NAMES, ("system", "metric", "value"))

    #: Maps (role, system, metric) to value, for Tables 1 to 4.
    tables: dict
    #: Maps (role, system) to F, for Table 5.
    table5: dict
    #: (role, quantity) to text of the set-up; ``all`` or a system may stand for the role.
    setup: dict

    @classmethod
    def of(cls, *frames):
        """Return the numbers in frames of the set-up, of Tables 1 to 4 and of Table 5."""
        setup, *tables, last = map(keyed, frames)
        by_role = {
            (role, *key): value
            for role, table in zip(TABLES, tables, strict=True)
            for key, value in table.items()
        }
        table5 = {
            (metric.removeprefix("F:"), system): value for (system, metric), value in last.items()
        }
        return cls(by_role, table5, setup)

    def beside(self, role, system, metric):
        """Return what the paper prints for a system, the same for both SCDP-3, or NaN."""
        return self.tables.get((role, PRINTED_AS.get(system, system), metric), np.nan)

    def systems(self, role):
        """Return the systems of a table, in its order."""
        return list(dict.fromkeys(system for of, system, _metric in self.tables if of == role))

    def number(self, role, quantity):
        """Return a number of the set-up, or NaN if the paper does not give it."""
        return float(self.setup.get((role, quantity), np.nan))

    def n_entities(self, role):
        """Return the number of true clusters of the test items, or NaN if the text gives none."""
        if role == "digits":
            return float(len(self.setup[role, "test_digits"].split()))
        return self.number(role, "test_entities")

    def seconds(self, role, system):
        """Return the seconds of one chain of 10,000 iterations, or NaN if the paper gives none."""
        name = f"per_chain_{PRINTED_AS.get(system, system)}"
        for unit, length in (("minutes", 60.0), ("days", 86_400.0)):
            if (role, f"{unit}_{name}") in self.setup:
                return length * self.number(role, f"{unit}_{name}")
        return np.nan


# ---- Tables 1 to 4 under other scales of the data against the prior of the means -------------


@tidy("sigma", NOTE)
def scale_table(artefact, chains, diagnostics, published):
    """Return the scores by the variance of the means, the largest first, and with it sampled."""
    scaled = chains[[scale_of(variant) is not None for variant in chains["variant"]]]
    kept = scored(chains, summary="mean").merge(
        scaled[["dataset", "system"]].drop_duplicates(), on=["dataset", "system"]
    )
    for identity, system, part in by_system(kept, artefact):
        own_diagnostics = rows_of(diagnostics, dataset=identity["dataset"], system=system)
        for sigma, own in _by_scale(part):
            variant = own["variant"].iloc[0]
            of_model = rows_of(own_diagnostics, variant=variant)
            name = label(system, variant or name_scale(sigma))
            if np.isnan(sigma):
                sigma = rows_of(of_model, quantity="sigma_publication")["value"].mean()
            for metric in PRINTED:
                found = mean_and_error(rows_of(own, metric=metric)["value"])
                printed = published.beside(identity["role"], system, metric)
                row = tidy_row(identity, name, "mean", metric, found, printed)
                yield row | {"sigma": sigma, NOTE: note_on(of_model)}


def _by_scale(part):
    """Return pairs of a variance and the rows under it, the largest first, NaN if sampled last."""
    found = {scale_of(variant): own for variant, own in part.groupby("variant")}
    if "" in set(part["variant"]):
        found[1.0] = rows_of(part, variant="")
    found.pop(None, None)
    return sorted(found.items(), key=lambda pair: (np.isnan(pair[0]), -pair[0]))


# ---- What the posterior prefers: chains from starts far apart, and the log joint of the truth ----

#: Quantities of chains with joint moves, in words.
QUANTITIES = {
    "log_integrated": "log joint",
    "F": "F",
    "n_test_clusters": "test clusters",
    "n_clusters_type": "types",
    "accepted": "acceptance",
}

STARTS = {
    "one": "from one cluster",
    "singletons": "from singletons",
    "k_means": "from K-means",
    "scdp1": "from SCDP-1",
    "truth": "from the truth",
}

#: Names of the log joint, preferred first: means integrated out, everything, in ``full.csv``.
LOG_JOINTS = ("log_integrated", "log_joint", "log joint")

#: The variant whose publications are held at the truth.
HELD = "truth held"


def rhat_of(diagnostics):
    """Return the R-hat by which a model is judged: the larger of log joint and F, or NaN."""
    names = set(diagnostics["quantity"])
    judged = ["F", *[name for name in LOG_JOINTS if name in names][:1]]
    if "SCDP-2" in set(diagnostics.get("system", ())):  # it samples no log joint
        judged = ["F", "n_test_clusters"]
    return float(diagnostics.loc[diagnostics["quantity"].isin(judged), "rhat"].max())


def starts_disagree(diagnostics):
    """Return whether chains of a model are in different places; False for a single chain."""
    return rhat_of(diagnostics) > AGREED


def note_on(diagnostics):
    """Return the note on means over chains that disagree; the paper's are means over modes."""
    if not starts_disagree(diagnostics):
        return ""
    if set(diagnostics["variant"]) != {PLAIN}:
        return NOT_CONVERGED
    return f"{IN_MODES}: R-hat {rhat_in_words(rhat_of(diagnostics))}"


@tidy(NOTE)
def posterior_table(artefact, diagnostics):
    """Return what chains with joint moves found, start by start, next to the truth held."""
    traced = diagnostics.loc[
        diagnostics["quantity"] == "log_integrated", ["dataset", "system", "variant"]
    ].drop_duplicates()
    found = diagnostics.merge(traced, on=["dataset", "system", "variant"])
    for identity, system, of_system in by_system(found, artefact):
        truth = _mean(rows_of(of_system, variant=HELD, quantity="log_integrated"))
        for variant, own in of_system.groupby("variant", sort=False):
            # On another scale, the same partition has a different density.
            known = truth[2] and variant != HELD and scale_of(variant) is None
            for start in in_order(own["start"], STARTS):
                part = rows_of(own, start=start)
                found = {words: _mean(rows_of(part, quantity=q)) for q, words in QUANTITIES.items()}
                mean, error, n = found["log joint"]
                if known:
                    error = float(np.hypot(error, truth[1]))
                    found["log joint over the truth"] = (mean - truth[0], error, n)
                if np.isfinite(rhat_of(own)):
                    found["R-hat"] = (rhat_of(own), np.nan, n)
                name = label(system, variant, "" if variant == HELD else STARTS.get(start, start))
                for metric, values in found.items():
                    if values[2]:
                        row = tidy_row(identity, name, "mean", metric, values)
                        yield row | {NOTE: note_on(own)}


def _mean(rows):
    """Return the mean over chains, the larger of its errors within and between, and the number."""
    mean, between, n = mean_and_error(rows["value"])
    if n == 0:
        return mean, between, n
    within = float(np.sqrt(np.sum(rows["mcse"].to_numpy() ** 2)) / n)
    return mean, np.nanmax([between, within]) if np.isfinite([between, within]).any() else np.nan, n
