"""Tables 1 to 6, the data of Figures 2 and 4, and the agreement between chains."""

from dataclasses import dataclass, fields
from itertools import product

import numpy as np
import pandas as pd
import scipy

from reseat.errors import DataError
from reseat.papers.documents.results import (
    METRICS,
    SUMMARIES,
    SUPPLEMENT,
    cell,
    each_dataset,
    select,
)
from reseat.papers.published import N_CLUSTERS, metrics_named
from reseat.papers.statistics import note_on_modes, notes_on_modes, rhat_of_modes, traces_by_model
from reseat.papers.tables import by_dataset, mean_and_error, tidy, tidy_row
from reseat.summaries import describe
from reseat.vocabulary import NOTE

# ---- Tables 1 to 6 and the extension table (Walker & Ringger 2008, section 6) ----------------

#: The rows of Tables 4 to 6 compared with "Gibbs": system, model, summary. The paper does not say
#: how its EM smooths, starts or stops, so every form is compared with its single row.
EM_SYSTEMS = (
    ("EM (add-one smoothing)", "em_laplace", "argmax"),
    ("EM (no smoothing)", "em_mle", "argmax"),
    ("EM (add-one smoothing, uniform start, early stop)", "em_early", "argmax"),
    ("EM (add-one smoothing, uniform start)", "em_uniform", "argmax"),
    ("EM (add-one smoothing, early stop)", "em_stopped", "argmax"),
    ("EM (add-one smoothing, random labels)", "em_labels", "argmax"),
    ("EM (add-one smoothing, random labels, early stop)", "em_labels_stopped", "argmax"),
)

#: Rows of the extension table: system, model, summaries.
EXTENSIONS = (
    ("Gibbs, K fixed", "gibbs", ("marginal", "map", "binder", "vi")),
    ("Dirichlet process", "gibbs_dp", ("map", "random", "binder", "vi")),
    ("Pitman-Yor process", "gibbs_pyp", ("map", "random", "binder", "vi")),
    ("EM", "em_laplace", ("argmax",)),
    ("EM from a Gibbs sample", "em_from_gibbs", ("argmax",)),
)

#: Note on the row "Gibbs" of Tables 4 to 6.
BEST_OF = "best of three summaries, metric by metric"

#: Summaries that are shown for models that no table names.
SUMMARIES_SHOWN = ("marginal", "map", "random", "binder", "vi", "argmax")


def read_table(path):
    """Read a table that was made before; the cluster names of Table 7 keep their leading zeros."""
    return pd.read_csv(path, dtype={"system": str})


@tidy(NOTE)
def summaries_table(artefact, role, scores, published, traces):
    """Return Tables 1, 2 and 3: three summaries of a chain, each metric averaged over chains."""
    notes = notes_on_modes(scores, traces)
    for identity, part in each_dataset(scores, role, artefact):
        for system, summary in SUMMARIES:
            chains = select(part, "gibbs", summary)
            for metric in (*METRICS, *SUPPLEMENT):
                value = published.get((system, metric.name), np.nan)
                found = cell(identity, system, summary, metric.name, chains[metric.column], value)
                yield found | {NOTE: notes.get((identity["dataset"], "gibbs"), "")}


def best_summary(scores, metric):
    """Return the summary with the best mean of a metric, the earlier in a tie, or None."""
    best, best_value = None, -np.inf
    for _system, summary in SUMMARIES:
        value = metric.better * select(scores, "gibbs", summary)[metric.column].mean()
        if value > best_value:
            best, best_value = summary, value
    return best


@tidy(NOTE)
def methods_table(artefact, role, scores, published, traces):
    """Return Tables 4, 5 and 6: Gibbs, by the best of its summaries and by each, against EM."""
    notes = notes_on_modes(scores, traces)
    systems = [("Gibbs", "gibbs", None, "Gibbs")]
    systems += [(f"Gibbs, {name}", "gibbs", key, None) for name, key in SUMMARIES]
    systems += [(system, model, summary, "EM") for system, model, summary in EM_SYSTEMS]
    systems += [("EM from a Gibbs sample", "em_from_gibbs", "argmax", None)]
    for identity, part in each_dataset(scores, role, artefact):
        for of_system, metric in product(systems, (*METRICS, *SUPPLEMENT)):
            system, model, summary, printed = of_system
            taken = summary or best_summary(part, metric)
            chains = select(part, model, taken)
            if len(chains):
                value = published.get((printed, metric.name), np.nan)
                found = cell(identity, system, taken, metric.name, chains[metric.column], value)
                told = [notes.get((identity["dataset"], model), "")]
                told += [BEST_OF] if summary is None else []
                yield found | {NOTE: "; ".join(filter(None, told))}


@tidy()
def em_table(artefact, role, starts, published):
    """Return EM by start and iterations, chosen on half of the restarts, judged on the others."""
    for identity, part in each_dataset(starts, role, artefact):
        apart = {}
        for (concentration, iterations), of in part.groupby(["concentration", "iterations"]):
            name = f"EM, start concentration {concentration:g}, {iterations} iterations"
            odd = of["restart"] % 2 == 1
            chosen = _of_em(identity, name, "choice", of[~odd], published)
            judged = _of_em(identity, name, "judgement", of[odd], published)
            differences, errors = np.array([(row["difference"], row["se"]) for row in chosen]).T
            with np.errstate(divide="ignore", invalid="ignore"):  # restarts may all be equal
                distance = float(np.sqrt(np.mean((differences / errors) ** 2 / 2)))
            apart[name] = (distance if np.isfinite(distance) else np.inf), judged
            told = cell(identity, name, "choice", "errors apart", [distance])
            yield from [row | {"published": np.nan, "z": np.nan} for row in (*chosen, told)]
        yield from min(apart.values(), key=lambda found: found[0])[1]


def _of_em(identity, name, summary, fits, published):
    return [
        cell(identity, name, summary, m.name, fits[m.column], published["EM", m.name])
        for m in METRICS
    ]


def readings_table(artefact, role, scores, published, published_methods, traces):
    """Return Table 2 and the rows of EM in Table 5, on several readings of one data set."""
    summaries = summaries_table(artefact, role, scores, published, traces)
    methods = methods_table(artefact, role, scores, published_methods, traces)
    of_em = methods["system"].isin([system for system, *_model in EM_SYSTEMS])
    both = pd.concat([summaries, methods[of_em]])
    places = {name: place for place, name in enumerate(scores["dataset"].unique())}
    order = both["dataset"].map(places).to_numpy().argsort(kind="stable")
    return both.iloc[order].reset_index(drop=True)


@tidy(NOTE)
def extensions_table(artefact, scores, roles, traces):
    """Return the paper's future work on every data set; models of no other table come last."""
    notes = notes_on_modes(scores, traces)
    named = {*MOVES, *(model for _system, model, _summary in (*EM_SYSTEMS, *EXTENSIONS))}
    role_of = {name: role for role, names in roles.items() for name in names}
    placed = scores[scores["dataset"].isin(list(role_of))]
    placed = placed.assign(role=placed["dataset"].map(role_of))
    for identity, part in by_dataset(placed, artefact, order=roles):
        others = [model for model in part["model"].unique() if model not in named]
        systems = (*EXTENSIONS, *((model, model, SUMMARIES_SHOWN) for model in others))
        for system, model, summaries in systems:
            note = {NOTE: notes.get((identity["dataset"], model), "")}
            for summary in summaries:
                chains = select(part, model, summary)
                label = system if summary == "argmax" else f"{system}: {summary}"
                if len(chains) == 0:
                    continue
                for metric in (*METRICS, N_CLUSTERS, *SUPPLEMENT):
                    row = cell(identity, label, summary, metric.name, chains[metric.column])
                    yield row | note


# ---- Data of Figures 2 and 4, and the sweep at which a trace reaches its plateau -------------

FIGURE4_METRICS = metrics_named("ARI", "V-Measure")


@dataclass(frozen=True)
class Traces:
    """Traces of the chains of one model on one data set, shape (n_chains, n_sweeps)."""

    #: In nats, after each sweep, burn-in included.
    log_joint: np.ndarray
    n_clusters: np.ndarray
    burn_in: int
    #: CPU time of each whole chain.
    seconds: np.ndarray

    @classmethod
    def load(cls, path):
        """Read a file of traces (.npz); raise DataError if a field is missing."""
        with np.load(path) as stored:
            missing = {field.name for field in fields(cls)} - set(stored.files)
            if missing:
                names = ", ".join(sorted(missing))
                raise DataError(f"{path} lacks {names}; make the traces again.")
            whole = [np.atleast_2d(stored[name]) for name in ("log_joint", "n_clusters")]
            return cls(*whole, int(stored["burn_in"]), stored["seconds"])


def trace_frame(artefact, role, dataset, status, traces, chain=0, max_points=2000):
    """Return the log joint of one chain, and the range of all, thinned after 200 sweeps."""
    n_chains, n_sweeps = traces.log_joint.shape
    head = min(200, n_sweeps)
    stride = max(1, int(np.ceil((n_sweeps - head) / max(1, max_points - head))))
    kept = np.unique([*range(head), *range(head, n_sweeps, stride), n_sweeps - 1])
    values = traces.log_joint[:, kept]
    found = {"artefact": artefact, "role": role, "dataset": dataset, "status": status}
    found |= {"chain": chain, "sweep": kept + 1, "log_joint": values[chain]}
    found |= {"low": values.min(axis=0), "high": values.max(axis=0)}
    return pd.DataFrame(found | {"burn_in": traces.burn_in, "n_chains": n_chains})


def traces_table(artefact, roles, identities, traces):
    """Return Figure 2: `trace_frame` of every data set."""
    role_of = {name: role for role, names in roles.items() for name in names}
    frames = [
        trace_frame(artefact, role_of[corpus.name], corpus.name, corpus.status, of_corpus)
        for corpus, of_corpus in zip(identities, traces, strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


def fixed_location_frame(artefact, role, scores, traces):
    """Return the mean over chains of the ``fixed`` score of the i-th sample (Figure 4)."""
    notes, rows = notes_on_modes(scores, traces), []
    for identity, part in each_dataset(scores, role, artefact):
        fixed = part[(part["model"] == "gibbs") & (part["summary"] == "fixed")]
        for metric in FIGURE4_METRICS:
            for sample, chains in fixed.groupby("sample"):
                found = mean_and_error(chains[metric.column])
                row = identity | {"metric": metric.name, "sample": int(sample)}
                row |= dict(zip(("mean", "se", "n_chains"), found, strict=True))
                rows.append(row | {NOTE: notes.get((identity["dataset"], "gibbs"), "")})
    return pd.DataFrame(rows)


def plateau_sweep(log_joint):
    """Return the first sweep, from 1, from which a trace stays on its plateau, or n_sweeps + 1.

    The running median over a twentieth of the trace must stay within max(3 s, 0.1 % of the rise) of
    the median of the last half, where s is the scaled median absolute deviation of that half.
    """
    log_joint = np.asarray(log_joint, dtype=float)
    n = len(log_joint)
    last_half = log_joint[n // 2 :]
    middle = np.median(last_half)
    spread = scipy.stats.median_abs_deviation(last_half, scale="normal")
    band = max(3 * spread, 0.001 * abs(middle - log_joint[0]))
    half = n // 40
    medians = scipy.ndimage.median_filter(log_joint, 2 * half + 1, mode="nearest")
    outside = np.flatnonzero(np.abs(medians - middle) > band)
    return int(outside[-1]) + 2 if len(outside) else 1


# ---- Agreement between chains of documents, for different moves and starts -------------------

#: Models that differ only in their moves and starts, and their printed names.
MOVES = {
    "gibbs": "Gibbs sweeps",
    "gibbs_split": "Gibbs sweeps, splits and merges",
    "gibbs_annealed": "Gibbs sweeps, annealed start",
}


@tidy(NOTE)
def mixing_table(artefact, role, scores, traces):
    """Return the log joint of chains from random starts, between and within chains, and scores."""
    found = traces_by_model(scores, traces)
    for identity, part in each_dataset(scores, role, artefact):
        for model in (name for name in MOVES if (identity["dataset"], name) in found):
            chains, system = found[identity["dataset"], model], MOVES[model]
            note = note_on_modes(chains)
            for metric, values in _of_traces(chains).items():
                row = tidy_row(identity, system, "mean", metric, values)
                yield row | {NOTE: note if metric == "log joint" else ""}
            random = select(part, model, "random")
            for metric in (*METRICS, N_CLUSTERS):
                row = cell(identity, system, "random", metric.name, random[metric.column])
                yield row | {NOTE: note}


def _of_traces(chains):
    """Return the mean, error and number of chains of each quantity of the traces."""
    kept = chains.log_joint[:, chains.burn_in :]
    means = kept.mean(axis=1)
    errors = [describe(chain[None])["mcse"] for chain in kept]
    mean, error, n = mean_and_error(means)
    spread = float(means.std(ddof=1)) if n > 1 else np.nan
    return {
        "log joint": (mean, error, n),
        "between chains": (spread, np.nan, n),
        "within a chain": (float(np.mean(errors)), np.nan, n),
        "R-hat": (rhat_of_modes(chains), np.nan, n),
        "seconds a chain": mean_and_error(chains.seconds),
    }
