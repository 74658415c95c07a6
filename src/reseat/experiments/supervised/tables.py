"""Tables 1 to 5, every system by every metric next to the published numbers, and Figure 3."""

from __future__ import annotations

import numpy as np
import pandas as pd

from reseat.experiments.supervised.contradictions import contradictions
from reseat.experiments.supervised.measures import PRINTED, SUPPLEMENT
from reseat.experiments.supervised.posterior import starts_disagree
from reseat.experiments.supervised.results import (
    LABELS,
    LEARNED,
    PRINTED_AS,
    SYSTEMS,
    by_dataset,
    datasets_for,
    in_order,
)
from reseat.experiments.tidy import COLUMNS, mean_and_error, rows_of, tidy_row
from reseat.vocabulary import NOT_CONVERGED, NOTE, OBSTACLE

#: Columns next to the shared ones: the standard deviation over chains or repetitions, where `se` is
#: the Monte Carlo error of their mean; the standard error of the difference from the published
#: number if that is from a single run, as for the baselines, and from a draw of the items of its
#: own if they are known on several draws; whether chains are in different places; and why the
#: published number says nothing about ours.
EXTRA = ("sd", "combined", NOTE, OBSTACLE)

#: Rows of Table 4 that imply a test set of another size than the rows of the other systems do.
OTHER_ITEMS = {("refmatch", system) for system in ("Coarse", "Fine", "Binary")}


def metrics_table(artefact, role, scores, diagnostics, published, draws=None):
    """Return one of Tables 1 to 4: all systems on the data that serve for one set of the paper.

    The rows of a system that did not run have only the published number.
    """
    rows, between = [], _between(draws)
    for identity, part in by_dataset(scores, artefact, [role]):
        for system in _systems(published.systems(role), part):
            own = rows_of(part, system=system)
            more = [name for name in SUPPLEMENT if (own["metric"] == name).any()]
            for metric in (*PRINTED, *more):
                value = published.beside(role, system, metric)
                found = rows_of(own, metric=metric)
                rows.append(_row(identity, system, metric, found, value, between))
    return _marked(rows, diagnostics, published)


def f_table(artefact, scores, diagnostics, published, draws=None):
    """Return Table 5: F of the learned systems on all data.

    The parameters and columns are those of `metrics_table`, without a role.
    """
    rows, between = [], _between(draws)
    for identity, part in by_dataset(rows_of(scores, metric="F"), artefact):
        for system in _systems(LEARNED, part):
            if PRINTED_AS.get(system, system) in LEARNED:
                own = rows_of(part, system=system)
                key = (identity["role"], PRINTED_AS.get(system, system))
                value = published.table5.get(key, np.nan)
                rows.append(_row(identity, system, "F", own, value, between))
    return _marked(rows, diagnostics, published)


def draws_table(artefact, draws, published):
    """Return the baselines on several draws of the items of a set, next to the published numbers.

    Means are over draws, whose number is `n_chains`; `sd` is the standard deviation between draws,
    and `combined` the standard error of the difference from the published number, which is from one
    draw.
    """
    rows = []
    for identity, part in by_dataset(draws[draws["chosen"]], artefact):
        for system in in_order(part["system"], SYSTEMS):
            for metric in PRINTED:
                found = mean_and_error(rows_of(part, system=system, metric=metric)["value"])
                value = published.beside(identity["role"], system, metric)
                row = tidy_row(identity, system, "mean over draws", metric, found, value)
                spread = found[1] * np.sqrt(found[2])
                error = spread * np.sqrt(1 + 1 / max(1, found[2]))
                rows.append(row | {"sd": spread, "combined": error})
    return pd.DataFrame(rows, columns=[*COLUMNS, "sd", "combined"])


def _between(draws):
    """Return standard deviations between draws of the items, by data set, system and metric."""
    if draws is None:
        return {}
    chosen = draws[draws["chosen"]]
    return chosen.groupby(["dataset", "system", "metric"])["value"].std(ddof=1).to_dict()


def _marked(rows, diagnostics, published):
    """Return a table with a note where chains disagree, and with obstacles to comparison."""
    names = {
        (dataset, LABELS.get(system, system)): NOT_CONVERGED
        for (dataset, system), own in rows_of(diagnostics, variant="").groupby(
            ["dataset", "system"]
        )
        if starts_disagree(own)
    }
    wrong = {
        (check.role, check.system, check.metric)
        for check in contradictions(published)
        if check.compared and not check.agrees
    }
    for row in rows:
        row[NOTE] = names.get((row["dataset"], row["system"]), "")
        row[OBSTACLE] = _obstacle(row, wrong)
    return pd.DataFrame(rows, columns=[*COLUMNS, *EXTRA])


def _obstacle(row, wrong):
    """Return why the published number of a row says nothing about ours; empty if it does."""
    if np.isnan(row["published"]):
        return ""
    system = {name: key for key, name in LABELS.items()}.get(row["system"], row["system"])
    system = PRINTED_AS.get(system, system)
    if (row["role"], system) in OTHER_ITEMS:
        return "of other test items, by its own numbers"
    # Numbers are checked against those of Coarse, which must be about the same items.
    same_items = (row["role"], "Coarse") not in OTHER_ITEMS
    if same_items and (row["role"], system, row["metric"]) in wrong:
        return "in contradiction with other numbers of its table"
    return ""


def _systems(printed, part):
    """Return the printed systems, run or not, SCDP-3 in both readings, and whatever else ran."""
    return in_order([*printed, "SCDP-3p", *part["system"]], SYSTEMS)


def _row(identity, system, metric, own, published, between):
    mean, error, n = mean_and_error(own["value"])
    row = tidy_row(
        identity, LABELS.get(system, system), "mean", metric, (mean, error, n), published
    )
    spread = error * np.sqrt(n)
    if n == 0 or (own["start"] != "").any():
        return row | {"sd": spread, "combined": np.nan}
    combined = spread * np.sqrt(1 + 1 / n)
    drawn = between.get((identity["dataset"], system, metric))
    if drawn is not None:
        # Ours and the paper's are on two draws, whose scores also differ by the random numbers.
        runs = np.nan_to_num(spread) ** 2
        combined = np.sqrt(runs * (1 + 1 / n) + 2 * np.maximum(0.0, drawn**2 - runs))
    return row | {"sd": spread, "combined": combined}


def growth_table(artefact, growth, fit):
    """Return the table of Figure 3: number of clusters against number of items.

    `main` says whether a data set represents its set of the paper in the figure.
    """
    parts = []
    for identity, part in by_dataset(growth, artefact):
        main = datasets_for(growth, identity["role"])[0]
        parts.append(part.assign(artefact=artefact, main=identity["dataset"] == main))
    table = pd.concat(parts, ignore_index=True)
    fitted = ["dataset", "alpha", "pyp_concentration", "pyp_discount"]
    table = table.merge(fit[fitted], on="dataset", how="left", validate="many_to_one")
    front = ["artefact", "dataset", "status", "role"]
    return table[[*front, *(name for name in table.columns if name not in front)]]
