"""Tables 1 to 5 and Figure 3, what the paper leaves open, and what chains cost."""

import numpy as np
import pandas as pd

from reseat.papers.statistics import difference_interval, widened_to
from reseat.papers.supervised import results
from reseat.papers.supervised.contradictions import contradictions
from reseat.papers.supervised.measures import PRINTED, SUPPLEMENT
from reseat.papers.tables import COLUMNS, mean_and_error, rows_of, tidy, tidy_row
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
    rows, between = [], _between(draws)
    theirs = published.number(role, "chains")
    for identity, part in results.by_dataset(scores, artefact, [role]):
        for system in _systems(published.systems(role), part):
            for variant, own in _variants(rows_of(part, system=system)):
                more = [name for name in SUPPLEMENT if (own["metric"] == name).any()]
                for metric in (*PRINTED, *more):
                    value = published.beside(role, system, metric)
                    found = rows_of(own, metric=metric)
                    if len(found) or not np.isnan(value):
                        given = (variant, metric, found, value, between, theirs)
                        rows.append(_row(identity, system, *given))
    return _marked(rows, diagnostics, published)


def f_table(artefact, scores, diagnostics, published, draws=None):
    """Return Table 5: F of the learned systems on all data, with the columns of `metrics_table`."""
    rows, between = [], _between(draws)
    for identity, part in results.by_dataset(rows_of(scores, metric="F"), artefact):
        for system in _systems(results.LEARNED, part):
            if results.PRINTED_AS.get(system, system) in results.LEARNED:
                key = (identity["role"], results.PRINTED_AS.get(system, system))
                value = published.table5.get(key, np.nan)
                theirs = published.number(identity["role"], "chains")
                for variant, own in _variants(rows_of(part, system=system)):
                    if len(own) or not np.isnan(value):
                        given = (variant, "F", own, value, between, theirs)
                        rows.append(_row(identity, system, *given))
    return _marked(rows, diagnostics, published)


@tidy("sd", "combined")
def draws_table(artefact, draws, published):
    """Return baselines on several draws of the items, `combined` with the paper's own draw."""
    for identity, part in results.by_dataset(draws[draws["chosen"]], artefact):
        for system in results.in_order(part["system"], results.SYSTEMS):
            own = rows_of(part, system=system)
            for metric in filter(set(own["metric"]).__contains__, (*PRINTED, results.HELD_OUT)):
                found = mean_and_error(rows_of(own, metric=metric)["value"])
                value = published.beside(identity["role"], system, metric)
                row = tidy_row(identity, system, "mean over draws", metric, found, value)
                spread = found[1] * np.sqrt(found[2])
                error = spread * np.sqrt(1 + 1 / max(1, found[2]))
                yield row | {"sd": spread, "combined": error}


def _between(draws):
    """Return standard deviations between draws of the items, by data set, system and metric."""
    if draws is None:
        return {}
    chosen = draws[draws["chosen"]]
    return chosen.groupby(["dataset", "system", "metric"])["value"].std(ddof=1).to_dict()


def _marked(rows, diagnostics, published):
    """Return a table with notes, obstacles, and errors completed with the paper's chains."""
    names = {
        (dataset, _name(system, variant)): results.note_on(own)
        for (dataset, system, variant), own in diagnostics.groupby(["dataset", "system", "variant"])
        if variant in (results.PLAIN, results.MIXING)
    }
    wrong = {
        (check.role, check.system, check.metric)
        for check in contradictions(published)
        if check.compared and not check.agrees
    }
    for row in rows:
        row[NOTE] = names.get((row["dataset"], row["system"]), "")
        row[OBSTACLE] = _obstacle(row, wrong)
        if row["n_chains"] and np.isnan(row["combined"]):
            theirs = published.number(row["role"], "chains")
            row["combined"] = row["sd"] * np.sqrt(1 / row["n_chains"] + 1 / theirs)
    return pd.DataFrame(rows, columns=[*COLUMNS, *EXTRA])


def _variants(own):
    """Yield the variants of a system in a table, with their runs: as in the paper, then mixing."""
    mixing = own["start"].ne("") & own["variant"].eq(results.MIXING)
    yield results.PLAIN, own[~mixing]
    if mixing.any():
        yield results.MIXING, own[mixing]


def _name(system, variant):
    """Return the name of a system in a table; one that is not sampled is as in the paper."""
    name = results.LABELS.get(system, system)
    return f"{name}, {results.POSTERIOR}" if variant == results.MIXING else name


def _obstacle(row, wrong):
    """Return why the published number of a row says nothing about ours; empty if it does."""
    if np.isnan(row["published"]):
        return ""
    system = row["system"].removesuffix(f", {results.POSTERIOR}")
    system = {name: key for key, name in results.LABELS.items()}.get(system, system)
    system = results.PRINTED_AS.get(system, system)
    if (row["role"], system) in OTHER_ITEMS:
        return "of other test items, by its own numbers"
    # Numbers are checked against those of Coarse, which must be about the same items.
    same_items = (row["role"], "Coarse") not in OTHER_ITEMS
    if same_items and (row["role"], system, row["metric"]) in wrong:
        return "in contradiction with other numbers of its table"
    return ""


def _systems(printed, part):
    """Return the printed systems, run or not, SCDP-3 in both readings, and whatever else ran."""
    return results.in_order([*printed, "SCDP-3p", *part["system"]], results.SYSTEMS)


def _row(identity, system, variant, metric, own, published, between, theirs):
    """Return a row of a table; the paper has as many chains as `theirs`."""
    mean, error, n = mean_and_error(own["value"])
    name = _name(system, variant)
    row = tidy_row(identity, name, "mean", metric, (mean, error, n), published)
    spread = error * np.sqrt(n)
    chains = (own["start"] != "").any()
    combined = np.nan if chains else spread * np.sqrt(1 + 1 / max(1, n))
    drawn = between.get((identity["dataset"], system, metric))
    if n and drawn is not None and variant == results.PLAIN:
        # Ours and the paper's are on two draws, whose scores also differ by the random numbers.
        runs = np.nan_to_num(spread) ** 2
        once = 1 / theirs if chains else 1
        combined = np.sqrt(runs * (1 / n + once) + 2 * np.maximum(0.0, drawn**2 - runs))
    return row | {"sd": spread, "combined": combined}


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
#
# The two readings of SCDP-3 differ in what the types are, covariances or precisions. For each
# reading and each start of its chains, the table gives the scores, how far they are from the
# printed row, and whether the chains agree; it then says which of the two readings is nearer.

QUESTION = {"SCDP-3": "covariance", "SCDP-3p": "precision"}

#: Metrics that are shown, and those in the distance of two rows: on pairs, edits, information.
METRICS_SHOWN = ("F", "NES", "VI")
DISTANCE = ("F", "NES", "NVI")

SUMMARIES = {"mean": "", "map": "best sample", "last": "last sample", "min_vi": "least expected VI"}

READING_EXTRA = ("variant", "start", "question", "low", "high", "truth", NOTE)


@tidy(*READING_EXTRA)
def readings_table(artefact, chains, min_vi, baselines, diagnostics, data, published):
    """Return both readings of SCDP-3 from every start, then other variants, samples and summaries.

    Rows with `question` are about SCDP-3; the last say which reading is nearer the printed row, by
    the ``distance gap`` of covariance less precision, with its interval.
    """
    for identity, part in results.by_dataset(results.scored(chains), artefact):
        name = identity["dataset"]
        own, mean = rows_of(diagnostics, dataset=name), rows_of(part, summary="mean")
        made = []
        for system in QUESTION:
            made += _of_question(identity, rows_of(mean, system=system), mean, own, published)
        made += _nearer(identity, mean, own, published)
        made += _others(identity, part, _shown(min_vi, part, name), own, published)
        made += _variants_of_baselines(identity, rows_of(baselines, dataset=name))
        truth = rows_of(data, dataset=name, quantity="n_test_entities")["value"].mean()
        yield from [
            row | {"truth": truth if row["metric"] == "test clusters" else np.nan} for row in made
        ]


def nearer_reading(part, published, role, apart=False):
    """Return which reading of SCDP-3 is nearer the printed row, and the interval that says so.

    It is that of the covariance reading's distance less the precision reading's, over chains and,
    if they disagree (`apart`), over all pairs of chains.
    """
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


def _of_question(identity, own, mean, diagnostics, published):
    """Return the rows of one reading of SCDP-3, from all starts and from each, also one cluster."""
    groups = {"": rows_of(own, variant="")}
    for start in results.in_order(own["start"], results.STARTS):
        # The start from one cluster may have been run as a separate variant.
        variant = "" if (groups[""]["start"] == start).any() else results.STARTS.get(start, start)
        groups[start] = rows_of(own, start=start, variant=variant)
    base = rows_of(mean, system="SCDP-1", variant="", metric="F")["value"]
    rows = []
    for start, group in groups.items():
        if len(group) == 0:
            continue
        words = f", {results.STARTS.get(start, start)}" if start else ""
        name = results.LABELS[group["system"].iloc[0]] + words
        rows += _rows(identity, name, group, diagnostics, published, base)
    return [row | {"question": True} for row in rows]


def _nearer(identity, mean, diagnostics, published):
    own = rows_of(diagnostics, variant="")
    apart = any(results.starts_disagree(rows_of(own, system=name)) for name in QUESTION)
    answer, (gap, low, high) = nearer_reading(mean, published, identity["role"], apart)
    if not answer:
        return []
    row = tidy_row(identity, f"SCDP-3, nearer the printed row: {answer}", answer, "distance gap",
                   (gap, np.nan, 2))  # fmt: skip
    more = {"low": low, "high": high, NOTE: NOT_CONVERGED if apart else ""}
    return [row | {"variant": "", "start": "", "question": True} | more]


def _shown(min_vi, part, dataset):
    """Return the partitions of least expected VI of the models whose chains are shown."""
    models = part[["system", "variant"]].drop_duplicates()
    return rows_of(min_vi, dataset=dataset).merge(models, on=["system", "variant"])


def _others(identity, part, min_vi, diagnostics, published):
    """Return the rows of everything that the rows about the readings of SCDP-3 do not show."""
    base = rows_of(part, system="SCDP-1", variant="", summary="mean", metric="F")["value"]
    frames = [part, min_vi.assign(start="", chain=0)] if len(min_vi) else [part]
    both = pd.concat(frames, ignore_index=True)
    rows = []
    keys = both[["system", "variant", "summary"]].drop_duplicates().itertuples(index=False)
    order = list(results.SYSTEMS)
    for system, variant, summary in sorted(
        keys, key=lambda key: (order.index(key[0]) if key[0] in order else 99, key[1])
    ):
        if variant in results.STARTS.values() or (
            system in QUESTION and not variant and summary == "mean"
        ):
            continue  # shown in the rows about the readings of SCDP-3
        group = rows_of(both, system=system, variant=variant, summary=summary)
        words = [results.LABELS.get(system, system), variant, SUMMARIES.get(summary, summary)]
        name = ", ".join(word for word in words if word)
        rows += _rows(identity, name, group, diagnostics, published, base)
    return [row | {"question": False} for row in rows]


def _variants_of_baselines(identity, baselines):
    for (system, variant), group in baselines.groupby(["system", "variant"], sort=False):
        if variant and system not in ("Coarse", "Fine"):
            for metric in METRICS_SHOWN:
                found = mean_and_error(rows_of(group, metric=metric)["value"])
                row = tidy_row(identity, f"{system}, {variant}", "mean", metric, found)
                yield row | {"variant": variant, "start": "", "question": False}


def _rows(identity, name, group, diagnostics, published, base):
    """Return the rows of all metrics for some chains of one system and variant."""
    first = group.iloc[0]
    role, system = identity["role"], first["system"]
    start = first["start"] if group["start"].nunique() == 1 else ""
    of_model = rows_of(diagnostics, system=system, variant=first["variant"])
    here = of_model[of_model["start"].isin(group["start"])]
    distances = chain_distances(group, published, role)
    scores = rows_of(group, metric="F")["value"]
    gain, printed_gain = (np.nan, np.nan, 0), np.nan
    if len(base) and len(scores) and system != "SCDP-1":
        (mean, error, n), (other, other_error, _n) = mean_and_error(scores), mean_and_error(base)
        gain = (mean - other, float(np.hypot(error, other_error)), n)
        printed = [published.beside(role, of, "F") for of in (system, "SCDP-1")]
        printed_gain = printed[0] - printed[1]
    found = {
        metric: (mean_and_error(rows_of(group, metric=metric)["value"]),
                 published.beside(role, system, metric))
        for metric in METRICS_SHOWN
    }  # fmt: skip
    if first["summary"] == "mean":  # single samples have no diagnostics
        clusters = rows_of(here, quantity="n_test_clusters")["value"]
        found["test clusters"] = (mean_and_error(clusters), np.nan)
        found["R-hat"] = ((results.rhat_of(of_model), np.nan, len(clusters)), np.nan)
    found["F over SCDP-1"] = (gain, printed_gain)
    found["distance"] = (mean_and_error(distances), np.nan)
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
    """Return the seconds of a chain of 10,000 iterations, projected from those of one iteration.

    ``CPU hours of all chains`` are of as many as the paper runs. Without sweeps of single items,
    the times are those of the model as reported, beside none of the authors'.
    """
    timed = results.iterations(diagnostics)
    for identity, part in results.by_dataset(timed, artefact):
        role = identity["role"]
        for system in results.in_order(part["system"], results.SYSTEMS):
            of_system = rows_of(part, system=system)
            mean, error, n = mean_and_error(of_system["value"])
            chain = (N_ITERATIONS * mean, N_ITERATIONS * error, n)
            # The authors timed sweeps of single items, so that no other sweep compares with them.
            plain = of_system["variant"].eq(results.PLAIN).all()
            printed = published.seconds(role, system) if plain else np.nan
            hours = published.number(role, "chains") / 3600
            ratio = printed / chain[0]
            label = results.LABELS.get(system, system)
            found = {
                "ms an iteration": ((1000 * mean, 1000 * error, n), np.nan),
                "seconds a chain": (chain, printed),
                "times as fast": ((ratio, ratio * error / mean, n), np.nan),
                "CPU hours of all chains": ((hours * chain[0], hours * chain[1], n), np.nan),
            }
            yield from [
                tidy_row(identity, label, PROJECTED, name, values, beside)
                for name, (values, beside) in found.items()
                if not np.isnan(values[0])
            ]


@tidy(*MOVE_EXTRA, NOTE)
def moves_table(artefact, moves, diagnostics):
    """Return the effective samples per second of each model, and the gain of its variants.

    ``gain`` is a multiple of :data:`PLAIN`, or of the model as reported. Each chain is measured by
    itself, so that stuck chains look fast: levels of ``F`` and ``test clusters`` are beside it.
    """
    moves = moves[(moves["start"] != results.TRUTH) | (moves["variant"] == results.HELD)]
    for identity, part in results.by_dataset(moves, artefact):
        for system in results.in_order(part["system"], results.SYSTEMS):
            of_system = rows_of(part, system=system)
            plain = results.PLAIN if (of_system["variant"] == results.PLAIN).any() else ""
            base = _speeds(rows_of(of_system, variant=plain))
            for variant, own in of_system.groupby("variant"):
                name = ", ".join(filter(None, (results.LABELS.get(system, system), variant)))
                extra = {key: own[key].iloc[0] for key in MOVE_EXTRA}
                of_model = {"dataset": identity["dataset"], "system": system, "variant": variant}
                extra[NOTE] = results.note_on(rows_of(diagnostics, **of_model))
                beside = {} if variant == plain else base
                yield from [row | extra for row in _move_rows(identity, name, own, beside)]


def _speeds(part):
    """Return the effective samples per second of every quantity: mean, error, number of chains."""
    return {
        quantity: mean_and_error(rows_of(part, quantity=quantity)["ess_per_second"])
        for quantity in QUANTITIES
    }


def _move_rows(identity, name, own, base):
    for quantity, found in _speeds(own).items():
        if found[2] == 0:
            continue
        words, other = QUANTITIES[quantity], base.get(quantity, (np.nan, np.nan, 0))
        yield tidy_row(identity, name, "chains", f"ESS a second, {words}", found)
        if other[2] and other[0] > 0:
            ratio = found[0] / other[0]
            error = float(np.hypot(found[1], ratio * other[1]) / other[0])
            values = (ratio, error, found[2])
            yield tidy_row(identity, name, "chains", f"gain, {words}", values)
    for quantity in ("F", "n_test_clusters"):
        level = mean_and_error(rows_of(own, quantity=quantity)["mean"])
        if level[2]:
            yield tidy_row(identity, name, "chains", QUANTITIES[quantity], level)
