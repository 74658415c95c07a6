"""Tables 1 to 5 and Figure 3, what the paper leaves open, and what chains cost."""

from itertools import product

import numpy as np
import pandas as pd

from reseat.papers.statistics import difference_interval, widened_to
from reseat.papers.supervised import results
from reseat.papers.supervised.contradictions import failing
from reseat.papers.supervised.measures import PRINTED, SUPPLEMENT
from reseat.papers.tables import mean_and_error, rows_of, tidy, tidy_row
from reseat.vocabulary import NOT_CONVERGED, NOTE, OBSTACLE, PROJECTED

# ---- Tables 1 to 5, every system by every metric next to the published numbers, and Figure 3 ----

#: Columns beside the shared ones: the standard deviation over chains or repetitions; the error of
#: the difference from the published number, which is from as many chains as the paper ran, or one
#: run; whether chains are in different places; and an obstacle to comparison.
EXTRA = ("sd", "combined", NOTE, OBSTACLE)

#: Rows of Table 4 that imply a test set of another size than the rows of the other systems do.
OTHER_ITEMS = {("refmatch", system) for system in ("Coarse", "Fine", "Binary")}


def metrics_table(artefact, role, scores, diagnostics, published, draws=None):
    """Return one of Tables 1 to 4: all systems on the data that serve for one set of the paper."""
    given = (scores, diagnostics, published, draws, published.systems(role))
    metrics = (*PRINTED, *SUPPLEMENT)
    return _compared(artefact, *given, metrics, published.tables, roles=[role])


def f_table(artefact, scores, diagnostics, published, draws=None):
    """Return Table 5: F of the learned systems on all data, with the columns of `metrics_table`."""
    given = (rows_of(scores, metric="F"), diagnostics, published, draws, results.LEARNED, ["F"])
    printed = {(*key, "F"): value for key, value in published.table5.items()}
    return _compared(artefact, *given, printed, only=results.LEARNED)


@tidy("sd", "combined")
def draws_table(artefact, draws, published):
    """Return baselines on several draws of the items, `combined` with the paper's own draw."""
    for identity, system, own in results.by_system(draws[draws["chosen"]], artefact):
        for metric in filter(set(own["metric"]).__contains__, (*PRINTED, results.HELD_OUT)):
            found = mean_and_error(rows_of(own, metric=metric)["value"])
            value = published.beside(identity["role"], system, metric)
            row = tidy_row(identity, system, "mean over draws", metric, found, value)
            spread = found[1] * np.sqrt(found[2])
            yield row | {"sd": spread, "combined": spread * np.sqrt(1 + 1 / max(1, found[2]))}


@tidy(*EXTRA)
def _compared(
    artefact, scores, diagnostics, published, draws, systems, metrics, printed, roles=None, only=()
):
    """Yield rows of the printed `systems`, run or not, and of all others or `only` some."""
    models = diagnostics.groupby(["dataset", "system", "variant"])
    notes = {key: results.note_on(own) for key, own in models}
    between = {}
    if draws is not None:
        chosen = draws[draws["chosen"]].groupby(["dataset", "system", "metric"])
        between = chosen["value"].std(ddof=1).to_dict()
    wrong = {(check.role, check.system, check.metric) for check in failing(published)}
    for identity, part in results.by_dataset(scores, artefact, roles):
        role, dataset = identity["role"], identity["dataset"]
        theirs = published.number(role, "chains")
        for system in results.in_order([*systems, "SCDP-3p", *part["system"]], results.SYSTEMS):
            like = results.PRINTED_AS.get(system, system)
            if only and like not in only:
                continue
            runs = rows_of(part, system=system)
            mixing = runs["start"].ne("") & runs["variant"].eq(results.MIXING)
            parts = {results.PLAIN: runs[~mixing]}
            if mixing.any():
                parts[results.MIXING] = runs[mixing]
            for (variant, own), metric in product(parts.items(), metrics):
                found = rows_of(own, metric=metric)
                value = printed.get((role, like, metric), np.nan)
                if len(found) == 0 and np.isnan(value):
                    continue
                name = results.label(system, results.POSTERIOR if variant != results.PLAIN else "")
                mean, error, n = mean_and_error(found["value"])
                row = tidy_row(identity, name, "mean", metric, (mean, error, n), value)
                spread = error * np.sqrt(n)
                # A number of the paper is over as many chains as it ran, or from one run.
                once = 1 / theirs if (found["start"] != "").any() else 1
                combined = spread * np.sqrt(1 / max(1, n) + once)
                drawn = between.get((dataset, system, metric))
                if n and drawn is not None and variant == results.PLAIN:
                    # The draws differ too, whose scores vary also by the random numbers.
                    spent = np.nan_to_num(spread) ** 2
                    combined = np.sqrt(spent * (1 / n + once) + 2 * np.maximum(0, drawn**2 - spent))
                row |= {"sd": spread, "combined": combined}
                row[NOTE] = notes.get((dataset, system, variant), "")
                yield row | {OBSTACLE: _obstacle(row, like, wrong)}


def _obstacle(row, system, wrong):
    """Return why the published number of a row says nothing about ours; empty if it does."""
    if np.isnan(row["published"]):
        return ""
    if (row["role"], system) in OTHER_ITEMS:
        return "of other test items, by its own numbers"
    # Numbers are checked against those of Coarse, which must be about the same items.
    same_items = (row["role"], "Coarse") not in OTHER_ITEMS
    if same_items and (row["role"], system, row["metric"]) in wrong:
        return "in contradiction with other numbers of its table"
    return ""


def growth_table(artefact, growth, fit):
    """Return the table of Figure 3; `main` marks the data set that represents its set."""
    parts = []
    for identity, part in results.by_dataset(growth, artefact):
        main = rows_of(growth, role=identity["role"])["dataset"].iloc[0]
        parts.append(part.assign(artefact=artefact, main=identity["dataset"] == main))
    table = pd.concat(parts, ignore_index=True)
    fitted = ["dataset", "alpha", "pyp_concentration", "pyp_discount"]
    table = table.merge(fit[fitted], on="dataset", how="left", validate="many_to_one")
    front = ["artefact", "dataset", "status", "role"]
    return table[[*front, *(name for name in table.columns if name not in front)]]


# ---- What the paper leaves open: which SCDP-3, which start, which sample, which variant ------

#: The two readings of SCDP-3, by what its types are.
QUESTION = {"SCDP-3": "covariance", "SCDP-3p": "precision"}

#: Metrics that are shown, and those in the distance of two rows: on pairs, edits, information.
METRICS_SHOWN = ("F", "NES", "VI")
DISTANCE = ("F", "NES", "NVI")

SUMMARIES = {"mean": "", "map": "best sample", "last": "last sample", "min_vi": "least expected VI"}


@tidy("variant", "start", "question", "low", "high", "truth", NOTE)
def readings_table(artefact, chains, min_vi, baselines, diagnostics, data, published):
    """Return the readings of SCDP-3 by start, then other variants, samples and summaries."""
    for identity, part in results.by_dataset(results.scored(chains), artefact):
        name = identity["dataset"]
        own, mean = rows_of(diagnostics, dataset=name), rows_of(part, summary="mean")
        models = part[["system", "variant"]].drop_duplicates()
        best = rows_of(min_vi, dataset=name).merge(models, on=["system", "variant"])
        base = rows_of(mean, system="SCDP-1", variant="", metric="F")["value"]
        given = (own, published, base)
        asked, others = [], []
        for label, group in _of_question(mean):
            asked += _rows(identity, label, group, *given)
        asked += _nearer(identity, mean, own, published)
        for label, group in _others(pd.concat([part, best.assign(start="", chain=0)])):
            others += _rows(identity, label, group, *given)
        others += _variants_of_baselines(identity, rows_of(baselines, dataset=name))
        truth = rows_of(data, dataset=name, quantity="n_test_entities")["value"].mean()
        for row in asked + others:
            row["truth"] = truth if row["metric"] == "test clusters" else np.nan
        yield from [row | {"question": True} for row in asked]
        yield from [row | {"question": False} for row in others]


def nearer_reading(part, published, role, apart=False):
    """Return the reading of SCDP-3 nearer the printed row, and the interval of the distance gap."""
    part = rows_of(part, variant="")
    each = [chain_distances(rows_of(part, system=name), published, role) for name in QUESTION]
    if min(map(len, each)) == 0:
        return "", (np.nan, np.nan, np.nan)
    gap = difference_interval(*each)
    if apart:
        gap = widened_to(gap, np.subtract.outer(*each))
    if gap[2] < 0:
        return "covariance", gap
    return ("precision" if gap[1] > 0 else "undecided"), gap


def chain_distances(own, published, role):
    """Return the root mean square difference of each chain of a system from its printed row."""
    if len(own) == 0:
        return np.array([])
    system = own["system"].iloc[0]
    wide = own.pivot_table(index=["start", "chain"], columns="metric", values="value")
    wide = wide.reindex(columns=list(DISTANCE))
    printed = [published.beside(role, system, metric) for metric in DISTANCE]
    found = np.sqrt(((wide - printed) ** 2).mean(axis=1, skipna=False))
    return found.dropna().to_numpy()


def _of_question(mean):
    """Yield name and rows of the readings of SCDP-3, from all starts and from each."""
    for system in QUESTION:
        own = rows_of(mean, system=system)
        together = rows_of(own, variant="")
        groups = {"": together}
        for start in results.in_order(own["start"], results.STARTS):
            words = results.STARTS.get(start, start)
            # The start from one cluster may have been run as a separate variant.
            variant = "" if (together["start"] == start).any() else words
            groups[words] = rows_of(own, start=start, variant=variant)
        for words, group in groups.items():
            if len(group):
                yield results.label(system, words), group


def _nearer(identity, mean, diagnostics, published):
    own = rows_of(diagnostics, variant="")
    apart = any(results.starts_disagree(rows_of(own, system=name)) for name in QUESTION)
    answer, (gap, low, high) = nearer_reading(mean, published, identity["role"], apart)
    if not answer:
        return []
    name = f"SCDP-3, nearer the printed row: {answer}"
    row = tidy_row(identity, name, answer, "distance gap", (gap, np.nan, 2))
    more = {"low": low, "high": high, NOTE: NOT_CONVERGED if apart else ""}
    return [row | {"variant": "", "start": ""} | more]


def _others(rows):
    """Yield name and rows of what the rows about the readings of SCDP-3 do not show."""
    keys = rows[["system", "variant", "summary"]].drop_duplicates().itertuples(index=False)
    for key in sorted(keys, key=lambda key: (results.SYSTEMS.index(key.system), key.variant)):
        system, variant, summary = key
        asked = system in QUESTION and not variant and summary == "mean"
        if not asked and variant not in results.STARTS.values():
            yield results.label(system, variant, SUMMARIES[summary]), rows_of(rows, **key._asdict())


def _variants_of_baselines(identity, baselines):
    for (system, variant), group in baselines.groupby(["system", "variant"], sort=False):
        if variant and system not in ("Coarse", "Fine"):
            for metric in METRICS_SHOWN:
                found = mean_and_error(rows_of(group, metric=metric)["value"])
                row = tidy_row(identity, f"{system}, {variant}", "mean", metric, found)
                yield row | {"variant": variant, "start": ""}


def _rows(identity, name, group, diagnostics, published, base):
    """Return the rows of all metrics for some chains of one system and variant."""
    first = group.iloc[0]
    role, system = identity["role"], first["system"]
    start = first["start"] if group["start"].nunique() == 1 else ""
    of_model = rows_of(diagnostics, system=system, variant=first["variant"])
    here = of_model[of_model["start"].isin(group["start"])]
    found = {}
    for metric in METRICS_SHOWN:
        scores = mean_and_error(rows_of(group, metric=metric)["value"])
        found[metric] = (scores, published.beside(role, system, metric))
    if first["summary"] == "mean":  # single samples have no diagnostics
        clusters = rows_of(here, quantity="n_test_clusters")["value"]
        found["test clusters"] = (mean_and_error(clusters), np.nan)
        found["R-hat"] = ((results.rhat_of(of_model), np.nan, len(clusters)), np.nan)
    if system != "SCDP-1":
        ((mean, error, n), printed), (other, other_error, _n) = found["F"], mean_and_error(base)
        gain = (mean - other, float(np.hypot(error, other_error)), n)
        found["F over SCDP-1"] = (gain, printed - published.beside(role, "SCDP-1", "F"))
    found["distance"] = (mean_and_error(chain_distances(group, published, role)), np.nan)
    places = {"variant": first["variant"], "start": start, NOTE: results.note_on(of_model)}
    return [
        tidy_row(identity, name, first["summary"], metric, values, printed) | places
        for metric, (values, printed) in found.items()
        if not np.isnan(values[0]) or metric in METRICS_SHOWN
    ]


# ---- The time of a chain next to the authors', and what is gained by other moves and priors ----

N_ITERATIONS = 10_000

MOVE_EXTRA = ("variant", "move", "prior")

#: Quantities that are measured for each move, in words.
QUANTITIES = {"log_joint": "log joint", "n_test_clusters": "test clusters", "F": "F"}


@tidy()
def times_table(artefact, diagnostics, published):
    """Return the seconds of a chain of 10,000 iterations, projected from those of one iteration."""
    for identity, system, own in results.by_system(results.iterations(diagnostics), artefact):
        role, label = identity["role"], results.label(system)
        mean, error, n = mean_and_error(own["value"])
        chain = (N_ITERATIONS * mean, N_ITERATIONS * error, n)
        # The authors timed sweeps of single items, so that no other sweep compares with them.
        plain = own["variant"].eq(results.PLAIN).all()
        printed = published.seconds(role, system) if plain else np.nan
        hours = published.number(role, "chains") / 3600
        ratio = printed / chain[0]
        for name, values, beside in (
            ("ms an iteration", (1000 * mean, 1000 * error, n), np.nan),
            ("seconds a chain", chain, printed),
            ("times as fast", (ratio, ratio * error / mean, n), np.nan),
            ("CPU hours of all chains", (hours * chain[0], hours * chain[1], n), np.nan),
        ):
            if not np.isnan(values[0]):
                yield tidy_row(identity, label, PROJECTED, name, values, beside)


@tidy(*MOVE_EXTRA, NOTE)
def moves_table(artefact, moves, diagnostics):
    """Return the effective samples per second of each model, and as multiples of :data:`PLAIN`."""
    moves = moves[(moves["start"] != results.TRUTH) | (moves["variant"] == results.HELD)]
    for identity, system, of_system in results.by_system(moves, artefact):
        plain = results.PLAIN if (of_system["variant"] == results.PLAIN).any() else ""
        for variant, own in of_system.groupby("variant"):
            extra = {key: own[key].iloc[0] for key in MOVE_EXTRA}
            of_model = {"dataset": identity["dataset"], "system": system, "variant": variant}
            extra[NOTE] = results.note_on(rows_of(diagnostics, **of_model))
            base = rows_of(of_system.iloc[:0] if variant == plain else of_system, variant=plain)
            for metric, values in _speeds_and_levels(own, base):
                name = results.label(system, variant)
                yield tidy_row(identity, name, "chains", metric, values) | extra


def _speeds_and_levels(own, base):
    """Yield what is known of each quantity: its speed, and that over `base`; then levels."""
    for quantity, words in QUANTITIES.items():
        found, other = (
            mean_and_error(rows_of(part, quantity=quantity)["ess_per_second"])
            for part in (own, base)
        )
        if found[2]:
            yield f"ESS a second, {words}", found
        if found[2] and other[0] > 0:
            ratio = found[0] / other[0]
            error = float(np.hypot(found[1], ratio * other[1]) / other[0])
            yield f"gain, {words}", (ratio, error, found[2])
    for quantity in ("F", "n_test_clusters"):
        level = mean_and_error(rows_of(own, quantity=quantity)["mean"])
        if level[2]:
            yield QUANTITIES[quantity], level
