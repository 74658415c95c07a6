"""Table 1, its cells under other readings, and the real record sets (section 4.2)."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from reseat.errors import DataError
from reseat.experiments.printed_metrics import Metric
from reseat.experiments.records.agreement import TABLE1_METRICS, agrees
from reseat.experiments.records.consistency import BOUND, impossible_rows
from reseat.experiments.records.plan import SIMILAR
from reseat.experiments.records.results import (
    METRICS,
    MODELS,
    SAMPLED,
    by_model,
    finite_max,
    posterior_of,
    unsettled,
    variants,
)
from reseat.experiments.tidy import COLUMNS, identity_of, mean_and_error, tidy_row
from reseat.vocabulary import NOT_CONVERGED, NOTE, OBSTACLE

#: Columns of Table 1 in addition to the shared ones: the concentration, the true value, the number
#: of data draws, the standard deviation between draws, the Monte Carlo error of the mean over
#: draws, the standard error of the difference from the published value, the largest R-hat, whether
#: the number agrees with the published one (see `reseat.experiments.records.agreement`), a note on
#: data draws whose single chain, for which there is no R-hat, is too short, the number of draws
#: from which the standard error of the mean is computed (empty for a Monte Carlo error), and what
#: speaks against the published number.
TABLE1_EXTRA = (
    *("delta_true", "truth", "n_draws", "sd_between", "mcse", "combined", "rhat_max", "agrees"),
    NOTE,
    "n_parts",
    OBSTACLE,
)

#: What speaks against the published numbers in `impossible_rows`.
IMPOSSIBLE = "in contradiction with other numbers of its row, which no partitions can have together"

#: Share of the bound of delta from which a quarter of the draws lie at the bound.
NEARLY = 0.98

#: R-hat of the number of clusters, shown beside the numbers whose convergence it indicates.
R_HAT = Metric("R-hat", "n_clusters")


def table1(artefact, summaries, published):
    """Return Table 1 (set x delta x prior), with each number averaged over data draws.

    A published number comes from one data draw, ours from D. If s is the standard deviation between
    our draws and e the Monte Carlo error of our mean, the difference has the standard error
    sqrt(s^2 (1 + 1/D) + e^2). With a single draw s is not known, and no z is given. `dataset` is a
    variant such as ``italy_d02``, `mean` is the mean over draws of the posterior means (of the
    posterior standard deviations for ``sd[K]``), and `se` is its standard error: that between draws
    or, with a single draw, the Monte Carlo error.
    """
    summaries = summaries[summaries["model"].isin([*MODELS, *SAMPLED])]
    rows = []
    for identity, delta, part in variants(summaries, artefact):
        rows += _cells(identity, delta, part, published)
    return pd.DataFrame(rows, columns=[*COLUMNS, *TABLE1_EXTRA])


def readings_table(artefact, summaries, published):
    """Return cells of Table 1 under other readings of what the paper leaves open.

    Some readings run on fewer data draws than the paper's models. All rows of a variant are
    therefore averaged over the draws that they have in common, so that they use the same data.

    The parameters and the returned value are those of :func:`table1`; every reading of a model is
    compared with the published row of that model.
    """
    rows = []
    for identity, delta, part in variants(summaries, artefact):
        draws = part.groupby("model")["draw"].agg(set)
        if not set(draws.index) <= set(MODELS):
            common = set.intersection(*draws)
            rows += _cells(identity, delta, part[part["draw"].isin(common)], published)
    if not rows:
        raise DataError(f"{artefact} has no reading of a model; run one, such as pyp_75.")
    return pd.DataFrame(rows, columns=[*COLUMNS, *TABLE1_EXTRA])


def real_table(artefact, summaries, delta_bound):
    """Return the metrics of Table 1 on real records, with the true number of clusters.

    Models of similar values have a table of their own. The note says whether the bound of delta
    cuts off its posterior; `se` is the Monte Carlo error. Error rates are left out where the truth
    is not known.
    """
    summaries = summaries[summaries["delta_true"].isna() & (summaries["likelihood"] != SIMILAR)]
    if len(summaries) == 0:
        raise DataError(f"{artefact} has no real data set; run the models on one first.")
    rows = []
    for _name, part in summaries.groupby("dataset", sort=False):
        identity = identity_of(part, artefact)
        for _model, label, of_model in by_model(part):
            posteriors = {metric: posterior_of(of_model, metric) for metric in (*METRICS, R_HAT)}
            rhat, note = _worst_rhat(posteriors), _at_bound(of_model, delta_bound)
            for metric, found in posteriors.items():
                if len(found) == 0 or found["mean"].isna().all():
                    continue
                row = found.iloc[0]
                values = (row["mean"], row["mcse"], row["truth"])
                if metric is R_HAT:
                    values = (row["rhat"], np.nan, np.nan)
                mean, error, truth = values
                count = (mean, error, int(row["n_chains"]))
                cell = tidy_row(identity, label, "posterior", metric.name, count)
                more = {"truth": truth, "rhat_max": rhat, "n_parts": np.nan, NOTE: note}
                rows.append({**cell, **more})
    return pd.DataFrame(rows, columns=[*COLUMNS, "truth", "rhat_max", "n_parts", NOTE])


def _at_bound(rows, bound):
    """Return a note if the bound cuts off the posterior of delta of one model; otherwise ""."""
    delta = rows[rows["quantity"].str.fullmatch(r"delta(_\d+)?")]
    cut = (delta["q75"] > NEARLY * bound) & (delta["whisker_high"] <= bound)
    of = "delta" if len(delta) == 1 else f"delta of {cut.sum()} of {len(delta)} fields"
    return f"{of} is at its bound, {bound:g}" if cut.any() else ""


def _cells(identity, delta, part, published):
    """Return the rows of one variant: every model and metric."""
    rows, impossible = [], impossible_rows(published)
    for _model, label, of_model in by_model(part):
        printed = of_model["system"].iloc[0]
        posteriors = {m: posterior_of(of_model.sort_values("draw"), m) for m in METRICS}
        rhat, note = _worst_rhat(posteriors), _short_chains(posteriors)
        for metric, found in posteriors.items():
            if len(found):
                value = published.get((identity["role"], delta, printed, metric.name), np.nan)
                cell = _cell(identity, delta, label, metric, found, value)
                wrong = (identity["role"], delta, printed) in impossible and metric.name in BOUND
                rows.append(cell | {"rhat_max": rhat, NOTE: note, OBSTACLE: IMPOSSIBLE * wrong})
    return rows


def _worst_rhat(posteriors):
    """Return the largest R-hat of the metrics of Table 1 that are compared.

    Chains that disagree in one of these have not converged in the others either.
    """
    return finite_max(_judged(posteriors)["rhat"])


def _short_chains(posteriors):
    """Return a note on single chains with too few effective draws; empty if there are none."""
    judged = _judged(posteriors)
    short = judged[(judged["n_chains"] == 1) & unsettled(judged)]
    if len(short) == 0:
        return ""
    # Rounded down, so that a number below the limit is never printed as the limit.
    fewest = f"{math.floor(short['ess'].min())} effective draws"
    n_draws, n_short = judged["dataset"].nunique(), short["dataset"].nunique()
    if n_draws == 1:
        return f"{NOT_CONVERGED}: a single chain with {fewest}"
    chains, have = ("chain", "has") if n_short == 1 else ("chains", "have as few as")
    return (
        f"{NOT_CONVERGED}: the only {chains} on {n_short} of {n_draws} draws of the data {have} "
        f"{fewest}"
    )


def _judged(posteriors):
    return pd.concat(found for metric, found in posteriors.items() if metric.name in TABLE1_METRICS)


def _cell(identity, delta, label, metric, found, published):
    n = len(found)
    mean, error, _n = mean_and_error(found["mean"])
    sampler = float(np.sqrt(np.sum(found["mcse"].to_numpy() ** 2)) / n)
    between = error * np.sqrt(n)
    combined = float(np.sqrt(between**2 * (1 + 1 / n) + sampler**2))
    row = tidy_row(
        identity,
        label,
        "posterior",
        metric.name,
        (mean, error if n > 1 else sampler, int(found["n_chains"].sum())),
        published,
        combined,
    )
    verdict = np.nan
    if row["comparable"] and metric.name in TABLE1_METRICS and not np.isnan(published):
        verdict = agrees(metric.name, row["difference"], published, combined)
    extra = (*(delta, found["truth"].mean(), n, between, sampler, combined),)
    more = {"agrees": verdict, "n_parts": n if n > 1 else np.nan}
    return row | dict(zip(TABLE1_EXTRA, extra, strict=False)) | more
