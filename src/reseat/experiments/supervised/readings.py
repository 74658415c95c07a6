"""What the paper leaves open: which SCDP-3, which start, which sample, which variant.

The two readings of SCDP-3 differ in what the types are, covariances or precisions. For each reading
and each start of its chains, the table gives the scores, how far they are from the printed row, and
whether the chains agree; it then says which of the two readings is nearer.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.experiments.intervals import difference_interval, holding
from reseat.experiments.supervised.posterior import STARTS, rhat_of, starts_disagree
from reseat.experiments.supervised.results import LABELS, SYSTEMS, by_dataset, in_order, scored
from reseat.experiments.tidy import COLUMNS, mean_and_error, rows_of, tidy_row
from reseat.vocabulary import NOT_CONVERGED, NOTE

#: The two readings of SCDP-3.
QUESTION = {"SCDP-3": "covariance", "SCDP-3p": "precision"}

#: Metrics that are shown, and those whose root mean square difference is the distance between two
#: rows: one based on pairs, one on edits and one on information, all of them at most 1.
SHOWN = ("F", "NES", "VI")
DISTANCE = ("F", "NES", "NVI")

SUMMARIES = {"mean": "", "map": "best sample", "last": "last sample", "min_vi": "least expected VI"}

#: Columns next to the shared ones.
EXTRA = ("variant", "start", "question", "low", "high", "truth", NOTE)


def readings_table(artefact, chains, min_vi, baselines, diagnostics, data, published):
    """Return both readings of SCDP-3 from every start, then other variants, samples and summaries.

    ``distance`` is that from the printed row. Rows with `question` are about SCDP-3, and the last
    of them say which reading is nearer: their ``distance gap`` is the distance of the covariance
    reading less that of the precision reading, with its interval in `low` and `high` and the answer
    in `summary`. The note marks what comes from chains of a model whose starts disagree.
    """
    rows = []
    for identity, part in by_dataset(scored(chains), artefact):
        name = identity["dataset"]
        own, mean = rows_of(diagnostics, dataset=name), rows_of(part, summary="mean")
        made = []
        for system in QUESTION:
            made += _of_question(identity, rows_of(mean, system=system), mean, own, published)
        made += _nearer(identity, mean, own, published)
        made += _others(identity, part, _shown(min_vi, part, name), own, published)
        made += _variants_of_baselines(identity, rows_of(baselines, dataset=name))
        truth = rows_of(data, dataset=name, quantity="n_test_entities")["value"].mean()
        rows += [
            row | {"truth": truth if row["metric"] == "test clusters" else np.nan} for row in made
        ]
    return pd.DataFrame(rows, columns=[*COLUMNS, *EXTRA])


def nearer_reading(part, published, role, apart=False):
    """Return which reading of SCDP-3 is nearer the printed row, and the interval that says so.

    The answer is ``covariance``, ``precision`` or ``undecided``, and empty if one of them did not
    run. The interval is that of the distance of the covariance reading less that of the precision
    reading, over chains; if chains disagree (`apart`), it also covers the difference of every chain
    from every other.
    """
    part = rows_of(part, variant="")
    each = [chain_distances(rows_of(part, system=name), published, role) for name in QUESTION]
    if min(map(len, each)) == 0:
        return "", (np.nan, np.nan, np.nan)
    gap = difference_interval(*each)
    if apart:
        gap = holding(gap, np.subtract.outer(*each))
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
    for start in in_order(own["start"], STARTS):
        # The start from one cluster may have been run as a separate variant.
        variant = "" if (groups[""]["start"] == start).any() else STARTS.get(start, start)
        groups[start] = rows_of(own, start=start, variant=variant)
    base = rows_of(mean, system="SCDP-1", variant="", metric="F")["value"]
    rows = []
    for start, group in groups.items():
        if len(group) == 0:
            continue
        words = f", {STARTS.get(start, start)}" if start else ""
        name = LABELS[group["system"].iloc[0]] + words
        rows += _rows(identity, name, group, diagnostics, published, base)
    return [row | {"question": True} for row in rows]


def _nearer(identity, mean, diagnostics, published):
    own = rows_of(diagnostics, variant="")
    apart = any(starts_disagree(rows_of(own, system=name)) for name in QUESTION)
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
    order = list(SYSTEMS)
    for system, variant, summary in sorted(
        keys, key=lambda key: (order.index(key[0]) if key[0] in order else 99, key[1])
    ):
        if variant in STARTS.values() or (system in QUESTION and not variant and summary == "mean"):
            continue  # shown in the rows about the readings of SCDP-3
        group = rows_of(both, system=system, variant=variant, summary=summary)
        words = [LABELS.get(system, system), variant, SUMMARIES.get(summary, summary)]
        name = ", ".join(word for word in words if word)
        rows += _rows(identity, name, group, diagnostics, published, base)
    return [row | {"question": False} for row in rows]


def _variants_of_baselines(identity, baselines):
    rows = []
    for (system, variant), group in baselines.groupby(["system", "variant"], sort=False):
        if variant and system not in ("Coarse", "Fine"):
            for metric in SHOWN:
                found = mean_and_error(rows_of(group, metric=metric)["value"])
                row = tidy_row(identity, f"{system}, {variant}", "mean", metric, found)
                rows.append(row | {"variant": variant, "start": "", "question": False})
    return rows


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
        for metric in SHOWN
    }  # fmt: skip
    if first["summary"] == "mean":  # single samples have no diagnostics
        clusters = rows_of(here, quantity="n_test_clusters")["value"]
        found["test clusters"] = (mean_and_error(clusters), np.nan)
        found["R-hat"] = ((rhat_of(of_model), np.nan, len(clusters)), np.nan)
    found["F over SCDP-1"] = (gain, printed_gain)
    found["distance"] = (mean_and_error(distances), np.nan)
    note = NOT_CONVERGED if starts_disagree(of_model) else ""
    places = {"variant": first["variant"], "start": start, NOTE: note}
    return [
        tidy_row(identity, name, first["summary"], metric, values, printed) | places
        for metric, (values, printed) in found.items()
        if not np.isnan(values[0]) or metric in SHOWN
    ]
